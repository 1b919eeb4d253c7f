"""Write the generated pages of this folder: python docs/measures/generate.py"""

from pathlib import Path

from rankwise.files import write_text
from rankwise.measures.documentation import measures_page, tools_page

FOLDER = Path(__file__).parent

if __name__ == "__main__":
    write_text(FOLDER / "measures.md", measures_page())
    write_text(FOLDER / "tools.md", tools_page())
