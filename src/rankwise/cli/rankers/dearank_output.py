"""What `rankwise dearank analyse` prints."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.cli.output import print_table, say
from rankwise.experiments import DEARankAnalysis, PoolFacts, VariantFacts
from rankwise.results import read_shipped_rows

_BAR_CELLS = 20


def print_analysis(name: str, found: DEARankAnalysis) -> None:
    """Everything that was found on the data set called `name`, table by table."""
    _print_pools(found.pools)
    spread = found.spread
    say(
        f"{spread.features} raw features as rankers: NDCG@10 {spread.mean:.4f} on average, "
        f"standard deviation {spread.deviation:.4f}"
    )
    difference = found.figure_1()
    if difference is None:
        return
    say(
        f"mean of NDCG@1-10 and MAP on the {found.judged_on}: DEARank-I "
        f"{difference['DEARank-I']:.4f}, DEARank-O {difference['DEARank-O']:.4f}, "
        f"difference {difference['difference']:+.4f}"
    )
    _print_variants(found.variants, found.judged_on)
    _print_ensembles(found.variants, found.judged_on)
    _print_changes(name, found)


def _print_pools(pools: Sequence[PoolFacts]) -> None:
    print_table(
        ["Pool", "Candidates", "Better at home", "", "MAP home", "all", "Correlation", "Spread"],
        [
            [
                pool.model,
                pool.candidates,
                f"{pool.biased:.1%}",
                "█" * round(pool.biased * _BAR_CELLS),
                f"{pool.at_home:.4f}",
                f"{pool.everywhere:.4f}",
                "-" if pool.correlation is None else f"{pool.correlation:.3f}",
                f"{pool.spread:.3f}",
            ]
            for pool in pools
        ],
        title="Local overfitting and error diversity (section 5.1)",
        numeric=(1, 2, 4, 5, 6, 7),
    )


def _print_variants(variants: Sequence[VariantFacts], judged_on: str) -> None:
    plain = [one for one in variants if one.weighting == "program" and not one.best]
    pairs = list(zip(plain, (one for one in variants if one.weighting == "feature"), strict=True))
    print_table(
        ["Variant", "MAP, Eq. 9", "Eq. 15", "NDCG@10, Eq. 9", "Eq. 15"],
        [
            [
                whole.variant,
                f"{whole.map:.4f}",
                f"{by_feature.map:.4f}",
                f"{whole.ndcg_at_10:.4f}",
                f"{by_feature.ndcg_at_10:.4f}",
            ]
            for whole, by_feature in pairs
        ],
        title=f"Weak rankers weighted as a whole and feature by feature (section 5.2), {judged_on}",
        numeric=(1, 2, 3, 4),
    )


def _print_ensembles(variants: Sequence[VariantFacts], judged_on: str) -> None:
    rows = []
    for one in variants:
        if one.weighting != "program" or one.diversity is None:
            continue
        diversity = one.diversity
        name = f"{one.variant}, best {one.best}" if one.best else one.variant
        rows.append(
            [
                name,
                f"{round(diversity.members, 1):g}",
                _shown(one.members_map, ".4f"),
                _shown(diversity.disagreement, ".3f"),
                _shown(diversity.double_fault, ".3f"),
                _shown(diversity.q, ".3f"),
                _shown(diversity.entropy, ".3f"),
                _shown(one.biased, ".0%"),
            ]
        )
    print_table(
        ["Ensemble", "Members", "MAP", "Disagree", "Both wrong", "Q", "Entropy", "At home"],
        rows,
        title=f"Diversity of the weak rankers in each ensemble (section 5.1), {judged_on}",
        numeric=tuple(range(1, 8)),
    )


def _print_changes(name: str, found: DEARankAnalysis) -> None:
    changes = found.changes()
    if changes is None:
        return
    rows = [["here", *(f"{change:+.2f}" for change in changes.values())]]
    printed = {
        str(row["measure"]): row["printed_change"]
        for row in read_shipped_rows("dearank_table_8_changes")
        if row["dataset"] == name
    }
    if printed:
        rows.append(["paper", *(f"{float(printed[one] or 0):+.2f}" for one in changes)])
    print_table(
        ["", *(one.replace("NDCG@", "N@") for one in changes)],
        rows,
        title="Change by the reduced pool in percent, mean of the four variants (Table 8)",
        numeric=tuple(range(1, len(changes) + 1)),
    )


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
