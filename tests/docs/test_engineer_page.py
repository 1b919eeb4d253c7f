"""docs/engineer.md is true: every block of it is run as it stands, from a CSV file to Solr."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.docs.page import blocks_of, run_block
from tests.docs.shell import FirstInOwnProcess

NEEDED = ("lightgbm", "pandas", "pyarrow", "matplotlib", "onnx", "onnxruntime")
PAGE = Path(__file__).parents[2] / "docs" / "engineer.md"


def test_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in NEEDED:
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, Any] = {}
    shell = FirstInOwnProcess()
    blocks = blocks_of(PAGE)
    assert {block.language for block in blocks} == {"python", "console"}
    for block in blocks:
        run_block(block, names, f"{PAGE.name}:{block.line}", shell)
    document = json.loads(Path("solr.json").read_text("utf-8"))
    assert document["store"] == "shop"
    assert [one["name"] for one in document["features"]] == [
        "bm25_title", "bm25_body", "popularity", "price",
    ]  # fmt: skip
    certificate = json.loads(Path("model.onnx.certificate.json").read_text("utf-8"))
    assert certificate["greatest_difference"] == 0.0
    assert Path("figures/why-above.svg").exists()
