"""`rankwise rankers` and `recommend`: the methods, and which to try first on data.

`rankers` has their papers, parameters and what they can be exported to. `recommend` says how sure
its answer is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rankwise.cli.experiments.bench_command import format_duration
from rankwise.cli.options import (
    format_option,
    jobs_option,
    measure_option,
    output_option,
    table_options,
)
from rankwise.cli.output import note, print_json, print_table, say
from rankwise.experiments import (
    ORDERS,
    USUAL_ORDER,
    LeftOutRegret,
    Recommendation,
    RecommendationCheck,
    RecommendedMethod,
    check_recommendations,
)
from rankwise.experiments import recommend as order_methods
from rankwise.rankers import Parameter, RankerDescription, describe_ranker, ranker_names
from rankwise.tables import shown


@click.group()
def rankers() -> None:
    """The methods that can be trained.

    \b
    Examples:
      rankwise rankers list
      rankwise rankers show lambdamart
    """


@rankers.command("list")
@click.option(
    "--family",
    type=click.Choice(["pointwise", "pairwise", "listwise", "wrapper"]),
    help="Only this family.",
)
@format_option(own=("markdown",))
def list_command(family: str | None, output_format: str) -> None:
    """List the methods with their families, papers and export layouts.

    \b
    Examples:
      rankwise rankers list --family listwise
      rankwise rankers list --format markdown    # the whole reference
    """
    found = [describe_ranker(name) for name in ranker_names()]
    chosen = [ranker for ranker in found if family in (None, ranker.family)]
    if output_format == "json":
        print_json([ranker.as_dict() for ranker in chosen])
    elif output_format == "markdown":
        say(reference(chosen), nl=False)
    else:
        rows = [[one.name, one.family, one.paper, one.specified, _exports(one)] for one in chosen]
        print_table(["ranker", "family", "paper", "specified", "exports"], rows)


@rankers.command()
@click.argument("name")
@format_option(own=("markdown",))
def show(name: str, output_format: str) -> None:
    """Show one method: what it minimises, its paper, its parameters.

    NAME is a registered one, or your own as module:Name.

    \b
    Examples:
      rankwise rankers show ranksvm
      rankwise rankers show mine:MyRanker        # your own, imported and so run
      rankwise rankers show ranksvm --format json
    """
    ranker = describe_ranker(name)
    if output_format == "json":
        print_json(ranker.as_dict())
    elif output_format == "markdown":
        say(section(ranker), nl=False)
    else:
        say(f"{ranker.name} ({ranker.family})\n\n{ranker.description}\n")
        say("\n".join(f"{what}: {value}" for what, value in _ranker_facts(ranker)))
        rows = [_parameter_row(one) for one in ranker.parameters]
        print_table(["parameter", "default", "allowed", "tried by tuning", "meaning"], rows)


def reference(chosen: list[RankerDescription]) -> str:
    """The Markdown page of all methods, as docs/rankers/reference.md holds it."""
    head = (
        "# The rankers\n\nMade by `rankwise rankers list --format markdown`: what each method "
        "minimises, where it\ndeviates from its paper, and its parameters. Methods of the "
        "comparison that are not here, and why:\n[not built](not-built.md).\n"
    )
    return "\n".join([head, *map(section, chosen)])


def section(ranker: RankerDescription) -> str:
    """One method in Markdown."""
    lines = [
        f"## {ranker.name}",
        "",
        ranker.description,
        "",
        *(f"- {what}: {value}" for what, value in _ranker_facts(ranker)),
        "",
        "| parameter | default | allowed | tried by tuning | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in ranker.parameters:
        cells = (str(cell).replace("|", "\\|") for cell in _parameter_row(one))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _ranker_facts(ranker: RankerDescription) -> list[tuple[str, str]]:
    return [
        ("family", ranker.family),
        ("paper", ranker.paper),
        (
            "specified",
            "; ".join(["with guesses", *ranker.guesses] if ranker.guesses else ["fully"]),
        ),
        ("NULL features", "handled" if ranker.handles_null else "refused, fill them first"),
        ("weights", "taken" if ranker.takes_weights else "refused"),
        ("continues other models", "yes" if ranker.takes_start else "no"),
        ("looks at a measure", "yes, --measure and --tool" if ranker.uses_measure else "no"),
        ("draws random numbers", _randomness(ranker)),
        ("exports", _exports(ranker)),
    ]


def _randomness(ranker: RankerDescription) -> str:
    if ranker.random:
        return "yes, --seed"
    return "no" if ranker.random_with is None else f"with {ranker.random_with}, --seed"


def _exports(ranker: RankerDescription) -> str:
    if not ranker.model_kinds:
        return "depends on the parameters"
    return ", ".join(ranker.exports) or "none"


def _parameter_row(one: Parameter) -> list[str]:
    bounds = [f"≥ {one.lowest:g}"] if one.lowest is not None else []
    bounds += [f"≤ {one.highest:g}"] if one.highest is not None else []
    allowed = ", ".join(map(str, one.choices)) or ", ".join(bounds)
    return [one.name, str(one.default), allowed, ", ".join(map(str, one.grid)), one.meaning]


_OF_DATA = ("documents", "queries", "features", "time", "output")
_TITLES = ("Place", "Method", "Loss", "95 %", "Time", "at most", "Best on", "Ranker")


@click.command()
@click.argument("data", type=click.Path(path_type=Path), metavar="[DATA]", required=False)
@click.option("--documents", type=int, metavar="N", help="Instead of DATA: how many documents.")
@click.option("--queries", type=int, metavar="N", help="Instead of DATA: how many queries.")
@click.option("--features", type=int, metavar="N", help="Instead of DATA: how many features.")
@click.option("--time", metavar="10m", help="There is so much time to tune and train a method.")
@measure_option("By which methods are ordered.", default="NDCG@10")
@jobs_option("Folds that are tuned at a time; else one.")
@click.option(
    "--order",
    type=click.Choice(list(ORDERS)),
    default=USUAL_ORDER,
    show_default=True,
    help="How methods are ordered; --check compares these.",
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A dense table of your own runs.  [default: the shipped one]",
)
@click.option("--check", is_flag=True, help="Leave each data set of the table out instead.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="How many methods to show.",
)
@output_option("Draw accuracy against cost into FOLDER.", "FOLDER")
@format_option()
@table_options("data", features=False)
def recommend(
    data: Path | None,
    measure: str,
    table: Path | None,
    check: bool,
    limit: int,
    output: Path | None,
    output_format: str,
    jobs: int | None,
    **given: Any,
) -> None:
    """Say which methods to try first on DATA, with the evidence and the expected time.

    DATA is a file of rows, a folder of folds, or a name of the data home; or give its size by
    --documents and --features. The evidence is a dense table: every method, tuned alike, on the
    same few data sets. The loss is the share of the best method's value that a method misses
    there, in the mean, with an interval over data sets; that of the first method is of data sets
    that were left out when it was chosen. Methods that cannot take the data, or need a library that
    is not installed, are named with the reason; those that may take longer than --time stand below
    the others.

    A ~ marks methods that the data sets do not tell from the first. --check shows what the first
    method loses on data sets that were left out, beside always LambdaMART, always ridge
    regression, and a method at random.

    \b
    Examples:
      rankwise recommend MQ2008 --time 10m --jobs 2
      rankwise recommend train.txt -m MAP
      rankwise recommend --documents 50000 --queries 1000 --features 136 --time 1h
      rankwise recommend --check
    """
    if check:
        _refuse_data(data, {**given, "output": output})
        found = check_recommendations(measure, table=table)
        print_json(found.as_dict()) if output_format == "json" else _print_check(found)
        return
    recommended = order_methods(data, measure=measure, table=table, jobs=jobs or 1, **given)
    if output_format == "json":
        print_json(recommended.as_dict())
    else:
        _print_recommendation(recommended, limit)
    if output is not None:
        from rankwise.reports import draw_recommendation

        for path in draw_recommendation(recommended, output):
            note(f"wrote {path}")


def _refuse_data(data: Path | None, given: dict[str, Any]) -> None:
    numbers = [name for name in _OF_DATA if given[name]]
    if data is not None or numbers:
        what = "DATA" if data is not None else f"--{numbers[0]}"
        raise click.UsageError(f"--check is about the table, not about data; leave {what} out")


def _print_recommendation(found: Recommendation, limit: int) -> None:
    within, beyond = found.within(), found.beyond()
    datasets = len(found.datasets)
    title = f"What to try on {found.data}: loss in {found.measure} on {datasets} data sets"
    _print_part(within, found.told, limit, title)
    _print_part(
        beyond, found.told, limit, f"May take longer than {format_duration(found.time or 0.0)}"
    )
    if not within:
        say(f"No method here is sure to end within {format_duration(found.time or 0.0)}.")
    else:
        say(f"Try first: {shown(within[0].command, 1000)}")
    for one in (*within[:limit], *beyond[:limit]):
        if one.failed:
            note(f"{shown(one.method)} failed on {one.failed} of {one.datasets} data sets, which "
                 "counts as the worst value there")  # fmt: skip
    reasons: dict[str, list[str]] = {}
    for left in found.excluded:
        reasons.setdefault(left.reason, []).append(left.ranker)
    for reason, rankers in reasons.items():
        note(f"left out: {', '.join(rankers)}: {reason}")
    for remark in found.remarks:
        note(remark)


def _print_part(methods: Sequence[RecommendedMethod], told: int, limit: int, title: str) -> None:
    """The first methods of a part under its title, and how many more there are."""
    if not methods:
        return
    rows = [_method_row(one, told) for one in methods[:limit]]
    print_table(_TITLES, rows, title=title, numeric=(0, 2, 3, 4, 5, 6), unbroken=(7,))
    if len(methods) > limit:
        say(f"and {len(methods) - limit} more; see --limit")


def _method_row(one: RecommendedMethod, told: int) -> list[object]:
    place = "-" if one.place is None else str(one.place)
    mark = "~" if one.undecided and one.place != 1 else ""
    return [
        f"{place}{mark}", shown(one.method), _percent(one.loss),
        _interval(one.loss_low, one.loss_high), _time(one.seconds), _time(one.seconds_high),
        f"{one.among_best} of {told}", one.ranker,
    ]  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}"


def _time(seconds: float | None) -> str:
    if seconds is None or math.isnan(seconds):
        return "unknown"
    return "< 1 s" if seconds < 1 else format_duration(seconds) if seconds < 1e8 else "years"


def _print_check(found: RecommendationCheck) -> None:
    print_table(
        ("Way", "Regret", "95 %", "Worst", "Best of first three"),
        [_check_row(one) for one in found.ways],
        title=f"What the first of {found.methods} methods loses in {found.measure} on each of "
        f"{len(found.datasets)} data sets that was left out",
        numeric=(1, 2, 3, 4),
    )
    times = found.times
    say(f"Times of data sets that were left out: wrong by a factor of {times.shared:.2f} (one "
        f"slope), {times.family:.2f} (one a family).")  # fmt: skip


def _check_row(one: LeftOutRegret) -> list[object]:
    three = "-" if one.best_of_three is None else _percent(one.best_of_three)
    interval = _interval(one.low, one.high)
    return [one.way, _percent(one.mean), interval, _percent(one.worst), three]
