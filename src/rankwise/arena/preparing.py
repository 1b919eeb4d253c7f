"""From a data set to the parts of a task: what is hidden, and what participants get.

In cross-validation the test queries of one fold are training queries of the others, whose labels
would be in the package. Where that is so, a share of all queries is held out instead, and the rest
makes one fold to train and validate on. Whatever may tell of labels beside the features is taken
away: queries and documents get new ids, comments are dropped, and hidden queries, and documents in
them, come in a random order, since many files list relevant documents first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from rankwise.arena.errors import BadRequest
from rankwise.arena.hidden import HiddenTest
from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds.fold import Fold
from rankwise.data.joining import concatenate
from rankwise.data.text import TextColumn

VALIDATION_SHARE = 0.2
FEWEST_QUERIES = 4

Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Prepared:
    """The parts of a task: folds whose test labels are 0, and what those labels are."""

    folds: tuple[Fold, ...]
    hidden: HiddenTest


def prepare(
    folds: Iterable[Fold], rng: Generator, *, hidden_share: float = 0.5, public_share: float = 0.5
) -> Prepared:
    """Hide the test labels of folds, or of a share of the queries where folds overlap."""
    for what, share in (("hidden", hidden_share), ("public", public_share)):
        if not 0.0 < share < 1.0:
            raise BadRequest(f"the {what} share must lie between 0 and 1, found {share:g}")
    given = list(folds)
    if overlap(given):
        given = [_hold_out(_gather(given), rng, hidden_share)]
    named = _rename([_scramble(fold, rng) for fold in given])
    return Prepared(tuple(_blank(fold) for fold in named), _hide(named, rng, public_share))


def overlap(folds: list[Fold]) -> bool:
    """Whether a test query of one fold has its labels in another's training or validation part."""
    for fold in folds:
        tested = set(fold.test.query_ids)
        for other in folds:
            parts = [other.train, *([other.validation] if other.validation else [])]
            if any(not tested.isdisjoint(part.query_ids) for part in parts):
                return True
    return False


def _gather(folds: list[Fold]) -> Dataset:
    """Every query once."""
    seen: set[str] = set()
    parts: list[Dataset] = []
    for fold in folds:
        for _, part in fold.parts():
            fresh = [place for place, query in enumerate(part.query_ids) if query not in seen]
            if fresh:
                parts.append(part.select_queries(np.array(fresh, dtype=np.int64)).without_texts())
                seen.update(part.query_ids)
    return concatenate(parts)


def _hold_out(whole: Dataset, rng: Generator, hidden_share: float) -> Fold:
    order = rng.permutation(whole.n_queries)
    hidden = round(hidden_share * whole.n_queries)
    validation = max(1, round(VALIDATION_SHARE * (whole.n_queries - hidden)))
    if hidden < FEWEST_QUERIES or whole.n_queries - hidden <= validation:
        raise BadRequest(
            f"a task must have at least {FEWEST_QUERIES} hidden queries and two others, found "
            f"{whole.n_queries} queries in all"
        )
    # Parts that are trained on keep the order of the data.
    test, rest = order[:hidden], order[hidden:]
    return Fold(
        1,
        whole.select_queries(np.sort(rest[validation:])),
        whole.select_queries(np.sort(rest[:validation])),
        whole.select_queries(test),
    )


def _scramble(fold: Fold, rng: Generator) -> Fold:
    """The test part with its queries, and the documents of each, in a random order."""
    if fold.test.n_queries < FEWEST_QUERIES:
        raise BadRequest(
            f"a fold of a task must hide at least {FEWEST_QUERIES} queries, found "
            f"{fold.test.n_queries} in fold {fold.number}"
        )
    test = fold.test.without_texts().select_queries(rng.permutation(fold.test.n_queries))
    order = np.lexsort((rng.random(test.n_documents), test.query_of_rows))
    scrambled = Dataset(
        test.features[order],
        test.labels[order],
        test.query_offsets,
        test.query_ids,
        feature_names=test.feature_names,
    )
    validation = None if fold.validation is None else fold.validation.without_texts()
    return Fold(fold.number, fold.train.without_texts(), validation, scrambled)


def _rename(folds: list[Fold]) -> list[Fold]:
    """New ids for queries, in all folds the same for the same query, and for test documents."""
    ids: dict[str, str] = {}
    for fold in folds:
        for _, part in fold.parts():
            for query in part.query_ids:
                ids.setdefault(query, str(len(ids) + 1))
    documents = 0
    renamed = []
    for fold in folds:
        parts = {name: _with_ids(part, ids) for name, part in fold.parts()}
        test = parts["test"]
        names = (f"d{documents + row + 1}" for row in range(test.n_documents))
        named = Dataset(
            test.features, test.labels, test.query_offsets, test.query_ids,
            document_ids=TextColumn.from_texts(names), feature_names=test.feature_names,
        )  # fmt: skip
        documents += test.n_documents
        renamed.append(Fold(fold.number, parts["train"], parts.get("validation"), named))
    return renamed


def _with_ids(part: Dataset, ids: dict[str, str]) -> Dataset:
    named = TextColumn.from_texts(ids[query] for query in part.query_ids)
    return Dataset(
        as_features(part.stored),
        part.labels,
        part.query_offsets,
        named,
        feature_names=part.feature_names,
    )


def _blank(fold: Fold) -> Fold:
    """The fold as participants get it."""
    test = fold.test
    blank = Dataset(
        test.features, np.zeros(test.n_documents), test.query_offsets, test.query_ids,
        document_ids=test.document_ids, feature_names=test.feature_names,
    )  # fmt: skip
    return Fold(fold.number, fold.train, fold.validation, blank)


def _hide(folds: list[Fold], rng: Generator, public_share: float) -> HiddenTest:
    tests = [fold.test for fold in folds]
    lengths = np.concatenate([test.query_lengths for test in tests])
    count = len(lengths)
    public = np.zeros(count, dtype=bool)
    public[rng.permutation(count)[: min(max(round(public_share * count), 2), count - 2)]] = True
    return HiddenTest(
        np.concatenate([test.labels for test in tests]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        tuple(query for test in tests for query in test.query_ids),
        tuple(document for test in tests for document in test.document_ids or ()),
        public,
    )
