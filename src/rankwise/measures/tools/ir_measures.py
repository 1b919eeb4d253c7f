"""ir-measures 0.4.3: one grammar of names over several providers.

nDCG, AP, P, RR, R, Rprec, Success and Bpref come from pytrec_eval (single precision, ties by
document id descending); RR@k from the MS MARCO code (double precision, document id ascending);
ERR@k and nDCG(dcg='exp-log2')@k from a bundled gdeval: five decimals, and 0 for a query that gdeval
leaves out. gdeval's figures come back under what follows the last `-` of a query id; where that is
another name, both names are averaged, the original one with 0.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.measures.measure import Measure
from rankwise.measures.tool import Tool, ToolRefusal, every
from rankwise.measures.tools import gdeval
from rankwise.measures.tools.pytrec_eval import refuse_fractions

if TYPE_CHECKING:
    from rankwise.data.scores.scored_qrels import JudgedScores

PRINTED = ("nDCG", "nDCG@1", "nDCG@10", "nDCG(dcg='exp-log2')@10", "AP", "AP@10", "P@1", "P@10",
           "RR", "RR@10", "ERR@10", "ERR@20", "R@10", "Rprec", "Success@5", "Bpref")  # fmt: skip
_TREC: dict[str, Any] = {"comparison": "single", "ties": "document-descending"}
_GDEVAL: dict[str, Any] = {"ties": "document-descending", "rounding": "5"}
_EXPONENTIAL = re.compile(r"ndcg\(dcg=['\"]?exp-log2['\"]?\)@([0-9]+)", re.I)
_CUT_RECIPROCAL = re.compile(r"(?:rr|mrr)(?:\(rel=([0-9]+)\))?@([0-9]+)", re.I)
_ERR = re.compile(r"err(?:@([0-9]+))?", re.I)


def _own_name(name: str) -> Measure | None:
    if found := _EXPONENTIAL.fullmatch(name):
        return Measure("NDCG", int(found[1]), threshold=0.0, **_GDEVAL)
    if found := _CUT_RECIPROCAL.fullmatch(name):
        threshold = float(found[1] or 1)
        return Measure("RR", int(found[2]), threshold=threshold, ties="document-ascending")
    if found := _ERR.fullmatch(name):
        if found[1] is None:
            raise ToolRefusal("ir_measures: ERR needs a cut-off, such as ERR@20")
        return Measure("ERR", int(found[1]), **_GDEVAL)
    return None


def _measure_refusal(measure: Measure, judged: JudgedScores) -> str | None:
    # The MS MARCO code takes any number.
    if measure.ties == "document-ascending":
        return None
    if measure.rounding != "5":
        return refuse_fractions(judged)
    reason = gdeval.refusal(judged)
    return None if reason is None else f"the gdeval script it calls refuses the data: {reason}"


def _judged_labels(labels: Any) -> Any:
    """A negative label is not a judgement."""
    return np.where(labels < 0, np.nan, labels)


def _regroup(measure: Measure, names: list[str], values: Any) -> tuple[list[str], Any]:
    topics = [gdeval.topic(name) for name in names]
    if measure.rounding != "5" or topics == names:
        return names, values
    renamed = [name for name, short in zip(names, topics, strict=True) if name != short]
    return [*topics, *renamed], np.concatenate([values, np.zeros(len(renamed))])


TOOL = Tool(
    name="ir_measures",
    title="ir-measures 0.4.3",
    conventions=every(
        _TREC,
        {
            "NDCG": {"gain": "linear"},
            "AP": {},
            "P": {},
            "RR": {},
            "ERR": _GDEVAL,
            "Recall": {},
            "RPrecision": {},
            "Success": {},
            "Bpref": {},
        },
    ),
    printed=lambda judged: PRINTED,
    own_name=_own_name,
    documents="refuse",
    labels=_judged_labels,
    measure_refusal=_measure_refusal,
    regroup=_regroup,
)
