"""JSON from files that may be hostile: bounded in size and depth, no NaN, no repeated keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.files import read_bounded

# A LambdaMART model of 10,000 trees with 31 leaves takes some 40 MB.
MOST_BYTES = 512 * 2**20
# More than any index needs; larger numbers are written with an exponent.
_MOST_DIGITS = 20


def read_model_bytes(path: str | Path) -> bytes:
    """The bytes of a file that is not larger than any sensible model."""
    return read_bounded(path, MOST_BYTES, "model file")


def parse_json(content: bytes | str) -> Any:
    """The values of one JSON document in UTF-8."""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        return json.loads(
            text,
            object_pairs_hook=_unrepeated,
            parse_constant=_refuse_constant,
            parse_int=_bounded_integer,
        )
    except UnicodeDecodeError as error:
        raise RankwiseError("it must be text in UTF-8") from error
    except json.JSONDecodeError as error:
        raise RankwiseError(
            f"it must be JSON, found a mistake in line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise RankwiseError("its values are nested too deeply") from error


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RankwiseError("an object in it has a key more than once")
    return found


def _refuse_constant(name: str) -> Any:
    raise RankwiseError(f"its numbers must be finite, found {name}")


def _bounded_integer(text: str) -> int:
    """A double cannot hold whole numbers of hundreds of digits, and reading them takes long."""
    if len(text) > _MOST_DIGITS:
        raise RankwiseError(f"it holds a whole number of {len(text)} digits")
    return int(text)
