"""The Microsoft scripts: LETOR 3.0 (Eval-Score-3.0.pl), LETOR 4.0 (Eval-Score-4.0.pl), MSLR.

letor3: gains 0, 1, 3 of labels 0, 1, 2; any other label has no gain and is not relevant. Ranks 1
and 2 are not discounted, rank i >= 3 by 1/log2 i. A query with fewer than k documents has no P@k
and NDCG@k of its own, but the means divide by the number of all queries, so it counts as 0 there.
Qin, Liu, Xu and Li, Information Retrieval 13(4), 2010, describe the collection.

letor4: as LETOR 3.0 (gains 0, 1, 3; ranks 1 and 2 not discounted, rank i by 1/log2 i), but a query
with fewer than k documents scores NDCG@k = 0, and P@k divides by k. MeanNDCG runs over all
positions of the query and is not touched by the zeros. Figures have four decimals, means come from
unrounded values.

mslr (eval-score-mslr.pl): as LETOR 4.0 with gains 0, 1, 3, 7, 15 of labels 0 … 4 (none for labels
above), but P and MAP take only labels of 2 and more as relevant: label 1 is not. Documents are told
apart by their line, so document ids may repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores
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
    return _layout_table(evaluation, PRECISIONS, per_query) + _layout_table(
        evaluation, GAINS, per_query
    )


def _layout_table(evaluation: Evaluation, names: Sequence[str], per_query: bool) -> str:
    results = [evaluation[name] for name in names]
    rows = ["\t".join(["qid", *names])]
    if per_query:
        rows += [_layout_row(results, place) for place in range(len(results[0].values))]
    rows.append("\t".join(["Average", *(f"{result.mean:.4f}" for result in results)]))
    return "\n".join(rows) + "\n\n"


def _layout_row(results: Sequence[MeasureResult], place: int) -> str:
    figures = (f"{result.values[place]:.4f}" for result in results)
    return "\t".join([results[0].query_ids[place], *figures])


DEEPEST = 16


def _letor3_printed(judged: JudgedScores) -> list[str]:
    depth = min(DEEPEST, int(max(judged.lengths, default=0)))
    ranks = range(1, depth + 1)
    return [*(f"P@{k}" for k in ranks), "MAP", *(f"NDCG@{k}" for k in ranks)]


def _letor3_figure(measure: Measure, value: float) -> str:
    return f"{value:.15g}"


def _letor3_layout(evaluation: Evaluation, per_query: bool, tag: str) -> str:
    """The script's output; queries are named by their place, and absent figures end a row early."""
    names = {"precision": "P@", "NDCG": "NDCG@"}
    parts = [_letor3_rows(evaluation, title, stem, per_query) for title, stem in names.items()]
    parts.insert(1, _average_precisions(evaluation, per_query))
    return "\n".join(parts) + "\n"


def _letor3_rows(evaluation: Evaluation, title: str, stem: str, per_query: bool) -> str:
    results = [result for name, result in evaluation.results.items() if name.startswith(stem)]
    rows = []
    for place in range(len(results[0].values) if per_query and results else 0):
        figures = [result.values[place] for result in results]
        shown = "".join(f"{value:.15g}\t" for value in figures if value == value)
        rows.append(f"{title} of query{place}:\t{shown}\n")
    means = "".join(f"{result.mean:.15g}\t" for result in results)
    return "".join([*rows, f"{title}:\t{means}\n"])


def _average_precisions(evaluation: Evaluation, per_query: bool) -> str:
    result = evaluation["MAP"]
    values = result.values.tolist() if per_query else []
    rows = [f"Map of query{place}:\t{value:.15g}\n" for place, value in enumerate(values)]
    return "".join([*rows, f"MAP:\t{result.mean:.15g}\n"])


LETOR3 = Tool(
    name="letor3",
    title="LETOR 3.0, Eval-Score-3.0.pl",
    conventions=every(
        {"table": 2, "comparison": "perl"},
        {
            "P": {"short": "absent"},
            "AP": {},
            "NDCG": {"discount": "letor", "short": "absent"},
        },
    ),
    printed=_letor3_printed,
    figure=_letor3_figure,
    documents="replace",
    order="numeric",
    refusal=whole_label_refusal,
    comment_style="letor3",
    carriage_returns=False,
    layout=_letor3_layout,
)


LETOR4 = Tool(
    name="letor4",
    title="LETOR 4.0, Eval-Score-4.0.pl",
    conventions=every(
        {"table": 2, "comparison": "perl"},
        {
            "P": {},
            "AP": {},
            "NDCG": {"discount": "letor", "short": "zero"},
            "MeanNDCG": {"discount": "letor"},
        },
    ),
    printed=lambda judged: [*PRECISIONS, *GAINS],
    figure=four_decimals,
    documents="replace",
    order="numeric",
    refusal=whole_label_refusal,
    comment_style="letor4",
    carriage_returns=False,
    layout=two_tables,
)


MSLR = Tool(
    name="mslr",
    title="MSLR-WEB, eval-score-mslr.pl",
    conventions=every(
        {"table": 4, "comparison": "perl"},
        {
            "P": {"threshold": 2.0},
            "AP": {"threshold": 2.0},
            "NDCG": {"discount": "letor", "short": "zero"},
            "MeanNDCG": {"discount": "letor"},
        },
    ),
    printed=lambda judged: [*PRECISIONS, *GAINS],
    figure=four_decimals,
    order="numeric",
    refusal=whole_label_refusal,
    layout=two_tables,
)
