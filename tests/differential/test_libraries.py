"""Random judgements and runs: each library that is installed against the tool of its name.

Runs have ties, documents that nobody judged and judged documents that they did not retrieve.
Libraries of dictionaries (ranx, pytrec_eval, ir_measures) get them as they are. Those of arrays get
the run's documents with label 0 where there is none, then the others below all scores; they must
agree with the tool on these arrays, and at cut-offs within the run with the tool on the
dictionaries too.

`python tests/differential/test_libraries.py` prints the table of docs/measures/exceptions.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.measures.tools.registry import find_tool

Documents = dict[str, dict[str, Any]]
SMALLEST_RUN = 5
QUICK, ALL = 25, 500


class Case(NamedTuple):
    """Judgements and a run of the same queries; `arrays` are what libraries of arrays get."""

    qrels: Documents
    run: Documents

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64], list[int], list[str]]:
        """Labels, scores, documents per query, and their names."""
        labels: list[float] = []
        scores: list[float] = []
        names: list[str] = []
        lengths = []
        for query, found in self.run.items():
            judged = self.qrels[query]
            rest = [document for document in judged if document not in found]
            names += [*found, *rest]
            labels += [judged.get(document, 0) for document in (*found, *rest)]
            scores += [*found.values(), *[min(found.values()) - 1] * len(rest)]
            lengths.append(len(found) + len(rest))
        return np.array(labels, float), np.array(scores, float), lengths, names


def make_case(seed: int, highest: int = 4) -> Case:
    rng = np.random.default_rng(seed)
    case = Case({}, {})
    for query in map(str, range(1, int(rng.integers(2, 7)))):
        pool = rng.permutation(int(rng.integers(SMALLEST_RUN, 61))).tolist()
        retrieved = pool[: int(rng.integers(SMALLEST_RUN, len(pool) + 1))]
        judged = sorted(pool, key=lambda _: rng.random())[: int(rng.integers(1, len(pool) + 1))]
        labels = rng.integers(0, int(rng.integers(1, highest + 2)), len(judged)).tolist()
        kind = rng.integers(4)
        scores = {
            0: rng.integers(0, 4, len(retrieved)) / 2,
            1: rng.normal(size=len(retrieved)),
            2: np.full(len(retrieved), 1.5),
            # Different as doubles, alike in single precision.
            3: 1 + rng.integers(0, 9, len(retrieved)) * 1e-9,
        }[int(kind)]
        case.qrels[query] = {f"d{one}": label for one, label in zip(judged, labels, strict=True)}
        case.run[query] = {
            f"d{one}": score for one, score in zip(retrieved, scores.tolist(), strict=True)
        }
    return case


def ask_ranx(case: Case, names: Sequence[str]) -> dict[str, float]:
    ranx = import_module("ranx")
    qrels, run = ranx.Qrels(case.qrels), ranx.Run(case.run)
    return {name: float(ranx.evaluate(qrels, run, name)) for name in names}


def ask_pytrec_eval(case: Case, names: Sequence[str]) -> dict[str, float]:
    library = import_module("pytrec_eval")
    asked = {
        f"{name.rpartition('_')[0]}.{name.rpartition('_')[2]}" if name[-1].isdigit() else name
        for name in names
    }
    found = library.RelevanceEvaluator(case.qrels, asked).evaluate(case.run).values()
    return {name: float(np.mean([query[name] for query in found])) for name in names}


def ask_ir_measures(case: Case, names: Sequence[str]) -> dict[str, float]:
    library = import_module("ir_measures")
    asked = {name: library.parse_measure(name) for name in names}
    found = library.calc_aggregate(list(asked.values()), case.qrels, case.run)
    return {name: float(found[measure]) for name, measure in asked.items()}


def ask_sklearn(case: Case, names: Sequence[str]) -> dict[str, float]:
    library = import_module("sklearn.metrics")
    labels, scores, lengths, _ = case.arrays()
    ends = np.cumsum(lengths)[:-1]
    queries = list(zip(np.split(labels, ends), np.split(scores, ends), strict=True))
    found = {}
    for name in names:
        measure = find_tool("sklearn").measure(name)
        ask = library.ndcg_score if measure.family == "NDCG" else library.dcg_score
        exponential = measure.gain == "exponential"
        values = [
            ask([np.exp2(own) - 1 if exponential else own], [scored], k=measure.cutoff)
            for own, scored in queries
        ]
        found[name] = float(np.mean(values))
    return found


def ask_lightgbm(case: Case, names: Sequence[str]) -> dict[str, float]:
    library = import_module("lightgbm")
    labels, scores, lengths, _ = case.arrays()
    data = library.Dataset(
        np.zeros((len(labels), 1)), label=labels, group=lengths, init_score=scores,
        params={"verbosity": -1},
    )  # fmt: skip
    cuts = sorted({int(name.partition("@")[2]) for name in names})
    metrics = sorted({name.partition("@")[0] for name in names})
    parameters = {"objective": "lambdarank", "metric": metrics, "eval_at": cuts, "verbosity": -1}
    found = {name: value for _, name, value, _ in library.Booster(parameters, data).eval_train()}
    return {name: found[name] for name in names}


def ask_xgboost(case: Case, names: Sequence[str]) -> dict[str, float]:
    library = import_module("xgboost")
    labels, scores, lengths, _ = case.arrays()
    data = library.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=scores)
    data.set_group(lengths)
    found = {}
    for exponential in (True, False):
        asked = [name for name in names if name.endswith(" linear") != exponential]
        if asked:
            metrics = [name.removesuffix(" linear") for name in asked]
            options = {
                "objective": "rank:ndcg", "eval_metric": metrics, "ndcg_exp_gain": exponential,
                "verbosity": 0,
            }  # fmt: skip
            shown = library.Booster(options, [data]).eval(data).split()[1:]
            values = [float(text.rpartition(":")[2]) for text in shown]
            found |= dict(zip(asked, values, strict=True))
    return found


def ask_catboost(case: Case, names: Sequence[str]) -> dict[str, float]:
    library = import_module("catboost.utils")
    labels, scores, lengths, _ = case.arrays()
    groups = np.repeat(np.arange(len(lengths)), lengths)
    return {
        name: float(library.eval_metric(labels, scores, name, group_id=groups)[0]) for name in names
    }


class Library(NamedTuple):
    """What is imported, whether it takes dictionaries, what is asked of it, and how."""

    module: str
    dictionaries: bool
    names: Sequence[str]
    ask: Callable[[Case, Sequence[str]], Mapping[str, float]]


def printed(tool: str, *more: str) -> list[str]:
    case = make_case(0)
    data = evaluate(case.qrels, case.run, None, tool)
    return [*data.results, *more]


LIBRARIES = {
    "ranx": Library("ranx", True, printed("ranx", "ndcg@10-l2", "map-l2", "hits"), ask_ranx),
    "pytrec_eval": Library(
        "pytrec_eval", True, printed("pytrec_eval", "set_map", "11pt_avg", "P_30"), ask_pytrec_eval
    ),
    "ir_measures": Library(
        "ir_measures", True, printed("ir_measures", "RR(rel=2)@3", "AP(rel=2)"), ask_ir_measures
    ),
    "sklearn": Library(
        "sklearn.metrics", False,
        ["ndcg gain=linear", "ndcg@1 gain=exp", "ndcg@5 gain=linear", "ndcg@5 gain=exp", "dcg@5"],
        ask_sklearn,
    ),
    "lightgbm": Library(
        "lightgbm", False,
        ["ndcg@1", "ndcg@5", "ndcg@10", "ndcg@100", "map@1", "map@5", "map@10", "map@100"],
        ask_lightgbm,
    ),
    "xgboost": Library(
        "xgboost", False,
        ["ndcg", "ndcg@1", "ndcg@5", "ndcg@5-", "ndcg@10", "ndcg@5 linear", "ndcg@10- linear"],
        ask_xgboost,
    ),
    "catboost": Library(
        "catboost.utils", False,
        [*printed("catboost"), "PrecisionAt:top=5;border=1", "NDCG:top=5;type=Exp"], ask_catboost,
    ),
}  # fmt: skip
BINARY = ["map", "map@1", "map@5", "map@5-", "pre@1", "pre@5", "pre", "ndcg@5"]


def differences(library: Library, tool: str, case: Case, names: Sequence[str]) -> dict[str, float]:
    """How far the tool is from the library in every figure."""
    theirs = library.ask(case, names)
    found = evaluate(case.qrels, case.run, names, tool)
    ours = {name: found[name] for name in names}
    far = {}
    if not library.dictionaries:
        ours = {
            name: one for name, one in ours.items() if (one.measure.cutoff or 99) <= SMALLEST_RUN
        }
        labels, scores, lengths, documents = case.arrays()
        full = evaluate(labels, scores, names, tool, group=lengths, document_ids=documents)
        far = {f"{name}, arrays": abs(full[name].mean - theirs[name]) for name in names}
    return far | {name: abs(one.mean - theirs[name]) for name, one in ours.items()}


def largest_difference(tool: str, cases: int) -> dict[str, float]:
    """The largest difference of every figure over so many random cases."""
    library = LIBRARIES[tool]
    largest: dict[str, float] = {}
    for seed in range(cases):
        found = differences(library, tool, make_case(seed), library.names)
        if tool == "xgboost":
            found |= {
                f"{name}, labels 0 and 1": far
                for name, far in differences(library, tool, make_case(seed, 1), BINARY).items()
            }
        for name, far in found.items():
            # A figure that is no number differs from every other.
            largest[name] = max(largest.get(name, 0.0), math.inf if math.isnan(far) else far)
    return largest


@pytest.mark.parametrize(
    "cases", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)], ids=["few", "all"]
)
@pytest.mark.parametrize("tool", LIBRARIES)
def test_figures_are_those_of_the_library(tool: str, cases: int) -> None:
    pytest.importorskip(LIBRARIES[tool].module)
    wrong = {name: far for name, far in largest_difference(tool, cases).items() if far > 1e-9}
    assert wrong == {}


ODD_LABELS = {
    "fractions": [0.5, 2, 0, 1.7, 1],
    "between 0 and 1": [0.3, 0, 0.9, 1, 0],
    "negative": [-1, 2, 0, 1, 3],
    "30": [30, 0, 3, 1, 0],
    "31": [31, 0, 3, 1, 0],
    "32": [32, 0, 3, 1, 0],
    "5": [5, 0, 1, 2, 0],
    "1100": [1100, 0, 3, 1, 0],
    "none relevant": [0, 0, 0, 0, 0],
}
# Figures that the library gives and nothing here reproduces: refused, with that reason.
NOT_REPRODUCED = "negative labels are not reproduced here"


@pytest.mark.parametrize("labels", ODD_LABELS)
@pytest.mark.parametrize("tool", LIBRARIES)
def test_what_the_library_refuses_is_refused_here(tool: str, labels: str) -> None:
    """And the figures of odd labels that it takes are the same."""
    library = LIBRARIES[tool]
    pytest.importorskip(library.module)
    # The document that comes first in the run is worst for the sum of gains: it is negative.
    scores = [0.9, 0.8, 0.5, 0.1, 0.7]
    judged = {f"d{row}": label for row, label in enumerate(ODD_LABELS[labels])}
    case = Case({"1": judged}, {"1": dict(zip(judged, scores, strict=True))})
    for name in [*library.names, *(BINARY if tool == "xgboost" else ())]:
        try:
            theirs: float | None = library.ask(case, [name])[name]
        # Whatever a library raises is its refusal; XGBoost and LightGBM raise errors of their own.
        except Exception:  # noqa: BLE001
            theirs = None
        if theirs is not None and math.isnan(theirs):
            theirs = None
        try:
            ours: float | None = evaluate(case.qrels, case.run, [name], tool)[name].mean
        except RankwiseError as error:
            if NOT_REPRODUCED in str(error):
                continue
            ours = None
        if theirs is None or ours is None:
            assert theirs == ours, name
        else:
            assert ours == pytest.approx(theirs, abs=1e-9), name


if __name__ == "__main__":
    print("| library | figures of a case | cases | largest difference |\n|---|---|---|---|")
    for name in LIBRARIES:
        found = largest_difference(name, ALL)
        print(f"| {name} | {len(found)} | {ALL} | {max(found.values()):.1g} |")
