"""`rankwise clicks evaluate` and `interleave`: what users would say about a ranker."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.feedback.user_options import noise_option, shown_option, user_option
from rankwise.cli.options import (
    format_option,
    measure_option,
    option,
    seed_option,
    split_commas,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, say
from rankwise.cli.table_options import table_options
from rankwise.feedback import ESTIMATORS, INTERLEAVINGS, evaluate_from_log, interleave


@click.command("evaluate")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.argument("ranker", type=click.Path(path_type=Path), metavar="MODEL")
@click.option("--propensities", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="As 'rankwise clicks propensities' writes them.")  # fmt: skip
@click.option("--data", type=click.Path(), help="The documents of the log, where it has none.")
@click.option("--goal", default="DCG@10", show_default=True,
              help="DCG@k, P@k, or clicks@k that the ranker's lists would get.")  # fmt: skip
@option("--estimator", "estimators", multiple=True, callback=split_commas,
        default=tuple(ESTIMATORS), show_default=True, metavar="NAME",
        help="ips, snips (self-normalized), dr (doubly robust).")  # fmt: skip
@click.option(
    "--exposures", type=click.Choice(["position", "log"]), default="position", show_default=True,
    help="By where a document was shown, or by how it was on average: for lists cut off by chance.",
)  # fmt: skip
@format_option()
def evaluate_command(log: Path, ranker: Path, output_format: str, **how: Any) -> None:
    """Estimate from LOG what another ranker would be worth, with intervals and warnings.

    MODEL is a model's file (.json), or a file with a score for each document of --data.

    \b
    Examples:
      rankwise clicks evaluate log.csv model.json --propensities p.json
      rankwise clicks evaluate log.parquet mine.scores --data train.txt --propensities p.json
    """
    found = evaluate_from_log(log, ranker, **how)
    if output_format == "json":
        print_json({"sessions": found.sessions, "estimates": [asdict(e) for e in found.estimates]})
        return
    rows = [
        (one.estimator, f"{one.value:.4f}", f"{one.standard_error:.4f}",
         f"{one.low:.4f} … {one.high:.4f}", f"{one.effective_clicks:,.0f} of {one.clicks:,}",
         f"{one.coverage:.1%}")
        for one in found.estimates
    ]  # fmt: skip
    goals = ", ".join(dict.fromkeys(one.goal for one in found.estimates))
    print_table(
        ("estimator", "value", "error", "95 %", "effective clicks", "coverage"), rows,
        numeric=(1, 2, 3, 4, 5), title=f"{goals} from {found.sessions:,} sessions",
    )  # fmt: skip
    for warning in dict.fromkeys(text for one in found.estimates for text in one.warnings):
        note(f"warning: {warning}")


@click.command("interleave")
@click.argument("data", type=click.Path(), metavar="DATA")
@click.argument("first", metavar="FIRST")
@click.argument("second", metavar="SECOND")
@click.option(
    "--method", type=click.Choice(list(INTERLEAVINGS)), default="team-draft", show_default=True,
    help="How one list is made of two.",
)  # fmt: skip
@click.option("--sessions", type=click.IntRange(min=2), default=10_000, show_default=True,
              metavar="N", help="How many lists are shown.")  # fmt: skip
@user_option
@noise_option
@shown_option
@measure_option("What true labels judge both by.", default="NDCG@10")
@tool_option("Whose convention of it.", default="definition")
@seed_option()
@format_option()
@table_options("data")
def interleave_command(data: str, first: str, second: str, output_format: str, **how: Any) -> None:
    """Let simulated users of DATA choose between two rankers whose lists are interleaved.

    FIRST and SECOND are model files, feature:N, random, or rankers, trained on a few queries.

    \b
    Examples:
      rankwise clicks interleave test.txt model.json feature:1
      rankwise clicks interleave test.txt feature:1 feature:5 --method probabilistic
    """
    found = interleave(data, first, second, **how)
    if output_format == "json":
        print_json(found.as_dict())
        return
    print_table(
        ("ranker", "sessions won", f"{found.measure} by true labels"),
        [
            (first, f"{found.wins:,}", f"{found.first:.4f}"),
            (second, f"{found.losses:,}", f"{found.second:.4f}"),
        ],
        numeric=(1, 2),
        title=f"{found.method}, {found.sessions:,} sessions",
    )
    say(
        f"preference for {first}: {found.preference:+.4f} ({found.low:+.4f} … {found.high:+.4f}), "
        f"p = {found.p_value:.3g}"
    )
