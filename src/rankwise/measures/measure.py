"""A measure is a value: everything that tools disagree on is a field, and it has one printed name.

    NDCG@10                     the textbook's
    NDCG(gain=linear)@10        fields that differ from the textbook's, in parentheses
    AP(threshold=2)             relevant: label at least 2
    P(threshold=>0.5)@5         relevant: label above 0.5

`parse(str(measure)) == measure` for every measure; `parse` also takes the names that other tools
use for the same thing (`ndcg_cut_10`, `map`, `MRR`, `recall_10`, …), and `module:name` for
anybody's own measures (`rankwise.measures.families.registry`). The gain of a label is a rule, or
gains are listed label by label.

Several measures stand in one text: `NDCG@5,MAP`. Commas inside parentheses are left alone, and
those between gains of labels: `ndcg.1=1,2=3,map`. In result tables a measure has one spelling, of
whatever publications print: a result is a mean over queries, so that AP is written MAP and RR is
written MRR there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

from rankwise.arguments import check_choice
from rankwise.errors import RankwiseError
from rankwise.measures.families.family import Family
from rankwise.measures.families.registry import (
    BY_ALIAS,
    BY_NAME,
    folded,
    is_own,
    load_family,
    own_family,
)
from rankwise.sanitize import brief

CHOICES: dict[str, tuple[str, ...]] = {
    "discount": ("log2", "letor", "position"),
    "short": ("cut", "zero", "absent"),
    "ties": (
        "input",
        "reversed",
        "document-ascending",
        "document-descending",
        "label-ascending",
        "label-descending",
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
LARGEST_CUTOFF = 1_000_000
_CUTOFF = re.compile(r"[0-9]{1,7}")
_DECIMAL = re.compile(r"[0-9]?\.[0-9]{1,20}")
_ROUNDING = re.compile(r"none|single|[0-9]{1,2}")
_UNDERSCORED = re.compile(r"(.+?)_([0-9.]+)")
_LONGEST_SHOWN = 80


class UnknownMeasure(RankwiseError):
    """No measure has this name."""


@dataclass(frozen=True)
class Measure:
    """One measure with all its conventions.

    Attributes:
        family: NDCG, P, AP, … (`rankwise.measures.families`), or `module:name`.
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
        ties: the order of documents with equal scores (`rankwise.measures.document_order`).
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
        family = find_family(self.family)
        _check_cutoff(family, self.cutoff)
        for name in _FIELD_NAMES:
            _settle(self, family, name)
        if self.strict and self.threshold is None:
            raise RankwiseError(f"{self.family}: a strict threshold needs a threshold")

    def __str__(self) -> str:
        defaults = find_family(self.family).fields
        shown = [
            f"{name}={_show_field(self, name)}"
            for name in _FIELD_NAMES
            if getattr(self, name) != defaults.get(name) or (name == "threshold" and self.strict)
        ]
        options = f"({','.join(shown)})" if shown else ""
        return f"{self.family}{options}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def with_fields(self, **changes: Any) -> Measure:
        """The same measure with other values; fields that the family lacks are left out."""
        unknown = changes.keys() - {*_FIELD_NAMES, "cutoff", "strict"}
        if unknown:
            raise RankwiseError(
                f"measures have no field {min(unknown)!r}; they have {', '.join(_FIELD_NAMES)}"
            )
        known = find_family(self.family).fields
        kept = {
            name: value
            for name, value in changes.items()
            if name in known or name == "cutoff" or (name == "strict" and "threshold" in known)
        }
        return replace(self, **kept)


_FIELD_NAMES = tuple(
    field.name for field in fields(Measure) if field.name not in ("family", "cutoff", "strict")
)


def find_family(name: str) -> Family:
    """The family of this canonical name, or of anybody's own measure `module:name`."""
    if name in BY_NAME:
        return BY_NAME[name]
    if is_own(name):
        return own_family(name)
    raise UnknownMeasure(_make_unknown(name))


def load_known_family(name: str) -> Family:
    """The family of this name; an own one is imported, so that what its module says counts."""
    return load_family(name) if is_own(name) else find_family(name)


def parse(name: str, conventions: Mapping[str, Mapping[str, Any]] | None = None) -> Measure:
    """The measure of this name; fields that it does not give come from `conventions[family]`.

    Without conventions they are the textbook's.
    """
    family, options, parameter, minus = _split_name(name)
    given = dict((conventions or {}).get(family.name, {}))
    if minus:
        given["empty"] = 0.0
    for option in filter(str.strip, options.split(",")):
        given.update(_read_option(name, family, option))
    if parameter is not None:
        given.update(_read_parameter(name, family, parameter))
    try:
        return Measure(family.name, **given)
    except RankwiseError as error:
        raise RankwiseError(f"{_quoted(name)}: {error}") from None


