"""Levels and pair counts against listing the pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.dataset import Dataset
from rankwise.rankers.training.preferences import LabelLevels
from tests.rankers.boosting_data import made, pairs


@given(st.integers(0, 10_000), st.integers(2, 6))
def test_the_places_before_a_document_hold_exactly_the_worse_ones(seed: int, labels: int) -> None:
    dataset = made(seed, labels=labels)
    found = LabelLevels.of(dataset)
    walked = [
        (query, int(found.order[other]), int(found.order[place]))
        for query in range(dataset.n_queries)
        for place in range(dataset.query_offsets[query], dataset.query_offsets[query + 1])
        for other in range(
            dataset.query_offsets[query], dataset.query_offsets[query] + found.worse[place]
        )
    ]
    assert sorted(walked) == sorted(pairs(dataset))
    counts = np.bincount([query for query, _, _ in pairs(dataset)], minlength=dataset.n_queries)
    assert found.pairs.tolist() == counts.tolist()


def test_levels_count_the_lower_labels_of_the_query() -> None:
    dataset = Dataset.from_arrays(np.ones((6, 1)), [4, 0, 4, 2.5, 7, 7], group=[4, 2])
    assert LabelLevels.of(dataset).levels.tolist() == [2, 0, 2, 1, 0, 0]
