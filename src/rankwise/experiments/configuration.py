"""The description of an experiment: a small TOML file, or the flags of `rankwise bench`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from rankwise.arguments import parse_toml
from rankwise.data.joining import ABSENT
from rankwise.data.sources import DataSource, from_folder, from_home
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.parameter_search import Search, SearchRange
from rankwise.experiments.resources import TaskLimits, parse_memory
from rankwise.experiments.transfer import WAYS
from rankwise.files import is_file, is_there, read_bounded
from rankwise.rankers.registry import find_ranker, ranker_names, spreading
from rankwise.registry import is_own
from rankwise.results.result_validation import LONGEST_NAME, find_unprintable
from rankwise.results.store.schema import replace_codes
from rankwise.results.task_records import SHARED_QUERIES
from rankwise.sanitize import brief

DEFAULT_MEASURES = ("MAP", "NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10")
_MOST_BYTES = 1 << 24
OWN = "own"
"""Stands for the tool of each data set."""
DEFAULT_TOOLS = (OWN, "definition")
"""The definition stands beside a collection's own tool, so that figures can be compared."""
KEEPABLE = ("models", "scores")
"""What of a task can be kept beside its figures."""

REPEATED = ("all", "random")
"""Which rankers are run with every seed."""


@dataclass(frozen=True)
class RankerChoice:
    """A ranker of the experiment: what it is called, what is tried, what chooses among it.

    `measure` is what was asked for; None leaves rounds to the rule of the ranker, and combinations
    to the usual measure of the tool. `tool` is whose convention its training and its selection
    follow, `own` the data set's. With
    `spread` the training data of a fold are spread over all workers of a cluster.
    """

    name: str
    label: str
    search: Search
    measure: str | None
    tool: str
    spread: bool = False


@dataclass(frozen=True)
class TransferChoice:
    """What is learnt for a target from a source too, in some ways, as the target shrinks.

    `shares` are percents of the target's training queries; `absent` says what becomes of features
    that the source lacks.
    """

    source: DataSource
    target: DataSource
    ways: tuple[str, ...] = WAYS
    shares: tuple[float, ...] = (100.0,)
    absent: str = "zero"


@dataclass(frozen=True)
class Configuration:
    """Data sets × folds × rankers × seeds, evaluated by measures × tools.

    `repeated` says which rankers are run with every seed: `all`, or those that draw `random`
    numbers, while the others, which train the same model with every seed, have the first alone.
    """

    name: str
    sources: tuple[DataSource, ...]
    rankers: tuple[RankerChoice, ...]
    measures: tuple[str, ...] = DEFAULT_MEASURES
    tools: tuple[str, ...] = DEFAULT_TOOLS
    folds: tuple[int, ...] | None = None
    seeds: tuple[int, ...] = (0,)
    limits: TaskLimits = field(default_factory=TaskLimits)
    transfers: tuple[TransferChoice, ...] = ()
    repeated: str = REPEATED[0]
    keep: tuple[str, ...] = ()


def list_shipped_configurations() -> tuple[str, ...]:
    """The names of the experiments that come with Rankwise."""
    folder = files("rankwise.experiments.configurations")
    return tuple(sorted(item.name[:-5] for item in folder.iterdir() if item.name.endswith(".toml")))


def read_configuration(path: str | Path) -> dict[str, Any]:
    """The content of a TOML file, or of the shipped experiment of that name."""
    name = str(path)
    if name in list_shipped_configurations() and not is_file(name):
        text = (files("rankwise.experiments.configurations") / f"{name}.toml").read_bytes()
    else:
        if not is_there(path):
            raise RankwiseError(
                f"there is no file {path}, and no shipped experiment of that name; shipped are "
                f"{', '.join(list_shipped_configurations())}"
            )
        text = read_bounded(path, _MOST_BYTES, "description of an experiment")
    return {"name": Path(name).stem, **parse_toml(text, path)}


def list_own_code(path: str | Path) -> list[str]:
    """What a configuration names as `module:Name`: code that is run by planning and running it."""
    content = read_configuration(path)
    selection, rankers = content.get("selection"), content.get("rankers")
    tables = [selection, *(rankers if isinstance(rankers, list) else ())]
    named = [one.get(key) for one in tables if isinstance(one, Mapping) for key in _CODE_KEYS]
    fixed = [one.get("set") for one in tables if isinstance(one, Mapping)]
    named += [one.get("of") for one in fixed if isinstance(one, Mapping)]
    measures = content.get("measures")
    named += measures if isinstance(measures, list) else [measures]
    texts = [name.strip() for one in named if isinstance(one, str) for name in one.split(",")]
    return list(dict.fromkeys(name for name in texts if is_own(name)))