def _split_name(name: str) -> tuple[Family, str, str | None, bool]:
    """Family, options, what follows the `@`, and whether a `-` ends the name."""
    text = name.strip()
    if text.lower() == "gm_map":
        return BY_NAME["AP"], "average=geometric", None, False
    exact = BY_ALIAS.get(folded(text))
    if exact is not None:
        return exact, "", None, False
    minus = text.endswith("-")
    stem, at, parameter = text.removesuffix("-").partition("@")
    stem, options = _without_options(stem.strip())
    family = own_family(stem) if is_own(stem) else BY_ALIAS.get(folded(stem))
    if family is not None:
        return family, options, parameter.strip() if at else None, minus
    tail = _UNDERSCORED.fullmatch(stem)
    family = None if at or tail is None else BY_ALIAS.get(folded(tail[1]))
    if family is None or tail is None:
        raise UnknownMeasure(_make_unknown(name))
    return family, options, tail[2], minus


def _without_options(text: str) -> tuple[str, str]:
    stem, bracket, options = text.partition("(")
    return (stem.strip(), options[:-1]) if bracket and options.endswith(")") else (text, "")


def _read_parameter(name: str, family: Family, text: str) -> dict[str, Any]:
    """What follows the `@`: a cut-off, or for some families another number, as in `RBP@0.8`."""
    for field in ("level", "persistence"):
        if field in family.fields and _DECIMAL.fullmatch(text):
            number = float(text)
            if field == "persistence" and not 0 < number < 1:
                raise RankwiseError(
                    f"the persistence of {_quoted(name)} must lie between 0 and 1, found {text!r}"
                )
            return {field: number}
    if not _CUTOFF.fullmatch(text) or not 1 <= int(text) <= LARGEST_CUTOFF:
        raise RankwiseError(
            f"the cut-off of {_quoted(name)} must be a whole number from 1 to {LARGEST_CUTOFF}, "
            f"found {_quoted(text)}"
        )
    return {"cutoff": int(text)}


def _read_option(name: str, family: Family, option: str) -> dict[str, Any]:
    key, separator, value = (part.strip() for part in option.partition("="))
    key = {"rel": "threshold", "p": "persistence"}.get(key, key)
    if not separator or key not in family.fields:
        raise RankwiseError(
            f"{_quoted(name)}: {family.name} has no field {_quoted(key)}; it has "
            f"{', '.join(family.fields) or 'none'}"
        )
    return _convert_option(name, key, value)


def _convert_option(name: str, key: str, value: str) -> dict[str, Any]:
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
        raise RankwiseError(
            f"{_quoted(name)}: {key} must be a number, found {_quoted(value)}"
        ) from None
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
    allowed = family.denominators if name == "denominator" else CHOICES.get(name)
    if allowed is not None:
        check_choice(f"{family.name}: {name}", value, allowed)
    _check_number(family.name, name, value)


def _check_number(family: str, name: str, value: Any) -> None:
    if name == "gain":
        gain_table(value)
    if name == "empty" and isinstance(value, str) and value != "skip":
        raise RankwiseError(f"{family}: empty must be a number or 'skip', found {value!r}")
    if name in ("persistence", "level") and not 0 <= value <= 1:
        raise RankwiseError(f"{family}: {name} must lie between 0 and 1, found {value:g}")
    if name in ("threshold", "empty") and isinstance(value, float) and not math.isfinite(value):
        raise RankwiseError(f"{family}: {name} must be a finite number, found {value}")
    if name == "rounding" and not _ROUNDING.fullmatch(value):
        raise RankwiseError(
            f"{family}: rounding must be none, single or a number of decimals up to 99, "
            f"found {value!r}"
        )
    if name == "highest" and not 1 <= value <= 60:
        raise RankwiseError(f"{family}: highest must lie between 1 and 60, found {value}")


def _check_cutoff(family: Family, cutoff: int | None) -> None:
    if cutoff is not None and family.cutoff == "none":
        raise RankwiseError(f"{family.name} has no cut-off: write it without @{cutoff}")
    if cutoff is not None and not 1 <= cutoff <= LARGEST_CUTOFF:
        raise RankwiseError(
            f"a cut-off must be at least 1 and at most {LARGEST_CUTOFF}, found "
            f"{family.name}@{_quoted(str(cutoff))[1:-1]}"
        )


def _show_field(measure: Measure, name: str) -> str:
    value = getattr(measure, name)
    if name == "threshold" and measure.strict:
        return f">{_show_number(value)}"
    return (
        _show_number(value) if isinstance(value, float) else "none" if value is None else str(value)
    )


def _show_number(number: float) -> str:
    return str(int(number)) if number.is_integer() else repr(number)


