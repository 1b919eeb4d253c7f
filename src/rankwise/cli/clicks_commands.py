"""`rankwise clicks`: simulated users, click logs, and what can be learned from them.

`simulate`, `propensities` and `convert` make logs, read them and turn them into data. `evaluate`
and `interleave` tell what users would say about a ranker. `online` and `offline` are learners from
users, judged by true labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from rankwise.cli.main import LoadingGroup
from rankwise.cli.options import (
    format_option,
    measure_option,
    measures_option,
    output_option,
    seed_option,
    split_commas,
    table_options,
    tool_option,
)
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.feedback import (
    CLICK_MODELS,
    DEFAULT_LOGGING,
    DEFAULT_SHOWN,
    DEFAULT_USER,
    ESTIMATORS,
    FEEDBACK_PARTS,
    INTERLEAVINGS,
    LOG_LEARNERS,
    ONLINE_LEARNERS,
    PROPENSITY_METHODS,
    RANDOMIZATIONS,
    convert_log,
    estimate_propensities,
    evaluate_from_log,
    interleave,
    learn_offline,
    learn_online,
    read_log,
    simulate_folds,
)

CLICKS_COMMANDS = {
    "simulate": "rankwise.cli.clicks_commands:simulate_command",
    "propensities": "rankwise.cli.clicks_commands:propensities_command",
    "convert": "rankwise.cli.clicks_commands:convert_command",
    "evaluate": "rankwise.cli.clicks_commands:evaluate_command",
    "interleave": "rankwise.cli.clicks_commands:interleave_command",
    "online": "rankwise.cli.clicks_commands:online_command",
    "offline": "rankwise.cli.clicks_commands:offline_command",
}


@click.command(cls=LoadingGroup, homes=CLICKS_COMMANDS)
def clicks() -> None:
    """Simulate users, read click logs, learn and evaluate from them.

    \b
    Examples:
      rankwise clicks simulate MQ2008 --sessions 100000 -o 'logs/fold{fold}.parquet'
      rankwise clicks propensities log.csv --method em -o propensities.json
      rankwise clicks convert log.csv --propensities propensities.json -o clicks
      rankwise clicks online MQ2008 --learner pdgd,dueling-bandit --sessions 10000
    """


user_option = click.option(
    "--user",
    default=DEFAULT_USER,
    show_default=True,
    metavar="MODEL[:SETTING]",
    help=f"The click model: {', '.join(CLICK_MODELS)}. Settings: perfect, navigational, "
    "informational, almost-random; of position-based mild, usual, severe, clean, labels.",
)
position_user_option = click.option(
    "--user",
    default="position-based:usual",
    show_default=True,
    metavar="position-based[:SETTING]",
    help="The click model, whose propensities are known.",
)
noise_option = click.option(
    "--noise",
    type=click.FloatRange(0.0, 1.0),
    metavar="SHARE",
    help="The share of clicks that no label decides.  [default: as the setting has it]",
)
shown_option = click.option(
    "--shown",
    type=click.IntRange(min=0),
    default=DEFAULT_SHOWN,
    show_default=True,
    metavar="N",
    help="Documents to a list at most; 0: all.",
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
@click.option("--logging", multiple=True, callback=split_commas, default=(DEFAULT_LOGGING,),
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


@click.command("evaluate")
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@click.argument("ranker", type=click.Path(path_type=Path), metavar="MODEL")
@click.option("--propensities", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="As 'rankwise clicks propensities' writes them.")  # fmt: skip
@click.option("--data", type=click.Path(), help="The documents of the log, where it has none.")
@click.option("--goal", default="DCG@10", show_default=True,
              help="DCG@k, P@k, or clicks@k that the ranker's lists would get.")  # fmt: skip
@click.option("--estimator", "estimators", multiple=True, callback=split_commas,
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


def _whole_numbers(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[int, ...]:
    texts = [part.strip().replace("_", "") for text in given for part in text.split(",")]
    wrong = next((text for text in texts if not text.isdecimal()), None)
    if wrong is not None:
        raise click.BadParameter(f"whole numbers with commas between are needed, found {wrong!r}")
    return tuple(map(int, texts))


_folds_option = click.option("--fold", "folds", multiple=True, callback=_whole_numbers,
                       metavar="1,2,…", help="Only these folds.")  # fmt: skip
_runs_option = click.option(
    "--runs", type=click.IntRange(min=1), default=5, show_default=True, metavar="N",
    help="How often, with other chances each; intervals are over them.",
)  # fmt: skip


@click.command("online")
@click.argument("data", type=click.Path(), metavar="DIR")
@click.option("--learner", "learners", multiple=True, callback=split_commas,
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
         _format_interval(one.low, one.high))
        for one in found.figures
    ]  # fmt: skip
    return print_table(
        ("learner", "sessions", "on", "measure", "mean", "95 %"), rows, numeric=(1, 4, 5),
        title=f"{found.user}, {found.folds} folds, {found.runs} runs, feedback from the "
        f"{found.feedback} parts",
    )  # fmt: skip


@click.command("offline")
@click.argument("data", type=click.Path(), metavar="DIR")
@click.option(
    "--learner",
    "learners",
    multiple=True,
    callback=split_commas,
    default=("ranksvm", "listnet"),
    show_default=True,
    metavar="NAME",
    help=f"{', '.join(LOG_LEARNERS)}.",
)
@click.option(
    "--sessions",
    multiple=True,
    callback=_whole_numbers,
    default=("100,1000,10000,100000",),
    show_default=True,
    metavar="N,N,…",
    help="Lengths of the log.",
)
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
         f"{one.mean:.4f}", _format_interval(one.low, one.high))
        for one in sorted(found.figures, key=lambda one: (one.learner, one.source, one.sessions))
    ]  # fmt: skip
    return print_table(
        ("learner", "learned from", "sessions", "measure", "mean", "95 %"), rows,
        numeric=(2, 4, 5), title=f"{found.user}, {found.folds} folds, {found.runs} runs, logged "
        f"by {found.logging}",
    )  # fmt: skip


def _format_interval(low: float, high: float) -> str:
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
