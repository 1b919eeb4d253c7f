"""Write the table of catalogue.md anew: python docs/generate_catalogue.py"""

from pathlib import Path

from rankwise.data.catalog.entries import (
    CatalogEntry,
    catalog_entries,
    find_access,
    format_count,
    format_labels,
)
from rankwise.files import write_text

COLUMNS = ("name", "queries", "documents", "features", "labels", "folds", "how to get it")
PAGE = Path(__file__).parent / "catalogue.md"
BEGIN = "<!-- This table is written by docs/generate_catalogue.py. -->\n"
END = "<!-- end of the table -->\n"


def make_page(page: str) -> str:
    """The page with the table of the present catalogue between its two marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{format_markdown_table()}{END}{after}"


def format_markdown_table() -> str:
    """All data sets as a table in Markdown, one line each."""
    lines = [
        COLUMNS,
        ("---",) * len(COLUMNS),
        *(_format_row(entry) for entry in catalog_entries()),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _format_row(entry: CatalogEntry) -> tuple[str, ...]:
    counts = (entry.queries, entry.documents, entry.features)
    return (
        f"`{entry.name}`",
        *map(format_count, counts),
        format_labels(entry),
        format_count(entry.folds),
        find_access(entry) or "not public",
    )


if __name__ == "__main__":
    write_text(PAGE, make_page(PAGE.read_text("utf-8")))
