"""What tasks must share for their figures to stand together, as sums that a store can compare."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_OF_A_TASK = ("fold", "seed", "data")


def generation_sum(inputs: Mapping[str, Any]) -> str:
    """Over what the tasks of one method share in a plan: all inputs but those of fold and seed.

    `search` stands for the combinations where a fold has no validation part to choose among them.
    """
    shared = {name: one for name, one in inputs.items() if name not in _OF_A_TASK}
    return _sum(shared | {"combinations": shared.pop("search", shared.get("combinations"))})


def data_sum(inputs: Mapping[str, Any]) -> str:
    """Over the files of a task's fold."""
    return _sum(inputs.get("data", ""))


def _sum(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
