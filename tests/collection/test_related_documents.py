"""Relations of a build read back: links and sitemap by document ids."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection.features.definition import Links
from rankwise.collection.related_documents import read_related_documents
from rankwise.errors import RankwiseError

from .made import made_collection, made_query


def test_relations_of_other_documents_are_refused(tmp_path: Path) -> None:
    collection = replace(made_collection(), n_documents=8)
    (tmp_path / "sitemap.tsv").write_text("parent\tchild\n")
    assert read_related_documents(tmp_path, collection) is None
    links = "".join(f"e{n}\te{n + 1}\n" for n in range(8))
    (tmp_path / "hyperlinks.tsv").write_text("source\ttarget\n" + links)
    with pytest.raises(RankwiseError, match="of the 8 documents of made, found 9"):
        read_related_documents(tmp_path, collection)
    (tmp_path / "hyperlinks.tsv").write_text("source\ttarget\ne0\te1\n")
    related = read_related_documents(tmp_path, collection)
    assert related is not None
    few = related.evidence(made_query(1, collection, n_documents=6))
    assert few.column("in-links").tolist() == [0] * 6
    with pytest.raises(RankwiseError, match="found more by query 1"):
        related.evidence(made_query(1, collection, n_documents=7))


def test_links_parents_and_counts_of_a_querys_documents(tmp_path: Path) -> None:
    links = [("d0", "d1"), ("d1", "d0"), ("out", "d1"), ("d2", "out")]
    steps = [("d0", "d2"), ("d0", "out"), ("out", "d1")]
    for name, header, pairs in (
        ("hyperlinks.tsv", "source\ttarget", links),
        ("sitemap.tsv", "parent\tchild", steps),
    ):
        (tmp_path / name).write_text("\n".join([header, *map("\t".join, pairs), ""]))
    related = read_related_documents(tmp_path, made_collection())
    assert related is not None
    found = related.evidence(made_query(1, made_collection(), n_documents=3))
    assert isinstance(found.hyperlinks, Links)
    among = zip(found.hyperlinks.sources.tolist(), found.hyperlinks.targets.tolist(), strict=True)
    assert set(among) == {(0, 1), (1, 0)}
    assert found.parents is not None and found.parents.tolist() == [-1, -1, 0]
    assert found.column("in-links").tolist() == [1, 2, 0]
    assert found.column("out-links").tolist() == [1, 1, 1]
    assert found.column("children").tolist() == [2, 0, 0]
    assert np.all(found.column("pagerank") > 0)
