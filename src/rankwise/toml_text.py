"""TOML from files that anybody may have written, in one place: values, or one sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.shown import cut


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
