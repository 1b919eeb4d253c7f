"""`rankwise build depths`: what the cut-off of the samples does (LETOR, section 6.1)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.options import format_option, seed_option
from rankwise.cli.output import note, print_json, print_table, redirect_prints, shown_stages
from rankwise.errors import RankwiseError
from rankwise.experiments import DEPTHS, DepthComparison, compare_depths


@click.command("depths")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--depths",
    default=",".join(map(str, DEPTHS)),
    show_default=True,
    help="Cut-offs, divided by commas; those past the build's own are left out, and said.",
)
@click.option("--ranker", default="ridge-regression", show_default=True, help="Who learns.")
@seed_option()
@format_option()
def depths_command(
    directory: Path, depths: str, ranker: str, seed: int, output_format: str
) -> None:
    """Cut the samples of the build in DIR at several depths, learn and test at each.

    Rows stand in the order of BM25, so a shallower sample is the beginning of a deeper one. NULL is
    filled and features are scaled within what is left. Values that flow between the documents of a
    query (propagation, HITS) stay those of the build's own depth. MAP is
    given among the sampled documents, as LETOR does, and over all documents that were judged
    relevant, where those that the sample lost count as never found.

    \b
    Examples:
      rankwise build depths cranfield
      rankwise build depths cranfield --depths 25,50,100 --ranker ranksvm
    """
    with shown_stages() as stage, redirect_prints():
        found = compare_depths(directory, _numbers(depths), ranker, seed=seed, stage=stage)
    if output_format == "json":
        print_json([asdict(one) for one in found.figures])
    else:
        _print(found)
    for remark in found.remarks:
        note(remark)


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) > 0 for part in parts):
        raise RankwiseError(f"depths must be whole numbers divided by commas, found {text!r}")
    return [int(part) for part in parts]


def _print(found: DepthComparison) -> None:
    ranker = found.ranker
    columns = (
        "depth", "relevant found", "BM25 MAP", f"{ranker} MAP", "BM25, of all", f"{ranker}, of all",
    )  # fmt: skip
    rows = [
        (o.depth, f"{o.recall:.1%}", f"{o.baseline:.4f}", f"{o.learnt:.4f}",
         f"{o.baseline_of_all:.4f}", f"{o.learnt_of_all:.4f}")
        for o in found.figures
    ]  # fmt: skip
    print_table(columns, rows, numeric=range(6))