def _make_unknown(name: str) -> str:
    from difflib import get_close_matches

    stem = re.split(r"[@(]", name.strip())[0]
    if ":" in stem:
        return (
            f"there is no measure {_quoted(name)}; one of your own is written module:function, "
            "with the module on PYTHONPATH"
        )
    near = get_close_matches(folded(stem[:_LONGEST_SHOWN]), BY_ALIAS, n=1, cutoff=0.5)
    if not near:
        return f"there is no measure {_quoted(name)}; see 'rankwise measures' for all of them"
    family = BY_ALIAS[near[0]]
    meant = family.mean_name if near[0] == folded(family.mean_name) else family.name
    meant += "" if family.cutoff == "none" else name.strip()[len(stem) :][:_LONGEST_SHOWN]
    if folded(meant) == folded(name):
        return (
            f"a measure must be written NAME@cut-off or NAME(field=value,…)@cut-off, found "
            f"{_quoted(name)}"
        )
    return f"there is no measure {_quoted(name)}; did you mean '{meant}'?"


def _quoted(text: str) -> str:
    """The text in quotes; only the beginning of one that nobody would read."""
    if len(text) <= _LONGEST_SHOWN:
        return repr(text)
    return f"{text[: _LONGEST_SHOWN // 2]!r}… ({len(text)} characters)"


_GAIN_OF_A_LABEL = re.compile(r"[0-9]+ *=")


def split_names(text: str) -> list[str]:
    """The names between commas that stand outside parentheses, without blanks around them."""
    names, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth <= 0:
            names.append("")
        else:
            names[-1] += character
    found: list[str] = []
    for name in filter(None, map(str.strip, names)):
        if found and _GAIN_OF_A_LABEL.match(name):
            found[-1] += f",{name}"
        else:
            found.append(name)
    return found


def measure_list(
    measures: str | Measure | Iterable[str | Measure] | None,
) -> list[str | Measure] | None:
    """One measure or several, by name or value, as a list; None, everything, stays None."""
    if measures is None:
        return None
    given = [measures] if isinstance(measures, str | Measure) else measures
    found: list[str | Measure] = []
    for one in given if isinstance(given, Iterable) else [given]:
        if not isinstance(one, str | Measure):
            raise RankwiseError(f"measures must be names or Measure values, found {brief(one)}")
        found += split_names(one) if isinstance(one, str) else [one]
    return found


@lru_cache(maxsize=4096)
def result_name(name: str) -> str:
    """The one spelling in tables: `ndcg @ 10` is `NDCG@10`, `Precision@5` is `P@5`, `ap` is `MAP`.

    Fields that depart from the textbook stay: `ndcg(gain=linear)@10` is `NDCG(gain=linear)@10`.
    Raises RankwiseError with the nearest name for an unknown one.
    """
    measure = parse(name)
    family = find_family(measure.family)
    return (family.mean_name or family.name) + str(measure).removeprefix(family.name)


def family_of(name: str) -> Family:
    """The family of a measure given by any of its spellings: its range, direction and title."""
    return find_family(_family_name(name))


def lower_is_better(name: str) -> bool:
    """Whether the smaller of two values is the better one; False for what is not known."""
    try:
        return family_of(name).lower_is_better
    except RankwiseError:
        return False


@lru_cache(maxsize=4096)
def _family_name(name: str) -> str:
    return parse(name).family


def sort_measures(names: Iterable[str]) -> list[str]:
    """Measures in the order that readers expect: NDCG@1, 3, 5, 10, other cut-offs, then MAP.

    NDCG comes first, then the families with cut-offs, then those without, families in the order
    given; names that are not known come last.
    """
    order: dict[str, int] = {}
    keys: dict[str, tuple[bool, bool, bool, int, int, str]] = {}
    for name in dict.fromkeys(names):
        try:
            measure = parse(name)
        except RankwiseError:
            keys[name] = (True, True, True, len(keys), 0, "")
            continue
        place = order.setdefault(measure.family, len(order))
        bare = measure.cutoff is None
        cutoff = measure.cutoff or 0
        keys[name] = (False, measure.family != "NDCG", bare, place, cutoff, name)
    return sorted(keys, key=keys.__getitem__)


GAIN_RULES = ("exponential", "linear", "truncated")
# Gains of whole labels below this are looked up; a list of gains must end there.
TABLE_LENGTH = 64


def gain_table(gain: str) -> tuple[dict[int, float], str]:
    """The gains of single labels that `gain` lists, and the rule for all other labels."""
    if gain in GAIN_RULES:
        return {}, gain
    listed, rule = _listed_gains(gain)
    if not all(0 <= label < TABLE_LENGTH for label in listed):
        raise RankwiseError(f"gains can be listed for labels 0 to {TABLE_LENGTH - 1}: {gain!r}")
    if not all(math.isfinite(value) for value in listed.values()):
        raise RankwiseError(f"listed gains must be finite numbers, found {gain!r}")
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