def configure(content: Mapping[str, Any], base: Path = Path()) -> Configuration:
    """The experiment that `content` describes; relative folders are taken from `base`."""
    _check_keys(content, _KEYS, "an experiment")
    selection = _read_table(content, "selection")
    _check_keys(selection, ("measure", "tool"), "selection")
    measure = selection.get("measure")
    chosen = (
        None if measure is None else _as_text("measure", measure),
        _as_text("tool", selection.get("tool", OWN)),
    )
    limits = _read_table(content, "limits")
    _check_keys(limits, ("seconds", "memory"), "limits")
    return Configuration(
        name=_as_text("name", content.get("name", "experiment")),
        sources=tuple(
            source for one in _read_tables(content, "data") for source in _read_sources(one, base)
        ),
        rankers=tuple(
            choice
            for one in _read_tables(content, "rankers")
            for choice in _read_choices(one, *chosen)
        ),
        measures=_read_texts(content, "measures", DEFAULT_MEASURES),
        tools=_read_texts(content, "tools", DEFAULT_TOOLS),
        folds=tuple(_read_whole_numbers(content, "folds")) if "folds" in content else None,
        seeds=tuple(_read_whole_numbers(content, "seeds")) if "seeds" in content else (0,),
        limits=TaskLimits(
            None if "seconds" not in limits else _read_number(limits, "seconds"),
            None if "memory" not in limits else parse_memory(_as_text("memory", limits["memory"])),
        ),
        transfers=tuple(_read_transfer(one, base) for one in _read_tables(content, "transfer")),
        repeated=_read_choice(content, "repeated", REPEATED),
        keep=_read_keep(content),
    )


_KEYS = (
    "name",
    "data",
    "rankers",
    "measures",
    "tools",
    "folds",
    "seeds",
    "repeated",
    "selection",
    "limits",
    "transfer",
    "keep",
)
_CODE_KEYS = ("name", "measure")
_DATA_KEYS = ("path", "home", "collection", "dataset", "version", "tool", "shared_queries")
_TRANSFER_KEYS = ("source", "target", "ways", "shares", "absent")
_RANKER_KEYS = ("name", "label", "set", "grid", "draw", "draws", "trials", "seed", "measure",
                "tools", "spread")  # fmt: skip


def _read_sources(one: Mapping[str, Any], base: Path) -> list[DataSource]:
    _check_keys(one, _DATA_KEYS, "data")
    if ("path" in one) == ("home" in one):
        raise RankwiseError("each [[data]] must have either a path or a home name, e.g. letor3/*")
    named = {key: _as_text(key, one[key]) for key in _DATA_KEYS[2:-1] if key in one}
    if "path" in one:
        found = [from_folder(base / _as_text("path", one["path"]), **named)]
    else:
        found = from_home(_as_text("home", one["home"]), **named)
    for source in found:
        for key in ("collection", "dataset", "version"):
            _check_name(f"the {key} of [[data]]", getattr(source, key) or "", f'{key} = "…"')
    if _read_flag(one, "shared_queries"):
        found = [replace(source, dataset=f"{source.dataset}{SHARED_QUERIES}") for source in found]
    return found


def _read_keep(content: Mapping[str, Any]) -> tuple[str, ...]:
    wanted = content.get("keep", ())
    if not isinstance(wanted, list | tuple) or not all(one in KEEPABLE for one in wanted):
        raise RankwiseError(
            f"what is kept must be among {' and '.join(KEEPABLE)}, found {brief(wanted)}",
            Advice("give {}", "keep", KEEPABLE),
        )
    return tuple(name for name in KEEPABLE if name in wanted)


def _read_transfer(one: Mapping[str, Any], base: Path) -> TransferChoice:
    _check_keys(one, _TRANSFER_KEYS, "transfer")
    found = {}
    for key in ("source", "target"):
        if key not in one:
            raise RankwiseError(
                f"each [[transfer]] must have a source and a target, found no {key}"
            )
        sources = _read_sources(_read_table(one, key), base)
        if len(sources) != 1:
            raise RankwiseError(
                f"the {key} of [[transfer]] must be one data set, found {len(sources)}"
            )
        found[key] = sources[0]
    if found["source"].folder == found["target"].folder:
        raise RankwiseError(
            f"source and target of [[transfer]] must differ, found {found['source'].folder} twice"
        )
    shares = _read_list(one, "shares", (100.0,))
    percents = [_read_number({"shares": share}, "shares") for share in shares]
    wrong = next((share for share in percents if not 0.0 < share <= 100.0), None)
    if wrong is not None:
        raise RankwiseError(f"shares must be above 0 and at most 100 percent, found {wrong:g}")
    absent = _read_choice(one, "absent", ABSENT)
    ways = _read_texts(one, "ways", WAYS)
    return TransferChoice(found["source"], found["target"], ways, tuple(percents), absent)


def _read_choices(one: Mapping[str, Any], measure: str | None, tool: str) -> list[RankerChoice]:
    _check_keys(one, _RANKER_KEYS, "rankers")
    if "name" not in one:
        raise RankwiseError("each [[rankers]] must have a name; see 'rankwise rankers list'")
    asked = _as_text("name", one["name"])
    names = (
        # Of data without relations nothing can be learned by those.
        tuple(name for name in ranker_names() if not find_ranker(name).uses_relations)
        if asked == "all"
        else tuple(name.strip() for name in asked.split(",") if name.strip())
    )
    measure = _as_text("measure", one["measure"]) if "measure" in one else measure
    tools = _read_texts(one, "tools", (tool,))
    spread = _read_flag(one, "spread")
    for name in names if spread else ():
        spreading(find_ranker(name))
    if "label" in one and len(names) > 1:
        raise RankwiseError(
            f"one label cannot stand for {len(names)} rankers, found {brief(asked)}"
        )
    return [
        RankerChoice(
            name,
            _make_label(one, find_ranker(name).name, convention, several=len(tools) > 1),
            _search(one),
            measure,
            convention,
            spread,
        )
        for name in names
        for convention in tools
    ]


