"""Relations in files: every parent and every child, the first document too."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from rankwise.collection.related_documents import read_sitemap, write_sitemap


def test_the_first_document_is_a_parent_like_any_other(tmp_path: Path) -> None:
    index = SimpleNamespace(document_ids=["home", "news", "old news", "alone"])
    write_sitemap(tmp_path / "sitemap.tsv", index, np.array([-1, 0, 1, -1]))  # type: ignore[arg-type]
    assert list(read_sitemap(tmp_path / "sitemap.tsv")) == [("home", "news"), ("news", "old news")]
