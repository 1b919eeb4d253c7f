"""Rankwise: the benchmark platform for learning to rank.

The names below are loaded when they are first used, so that `import rankwise` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset as Dataset
    from rankwise.data.reading import read as read
    from rankwise.data.writing import write as write
    from rankwise.errors import RankwiseError as RankwiseError
    from rankwise.evaluation import evaluate as evaluate

_HOMES = {
    "Dataset": "rankwise.data.dataset",
    "RankwiseError": "rankwise.errors",
    "evaluate": "rankwise.evaluation",
    "read": "rankwise.data.reading",
    "write": "rankwise.data.writing",
}

__all__ = ["Dataset", "RankwiseError", "__version__", "evaluate", "read", "write"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankwise' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
