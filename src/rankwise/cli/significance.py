"""`rankwise significance`: is one system better than another by more than luck?"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from rankwise.cli.output import format_option, note, print_json, print_table
from rankwise.comparison.significance import Procedure, SystemComparison, compare_systems
from rankwise.comparison.significance.corrections import CORRECTIONS
from rankwise.comparison.significance.intervals import INTERVALS
from rankwise.comparison.significance.systems import FAMILIES, TESTS
from rankwise.errors import RankwiseError

Rows = Mapping[str, NDArray[np.float64]]


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument(
    "scores", nargs=-1, required=True, type=click.Path(), metavar="A.scores B.scores..."
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="A measure, as in evaluate; may be repeated.  [default: NDCG@10; with --format tool all "
    "that the script prints]",
)
@click.option(
    "--tool", default=None, help="Whose conventions compute the measures, as in evaluate."
)
@click.option("--test", type=click.Choice(list(TESTS)), default="t", show_default=True)
@click.option(
    "--correction",
    type=click.Choice(list(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for several comparisons.",
)
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="measure",
    show_default=True,
    help="What is corrected together: each measure's comparisons, or all of the run.",
)
@click.option("--all-pairs", is_flag=True, help="Compare every score file with every other.")
@click.option("--interval", type=click.Choice(INTERVALS), default="t", show_default=True)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option("--level", type=float, default=0.05, show_default=True, help="Marked below this p.")
@click.option(
    "--samples",
    type=int,
    help="Resamples drawn.  [default: randomization 100000, bootstrap 10000]",
)
@click.option("--seed", type=int, default=0, show_default=True)
@format_option("table", "json", "csv", "tool")
def significance(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    tool: str | None,
    test: str,
    correction: str,
    family: str,
    all_pairs: bool,
    interval: str,
    confidence: float,
    level: float,
    samples: int | None,
    seed: int,
    output_format: str,
) -> None:
    """Test whether systems differ, from their scores for the documents of DATA.

    The first score file is the baseline; differences are the other system minus the baseline.
    Score files hold one score a line, in the order of DATA.

    \b
    Examples:
      rankwise significance test.txt bm25.scores mine.scores
      rankwise significance test.txt a.scores b.scores c.scores --all-pairs -m MAP -m NDCG@5
      rankwise significance test.txt a.scores b.scores --test randomization --format json
      rankwise significance test.txt a.scores b.scores --tool letor3 --format tool
    """
    procedure = Procedure(test, correction, family, interval, confidence, samples, seed)
    if len(scores) < 2:
        raise RankwiseError("a comparison needs at least two score files, found 1")
