"""A measure is a value: everything that tools disagree on is a field, and it has one printed name.

    NDCG@10                     the textbook's
    NDCG(gain=linear)@10        fields that differ from the textbook's, in parentheses
    AP(threshold=2)             relevant: label at least 2
    P(threshold=>0.5)@5         relevant: label above 0.5

`parse(str(measure)) == measure` for every measure; `parse` also takes the names that other tools
use for the same thing (`ndcg_cut_10`, `map`, `MRR`, `recall_10`, …).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Family
from rankwise.measures.families.registry import BY_ALIAS, BY_NAME, FAMILIES

CHOICES: dict[str, tuple[str, ...]] = {
    "discount": ("log2", "letor", "position"),
    "short": ("cut", "zero", "absent"),
    "ties": (
        "input",
        "reversed",
        "document-ascending",
        "document-descending",
        "worst",
        "best",
        "expected",
        "quicksort",
        "undefined",
    ),
    "comparison": ("double", "single", "perl"),
    "level_rule": ("nearest", "nine-tenths"),
    "average": ("mean", "sum", "geometric", "pooled"),
}
# Gains of whole labels below this are looked up; a list of gains must end there.
TABLE_LENGTH = 64
_DENOMINATORS = {
    "P": ("cutoff", "retrieved"),
    "F1": ("cutoff", "retrieved"),
    "AP": ("relevant", "cutoff"),
}
_NAME = re.compile(r"([^(@]+?)(?:\((.*)\))?(?:@([0-9]+))?(-?)")
_UNDERSCORED = re.compile(r"(.+?)_([0-9]+(?:\.[0-9]+)?)")


class UnknownMeasure(RankwiseError):
    """No measure has this name."""


@dataclass(frozen=True)
class Measure:
    """One measure with all its conventions.

    Attributes:
        family: NDCG, P, AP, … (`rankwise.measures.families.registry`).
        cutoff: only the first so many documents count; None is the whole list.
        gain: `exponential` 2^l - 1, `linear` l, `truncated` 2^int(l) - 1, a list `0/1/3` of the
            gains of labels 0, 1, 2 (0 beyond), or `1=1/2=3` (others linear). A negative label
            has no gain.
        discount: `log2` 1/log2(i + 1); `letor` 1, 1, 1/log2 3, 1/log2 4, …; `position` 1/i.
        threshold: the smallest relevant label; for NDCG and DCG labels below it have no gain.
        strict: whether a label must exceed the threshold.
        table: labels above it count as 0 (where a tool's table of labels ends).
        empty: the value of a query without a relevant document, or `skip`: it is left out.
        short: the value of a query with fewer documents than the cut-off: `cut` as if the cut-off
            were its length, `zero`, or `absent`: none of its own, and 0 in the mean.
        denominator: P: the `cutoff` or what was `retrieved` up to it; AP: all `relevant`
            documents, or no more than the `cutoff`.
        ties: the order of documents with equal scores (`rankwise.measures.ranking`).
        comparison: how scores are compared: `double`, `single` precision, or `perl` numbers.
        highest: the label whose documents satisfy almost surely (ERR).
        persistence: the chance that the user goes on to the next document (RBP).
        level: the level of recall (IPrec); level_rule: how many documents that is, the `nearest`
            whole number to level * R (halves up), or `nine-tenths`: int(level * R + 0.9).
        average: `mean` over the queries, `sum`, `geometric` mean (values below 0.00001 count as
            that), or `pooled` over all documents.
        rounding: what a query's value is rounded to before anything else: `none`, `single`
            precision, or a number of decimals.
    """

    family: str
    cutoff: int | None = None
    gain: str | None = None
    discount: str | None = None
    threshold: float | None = None
    strict: bool = False
    table: int | None = None
    empty: float | str | None = None
    short: str | None = None
    denominator: str | None = None
    ties: str | None = None
    comparison: str | None = None
    highest: int | None = None
    persistence: float | None = None
    level: float | None = None
    level_rule: str | None = None
    average: str | None = None
    rounding: str | None = None

    def __post_init__(self) -> None:
        family = BY_NAME.get(self.family)
        if family is None:
            raise UnknownMeasure(_unknown(self.family))
        _check_cutoff(family, self.cutoff)
        for name in _FIELD_NAMES:
            _settle(self, family, name)
        if self.strict and self.threshold is None:
            raise RankwiseError(f"{self.family}: a strict threshold needs a threshold")

    def __str__(self) -> str:
        defaults = BY_NAME[self.family].fields
        shown = [
            f"{name}={_shown(self, name)}"
            for name in _FIELD_NAMES
            if getattr(self, name) != defaults.get(name) or (name == "threshold" and self.strict)
        ]
        options = f"({','.join(shown)})" if shown else ""
        return f"{self.family}{options}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def with_fields(self, **changes: Any) -> Measure:
        """The same measure with other values; fields that the family lacks are left out."""
        known = BY_NAME[self.family].fields
        kept = {
            name: value
            for name, value in changes.items()
            if name in known or name == "cutoff" or (name == "strict" and "threshold" in known)
        }
        return replace(self, **kept)


_FIELD_NAMES = tuple(
    field.name for field in fields(Measure) if field.name not in ("family", "cutoff", "strict")
)


def parse(name: str, conventions: Mapping[str, Mapping[str, Any]] | None = None) -> Measure:
    """The measure of this name; fields that it does not give come from `conventions[family]`.

    Without conventions they are the textbook's.
    """
    family, options, cutoff, minus = _split(name)
    given = dict((conventions or {}).get(family.name, {}))
    if minus:
        given["empty"] = 0.0
    for option in _options(options):
        given.update(_option(name, family, option))
    if cutoff is not None and "." in cutoff:
        given["level"] = float(cutoff)
        cutoff = None
    return Measure(family.name, None if cutoff is None else int(cutoff), **given)


def _split(name: str) -> tuple[Family, str, str | None, bool]:
    text = name.strip()
    if text.lower() == "gm_map":
        return BY_NAME["AP"], "average=geometric", None, False
    exact = BY_ALIAS.get(text.lower())
    if exact is not None:
        return exact, "", None, False
    found = _NAME.fullmatch(text)
    if found is None:
        raise UnknownMeasure(_unknown(name))
    stem, options, cutoff, minus = found.groups()
    family = BY_ALIAS.get(stem.strip().lower())
    if family is None and cutoff is None and (tail := _UNDERSCORED.fullmatch(stem.strip())):
        family, cutoff = BY_ALIAS.get(tail[1].lower()), tail[2]
        if family is not None and ("." in cutoff) != (family.name == "IPrec"):
            family = None
    if family is None:
        raise UnknownMeasure(_unknown(name))
    return family, options or "", cutoff, bool(minus)


def _options(text: str) -> list[str]:
    return [part for part in text.split(",") if part.strip()]


def _option(name: str, family: Family, option: str) -> dict[str, Any]:
    key, separator, value = (part.strip() for part in option.partition("="))
    key = {"rel": "threshold", "p": "persistence"}.get(key, key)
    if not separator or key not in family.fields:
        known = ", ".join(family.fields)
        raise RankwiseError(
            f"{name!r}: {family.name} has no field {key!r}; it has {known} (as in "
            f"{family.name}({next(iter(family.fields))}=…))"
        )
    return _typed(name, key, value)


def _typed(name: str, key: str, value: str) -> dict[str, Any]:
    try:
        if key == "threshold":
            number = None if value == "none" else float(value.removeprefix(">"))
            return {"threshold": number, "strict": value.startswith(">")}
        if key == "empty":
            return {key: value if value == "skip" else float(value)}
        if key in ("persistence", "level"):
            return {key: float(value)}
        if key in ("table", "highest"):
            return {key: None if value == "none" else int(value)}
    except ValueError:
        raise RankwiseError(f"{name!r}: {key} must be a number, found {value!r}") from None
    return {key: value}


def _settle(measure: Measure, family: Family, name: str) -> None:
    """Give an unset field its textbook value, and check one that is set."""
    value = getattr(measure, name)
    if name not in family.fields:
        if value is not None:
            raise RankwiseError(f"{family.name} has no field {name!r}")
        return
    if value is None:
        object.__setattr__(measure, name, family.fields[name])
        return
    allowed = _DENOMINATORS[family.name] if name == "denominator" else CHOICES.get(name)
    if allowed is not None and value not in allowed:
        raise RankwiseError(
            f"{family.name}: {name} must be one of {', '.join(allowed)}, found {value!r}"
        )
    _check_number(family.name, name, value)


def _check_number(family: str, name: str, value: Any) -> None:
    if name == "gain":
        gain_table(value)
    if name == "empty" and isinstance(value, str) and value != "skip":
        raise RankwiseError(f"{family}: empty must be a number or 'skip', found {value!r}")
    if name in ("persistence", "level") and not 0 <= value <= 1:
        raise RankwiseError(f"{family}: {name} must lie between 0 and 1, found {value:g}")
    if name == "rounding" and value not in ("none", "single") and not value.isdigit():
        raise RankwiseError(
            f"{family}: rounding must be none, single or a number of decimals, found {value!r}"
        )
    if name == "highest" and not 1 <= value <= 60:
        raise RankwiseError(f"{family}: highest must lie between 1 and 60, found {value}")


def gain_table(gain: str) -> tuple[dict[int, float], str]:
    """The gains of single labels that `gain` lists, and the rule for all other labels."""
    if gain in ("exponential", "linear", "truncated"):
        return {}, gain
    listed, rule = _listed_gains(gain)
    if not all(0 <= label < TABLE_LENGTH for label in listed):
        raise RankwiseError(f"gains can be listed for labels 0 to {TABLE_LENGTH - 1}: {gain!r}")
    return listed, rule


def _listed_gains(gain: str) -> tuple[dict[int, float], str]:
    entries = gain.split("/")
    try:
        if "=" in gain:
            pairs = (entry.split("=") for entry in entries)
            return {int(label): float(value) for label, value in pairs}, "linear"
        return {label: float(value) for label, value in enumerate(entries)}, "zero"
    except ValueError:
        raise RankwiseError(
            "gain must be exponential, linear, truncated, a list such as 0/1/3 or labels with "
            f"their gains such as 1=1/2=3, found {gain!r}"
        ) from None


def _check_cutoff(family: Family, cutoff: int | None) -> None:
    if cutoff is not None and family.cutoff == "none":
        raise RankwiseError(f"{family.name} has no cut-off: write it without @{cutoff}")
    if cutoff is not None and cutoff < 1:
        raise RankwiseError(f"a cut-off must be at least 1, found {family.name}@{cutoff}")


def _shown(measure: Measure, name: str) -> str:
    value = getattr(measure, name)
    if name == "threshold" and measure.strict:
        return f">{_short(value)}"
    return _short(value) if isinstance(value, float) else "none" if value is None else str(value)


def _short(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    stem = re.split(r"[@(]", name.strip())[0]
    known = {alias.lower(): alias for alias in (*BY_ALIAS, *(f.name for f in FAMILIES))}
    near = get_close_matches(stem.lower(), known, n=1, cutoff=0.5)
    if not near:
        return f"there is no measure {name!r}; see 'rankwise measures' for all of them"
    canonical = BY_ALIAS[near[0]].name
    tail = name.strip()[len(stem) :]
    return f"there is no measure {name!r}; did you mean '{canonical}{tail}'?"
