"""What tasks must share for their values to stand together, as digests that a store compares."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from rankwise.results.canonical_json import dump_canonical

_OF_A_TASK = ("fold", "seed", "data")


def digest_generation(inputs: Mapping[str, Any]) -> str:
    """Over what the tasks of one method share in a plan: all inputs but those of fold and seed."""
    return _digest({name: one for name, one in inputs.items() if name not in _OF_A_TASK})


def digest_data(inputs: Mapping[str, Any]) -> str:
    """Over the files of a task's fold."""
    return _digest(inputs.get("data", ""))


def _digest(content: Any) -> str:
    return hashlib.blake2b(dump_canonical(content).encode(), digest_size=16).hexdigest()
