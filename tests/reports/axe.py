"""axe-core, the checker of accessibility, fetched by npm when it is first asked for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

RULES = "return axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations"
BRIEF = ".map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html)]))"


def fetch_axe(folder: Path) -> str:
    """The text of axe-core, or a skipped test with the reason."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on PATH: axe-core is not at hand")
    (folder / "package.json").write_text("{}")
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), "axe-core@4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["npm failed"])[-1]
        pytest.skip(f"axe-core could not be installed: {reason[:200]}")
    return (folder / "node_modules/axe-core/axe.min.js").read_text("utf-8")


def find_violations(page: Any, axe: str) -> list[Any]:
    """What axe finds wrong with the page as it is now; it is put in past the page's own policy."""
    page.execute_script(axe)
    return list(page.execute_script(RULES + BRIEF))
