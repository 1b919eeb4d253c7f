"""BM25 with the average length rounded to significant digits, as LETOR's had it."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from rankwise.collection.corpora.document import Document
from rankwise.collection.document_sampling import compute_bm25
from rankwise.collection.features.definition import Parameters
from rankwise.collection.index.indexing import IndexPlan, build_index
from tests.collection.corpus_made import PLAIN

LENGTHS = (101, 207, 38, 5)


@pytest.mark.parametrize(("digits", "average"), [(None, 87.75), (2, 88.0), (1, 90.0), (3, 87.8)])
def test_the_average_length_has_the_digits_asked_for(
    digits: int | None, average: float, tmp_path: Path
) -> None:
    texts = [f"{'word ' * (n % 4)}{'other ' * (n - n % 4)}" for n in LENGTHS]
    documents = [Document(f"d{n}", {"body": text}) for n, text in enumerate(texts)]
    index = build_index(documents, tmp_path, IndexPlan("made", ("body",), analysis=PLAIN))
    k1, b = 1.2, 0.75
    parameters = Parameters(k1=k1, b=b, k3=0.0, average_length_digits=digits)
    found, scores = compute_bm25(index, ["word"], 0, parameters)
    counts = [n % 4 for n in LENGTHS]
    idf = log((4 - 4 + 0.5) / (4 + 0.5))
    assert found.tolist() == [0, 1, 2, 3]
    assert scores == pytest.approx(
        [
            idf * c * (k1 + 1) / (c + k1 * (1 - b + b * length / average))
            for c, length in zip(counts, LENGTHS, strict=True)
        ],
        rel=1e-12,
    )
