"""LETOR 3.0: Eval-Score-3.0.pl.

Gains 0, 1, 3 of labels 0, 1, 2; any other label has no gain and is not relevant. Ranks 1 and 2 are
not discounted, rank i >= 3 by 1/log2 i. A query with fewer than k documents has no P@k and NDCG@k
of its own, but the means divide by the number of all queries, so it counts as 0 there. Qin, Liu,
Xu and Li, Information Retrieval 13(4), 2010, describe the collection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, every
from rankwise.measures.tools.letor_labels import whole_label_refusal

if TYPE_CHECKING:
    from rankwise.measures.evaluation import Evaluation

DEEPEST = 16


def _printed(judged: JudgedScores) -> list[str]:
    depth = min(DEEPEST, int(max(judged.lengths, default=0)))
    ranks = range(1, depth + 1)
    return [*(f"P@{k}" for k in ranks), "MAP", *(f"NDCG@{k}" for k in ranks)]


def _figure(measure: Measure, value: float) -> str:
    return f"{value:.15g}"


def _layout(evaluation: Evaluation, per_query: bool, tag: str) -> str:
    """The script's output; queries are named by their place, and absent figures end a row early."""
    names = {"precision": "P@", "NDCG": "NDCG@"}
    parts = [_rows(evaluation, title, stem, per_query) for title, stem in names.items()]
    parts.insert(1, _average_precisions(evaluation, per_query))
    return "\n".join(parts) + "\n"


def _rows(evaluation: Evaluation, title: str, stem: str, per_query: bool) -> str:
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


TOOL = Tool(
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
    printed=_printed,
    figure=_figure,
    documents="replace",
    order="numeric",
    refusal=whole_label_refusal,
    comment_style="letor3",
    carriage_returns=False,
    layout=_layout,
)
