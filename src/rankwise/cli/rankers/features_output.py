"""What `rankwise features` prints and writes beside folds: effects, choices, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rankwise.cli.output import print_table
from rankwise.errors import RankwiseError
from rankwise.feature_selection import Choice, Effect
from rankwise.files import write_text

MAPPING = "features.tsv"


def check_target(output: Path | None) -> None:
    """Refuse a target that cannot be written before anything is learnt."""
    if output is None:
        return
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise RankwiseError(
            f"cannot write folds to {output}: it is not an empty folder; name a new one"
        )
    if not output.resolve().parent.is_dir():
        raise RankwiseError(
            f"cannot write folds to {output}: the folder {output.resolve().parent} does not exist"
        )


def write_mapping(folder: Path, choices: Mapping[int, Choice], names: Sequence[str] | None) -> None:
    """`features.tsv`: which feature of which fold was which, numbers from 1."""
    lines = ["fold\tnew\told\tname\n"]
    for fold, choice in choices.items():
        for new, old in enumerate(sorted(choice.features), 1):
            lines.append(f"{fold}\t{new}\t{old + 1}\t{names[old] if names else ''}\n")
    write_text(folder / MAPPING, "".join(lines))


def print_choices(choices: Mapping[int, Choice], method: str, names: Sequence[str] | None) -> None:
    """The features of each fold; where they have names, each named with the folds that have it."""
    rows = [(f, ", ".join(str(n + 1) for n in c.features)) for f, c in choices.items()]
    print_table(("fold", f"features, in the order chosen by {method}"), rows, numeric=(0,))
    if names is None:
        return
    folds: dict[int, list[str]] = {}
    for fold, choice in choices.items():
        for number in choice.features:
            folds.setdefault(number, []).append(str(fold))
    order = sorted(folds, key=lambda number: (-len(folds[number]), number))
    named = [(number + 1, names[number], ", ".join(folds[number])) for number in order]
    print_table(("feature", "name", "in folds"), named, numeric=(0,))


def effect_facts(effects: Sequence[Effect]) -> list[dict[str, object]]:
    """Each measure before and after, as JSON holds it."""
    return [
        {
            "measure": effect.measure,
            "all_features": float(effect.before.mean()),
            "fewer_features": float(effect.after.mean()),
            "difference": effect.difference,
            "p_value": _p_value(effect),
            "queries": len(effect.before),
        }
        for effect in effects
    ]


def print_effects(effects: Sequence[Effect], after: str, ranker: str) -> None:
    """Each measure before and after, as a table."""
    rows = [
        (
            effect.measure,
            f"{effect.before.mean():.4f}",
            f"{effect.after.mean():.4f}",
            f"{effect.difference:+.4f}",
            "–" if (p := _p_value(effect)) is None else f"{p:.3f}",
        )
        for effect in effects
    ]
    print_table(
        ("measure", "all features", after, "difference", "p (t-test over queries)"),
        rows,
        numeric=(1, 2, 3, 4),
        title=f"{ranker} on the test parts, {len(effects[0].before)} queries",
    )


def _p_value(effect: Effect) -> float | None:
    """Of the paired t-test over queries; None where there are too few."""
    from rankwise.comparison.significance import t_test

    if len(effect.before) < 2:
        return None
    return t_test(effect.after - effect.before).p_value
