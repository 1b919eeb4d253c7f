"""NDCG@10, AP and P@10 of many ranked lists: Rankwise beside ranx and pytrec_eval, in one run.

    python benchmarks/evaluating.py [--queries 100000] [--documents 100]

Two times are compared for each peer: scoring alone, from the peer's own objects, and everything
from raw arrays (labels, scores, query lengths) to the three means. Rankwise starts from the raw
arrays in both. Times are medians of five runs; peers build their objects once. Each peer's means
must be those that Rankwise gives under that peer's conventions: pytrec_eval compares scores in
single precision, where two of ten million now and then tie. Every family at once, on whole lists,
is compared with NDCG@10 alone. Memory is Rankwise's peak over the arrays it was given.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MEASURES = ["NDCG(gain=linear)@10", "AP", "P@10"]
PEER_NAMES = {
    "pytrec_eval": ["ndcg_cut_10", "map", "P_10"],
    "ranx": ["ndcg@10", "map", "precision@10"],
}
TOLERANCE = 1e-9
RUNS = 5
# How many times quicker than the peer Rankwise is meant to be, and what all families may cost.
GOALS = {"pytrec_eval scoring": 15, "ranx scoring": 25, "ranx raw": 100}
MOST_OF_ALL_FAMILIES = 4


def main() -> None:
    options = arguments()
    if options.memory:
        print(peak_over_input(options.queries, options.documents))
        return
    labels, scores, lengths = sample(options.queries, options.documents)
    rows = len(labels)
    print(f"{options.queries:,} queries x {options.documents} documents = {rows:,} rows")
    first, _ = timed(
        lambda: ours(labels[: options.documents], scores[: options.documents], [options.documents])
    )
    print(f"rankwise: first call of this process, one query         {first:8.2f} s")
    whole = median_time(lambda: ours(labels, scores, lengths))
    print(f"rankwise: raw arrays to figures                         {whole:8.3f} s")
    for name, peer in (("pytrec_eval", pytrec_eval_times), ("ranx", ranx_times)):
        scoring, building, means = peer(labels, scores, lengths)
        report(name, scoring, building, whole)
        report_agreement(name, means, labels, scores, lengths)
    report_all_families(labels, scores, lengths)
    report_memory(options)
    report_small_file()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--memory", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def sample(queries: int, documents: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, queries * documents).astype(np.float64)
    return labels, rng.normal(size=len(labels)), np.full(queries, documents)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def median_time(work: Callable[[], Any]) -> float:
    return statistics.median(timed(work)[0] for _ in range(RUNS))


def ours(labels: Any, scores: Any, lengths: Any) -> list[float]:
    from rankwise.measures.evaluation import evaluate

    return list(evaluate(labels, scores, MEASURES, group=lengths).means().values())


def dictionaries(labels: Any, scores: Any, lengths: Any, kind: type) -> tuple[Any, Any]:
    qrels, run = {}, {}
    names = [f"d{number}" for number in range(int(max(lengths)))]
    start = 0
    for query, length in enumerate(lengths.tolist()):
        rows = slice(start, start + length)
        known = map(kind, labels[rows].tolist())
        qrels[f"q{query}"] = dict(zip(names, known, strict=False))
        run[f"q{query}"] = dict(zip(names, scores[rows].tolist(), strict=False))
        start += length
    return qrels, run


def pytrec_eval_times(labels: Any, scores: Any, lengths: Any) -> tuple[float, float, list[float]]:
    import pytrec_eval

    def score() -> list[float]:
        found = evaluator.evaluate(run)
        names = PEER_NAMES["pytrec_eval"]
        return [float(np.mean([query[name] for query in found.values()])) for name in names]

    def build() -> tuple[Any, Any]:
        qrels, run = dictionaries(labels, scores, lengths, int)
        return pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "P.10"}), run

    building, (evaluator, run) = timed(build)
    scoring = median_time(score)
    return scoring, building + scoring, score()


def ranx_times(labels: Any, scores: Any, lengths: Any) -> tuple[float, float, list[float]]:
    import ranx

    names = PEER_NAMES["ranx"]
    small = dictionaries(labels[:200], scores[:200], np.array([100, 100]), int)
    ranx.evaluate(ranx.Qrels(small[0]), ranx.Run(small[1]), names)

    def build() -> tuple[Any, Any]:
        qrels, run = dictionaries(labels, scores, lengths, int)
        return ranx.Qrels(qrels), ranx.Run(run)

    building, (qrels, run) = timed(build)
    first, means = timed(lambda: ranx.evaluate(qrels, run, names))
    scoring = median_time(lambda: ranx.evaluate(qrels, run, names))
    return scoring, building + first, [float(means[name]) for name in names]


def report(name: str, scoring: float, whole: float, ours_whole: float) -> None:
    for key, what, seconds in (("scoring", "scoring alone, built and compiled", scoring),
                               ("raw", "raw arrays to figures, compiled", whole)):  # fmt: skip
        goal = GOALS.get(f"{name} {key}")
        aim = "" if goal is None else f"  (goal: {goal} x)"
        ratio = f"= {seconds / ours_whole:6.1f} x rankwise{aim}"
        print(f"{f'{name}: {what}':<55} {seconds:8.2f} s  {ratio}")


def report_all_families(labels: Any, scores: Any, lengths: Any) -> None:
    """Every family that is computed, beside NDCG@10, turn about."""
    from rankwise.measures import COMPUTED
    from rankwise.measures.evaluation import evaluate

    names = [family.name for family in COMPUTED]
    one, every = [], []
    for _ in range(RUNS):
        one.append(timed(lambda: evaluate(labels, scores, ["NDCG@10"], group=lengths))[0])
        every.append(timed(lambda: evaluate(labels, scores, names, group=lengths))[0])
    alone, together = statistics.median(one), statistics.median(every)
    print(f"rankwise: NDCG@10 alone                                 {alone:8.3f} s")
    print(f"rankwise: {f'all {len(names)} families at once, on whole lists':<45} {together:8.3f} s"
          f"  = {together / alone:6.1f} x NDCG@10  (goal: {MOST_OF_ALL_FAMILIES} x)")  # fmt: skip


def report_agreement(name: str, means: list[float], labels: Any, scores: Any, lengths: Any) -> None:
    """Whether the peer's means are what Rankwise gives under the peer's conventions."""
    from rankwise.measures.evaluation import evaluate

    documents = [f"d{number}" for length in lengths.tolist() for number in range(length)]
    found = evaluate(labels, scores, PEER_NAMES[name], name, group=lengths, document_ids=documents)
    largest = float(np.max(np.abs(np.array(means) - list(found.means().values()))))
    verdict = "agree" if largest <= TOLERANCE else "DIFFER"
    print(f"{name}: means {verdict} with rankwise --tool {name} (largest difference {largest:.1e})")


def report_memory(options: argparse.Namespace) -> None:
    command = [sys.executable, __file__, "--memory", "--queries", str(options.queries),
               "--documents", str(options.documents)]  # fmt: skip
    ratio = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(
        f"rankwise: peak memory, input included                   {ratio:8.2f} x the input arrays"
    )


def peak_over_input(queries: int, documents: int) -> float:
    """Peak memory of an evaluation and its input, over the input, after a first small call."""
    ours(np.ones(1), np.ones(1), [1])
    before = resident()
    labels, scores, lengths = sample(queries, documents)
    size = labels.nbytes + scores.nbytes + lengths.nbytes
    Path("/proc/self/clear_refs").write_text("5")
    ours(labels, scores, lengths)
    return (peak() - before) / size


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def peak() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def report_small_file() -> None:
    """A fresh process on a small file, as somebody at a terminal sees it."""
    with tempfile.TemporaryDirectory() as folder:
        data, scores = Path(folder) / "test.txt", Path(folder) / "scores"
        data.write_text("".join(f"{n % 3} qid:{n // 20} 1:{n}\n" for n in range(400)))
        scores.write_text("".join(f"{n * 7919 % 400}\n" for n in range(400)))
        command = [sys.executable, "-m", "rankwise", "evaluate", str(data), str(scores)]
        times = [
            timed(lambda: subprocess.run(command, capture_output=True, check=True))[0]
            for _ in range(3)
        ]
    print(f"rankwise evaluate on a small file, a fresh process      {min(times):8.2f} s")


if __name__ == "__main__":
    main()
