"""What the Microsoft scripts share: the labels they can read, and the layout of two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.measures.measure import Measure

if TYPE_CHECKING:
    from rankwise.measures.evaluation import Evaluation, MeasureResult

RANKS = range(1, 11)
PRECISIONS = [*(f"P@{k}" for k in RANKS), "MAP"]
GAINS = [*(f"NDCG@{k}" for k in RANKS), "MeanNDCG"]


def whole_label_refusal(judged: JudgedScores) -> str | None:
    """The scripts' patterns take digits only."""
    wrong = np.flatnonzero((judged.labels < 0) | (judged.labels % 1 > 0))
    if len(wrong) == 0:
        return None
    return (
        f"labels must be whole numbers of 0 or more, found {judged.labels[wrong[0]]:g} "
        f"in row {wrong[0] + 1}"
    )


def four_decimals(measure: Measure, value: float) -> str:
    """As LETOR 4.0, MSLR and trec_eval print."""
    return f"{value:.4f}"


def two_tables(evaluation: Evaluation, per_query: bool, tag: str) -> str:
    """The output of Eval-Score-4.0.pl and eval-score-mslr.pl."""
    return _table(evaluation, PRECISIONS, per_query) + _table(evaluation, GAINS, per_query)


def _table(evaluation: Evaluation, names: Sequence[str], per_query: bool) -> str:
    results = [evaluation[name] for name in names]
    rows = ["\t".join(["qid", *names])]
    if per_query:
        rows += [_row(results, place) for place in range(len(results[0].values))]
    rows.append("\t".join(["Average", *(f"{result.mean:.4f}" for result in results)]))
    return "\n".join(rows) + "\n\n"


def _row(results: Sequence[MeasureResult], place: int) -> str:
    figures = (f"{result.values[place]:.4f}" for result in results)
    return "\t".join([results[0].query_ids[place], *figures])
