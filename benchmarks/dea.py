"""DEARank: programs per second beside scipy's linprog, a whole fold, and accuracy in every setting.

    python benchmarks/dea.py speed DATA [--queries 12]
    python benchmarks/dea.py accuracy DATA --tool letor3 [--solver compiled] [--out FILE.json]

DATA is a folder with Fold1 … Fold5 of QueryLevelNorm data. `speed` solves CCR-I and CCR-O for every
document of some training queries of fold 1 with linprog (a new program each), with HiGHS kept warm
and with the compiled solver, prints programs per second and the ratios, checks that all three agree
in the optimal value, and then times a whole fold: pool, performance matrix, 200 rounds.
`accuracy` trains the four variants on all folds with the whole
pool and with its best 100, with both re-weightings, and prints five-fold means on test beside those
of the setting that each fold's validation part prefers.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, find_folds, read_fold
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.boosting.weak_rankers import REWEIGHTINGS, Pool
from rankwise.rankers.dea.dearank import Candidates, DEARankIMAP, candidates
from rankwise.rankers.dea.programs import optimal_weights
from rankwise.rankers.ranker import Training
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure

VARIANTS = ("dearank-i-map", "dearank-i-ndcg", "dearank-o-map", "dearank-o-ndcg")
FIGURES = (*(f"NDCG@{cut}" for cut in range(1, 11)), "MAP")
SHOWN = ("MAP", "NDCG@1", "NDCG@5", "NDCG@10")
REDUCED = 100


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["speed", "accuracy"])
    parser.add_argument("data", type=Path)
    parser.add_argument("--queries", type=int, default=12)
    parser.add_argument("--tool", default="letor3")
    parser.add_argument("--solver", default="compiled")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.part == "speed":
        speed(options.data, options.queries, options.tool)
    else:
        accuracy(options.data, options.tool, options.solver, options.out)


def speed(data: Path, n_queries: int, tool: str) -> None:
    fold = read_fold(find_folds(data)[0])
    few = fold.train.select_queries(np.linspace(0, fold.train.n_queries - 1, n_queries).astype(int))
    print(f"{n_queries} queries, {few.n_documents} documents, {few.n_features} features")
    for model in ("ccr-i", "ccr-o"):
        compare_solvers(few, model)
    whole_fold(fold, tool)


def compare_solvers(dataset: Dataset, model: str) -> None:
    optimal_weights([[1.0, 0.5], [0.5, 1.0]], [1.0, 0.0], model)
    ways: dict[str, Callable[[], list[np.ndarray[Any, Any]]]] = {
        "linprog": lambda: [linprog_values(query, model) for query in dataset.queries()],
        "highs": lambda: solver_values(dataset, model, "highs"),
        "compiled": lambda: solver_values(dataset, model, "compiled"),
    }
    seconds, values = {}, {}
    for name, solve in ways.items():
        begun = time.perf_counter()
        values[name] = np.concatenate(solve())
        seconds[name] = time.perf_counter() - begun
    asked = int(np.isfinite(values["compiled"]).sum())
    print(f"{model}: {asked} programs")
    for name, taken in seconds.items():
        apart = np.nanmax(np.abs(values[name] - values["compiled"]))
        print(
            f"  {name:9} {asked / taken:9.0f} programs/s  {seconds['linprog'] / taken:6.1f} x  "
            f"optima differ from the compiled solver's by at most {apart:.1e}"
        )


def solver_values(dataset: Dataset, model: str, solver: str) -> list[np.ndarray[Any, Any]]:
    return [optimal_weights(q.features, q.labels, model, solver).values for q in dataset.queries()]


def linprog_values(query: Any, model: str) -> np.ndarray[Any, Any]:
    """One call of scipy a document, as a first implementation would do it."""
    from scipy.optimize import linprog

    features, harvest = query.features, np.log1p(query.labels)
    asks = features.any(axis=1)
    rows, limits = features, np.ones(len(features))
    if model == "ccr-o":
        rows, limits = -features[asks & (harvest > 0)], -harvest[asks & (harvest > 0)]
    sign = -1.0 if model == "ccr-i" else 1.0
    found = np.full(len(features), np.nan)
    for k in np.flatnonzero(asks):
        solved = linprog(sign * features[k], A_ub=rows, b_ub=limits, method="highs")
        found[k] = sign * solved.fun
    return found


def whole_fold(fold: Fold, tool: str) -> None:
    """Once on little data, so that everything is compiled, then timed."""
    first = fold.train.select_queries(np.arange(3))
    for name in VARIANTS:
        ranker = find_ranker(name)(tool=tool)
        ranker.fit(first, fold.validation)
        begun = time.perf_counter()
        model = ranker.fit(fold.train, fold.validation)
        taken = time.perf_counter() - begun
        print(f"{name}: fold 1 in {taken:.1f} s ({model.facts['candidates']} candidates)")


def accuracy(data: Path, tool: str, solver: str, out: Path | None) -> None:
    rows = []
    for files in find_folds(data):
        for row in fold_rows(read_fold(files), tool, solver):
            rows.append(row)
            setting = " ".join(str(row[key]) for key in ("fold", "variant", "best", "reweighting"))
            print(setting, f"{row['test']['MAP']:.4f}", flush=True)
            if out is not None:
                out.write_text(json.dumps(rows))
    print_means(rows)


def fold_rows(fold: Fold, tool: str, solver: str) -> Iterator[dict[str, Any]]:
    """Settings of one fold; programs and performance matrix are shared between them."""
    found: dict[str, Candidates] = {}
    for name in VARIANTS:
        kind: Any = find_ranker(name)
        model = kind().model
        if model not in found:
            found[model] = candidates(fold.train, model, solver).distinct()
        measure = TrainingMeasure.of(fold.train, kind().measure, tool)
        whole = Pool.of(found[model].weights, fold.train, measure)
        for best in (0, REDUCED):
            pool = whole.keep_best(best) if best else whole
            for reweighting in REWEIGHTINGS:
                ranker = kind(best=best, reweighting=reweighting, tool=tool, solver=solver)
                figures = trained(ranker, pool, found[model], fold, measure)
                yield {
                    "fold": fold.number,
                    "variant": name,
                    "best": best,
                    "reweighting": reweighting,
                    "solver": solver,
                } | figures


def trained(
    ranker: DEARankIMAP, pool: Pool, found: Candidates, fold: Fold, measure: TrainingMeasure
) -> dict[str, Any]:
    scorer, facts = ranker.boosted(pool, found, Training(fold.train, fold.validation), measure)
    validation = fold.validation or fold.train
    chosen_by = evaluate(validation, scorer.score(validation.features), ["MAP"], ranker.tool)
    scores = scorer.score(fold.test.features)
    by_tool = evaluate(fold.test, scores, FIGURES, ranker.tool)
    defined = evaluate(fold.test, scores, FIGURES)
    return {
        "validation": chosen_by["MAP"].mean,
        "test": {name: by_tool[name].mean for name in FIGURES},
        "definition": {name: defined[name].mean for name in FIGURES},
        "facts": facts,
    }


def print_means(rows: list[dict[str, Any]]) -> None:
    print(f"{'variant':16} {'pool':>5} {'re-weighting':15}", *(f"{name:>8}" for name in SHOWN))
    for name in VARIANTS:
        mine = [row for row in rows if row["variant"] == name]
        for best in (0, REDUCED):
            for reweighting in REWEIGHTINGS:
                chosen = [
                    row for row in mine if (row["best"], row["reweighting"]) == (best, reweighting)
                ]
                print_mean(name, str(best or "all"), reweighting, chosen)
        print_mean(name, "tuned", "on validation", tuned(mine))


def tuned(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each fold the setting with the highest validation MAP, the first among equals."""
    best: dict[int, dict[str, Any]] = {}
    for row in rows:
        if row["fold"] not in best or row["validation"] > best[row["fold"]]["validation"]:
            best[row["fold"]] = row
    return list(best.values())


def print_mean(variant: str, pool: str, reweighting: str, rows: list[dict[str, Any]]) -> None:
    means = (float(np.mean([row["test"][name] for row in rows])) for name in SHOWN)
    print(f"{variant:16} {pool:>5} {reweighting:15}", *(f"{mean:8.4f}" for mean in means))


if __name__ == "__main__":
    main()
