"""Write the table of catalogue.md anew: python docs/generate_catalogue.py"""

from pathlib import Path

from rankwise.data.catalog.entries import format_markdown_table
from rankwise.files import write_text

PAGE = Path(__file__).parent / "catalogue.md"
BEGIN = "<!-- This table is written by docs/generate_catalogue.py. -->\n"
END = "<!-- end of the table -->\n"


def make_page(page: str) -> str:
    """The page with the table of the present catalogue between its two marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{format_markdown_table()}{END}{after}"


if __name__ == "__main__":
    write_text(PAGE, make_page(PAGE.read_text("utf-8")))
