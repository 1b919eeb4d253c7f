"""Every script of examples/ runs in an empty folder, as its README says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
# What a script prints, and a file that it leaves.
SAYS = {
    "compare_two_runs.py": ("mine.run +", "qrels"),
    "place_a_method.py": ("centroid:Centroid", "mine.sqlite"),
    "from_csv_to_solr.py": ("solr.json: scores differ by at most", "solr.json.features.json"),
    "build_from_text.py": ("fold 5 MAP", "built/data-card.json"),
    "study_on_a_cluster.py": ("10 tasks done, 0 failed", "study.sqlite"),
}
NEEDS = {
    "place_a_method.py": ("pandas",),
    "from_csv_to_solr.py": ("lightgbm", "pandas"),
    "study_on_a_cluster.py": ("distributed",),
}


@pytest.mark.parametrize("script", sorted(SAYS))
def test_it_runs(script: str, tmp_path: Path) -> None:
    for library in NEEDS.get(script, ()):
        pytest.importorskip(library)
    command = [sys.executable, str(FOLDER / script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, file = SAYS[script]
    assert said in done.stdout
    assert (tmp_path / file).exists()


def test_the_list_is_complete() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    scripts = {path.name for path in FOLDER.glob("*.py")} - {"centroid.py"}
    assert scripts == set(SAYS)
    assert all(f"[{script}]({script})" in text for script in scripts)
