"""trec_eval 10.0 (release candidates 2 and 3), and trec_eval 9.0.4.

Linear gain, textbook discount; ties by document id, descending; labels are cut to whole numbers and
a negative one means "not judged". Queries come in the order of their ids as text. Three spellings
stand for its options: `l2:map` is `-l 2 -m map`, `ndcg.1=1,2=3` gives gains of labels, and
`expqrels:ndcg_cut_5` is `ndcg_cut_5` on judgements 2^l - 1, its only way to an exponential gain at
a cut-off. Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

Version 9 is as version 10, but scores are held in single precision (so that close ones tie), and
the interpolated precision at recall level x is taken where int(x R + 0.9) relevant documents are
found, not the nearest whole number to x R.

Version 8.1, which the apple-to-apple comparison used, is not reproduced: no program of it was at
hand to run, and its output for NDCG, ties and empty queries is not known well enough to claim.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankwise.measures.measure import Measure, parse
from rankwise.measures.tool import Conventions, Tool, every

if TYPE_CHECKING:
    from rankwise.measures.evaluation import Evaluation


OFFICIAL = (
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    *(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)),
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)  # fmt: skip
_FAMILIES = ("NDCG", "P", "AP", "RR", "Recall", "Success", "RPrecision", "Bpref", "IPrec",
             "ElevenPoint", "SetP", "SetRecall", "SetAP", "SetF", "Retrieved", "Relevant",
             "RelevantRetrieved", "Queries")  # fmt: skip
_LEVEL = re.compile(r"l([0-9]+):(.+)")
_SUMMARY_ONLY = ("num_q", "gm_map")


def conventions(**fields: object) -> Conventions:
    """trec_eval's conventions with other fields where a version differs."""
    common = {"gain": "linear", "ties": "document-descending", **fields}
    return every(common, {family: {} for family in _FAMILIES})


def own_name(name: str, fields: Conventions) -> Measure | None:
    """The measure of one of trec_eval's names with options."""
    if found := _LEVEL.fullmatch(name):
        measure = parse(found[2], fields)
        return (
            measure if measure.family == "NDCG" else measure.with_fields(threshold=float(found[1]))
        )
    if name.startswith("expqrels:"):
        return parse(name.removeprefix("expqrels:"), fields).with_fields(gain="exponential")
    if name.startswith("ndcg."):
        gains = name.removeprefix("ndcg.").replace(",", "/")
        return parse("ndcg", fields).with_fields(gain=gains)
    return None


def read_labels(labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Labels as C's atol reads them; a negative one is not a judgement."""
    whole = np.trunc(labels)
    return np.where(whole < 0, np.nan, whole)


def figure(measure: Measure, value: float) -> str:
    """Counts as whole numbers, the rest with four decimals."""
    return f"{value:.0f}" if measure.average == "sum" else f"{value:.4f}"


def layout(evaluation: Evaluation, per_query: bool, tag: str) -> str:
    """Rows `name, query, value`: every query in turn, then the summary."""
    results = evaluation.results
    queries = next(iter(results.values())).query_ids if per_query and results else []
    rows = []
    for place, query in enumerate(queries):
        for name, result in results.items():
            if name not in _SUMMARY_ONLY and result.values[place] == result.values[place]:
                rows.append((name, query, figure(result.measure, result.values[place])))
    if "num_q" in results:
        rows.append(("runid", "all", tag))
    rows += [(name, "all", figure(result.measure, result.mean)) for name, result in results.items()]
    return "".join(f"{name:<22}\t{query}\t{value}\n" for name, query, value in rows)


CONVENTIONS = conventions()

TREC_EVAL = Tool(
    name="trec_eval",
    title="trec_eval 10.0-rc2 and rc3",
    conventions=CONVENTIONS,
    printed=lambda judged: OFFICIAL,
    own_name=lambda name: own_name(name, CONVENTIONS),
    figure=figure,
    documents="refuse",
    order="text",
    labels=read_labels,
    layout=layout,
    layout_of_measures=True,
)


CONVENTIONS_9 = conventions(comparison="single", level_rule="nine-tenths")

TREC_EVAL_9 = replace(
    TREC_EVAL,
    name="trec_eval-9",
    title="trec_eval 9.0.4",
    conventions=CONVENTIONS_9,
    own_name=lambda name: own_name(name, CONVENTIONS_9),
)
