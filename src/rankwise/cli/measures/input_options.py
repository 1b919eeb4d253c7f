"""The options that say how evaluate, explain and identify read data and scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankwise.cli.output import note
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.evaluation import JudgedFiles

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def input_options(command: Decorated) -> Decorated:
    """The options that say how data and scores are read."""
    for option in (
        click.option("--trec", is_flag=True, help="DATA is TREC qrels and SCORES are TREC runs."),
        click.option(
            "--complete",
            is_flag=True,
            help="With --trec: judged queries that the run lacks count as lists without documents.",
        ),
        click.option(
            "--reading",
            type=click.Choice(["strict", "surplus", "prefix"]),
            default="strict",
            show_default=True,
            help="Score lines: exactly one number per row; surplus lines ignored; or, as Perl "
            "reads, also the longest number that a line begins with.",
        ),
        click.option(
            "--nan",
            type=click.Choice(["error", "last", "first", "zero"]),
            default="error",
            show_default=True,
            help="Where documents go whose score is NaN.",
        ),
    ):
        command = option(command)
    return command


def judged_files(data: str, *, complete: bool, **how: Any) -> JudgedFiles:
    """What the options describe; remarks go to standard error."""
    from rankwise.evaluation import JudgedFiles

    if complete and not how["trec"]:
        raise RankwiseError("--complete is of judgements and runs; add --trec or leave it out")
    if how["trec"] and (how["reading"], how["nan"]) != ("strict", "error"):
        raise RankwiseError("--reading and --nan are of score files; leave them out with --trec")
    return JudgedFiles(data, missing_queries="zero" if complete else "skip", say=note, **how)
