"""The Python of the README runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankwise.data.folds import split_folds, write_folds
from rankwise.data.normalization import normalize
from rankwise.data.synthetic import make_dataset

README = Path(__file__).parents[1] / "README.md"


def test_the_python_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", README.read_text("utf-8"), re.M | re.S)
    made = normalize(make_dataset(25, seed=3), "query-level")
    write_folds(split_folds(made), tmp_path / "MQ2008")
    monkeypatch.chdir(tmp_path)
    found: dict[str, object] = {}
    exec(compile(program, "README.md", "exec"), found)
    assert found["run"].failed == 0  # type: ignore[attr-defined]
    assert (tmp_path / "report" / "report.html").is_file()