def _make_label(one: Mapping[str, Any], name: str, tool: str, *, several: bool) -> str:
    label = one.get("label", name)
    if not isinstance(label, str) or not label.strip():
        raise RankwiseError(f"a label must be a name, found {brief(label)}")
    _check_name("a label", label, 'label = "…"')
    return f"{label} ({tool})" if several else label


def _check_name(what: str, name: str, entry: str) -> None:
    """Refuse what tables of results could not hold, before anything is run under it."""
    # Bytes of a folder's name that are no text are kept as their codes.
    wrong = find_unprintable(replace_codes(name))
    if wrong is not None or len(name) > LONGEST_NAME:
        found = f"{len(name)} characters" if wrong is None else f"the character U+{ord(wrong):04X}"
        raise RankwiseError(
            f"{what} must be printable text of at most {LONGEST_NAME} characters, found {found} "
            f"in {name[:80]!r}; name it otherwise: {entry}"
        )


def _search(one: Mapping[str, Any]) -> Search:
    draw = _read_table(one, "draw")
    return Search(
        fixed=_read_table(one, "set"),
        grid={
            name: _read_list(_read_table(one, "grid"), name, ())
            for name in _read_table(one, "grid")
        },
        intervals={name: _read_interval(name, _read_table(draw, name)) for name in draw},
        draws=_read_whole_number(one, "draws", 1) if "draws" in one else None,
        seed=_read_whole_number(one, "seed", 0) if "seed" in one else 0,
        trials=_read_whole_number(one, "trials", 1) if "trials" in one else None,
    )


def _read_interval(name: str, table: Mapping[str, Any]) -> SearchRange:
    _check_keys(table, ("low", "high", "logarithmic"), f"draw.{name}")
    if "low" not in table or "high" not in table:
        raise RankwiseError(f"draw.{name} must have low and high, found {brief(dict(table))}")
    return SearchRange(
        _read_number(table, "low"), _read_number(table, "high"), _read_flag(table, "logarithmic")
    )


def _check_keys(table: Mapping[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in table:
        if key not in keys:
            near = get_close_matches(key, keys, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(keys)}"
            raise RankwiseError(f"{what} has no entry {brief(key)}; {hint}")


def _read_table(content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = content.get(key, {})
    if not isinstance(found, Mapping):
        raise RankwiseError(f"{key} must be a table, found {brief(found)}")
    return found


def _read_tables(content: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise RankwiseError(f"{key} must be written as [[{key}]], found {brief(found)}")
    return found


def _read_list(content: Mapping[str, Any], key: str, default: tuple[Any, ...]) -> tuple[Any, ...]:
    found = content.get(key, default)
    if not isinstance(found, list | tuple) or (not found and found != default):
        raise RankwiseError(f"{key} must be a list of at least one value, found {brief(found)}")
    return tuple(found)


def _read_texts(content: Mapping[str, Any], key: str, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_as_text(key, one) for one in _read_list(content, key, default))


def _read_whole_numbers(content: Mapping[str, Any], key: str) -> list[int]:
    found = content[key] if isinstance(content[key], list | tuple) else [content[key]]
    if not found or not all(_is_whole(number) for number in found):
        raise RankwiseError(
            f"{key} must be whole numbers from 0 up to 2^63 - 1, found {brief(content[key])}"
        )
    return list(found)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _read_whole_number(content: Mapping[str, Any], key: str, lowest: int) -> int:
    value = content[key]
    if not _is_whole(value) or value < lowest:
        raise RankwiseError(
            f"{key} must be one whole number from {lowest} up, found {brief(value)}"
        )
    return int(value)


def _read_choice(table: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> str:
    """One of a few words; the first where it is left out."""
    value = _as_text(key, table.get(key, choices[0]))
    if value not in choices:
        raise RankwiseError(f"{key} must be {' or '.join(choices)}, found {brief(value)}")
    return value


def _read_flag(table: Mapping[str, Any], key: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise RankwiseError(f"{key} must be true or false, found {brief(value)}")
    return value


def _read_number(table: Mapping[str, Any], key: str) -> float:
    value = table[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
        raise RankwiseError(f"{key} must be a number, and finite, found {brief(value)}")
    try:
        return float(value)
    except OverflowError:
        raise RankwiseError(f"{key} must be a number, and finite, found {brief(value)}") from None


def _as_text(key: str, value: Any) -> str:
    """Names may be written as numbers; Python prints none of thousands of digits."""
    try:
        return str(value)
    except (ValueError, RecursionError):
        raise RankwiseError(f"{key} must be a text, found {brief(value)}") from None
