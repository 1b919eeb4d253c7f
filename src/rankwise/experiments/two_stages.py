"""Two stages over a whole corpus: BM25 retrieves, a ranker orders what it retrieved.

Figures of LETOR's kind are over the sampled documents and forget those that retrieval never found.
Here every document that was judged relevant counts: one that was not retrieved stands behind all
that were, so that the first stage bounds what the second can reach. Recall at the depth of the
build is that bound. A relevant document counts as relevant whatever its label, as the build keeps
the number of the lost ones and not their labels; NDCG is therefore not among the measures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.data_card import read_data_card
from rankwise.data.dataset import Dataset
from rankwise.data.folds import compose_fold, cut_into_parts
from rankwise.data.normalization.scales import fill_null, query_level_norm
from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import RankwiseError
from rankwise.experiments.fitting import fit
from rankwise.experiments.sampling_depths import BuiltRows, read_built_rows
from rankwise.measures.evaluation import evaluate_judged
from rankwise.measures.measure import measure_list
from rankwise.measures.tools.registry import find_tool
from rankwise.progress import Stage, silent_stage
from rankwise.rankers.registry import make_ranker
from rankwise.tables.notebook import Rows, Tabular, shortened

STAGE_MEASURES = ("MAP", "P@5", "P@10", "RR", "Recall@10")
"""What is computed where nothing else is asked for."""
_BINARY = ("AP", "P", "RR", "Recall", "RPrec", "Success", "IPrec", "BPref", "F1")
_FOLDS = 5


@dataclass(frozen=True)
class StageFigures:
    """One measure over all documents that were judged relevant, after each stage.

    `best` is what a perfect second stage would reach with what was retrieved.
    """

    measure: str
    retrieved: float
    ranked: float
    best: float


@dataclass(frozen=True)
class TwoStages(Tabular):
    """Retrieval and ranking over a whole corpus; each query was tested in its fold."""

    ranker: str
    depth: int
    queries: int
    recall: float
    figures: tuple[StageFigures, ...]

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{one.measure} {one.retrieved:.4f} → {one.ranked:.4f}" for one in self.figures
        )
        return shortened(f"BM25 at {self.depth}, then {self.ranker}: {shown}")

    def _table(self) -> Rows:
        rows = [tuple(asdict(one).values()) for one in self.figures]
        return tuple(StageFigures.__dataclass_fields__), rows


def evaluate_stages(
    directory: str | Path,
    ranker: object = "ridge-regression",
    *,
    measures: str | Sequence[str] = STAGE_MEASURES,
    seed: int = 0,
    stage: Stage = silent_stage,
) -> TwoStages:
    """Train on the folds of a build, and evaluate retrieval and ranking over the whole corpus.

    Args:
        directory: the folder of a build with samples of the best by BM25.
        ranker: who orders what was retrieved, trained on each fold's training part.
        measures: of relevant and other documents: MAP, P, RR, Recall and the like.
        seed: of the training.
        stage: is told how far it is.
    """
    names = _check_measures(measures)
    home = Path(directory)
    made = read_built_rows(home, "two stages")
    learner = make_ranker(ranker)
    rows = query_level_norm(fill_null(made.dataset, made.fill_rule))
    scores = _score_all(made, rows, learner, seed, stage)
    judged = _judge_all(rows, made.relevant)
    evaluated = {
        what: evaluate_judged(judged.scored(column), names).means()
        for what, column in (
            ("retrieved", rows.features[:, made.baseline]),
            ("ranked", scores),
            ("best", (rows.labels > 0).astype(np.float64)),
        )
    }
    found = int(np.count_nonzero(rows.labels > 0))
    return TwoStages(
        ranker=learner.name,
        depth=int(read_data_card(home)["sampling"]["depth"]),
        queries=rows.n_queries,
        recall=found / max(found + int(judged.lost.sum()), 1),
        figures=tuple(
            StageFigures(name, *(evaluated[what][name] for what in evaluated)) for name in names
        ),
    )


@dataclass(frozen=True, eq=False)
class _WholeCorpus:
    """The rows of a build, and how many relevant documents of each query they lack."""

    rows: Dataset
    lost: NDArray[np.int64]

    def scored(self, scores: NDArray[np.float64]) -> JudgedScores:
        """The rows with scores, and behind those of a query the documents that were not found."""
        lengths = self.rows.query_lengths
        rows = np.repeat(self.rows.query_offsets[1:], self.lost)
        labels = np.insert((self.rows.labels > 0).astype(np.float64), rows, 1.0)
        return JudgedScores(
            labels,
            np.insert(scores, rows, 0.0),
            offsets_of(lengths + self.lost),
            list(self.rows.query_ids),
            retrieved=lengths,
        )


def _judge_all(rows: Dataset, relevant: dict[str, int]) -> _WholeCorpus:
    found = np.add.reduceat((rows.labels > 0).astype(np.int64), rows.query_offsets[:-1])
    judged = np.array([relevant[query] for query in rows.query_ids], np.int64)
    return _WholeCorpus(rows, np.maximum(judged - found, 0))


def _score_all(
    made: BuiltRows, rows: Dataset, ranker: object, seed: int, stage: Stage
) -> NDArray[np.float64]:
    """The scores of all rows, each by the model of the fold that tests on it."""
    learner = make_ranker(ranker)
    parts = cut_into_parts(rows, _FOLDS, seed=made.fold_seed)
    starts = dict(zip(rows.query_ids, rows.query_offsets[:-1].tolist(), strict=True))
    scores = np.empty(rows.n_documents)
    advance = stage("Training on the folds", _FOLDS)
    for number in range(1, _FOLDS + 1):
        fold = compose_fold(parts, number)
        model = fit(learner, fold.train, fold.validation, seed=seed)
        given = model.score(fold.test)
        offsets = fold.test.query_offsets.tolist()
        for place, query in enumerate(fold.test.query_ids):
            own = given[offsets[place] : offsets[place + 1]]
            scores[starts[query] : starts[query] + len(own)] = own
        advance(number)
    return scores


def _check_measures(measures: str | Sequence[str]) -> list[str]:
    names = [str(name) for name in measure_list(measures) or STAGE_MEASURES]
    for name in names:
        family = find_tool("definition").measure(name).family
        if family not in _BINARY:
            raise RankwiseError(
                f"over a whole corpus measures must be of relevant and other documents, "
                f"{', '.join(_BINARY)}, found {name!r}: the labels of lost documents are not kept"
            )
    return names
