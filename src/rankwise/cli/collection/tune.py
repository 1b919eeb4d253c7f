"""`rankwise build tune`: the constants of features, chosen on validation queries."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import format_option, measure_option, output_option
from rankwise.cli.output import note, print_json, print_table, shown_stages
from rankwise.collection import build_features, open_metadata
from rankwise.errors import RankwiseError
from rankwise.experiments import GRIDS, tune_constants

_FLAGS = {name: f"--{name.rstrip('_').replace('_', '-')}" for name in GRIDS}
_BY_FLAG = {flag.removeprefix("--"): name for name, flag in _FLAGS.items()}
_HELP = f"""Choose k1, b, k3, mu, lambda, delta and rates of propagation for the metadata in DIR.

DIR is the Meta folder of a build, or LETOR's. Each feature ranks the validation queries of one fold
by itself, with each value of its constants; the best is chosen, and on ties what the build has.
Rates need links beside the metadata. In other folds these queries are tested on: there, figures
with the chosen constants are not clean.

\b
Values that are tried:
{chr(10).join(f"  {_FLAGS[n][2:]:<15} {', '.join(f'{v:g}' for v in GRIDS[n])}" for n in GRIDS)}

\b
Examples:
  rankwise build tune cranfield/Meta
  rankwise build tune cranfield/Meta --fold 2 -m NDCG@10 --stream title
  rankwise build tune cranfield/Meta --values k1=0.5,1,1.5 --values mu=200,400 -o tuned
"""


@click.command("tune", help=_HELP)
@click.argument("metadata", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--fold",
    type=click.IntRange(1, 5),
    default=1,
    show_default=True,
    metavar="N",
    help="Whose validation queries choose.",
)
@measure_option("What chooses, by the definition.", default="MAP")
@click.option("--stream", help="On which stream.  [default: the whole document]")
@click.option(
    "--values",
    multiple=True,
    metavar="NAME=V,V,…",
    help="Other values to try of a constant; may be repeated.",
)
@output_option("Also write the features with the chosen constants to this folder.", "OUT")
@format_option()
def tune_command(
    metadata: Path,
    fold: int,
    measure: str,
    stream: str | None,
    values: tuple[str, ...],
    output: Path | None,
    output_format: str,
) -> None:
    """Tune, say what was chosen, and perhaps build."""
    with shown_stages() as stage:
        found = tune_constants(
            metadata, fold=fold, measure=measure, stream=stream, grids=_parse(values), stage=stage
        )
        if output is not None:
            build_features(open_metadata(metadata, constants=found.chosen), output, stage=stage)
    if output_format == "json":
        print_json(asdict(found))
    else:
        rows = [
            (_FLAGS[one.constant][2:], one.feature, f"{one.before:g}", f"{one.chosen:g}",
             f"{one.figure_before:.4f}", f"{one.figure:.4f}", one.tried)
            for one in found.constants
        ]  # fmt: skip
        print_table(
            ("constant", "by the feature", "before", "chosen", f"{found.measure} before",
             found.measure, "tried"),
            rows,
            title=f"{found.queries} validation queries of fold {found.fold}, {found.stream}",
            numeric=range(2, 7),
        )  # fmt: skip
    given = " ".join(f"{_FLAGS[name]} {value:g}" for name, value in found.chosen.items())
    if output is None:
        source = shlex.quote(str(metadata))
        note(f"with these: rankwise build features --from-metadata {source} -o OUT {given}")
    else:
        note(f"written with these constants: {output}")


def _parse(given: tuple[str, ...]) -> dict[str, list[float]]:
    grids: dict[str, list[float]] = {}
    for text in given:
        flag, _, numbers = text.partition("=")
        name = _BY_FLAG.get(flag.strip())
        if name is None or name in grids:
            raise RankwiseError(
                f"--values must name one of {', '.join(_BY_FLAG)} once, found {text!r}"
            )
        try:
            grids[name] = [float(number) for number in numbers.split(",")]
        except ValueError:
            raise RankwiseError(
                f"--values must be NAME=numbers with commas between, found {text!r}"
            ) from None
    return grids
