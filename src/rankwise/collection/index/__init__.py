"""The index: words of every stream of every document, on disk, memory-mapped."""

from __future__ import annotations

from rankwise.collection.index.building import IndexPlan, build_index
from rankwise.collection.index.index import WHOLE, Index
from rankwise.collection.index.indexing_workers import IndexingWorkers

__all__ = ["WHOLE", "Index", "IndexPlan", "IndexingWorkers", "build_index"]
