"""What `rankwise features` prints: effects, choices, weights."""

from __future__ import annotations

from collections.abc import Sequence

from rankwise.cli.output import print_table
from rankwise.experiments import EffectFigures, FeatureSelection, FeatureWeights


def print_choices(found: FeatureSelection) -> None:
    """The features of each fold; where they have names, each named with the folds that have it."""
    rows = [(fold, ", ".join(map(str, numbers))) for fold, numbers in found.features.items()]
    print_table(("fold", f"features, in the order chosen by {found.method}"), rows, numeric=(0,))
    names = found.feature_names
    if names is None:
        return
    folds: dict[int, list[str]] = {}
    for fold, numbers in found.features.items():
        for number in numbers:
            folds.setdefault(number, []).append(str(fold))
    order = sorted(folds, key=lambda number: (-len(folds[number]), number))
    named = [(number, names[number - 1], ", ".join(folds[number])) for number in order]
    print_table(("feature", "name", "in folds"), named, numeric=(0,))


def print_effects(effects: Sequence[EffectFigures], after: str, ranker: str) -> None:
    """Each measure before and after, as a table."""
    rows = [
        (
            effect.measure,
            f"{effect.all_features:.4f}",
            f"{effect.fewer_features:.4f}",
            f"{effect.difference:+.4f}",
            "–" if effect.p_value is None else f"{effect.p_value:.3f}",
        )
        for effect in effects
    ]
    print_table(
        ("measure", "all features", after, "difference", "p (t-test over queries)"),
        rows,
        numeric=(1, 2, 3, 4),
        title=f"{ranker} on the test parts, {effects[0].queries} queries",
    )


def print_weights(found: FeatureWeights) -> None:
    """Every feature with what it tells alone and in the ranker."""
    named = any(one.name is not None for one in found.weights)
    rows = [
        (
            one.feature,
            *((one.name,) if named else ()),
            f"{one.alone:.4f}{' ↓' if one.ascending else '  '}",
            f"{one.loss:+.4f}",
        )
        for one in found.weights
    ]
    headings = [
        "feature",
        *(["name"] if named else []),
        f"{found.measure} alone",
        f"{found.measure} lost when shuffled",
    ]
    numeric = (0, 2, 3) if named else (0, 1, 2)
    print_table(headings, rows, numeric=numeric, title=f"{found.ranker}, {found.folds} folds")
