"""The index: words of every stream of every document, on disk, memory-mapped."""

from __future__ import annotations

from rankwise.collection.index.building import IndexPlan, build_index
from rankwise.collection.index.engine import Engine
from rankwise.collection.index.index import WHOLE, Index

__all__ = ["WHOLE", "Engine", "Index", "IndexPlan", "build_index"]
