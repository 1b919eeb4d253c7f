"""Published results, each with its citation, and checks of what was published."""

from rankwise.literature.checking import check
from rankwise.literature.citations import (
    Citation,
    citation,
    cite,
    cite_sources,
    cite_table,
    find_citations,
)
from rankwise.literature.shipped import (
    SHIPPED,
    ShippedTable,
    shipped,
    shipped_rows,
    table_4,
    table_a5,
    table_b6,
)
from rankwise.literature.suspicion import Suspicion

__all__ = [
    "SHIPPED",
    "Citation",
    "ShippedTable",
    "Suspicion",
    "check",
    "citation",
    "cite",
    "cite_sources",
    "cite_table",
    "find_citations",
    "shipped",
    "shipped_rows",
    "table_4",
    "table_a5",
    "table_b6",
]
