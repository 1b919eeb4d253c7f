"""Every family of measures: one line per module; names, documentation and tests derive from here.

The order is that of lists and pages. Nothing else depends on it.
"""

from __future__ import annotations

from importlib import import_module

from rankwise.measures.families.family import Family

MODULES = (
    "rankwise.measures.families.ndcg",
    "rankwise.measures.families.mean_ndcg",
    "rankwise.measures.families.precision",
    "rankwise.measures.families.average_precision",
    "rankwise.measures.families.reciprocal_rank",
    "rankwise.measures.families.expected_reciprocal_rank",
    "rankwise.measures.families.recall",
    "rankwise.measures.families.success",
    "rankwise.measures.families.hits",
    "rankwise.measures.families.f1",
    "rankwise.measures.families.r_precision",
    "rankwise.measures.families.rank_biased_precision",
    "rankwise.measures.families.bpref",
    "rankwise.measures.families.pairwise_accuracy",
    "rankwise.measures.families.kendall_tau",
    "rankwise.measures.families.winner_takes_all",
    "rankwise.measures.families.best",
    "rankwise.measures.families.interpolated_precision",
    "rankwise.measures.families.set_measures",
    "rankwise.measures.families.root_mean_square_error",
    "rankwise.measures.families.counts",
    "rankwise.measures.families.published",
)


def folded(name: str) -> str:
    """A name as it is looked up: capitals, underscores and runs of spaces make no difference."""
    return " ".join(name.casefold().replace("_", " ").split())


def _families(module: str) -> tuple[Family, ...]:
    found: tuple[Family, ...] = import_module(module).FAMILIES
    return found


def by_alias(families: tuple[Family, ...]) -> dict[str, Family]:
    """Every family by all of its names; two that share one would be told apart by nothing."""
    found: dict[str, Family] = {}
    for family in families:
        for name in {folded(alias) for alias in (family.name, *family.aliases)}:
            if name in found:
                raise ValueError(f"{family.name} and {found[name].name} are both called {name!r}")
            found[name] = family
    return found


BY_MODULE: dict[str, tuple[Family, ...]] = {module: _families(module) for module in MODULES}
FAMILIES: tuple[Family, ...] = tuple(family for found in BY_MODULE.values() for family in found)
COMPUTED: tuple[Family, ...] = tuple(family for family in FAMILIES if family.compute is not None)
BY_ALIAS: dict[str, Family] = by_alias(FAMILIES)
BY_NAME: dict[str, Family] = {family.name: family for family in FAMILIES}
