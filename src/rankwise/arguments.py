"""Values that users write, read in one place or refused in one sentence: names, seeds, times, TOML.

Seeds of random numbers are whole numbers from 0, of any size. Times are written as 90s, 10m, 1h30m,
or as a number of seconds. TOML may come from files that anybody may have written.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Iterable
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankwise.errors import RankwiseError
from rankwise.sanitize import brief, cut

if TYPE_CHECKING:
    pass

Value = TypeVar("Value")


def check_choice(
    what: str, value: Value, choices: Collection[str], *, verb: str = "must be"
) -> Value:
    """The value, where it is one of the choices: `WHAT must be one of a, b, found 'c'`."""
    if value not in choices:
        raise RankwiseError(f"{what} {verb} one of {', '.join(choices)}, found {value!r}")
    return value


def suggest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """`did you mean 'x'?` for the nearest of the known names, nothing where none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f"did you mean {near[0]!r}?" if near else ""


def check_seed(seed: int) -> int:
    """The seed, where it is one; what is none is told before a generator is made of it."""
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise RankwiseError(f"a seed must be 0 or a positive whole number, found {brief(seed)}")
    return int(seed)


_PARTS_OF_A_TIME = re.compile(r"(?:([0-9]{1,9}(?:\.[0-9]+)?)h)?(?:([0-9]{1,9}(?:\.[0-9]+)?)m)?"
                    r"(?:([0-9]{1,9}(?:\.[0-9]+)?)s?)?")  # fmt: skip


def parse_seconds(given: float | str, *, zero: bool = False) -> float:
    """The seconds of a time, which must be above 0, or may be 0 where `zero` says so."""
    seconds = _parse_time(given) if isinstance(given, str) else float(given)
    if not (0 < seconds < math.inf or (zero and seconds == 0)):
        least = "at least" if zero else "above"
        raise RankwiseError(f"a time must be {least} 0, as 90s, 10m or 1h30m, found {brief(given)}")
    return seconds


def _parse_time(text: str) -> float:
    match = _PARTS_OF_A_TIME.fullmatch(text.replace(" ", "").lower())
    if match is None:
        raise RankwiseError(f"a time must be written as 90s, 10m or 1h30m, found {brief(text)}")
    return math.fsum(float(part or 0) * unit for part, unit in zip(match.groups(), (3600, 60, 1),
                                                                   strict=True))  # fmt: skip


def parse_toml(content: bytes, path: str | Path) -> dict[str, Any]:
    """The values of a TOML document; `path` is what a message names."""
    try:
        return tomllib.loads(content.decode("utf-8"))
    except RecursionError as error:
        raise RankwiseError(f"{path} must be TOML, found values nested too deeply") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RankwiseError(f"{path} must be TOML: {cut(str(error), 200)}") from error
    except ValueError as error:
        # Python reads no number of more than some thousand digits.
        raise RankwiseError(f"{path} must be TOML, found a number of too many digits") from error
