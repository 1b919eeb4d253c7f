"""`rankwise clicks online` and `offline`: learners from users, judged by true labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from rankwise.cli.feedback.user_options import (
    noise_option,
    position_user_option,
    shown_option,
    user_option,
)
from rankwise.cli.options import (
    format_option,
    measure_option,
    measures_option,
    option,
    output_option,
    seed_option,
    split_commas,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.feedback import (
    DEFAULT_LOGGING,
    FEEDBACK_PARTS,
    LOG_LEARNERS,
    ONLINE_LEARNERS,
    learn_offline,
    learn_online,
)


def _whole_numbers(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[int, ...]:
    texts = [part.strip().replace("_", "") for text in given for part in text.split(",")]
    wrong = next((text for text in texts if not text.isdecimal()), None)
    if wrong is not None:
        raise click.BadParameter(f"whole numbers with commas between are needed, found {wrong!r}")
    return tuple(map(int, texts))


_folds_option = option("--fold", "folds", multiple=True, callback=_whole_numbers,
                       metavar="1,2,…", help="Only these folds.")  # fmt: skip
_runs_option = click.option(
    "--runs", type=click.IntRange(min=1), default=5, show_default=True, metavar="N",
    help="How often, with other chances each; intervals are over them.",
)  # fmt: skip


@click.command("online")
@click.argument("data", type=click.Path(), metavar="DIR")
@option("--learner", "learners", multiple=True, callback=split_commas,
        default=("pdgd", "dueling-bandit"), show_default=True, metavar="NAME",
        help=f"{', '.join(ONLINE_LEARNERS)}.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
              help="A setting of the learner; may be repeated.")  # fmt: skip
@click.option("--sessions", type=click.IntRange(min=1), default=10_000, show_default=True,
              metavar="N", help="With each learner, fold and seed.")  # fmt: skip
@click.option("--checkpoints", type=click.IntRange(min=1), default=5, show_default=True,
              metavar="N", help="How often figures are taken.")  # fmt: skip
@_runs_option
@user_option
@noise_option
@shown_option
@click.option("--in-turn", is_flag=True, help="Queries one after the other, each equally often.")
@click.option(
    "--feedback", type=click.Choice(FEEDBACK_PARTS), default="train", show_default=True,
    help="Whose queries give feedback. With test, figures on feedback queries are not held out.",
)  # fmt: skip
@_folds_option
@measures_option("What judges; may be repeated.  [default: NDCG@10]")
@tool_option("Whose conventions judge.", default="definition")
@seed_option("The first of the seeds.")
@output_option("Draw the curves into FOLDER.", "FOLDER")
@format_option()
def online_command(
    data: str, output: Path | None, output_format: str, measures: tuple[str, ...], **how: Any
) -> None:
    """Let online learners meet simulated users of the folds in DIR; true labels judge.

    Feedback comes from training queries, figures are of held-out test queries; regret is the sum
    of 1 − NDCG over the lists that users were shown.

    \b
    Examples:
      rankwise clicks online MQ2008 --sessions 10000 --runs 10
      rankwise clicks online OHSUMED/QueryLevelNorm --learner lruf --user position-based:labels
    """
    with _watching("learning") as watch:
        found = learn_online(data, measures=measures or ("NDCG@10",), watch=watch, **how)
    if output is not None:
        from rankwise.reports import draw_online_study

        for path in draw_online_study(found, output):
            note(f"wrote {path}")
    if output_format == "json":
        return print_json(found.as_dict())
    rows = [
        (one.learner, f"{one.sessions:,}", one.part, one.measure, f"{one.mean:.4f}",
         _interval(one.low, one.high))
        for one in found.figures
    ]  # fmt: skip
    return print_table(
        ("learner", "sessions", "on", "measure", "mean", "95 %"), rows, numeric=(1, 4, 5),
        title=f"{found.user}, {found.folds} folds, {found.runs} runs, feedback from the "
        f"{found.feedback} parts",
    )  # fmt: skip


@click.command("offline")
@click.argument("data", type=click.Path(), metavar="DIR")
@option("--learner", "learners", multiple=True, callback=split_commas,
        default=("ranksvm", "listnet"), show_default=True, metavar="NAME",
        help=f"{', '.join(LOG_LEARNERS)}.")  # fmt: skip
@option("--sessions", multiple=True, callback=_whole_numbers, default=("100,1000,10000,100000",),
        show_default=True, metavar="N,N,…", help="Lengths of the log.")  # fmt: skip
@_runs_option
@position_user_option
@noise_option
@click.option("--logging", default=DEFAULT_LOGGING, show_default=True, metavar="RANKER",
              help="Who made the log: a ranker, trained on a few queries; feature:N.")  # fmt: skip
@click.option("--share", type=click.FloatRange(0.0, 1.0), default=0.05, show_default=True,
              help="Of the queries, what the logging ranker is trained on.")  # fmt: skip
@click.option("--shown", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Documents to a list at most; 0: all, so that none is unseen.")  # fmt: skip
@_folds_option
@measure_option("What judges.", default="NDCG@10")
@tool_option("Whose convention of it.", default="definition")
@seed_option("The first of the seeds.")
@output_option("Draw the curves into FOLDER.", "FOLDER")
@format_option()
def offline_command(data: str, output: Path | None, output_format: str, **how: Any) -> None:
    """Learn from logs of a biased ranker, corrected and naive, as clicks grow; true labels judge.

    \b
    Examples:
      rankwise clicks offline OHSUMED/QueryLevelNorm --runs 5
      rankwise clicks offline MQ2008 --sessions 1000,1000000 -o figures
    """
    with _watching("learning") as watch:
        found = learn_offline(data, watch=watch, **how)
    if output is not None:
        from rankwise.reports import draw_offline_study

        for path in draw_offline_study(found, output):
            note(f"wrote {path}")
    if output_format == "json":
        return print_json(found.as_dict())
    rows = [
        (one.learner, one.source, f"{one.sessions:,}" if one.sessions else "–", one.measure,
         f"{one.mean:.4f}", _interval(one.low, one.high))
        for one in sorted(found.figures, key=lambda one: (one.learner, one.source, one.sessions))
    ]  # fmt: skip
    return print_table(
        ("learner", "learned from", "sessions", "measure", "mean", "95 %"), rows,
        numeric=(2, 4, 5), title=f"{found.user}, {found.folds} folds, {found.runs} runs, logged "
        f"by {found.logging}",
    )  # fmt: skip


def _interval(low: float, high: float) -> str:
    return "–" if low != low else f"{low:.4f} … {high:.4f}"


@contextmanager
def _watching(description: str) -> Iterator[Callable[[str], None]]:
    """Count what was done on a terminal."""
    with progress(description) as advance:
        done = 0

        def watch(what: str) -> None:
            nonlocal done
            done += 1
            advance(done)

        yield watch
