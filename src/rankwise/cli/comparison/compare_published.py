"""What `rankwise compare --published` prints: published results against those of one protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from click.core import ParameterSource

from rankwise.cli.output import note, print_json, print_report_tables, print_table, say
from rankwise.comparison import PublishedAgainstHere, compare_published
from rankwise.errors import RankwiseError
from rankwise.reports import make_difference_table
from rankwise.tables import shape_table, shown

_ORIGINS = {"own": "its authors", "others": "others", "unclear": "both or not named"}
_LONGEST_SENTENCE = 400


_HEARD = frozenset(
    ("tables", "measures", "published", "credible", "output_format", "columns", "transpose",
     "output", "figure_formats")
)  # fmt: skip


def refuse_beside(context: click.Context) -> None:
    """Refuse every flag that was given and does nothing here."""
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name is not None
        and parameter.name not in _HEARD
        and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
    ]
    if given:
        raise RankwiseError(
            f"--published takes the place of the ranking, which {', '.join(given)} belong to; "
            "ask for one of both"
        )


def print_published(
    tables: Sequence[str],
    published: str,
    measures: Sequence[str],
    credible: bool,
    output_format: str,
    shape: tuple[str | None, bool],
    output: Path | None,
    formats: Sequence[str],
) -> None:
    """Compare one table of own runs with published results, print it, and draw it."""
    if len(tables) != 1:
        raise RankwiseError(
            "--published is compared with one table of own runs: name rankwise_dense, the folder "
            f"of 'rankwise results dense', or a store; found {len(tables)} tables"
        )
    found = compare_published(tables[0], published, measures=measures, credible=credible)
    for remark in found.remarks:
        note(remark)
    if output_format == "json":
        print_json(_object(found))
    elif output_format == "table" and shape == (None, False):
        _print(found)
    else:
        print_report_tables(shape_table(make_difference_table(found), *shape), output_format)
    if output is not None:
        from rankwise.reports import draw_differences

        for path in draw_differences(found, output, formats):
            note(f"wrote {path}")


def _object(found: PublishedAgainstHere) -> dict[str, object]:
    differences = [{**asdict(one), "difference": one.difference} for one in found.differences]
    fronts = [{**asdict(one), "survivors": one.survivors} for one in found.fronts]
    return {**asdict(found), "differences": differences, "fronts": fronts}


def _print(found: PublishedAgainstHere) -> None:
    for title, first, groups in (
        ("Published less here, by method", "Method", found.methods),
        ("Published less here, by data set", "Data set", found.datasets),
        ("Published less here, by who published it", "Published by", found.origins),
    ):
        rows = [
            [
                shown(_ORIGINS.get(one.name, one.name)),
                one.results,
                f"{one.mean:+.4f}",
                "" if one.spread is None else f"{one.spread:.4f}",
                one.higher,
            ]
            for one in groups
        ]
        columns = [first, "Results", "Mean", "Spread", "Higher"]
        print_table(columns, rows, title=title, numeric=(1, 2, 3, 4))
    for sentence in found.describe():
        say(shown(sentence, _LONGEST_SENTENCE))
