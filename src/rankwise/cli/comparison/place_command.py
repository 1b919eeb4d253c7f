"""`rankwise place`: where your method lands among others, and what would make that surer."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

import click

from rankwise.cli.comparison.comparison_options import (
    compared_measures_option,
    credible_option,
    ideal_option,
    own_scores_options,
    tabulate_own,
    tabulate_own_queries,
)
from rankwise.cli.options import format_option, seed_option
from rankwise.cli.output import note, print_json, print_table, say
from rankwise.comparison import DatasetGain, HeadToHead, Placement, RivalVerdict, Verdicts
from rankwise.comparison import place as place_method
from rankwise.errors import RankwiseError
from rankwise.tables import shown

SHOWN_GAINS = 5
SHOWN_RIVALS = 5


@click.command()
@click.argument("file", type=click.Path(), metavar="[MY.csv]", required=False)
@own_scores_options
@click.option("--dataset", help="With --scores: what the data set is, where no path says so.")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="FILE",
    help="A table of results, a store, the folder of 'results dense', or the name of a shipped "
    "table, to be placed in; repeat.  [default: tax2015_results]",
)
@click.option("--method", "methods", multiple=True, help="Place this method of MY.csv; repeat.")
@compared_measures_option
@credible_option
@ideal_option
@click.option(
    "--bootstrap",
    "resamples",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    metavar="N",
    help="Resamples of the data sets: how often the method is on the front.",
)
@seed_option("Of resamples.")
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Among methods of one protocol: the probability that any verdict is wrong.",
)
@format_option()
def place(
    file: str | None,
    tables: tuple[str, ...],
    methods: tuple[str, ...],
    measures: tuple[str, ...],
    credible: bool,
    ideal: Literal["observed", "definition"],
    resamples: int,
    seed: int,
    level: float,
    output_format: str,
    **own: Any,
) -> None:
    """Add your methods to a table of published results, and say where they land.

    MY.csv has the columns collection, dataset, method, measure and value; the store of an
    experiment (.sqlite) will do as well, or the score files of a method: --data and --scores are
    evaluated by the data set's own tool. Shown are the rank, the Normalized Winning Number and
    whether the method is on the Pareto front, how it did against its neighbours head to head, and
    which further data sets would narrow the interval of its number most.

    Results that cannot be compared with those of the table, by another tool, over fewer folds or
    of another version, are left out and named. Values are compared at the coarser print: .2304
    does not beat a printed .230. Exit code 1 where no method has a place.

    Among methods of one protocol (--table rankwise_dense, our own runs, or a store) it is also said
    which of them yours is better than, worse than or not separable from: by paired tests over
    queries for a store and --scores, over data sets for MY.csv, with Holm's correction.

    \b
    Examples:
      rankwise place mine.csv
      rankwise place --data MQ2008 --scores 'fold{fold}.scores' --name mine
      rankwise place mine.csv --method MyRank -m NDCG@10
      rankwise place mine.csv --table published.csv --format json
      rankwise place --data MQ2008 --scores 'fold{fold}.scores' --table rankwise_dense
    """
    if not tables:
        note("placing among the 87 methods of Tax, Bockting and Hiemstra (2015); see --table")
    results = _find_own(file, measures, own)
    queries = tabulate_own_queries(**own) if tables else ()
    placements = place_method(
        results, *tables, methods=methods, measures=measures, ideal=ideal, resamples=resamples,
        seed=seed, credible=credible, queries=queries, level=level,
    )  # fmt: skip
    for remark in placements.remarks:
        note(remark)
    if output_format == "json":
        remarks = list(placements.remarks)
        print_json(
            [
                {**_object(one, placements.find_verdicts(one.method)), "remarks": remarks}
                for one in placements
            ]
        )
    else:
        for one in placements:
            _print(one)
            _print_verdicts(placements.find_verdicts(one.method))
    if not any(one.place for one in placements):
        click.get_current_context().exit(1)


def _find_own(file: str | None, measures: tuple[str, ...], own: dict[str, Any]) -> Any:
    found = tabulate_own(measures=measures, **own)
    if (file is None) == (found is None):
        raise RankwiseError(
            "one thing is placed: name a file of results or a store, or give --data and --scores"
        )
    return file if found is None else found


def _object(one: Placement, verdicts: Verdicts | None) -> dict[str, Any]:
    """A placement as JSON: null for what cannot be said."""
    keys = ("rank", "wn", "iwn", "nwn", "datasets", "distinct_datasets", "pareto", "rank2")
    bounds = ("lower", "upper", "front_share", "warning")
    return {
        "method": one.method,
        **{key: getattr(one.place, key, None) for key in keys},
        "ranked": one.ranked,
        **{key: getattr(one.interval, key, None) for key in bounds},
        "neighbours": [
            {"method": near.rival.method, "rank": near.rival.rank, "nwn": near.rival.nwn}
            | {"wins": near.wins, "losses": near.losses, "ties": near.ties}
            for near in one.neighbours
        ],
        "half_width": one.half_width,
        "gains": [asdict(gain) for gain in one.gains],
        "unmatched": [{"dataset": dataset, "measure": m} for dataset, m in one.unmatched],
        **({} if verdicts is None else {"verdicts": asdict(verdicts)}),
    }


def _print(one: Placement) -> None:
    say(_summary(one))
    if one.neighbours:
        print_table(
            ["Rank", "Neighbour", "NWN", "Wins", "Losses", "Ties"],
            [_neighbour_row(near) for near in one.neighbours],
            title=f"{shown(one.method)} head to head with its neighbours",
            numeric=(0, 2, 3, 4, 5),
        )
    if one.gains:
        print_table(
            ["Data set", "In", "New comparisons", "Expected then"],
            [_gain_row(gain) for gain in one.gains[:SHOWN_GAINS]],
            title="Data sets that would make its place surest "
            f"(95 % interval of NWN now {_width(one.half_width)}{_doubt(one)})",
            numeric=(2, 3),
        )
    if one.unmatched:
        named = ", ".join(f"{shown(dataset)} in {m}" for dataset, m in one.unmatched[:5])
        more = f" and {len(one.unmatched) - 5} more" if len(one.unmatched) > 5 else ""
        note(f"{shown(one.method)} has no rival on {named}{more}")


def _print_verdicts(found: Verdicts | None) -> None:
    if found is None:
        return
    say(f"{shown(found.method)} is {found.describe()}.")
    print_table(
        ["Rival", "Difference", "95 % interval", "p (Holm)", "Verdict"],
        [_verdict_row(one) for one in found.verdicts[:SHOWN_RIVALS]],
        title=f"{shown(found.method)} against its hardest rivals on "
        f"{', '.join(map(shown, found.datasets))}",
        numeric=(1, 2, 3),
    )


def _verdict_row(one: RivalVerdict) -> list[object]:
    reach = f"{one.lower:+.4f} to {one.upper:+.4f}"
    p_value = f"{one.adjusted_p_value:.4f}" if one.adjusted_p_value >= 1e-4 else "<0.0001"
    return [shown(one.rival), f"{one.difference:+.4f}", reach, p_value,
            one.finding]  # fmt: skip


def _neighbour_row(near: HeadToHead) -> list[object]:
    rival = near.rival
    counts = (near.wins, near.losses, near.ties)
    return [rival.rank, shown(rival.method), f"{rival.nwn:.4f}", *counts]


def _gain_row(gain: DatasetGain) -> list[object]:
    measures = ", ".join(gain.measures)
    return [shown(gain.dataset), measures, gain.comparisons, _width(gain.half_width)]


def _width(half_width: float | None) -> str:
    return "unknown" if half_width is None else f"±{half_width:.3f}"


def _doubt(one: Placement) -> str:
    """Why an interval, or its absence, should not be trusted, in a few words."""
    warning = None if one.interval is None else one.interval.warning
    return f"; {warning}" if warning else ""


def _summary(one: Placement) -> str:
    if one.place is None:
        why = "no rival has a result where it has one" if one.unmatched else "nothing is comparable"
        return f"{shown(one.method)} has no place: {why}."
    row, interval = one.place, one.interval
    front = "on the Pareto front" if row.pareto else "not on the Pareto front"
    if row.rank2:
        front = "dominated by one method only (rank-2 front)"
    sure = ""
    if interval is not None and interval.lower is not None and interval.upper is not None:
        sure = f" (95 % interval: {interval.lower:.4f} to {interval.upper:.4f}{_doubt(one)})"
    elif interval is not None:
        sure = f" (no interval{_doubt(one)})"
    certainty = ""
    if interval is not None and interval.front_share is not None:
        certainty = f" (in {interval.front_share:.0%} of resamples)"
    return (
        f"{shown(one.method)}: rank {row.rank} of {one.ranked}, NWN {row.nwn:.4f}{sure},\n"
        f"won {row.wn} of {row.iwn} on {row.distinct_datasets} data sets; {front}{certainty}."
    )
