"""`rankwise clicks simulate`, `propensities` and `convert`: logs made, read, turned into data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.feedback.user_options import noise_option, shown_option, user_option
from rankwise.cli.options import format_option, option, output_option, seed_option, split_commas
from rankwise.cli.output import note, print_json, print_table
from rankwise.cli.table_options import table_options
from rankwise.feedback import (
    DEFAULT_LOGGING,
    PROPENSITY_METHODS,
    RANDOMIZATIONS,
    convert_log,
    estimate_propensities,
    read_log,
    simulate_folds,
)

_BAR_CELLS = 30


@click.command("simulate")
@click.argument("data", type=click.Path(), metavar="DATA")
@click.option(
    "--sessions", type=click.IntRange(min=1), default=10_000, show_default=True, metavar="N",
    help="How many users there are; each takes a query at random.",
)  # fmt: skip
@user_option
@noise_option
@option("--logging", multiple=True, callback=split_commas, default=(DEFAULT_LOGGING,),
        show_default=True, metavar="RANKER",
        help="Whose lists are shown: a ranker, trained on a few queries; a model's file; "
        "feature:N; random. Of several each session takes one at random.")  # fmt: skip
@click.option(
    "--share", type=click.FloatRange(0.0, 1.0), default=0.05, show_default=True,
    help="Of the queries, what a logging ranker is trained on.",
)  # fmt: skip
@click.option(
    "--randomization", type=click.Choice(list(RANDOMIZATIONS)), default="none", show_default=True,
    help="How lists are changed before they are shown.",
)  # fmt: skip
@click.option(
    "--temperature", type=click.FloatRange(min=0.0, min_open=True), default=1.0, show_default=True,
    help="Of plackett-luce: scores are divided by it.",
)  # fmt: skip
@shown_option
@click.option("--features", is_flag=True, help="Write the features of the documents too.")
@seed_option()
@output_option("The log: .parquet, .tsv or .csv; of folds with {fold} in it.", required=True)
@format_option()
@table_options("data", features=False)
def simulate_command(
    data: str, sessions: int, output: Path, features: bool, output_format: str, **how: Any
) -> None:
    """Simulate users of DATA, a file or a folder of folds, and write what they click.

    A user goes by the true labels. The same seed gives the same bytes. Of a folder every training
    part gets a log of its own: its test part stays unseen.

    \b
    Lists:
      none           the ranker's order as it is
      shuffle        what is shown, in an order of chance (result randomization)
      swap           the first document exchanged with one of those shown
      plackett-luce  documents drawn in proportion to exp(score)

    \b
    Examples:
      rankwise clicks simulate train.txt --sessions 1000000 -o log.parquet
      rankwise clicks simulate MQ2008 --user position-based:severe -o 'logs/fold{fold}.parquet'
      rankwise clicks simulate train.txt --logging feature:1,feature:5 -o two-rankers.csv
    """
    written = simulate_folds(data, sessions, output, features=features, **how)
    if output_format == "json":
        print_json([{"file": str(path), **log.facts()} for path, log in written])
        return
    rows = [
        (path, f"{log.n_sessions:,}", f"{log.n_impressions:,}", f"{log.n_clicks:,}",
         f"{log.n_clicks / log.n_sessions:.3f}")
        for path, log in written
    ]  # fmt: skip
    print_table(
        ("log", "sessions", "impressions", "clicks", "clicks a session"), rows, numeric=(1, 2, 3, 4)
    )


@click.command("propensities")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.option(
    "--method", type=click.Choice(list(PROPENSITY_METHODS)), default="em", show_default=True,
    help="How they are estimated.",
)  # fmt: skip
@click.option("--data", type=click.Path(), help="The documents of the log, where it has none.")
@click.option(
    "--resamples", type=click.IntRange(min=0), default=20, show_default=True, metavar="N",
    help="Draws of the queries for the standard errors.",
)  # fmt: skip
@seed_option()
@output_option("Write them as JSON, for convert and evaluate.")
@format_option()
def propensities_command(
    log: Path, method: str, data: str | None, resamples: int, seed: int, output: Path | None,
    output_format: str,
) -> None:  # fmt: skip
    """Estimate how likely each position of LOG is examined, against the first.

    \b
    Methods:
      randomization  clicks by position, of lists in an order of chance
      harvesting     documents that several rankers put at different positions (AllPairs)
      em             the position-based model, one relevance a document
      regression-em  the same, relevance being a function of the features

    \b
    Examples:
      rankwise clicks propensities log.parquet --data train.txt
      rankwise clicks propensities log.csv --method harvesting -o propensities.json
    """
    found = estimate_propensities(read_log(log, data), method, resamples=resamples, seed=seed)
    if output is not None:
        found.save(output)
    if output_format == "json":
        print_json({"method": found.method, "sessions": found.sessions,
                    "values": found.values, "errors": found.errors})  # fmt: skip
        return
    rows = [
        (position, f"{value:.4f}", f"± {error:.4f}", "█" * round(_BAR_CELLS * min(value, 1.0)))
        for position, (value, error) in enumerate(zip(found.values, found.errors, strict=True), 1)
    ]
    print_table(
        ("position", "propensity", "error", ""), rows, numeric=(0, 1, 2),
        title=f"{method}, {found.sessions:,} sessions",
    )  # fmt: skip


@click.command("convert")
@click.argument("log", type=click.Path(), metavar="LOG")
@click.option("--data", type=click.Path(), help="The documents of the log: a file, or folds.")
@click.option(
    "--propensities", type=click.Path(path_type=Path), metavar="FILE",
    help="What clicks are divided by; none: they count as they are.",
)  # fmt: skip
@click.option(
    "--per", type=click.Choice(["document", "session"]), default="document", show_default=True,
    help="Label documents by all their clicks, or write every session as a query.",
)  # fmt: skip
@output_option("The folder for train.txt; with {fold} in LOG for folds.", "FOLDER", required=True)
def convert_command(
    log: str, data: str | None, propensities: Path | None, per: str, output: Path
) -> None:
    """Turn LOG into data that rankers train on and `rankwise bench` runs on.

    Labels are clicks, divided by propensities where these are given, a session of the query. With
    {fold} in LOG there is a log for each fold of --data; the test parts keep their true labels, so
    that these judge.

    \b
    Examples:
      rankwise clicks convert log.parquet --data train.txt --propensities p.json -o clicks
      rankwise clicks convert 'logs/fold{fold}.parquet' --data MQ2008 -o naive
      rankwise bench --data naive --ranker rankwise.feedback:PropensityRankSVM
    """
    for path in convert_log(log, output, data=data, propensities=propensities, per=per):
        note(f"wrote {path}")
