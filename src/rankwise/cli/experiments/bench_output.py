"""What `rankwise bench` and `rankwise results show` print of figures."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from rankwise.cli.output import note, print_json, print_table, terminal_width
from rankwise.cli.report_tables import print_report_tables
from rankwise.experiments import BenchRun, DatasetSummary
from rankwise.reports import (
    has_published,
    has_seeds,
    make_summary_table,
    tabulate_summary,
    title_summary,
)
from rankwise.results import StoredTask
from rankwise.tables import shown

# Characters that columns take in a table, with what divides them, and its edge.
_FOLDS, _SEEDS, _FIGURE, _PUBLISHED, _BETWEEN = 9, 8, 6, 12, 3


def print_summaries(
    found: Sequence[DatasetSummary], output_format: str, *, naming: str = ""
) -> None:
    """One table a data set: means over folds, beside what was published where that is known.

    A note names the measures for which there is no room; `naming` is how else to have them.
    """
    if output_format == "json":
        print_json([asdict(one) for one in found])
    elif output_format != "table":
        print_report_tables([make_summary_table(one) for one in found], output_format)
    else:
        width = terminal_width()
        absent: dict[str, None] = {}
        for one in found:
            narrow = narrowed(one, width)
            absent |= dict.fromkeys(name for name in one.measures if name not in narrow.measures)
            titles, rows = tabulate_summary(narrow, _name_room(one, width))
            marked = make_summary_table(narrow)
            print_table(titles, rows, title=title_summary(one), numeric=range(1, len(titles)),
                        unbroken=(0,), best=marked.best, second=marked.second)  # fmt: skip
        if absent:
            note(f"not shown for want of room: {', '.join(absent)} ({naming}--format markdown)")


def print_failures(tasks: Sequence[StoredTask]) -> None:
    """Why tasks failed, one line each, on standard error."""
    failed = [task for task in tasks if task.ending == "failed"]
    for task in failed:
        note(f"{task.name}: failed ({task.kind}): {shown(task.reason or '', 1000)}")
    if failed:
        note(f"{len(failed)} tasks failed; try them again with --retry")


def print_untrained(found: Mapping[tuple[str, str], int]) -> None:
    """Combinations that could not be trained: the choice was among fewer than planned."""
    for (method, reason), count in found.items():
        note(f"{method}: {count} combinations left out of the choice: {shown(reason, 1000)}")


def print_kept(run: BenchRun) -> None:
    """How much is kept beside figures, and which tasks could not be run again for it."""
    for name, reason in run.unkept.items():
        note(f"{name}: run again for what is kept, and failed: {shown(reason, 1000)}; its figures "
             "of before are still in the store")  # fmt: skip
    if run.kept:
        models = sum(item.what == "model" for item in run.kept)
        scores = len(run.kept) - models
        note(f"kept: {models} models, {scores} score lists; see: rankwise results kept "
             f"{shlex.quote(str(run.store))}")  # fmt: skip


def narrowed(summary: DatasetSummary, width: int) -> DatasetSummary:
    """As many measures as a terminal of `width` has room for: the first ones and the last."""
    sizes = _sizes(summary)
    free = width - _name_room(summary, width) - _BETWEEN - _counts(summary)
    kept = list(range(len(sizes)))
    while len(kept) > 1 and sum(sizes[place] for place in kept) > free:
        kept.pop(-2)
    rows = tuple(
        replace(
            row,
            figures=tuple(row.figures[place] for place in kept),
            published=tuple(row.published[place] for place in kept),
        )
        for row in summary.rows
    )
    return replace(summary, measures=tuple(summary.measures[p] for p in kept), rows=rows)


def _name_room(summary: DatasetSummary, width: int) -> int:
    """Characters for names: as many as they have, but two measures come before long ones."""
    longest = max((len(shown(row.method)) for row in summary.rows), default=0)
    return min(longest, max(16, width - _BETWEEN - _counts(summary) - sum(_sizes(summary)[:2])))


def _counts(summary: DatasetSummary) -> int:
    """Characters for the numbers of folds and, where there are several, of seeds."""
    return _FOLDS + _SEEDS * has_seeds(summary)


def _sizes(summary: DatasetSummary) -> list[int]:
    """What each measure takes of a line, with its published figures."""
    known = has_published(summary)
    return [max(_FIGURE, len(measure)) + _BETWEEN + _PUBLISHED * there
            for measure, there in zip(summary.measures, known, strict=True)]  # fmt: skip
