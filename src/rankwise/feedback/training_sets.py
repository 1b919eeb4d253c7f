"""Training data from click logs: documents with the relevance that clicks suggest as labels."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds import Fold, read_folds, write_folds
from rankwise.data.reading import write
from rankwise.data.text import TextColumn
from rankwise.errors import Advice, EarlyRemark, RankwiseError
from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import read_log
from rankwise.feedback.propensities import SMALL_SHARE, Propensities, weigh
from rankwise.files import make_folder

Floats = NDArray[np.float64]
FOLD = "{fold}"
_MOST_OF_ALL = 0.5


def label_by_clicks(log: ClickLog, propensities: Propensities | None = None) -> Dataset:
    """The documents of a log, labelled by (1 / sessions of the query) Σ click / θ_position.

    Under the position-based model a label is an unbiased estimate of how attractive the document
    is, given that it was in every list; without propensities it is its share of clicks, which
    favours what the log showed on top. Queries without a session are left out.
    """
    weights = log.clicks.astype(np.float64)
    if propensities is not None:
        weights = weights / propensities.at(log.positions)
    return with_click_labels(log.dataset, log.sum_by_document(weights), log.sessions_by_query())


def with_click_labels(dataset: Dataset, sums: Floats, sessions: NDArray[np.int64]) -> Dataset:
    """The queries that had sessions, labelled by the sums of their documents, a session."""
    labels = sums / np.repeat(np.maximum(sessions, 1), dataset.query_lengths)
    labelled = replace(dataset, features=as_features(dataset.stored), labels=labels)
    return labelled.select_queries(np.flatnonzero(sessions))


def session_rows(log: ClickLog) -> Dataset:
    """One query a session: its list in the order shown, labelled by clicks.

    A document's place in its query is then its position, which `LightGBMPositions` reads. Lists
    must begin at position 1 and have no gaps.
    """
    within = np.arange(log.n_impressions) - log.session_offsets[:-1][log.session_of_impressions]
    if not np.array_equal(within + 1, log.positions):
        raise RankwiseError(
            "one query a session needs lists that begin at position 1 and have no gaps, found "
            "others in the log; label documents instead",
            Advice("give {}", "per", "document"),
        )
    ids = [str(number) for number in range(1, log.n_sessions + 1)]
    documents = log.dataset.document_ids
    return Dataset(
        features=as_features(log.dataset.stored[log.rows]),
        labels=log.clicks.astype(np.float64),
        query_offsets=log.session_offsets,
        query_ids=TextColumn.from_texts(ids),
        document_ids=None if documents is None else documents.take(log.rows),
        feature_names=log.dataset.feature_names,
    )


def convert_log(
    log: ClickLog | str | Path,
    output: str | Path,
    *,
    data: str | Path | None = None,
    propensities: Propensities | str | Path | None = None,
    per: str = "document",
) -> list[Path]:
    """Write a log as data that every ranker and `rankwise bench` can train on; the files written.

    Args:
        log: a log or its file. With `{fold}` in its name there is one for each fold of `data`.
        output: a folder, which gets `train.txt`; with `{fold}` in `log` folds, whose test parts
            are those of `data` with their true labels. They have no validation parts: real logs
            come without labels that could choose anything.
        data: the documents of the log, a file or a folder of folds.
        propensities: what clicks are divided by, or their file; none: nothing is corrected. A
            warning says where a few clicks on rarely examined positions make the labels. Labels
            per session take none.
        per: `document` or `session`, as `label_by_clicks` and `session_rows` describe it.
    """
    if per not in ("document", "session"):
        raise RankwiseError(f"training data have labels per document or session, found {per!r}")
    if per == "session" and propensities is not None:
        raise RankwiseError(
            "labels per session are clicks as they are, found propensities to divide them by",
            Advice("give {}", "per", "document"),
        )
    chances = (
        propensities
        if propensities is None or isinstance(propensities, Propensities)
        else Propensities.load(propensities)
    )
    if isinstance(log, ClickLog) or FOLD not in str(log):
        found = log if isinstance(log, ClickLog) else read_log(log, data)
        target = make_folder(output) / "train.txt"
        write(_labelled(found, chances, per), target)
        return [target]
    if data is None:
        raise RankwiseError(
            f"a log for each fold ({log}) needs the folds that it was made of",
            Advice("give {}", "data", "DIR"),
        )
    folds = []
    for fold in read_folds(data):
        part = read_log(str(log).replace(FOLD, str(fold.number)), fold.train)
        folds.append(Fold(fold.number, _labelled(part, chances, per), None, fold.test))
    write_folds(folds, output)
    return sorted(Path(output).rglob("*.txt"))


def _labelled(log: ClickLog, propensities: Propensities | None, per: str) -> Dataset:
    log.check_contrast()
    if propensities is not None:
        _warn_of_weights(1.0 / propensities.at(log.positions[log.clicks > 0]))
    return session_rows(log) if per == "session" else label_by_clicks(log, propensities)


def _warn_of_weights(weights: Floats) -> None:
    """Say where a few clicks on rarely examined positions make the labels."""
    effective, largest = weigh(weights)
    if effective < SMALL_SHARE * len(weights) or largest > _MOST_OF_ALL:
        sentence = (
            f"{len(weights):,} clicks are worth {effective:,.0f} of equal weight, and one has "
            f"{largest:.1%} of all weight: those on rarely examined positions decide the labels"
        )
        warnings.warn(EarlyRemark(sentence), stacklevel=3)
