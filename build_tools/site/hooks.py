"""What mkdocs calls while it builds the site: pages that are made, and links out of docs/."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Any

# mkdocs drops this folder from the path after loading the hook.
sys.path.insert(0, str(Path(__file__).parent))

from api_pages import make_api_pages
from command_pages import make_command_pages
from mkdocs.structure.files import File, Files
from project_pages import adjust_links, make_project_pages


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that no file holds."""
    for path, text in chain(make_project_pages(), make_command_pages(), make_api_pages()):
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Pages of docs/ link to files beside docs/ as GitHub shows them; here they are pages too."""
    source = page.file.abs_src_path
    if source is None:
        return markdown
    return adjust_links(markdown, Path(source).parent, page.file.src_uri)
