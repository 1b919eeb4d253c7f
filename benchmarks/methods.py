"""The methods of the comparison: time of tuned runs, growth with the data, beside peers.

    python benchmarks/methods.py runs                        # OHSUMED, five folds, from the facts
    python benchmarks/methods.py growth [--methods rankrls,admm] [--limit 20]
    python benchmarks/methods.py peers [--fold 1]

`runs` prints the processor time of each method's full tuned five-fold run on OHSUMED as
`benchmarks/accuracy.py --merge` measured it (docs/rankers/accuracy.csv), and whether it is below
two minutes. `growth` trains each method on made data of four sizes, each twice the one before, in
queries, in documents a query and in features; rounds and features to choose are fixed, so that the
work grows with the data alone. Shown is the exponent of time over size, the slope of the two logs
over the last three sizes: 1 is linear, and n log n about 1.1; above 1.3 the reason stands beside.
Doubling ends for a method once a training takes longer than --limit seconds. `peers` solves the
problems of RankRLS and FenchelRank on a fold of OHSUMED by scikit-learn too, on listed pairs: Ridge
for the one, liblinear (LinearSVC with ‖w‖₁) for the other. Times are processor times, the least of
three; the peer's is shown with and without the listing of its pairs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_page import read_facts
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker, ranker_names

METHODS = (
    *("fenchelrank", "fsmrank", "sparserank", "mcp", "fsm-svm", "gas-e", "rankrls", "grankrls"),
    *("rankelm-pointwise", "rankelm-pairwise", "listreg", "groupmle", "approxndcg", "approxap"),
    *("softrank", "mhr", "rcp", "rsrank", "tgrank", "owpc", "permurank", "boltzrank-single"),
    *("kl-crf", "energyndcg", "consistent-rankcosine", "admm", "reg-shf-sdcg", "intervalrank"),
    *("bt", "tm", "bl-mart", "bagboo", "mcrank", "rankcosine"),
)
"""Those that issue L names."""

TWO_MINUTES = 120.0
SMALLEST = {"queries": 100, "documents": 30, "features": 20}
DOUBLINGS = 3
# n log n has 1.1 at these sizes; what is left is noise.
STEEP = 1.3
FIXED = {"rounds": 10, "patience": 10, "features": 10, "bags": 5}
"""What would otherwise depend on the data: every training has this much to do."""

_TRIANGLE = "least squares in closed form: a triangle of features squared"
_PAIRS = "every pair of documents has a slope of its own"
REASONS: dict[tuple[str, str], str] = {
    ("rankrls", "features"): _TRIANGLE,
    ("grankrls", "features"): _TRIANGLE,
    ("listreg", "features"): _TRIANGLE,
    ("approxndcg", "documents"): _PAIRS,
    ("approxap", "documents"): _PAIRS,
    ("softrank", "documents"): "the distribution of every rank, from all pairs",
    ("rsrank", "documents"): "every pair weighs what its swap changes in NDCG",
    ("bt", "documents"): _PAIRS,
    ("tm", "documents"): _PAIRS,
}
"""Why a method grows faster than n log n along an axis."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["runs", "growth", "peers"])
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(METHODS))
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of a training at most")
    parser.add_argument("--fold", type=int, default=1)
    parser.add_argument("--one", action="store_true", help="measure in this process")
    options = parser.parse_args()
    if options.part == "runs":
        show_runs(options.methods)
    elif options.part == "growth":
        show_growth(options)
    else:
        show_peers(options.fold)


# --- tuned runs -----------------------------------------------------------------------------------


def show_runs(methods: list[str]) -> None:
    known = {fact.method: fact for fact in read_facts() if fact.data == "ohsumed"}
    print(f"{'method':24}{'seconds':>9}{'tried':>7}")
    for name in methods:
        fact = known.get(name)
        if fact is None or fact.seconds is None:
            print(f"{name:24}{'–':>9}{'–':>7}  not measured: benchmarks/accuracy.py --merge")
            continue
        note = "" if fact.seconds <= TWO_MINUTES else "  above two minutes"
        print(f"{name:24}{fact.seconds:9.0f}{fact.tried:7d}{note}")


# --- growth ---------------------------------------------------------------------------------------


def show_growth(options: argparse.Namespace) -> None:
    """Each method in a process of its own, so that none pays for what another left behind."""
    if options.one:
        print_growth(options.methods[0], options.limit)
        return
    print(f"{'method':24}" + "".join(f"{axis:>12}" for axis in SMALLEST) + "  seconds at the end")
    for name in options.methods:
        if name not in ranker_names():
            print(f"{name:24}  not registered")
            continue
        arguments = ["growth", "--one", "--methods", name, "--limit", str(options.limit)]
        subprocess.run([sys.executable, __file__, *arguments], check=False)


def print_growth(name: str, limit: float) -> None:
    fit_once(name, made(4, 12, 20))
    exponents, ends, notes = [], [], []
    for axis in SMALLEST:
        sizes, seconds = measure(name, axis, limit)
        exponent = find_exponent(sizes, seconds)
        exponents.append("–" if exponent is None else f"{exponent:.2f}")
        ends.append(f"{seconds[-1]:.2f}")
        if exponent is not None and exponent > STEEP:
            notes.append(f"{axis}: {REASONS.get((name, axis), 'NO REASON KNOWN')}")
    cells = "".join(f"{exponent:>12}" for exponent in exponents)
    print(f"{name:24}{cells}  {', '.join(ends)}  {'; '.join(notes)}", flush=True)


def measure(name: str, axis: str, limit: float) -> tuple[list[int], list[float]]:
    """Sizes and processor seconds, the better of two trainings each."""
    sizes: list[int] = []
    seconds: list[float] = []
    for doubling in range(DOUBLINGS + 1):
        shape = {**SMALLEST, axis: SMALLEST[axis] * 2**doubling}
        data = made(**shape)
        sizes.append(shape[axis])
        first = fit_once(name, data)
        seconds.append(min(first, fit_once(name, data)) if first < limit / 4 else first)
        if seconds[-1] > limit:
            break
    return sizes, seconds


def find_exponent(sizes: list[int], seconds: list[float]) -> float | None:
    """The slope of log seconds over log size, of the last three."""
    if len(sizes) < 3:
        return None
    return float(np.polyfit(np.log(sizes[-3:]), np.log(seconds[-3:]), 1)[0])


def fit_once(name: str, data: Dataset) -> float:
    ranker = with_fixed_work(find_ranker(name))
    begun = time.process_time()
    ranker.fit(data)
    return time.process_time() - begun


def with_fixed_work(ranker: type[Ranker]) -> Ranker:
    known = {one.name for one in parameters_of(ranker)}
    return ranker(**{key: value for key, value in FIXED.items() if key in known})


def made(queries: int, documents: int, features: int) -> Dataset:
    """Labels 0 to 2 that follow a few features, with noise; values in [0, 1]."""
    rng = np.random.default_rng(7)
    values = rng.random((queries * documents, features))
    hidden = (values[:, :8] - 0.5) @ np.linspace(2.0, 0.5, min(8, features))
    labels = np.digitize(hidden + 0.5 * rng.normal(size=len(values)), (0.4, 1.0))
    return Dataset.from_arrays(values, labels.astype(np.float64), group=[documents] * queries)


# --- peers ----------------------------------------------------------------------------------------


def show_peers(fold: int) -> None:
    shared = os.environ.get("RANKWISE_SHARED")
    if not shared:
        raise SystemExit("set RANKWISE_SHARED to the folder that holds data/letor3")
    folder = Path(shared, "data/letor3/OHSUMED/QueryLevelNorm", f"Fold{fold}")
    data = read(folder / "train.txt")
    print(f"OHSUMED fold {fold}: {data.n_documents:,} documents, {data.n_features} features")
    compare_with_ridge(data)
    if "fenchelrank" in ranker_names():
        compare_with_liblinear(data)
    else:
        print("fenchelrank: not registered")


def compare_with_ridge(data: Dataset, penalty: float = 0.1) -> None:
    """The same minimum of 1/|P| Σ (…)² + λ ‖w‖², over pairs that are listed or not."""
    from sklearn.linear_model import Ridge

    model, ours = timed(lambda: find_ranker("rankrls")(regularization=penalty).fit(data))
    (first, second, differences), listing = timed(lambda: list_differences(data, all_pairs))
    targets = data.labels[first] - data.labels[second]
    peer = Ridge(alpha=penalty * len(targets), fit_intercept=False)
    _, theirs = timed(lambda: peer.fit(differences, targets))
    away = float(np.abs(model.scorer.importance() - peer.coef_).max())
    show_ratio(f"rankrls: {ours:.4f} s", f"Ridge on {len(targets):,}", ours, theirs, listing)
    print(f"  weights differ by {away:.0e}")


def compare_with_liblinear(data: Dataset) -> None:
    """‖w‖₁ + C Σ max(0, 1 − …)², C being where FenchelRank's solution is optimal.

    At the minimum of the mean M of squared hinges under ‖w‖₁ ≤ r, the largest slope of M is the
    price μ of r, so that the solution also minimises μ ‖w‖₁ + M.
    """
    from sklearn.svm import LinearSVC

    model, ours = timed(lambda: find_ranker("fenchelrank")().fit(data))
    (_, _, differences), listing = timed(lambda: list_differences(data, preferred_pairs))
    weights = model.scorer.importance()
    short = np.maximum(0.0, 1.0 - differences @ weights)
    price = float(np.abs(2.0 * (short @ differences) / len(short)).max())
    signs = np.where(np.arange(len(short)) % 2, 1.0, -1.0)
    differences *= signs[:, np.newaxis]
    peer = LinearSVC(
        penalty="l1", C=1.0 / (price * len(short)), fit_intercept=False, dual=False, max_iter=10000
    )
    _, theirs = timed(lambda: peer.fit(differences, signs))
    reached = []
    for found in (weights, peer.coef_[0]):
        hinges = np.maximum(0.0, 1.0 - signs * (differences @ found))
        reached.append(price * np.abs(found).sum() + float(np.mean(hinges**2)))
    show_ratio(f"fenchelrank: {ours:.4f} s", f"liblinear on {len(short):,}", ours, theirs, listing)
    print(f"  objectives {reached[0]:.6f}, {reached[1]:.6f}")


Pairs = tuple[np.ndarray, np.ndarray]


def list_differences(
    data: Dataset, pairs: Callable[[Dataset], Pairs]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of pairs, and what their features differ by."""
    first, second = pairs(data)
    return first, second, data.features[first] - data.features[second]


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a run gives, and the least processor time of three after one that imports."""
    found = run()
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        run()
        seconds.append(time.process_time() - begun)
    return found, min(seconds)


def show_ratio(name: str, peer: str, ours: float, theirs: float, listing: float) -> None:
    whole = theirs + listing
    print(
        f"{name}; {peer} listed pairs: {whole:.3f} s, {whole / ours:.0f} x; "
        f"without listing them {theirs:.3f} s, {theirs / ours:.0f} x"
    )


def all_pairs(data: Dataset) -> Pairs:
    """The rows of all pairs of documents of one query."""
    found = [
        start + np.array(np.triu_indices(length, 1))
        for start, length in zip(data.query_offsets, data.query_lengths, strict=False)
    ]
    first, second = np.concatenate(found, axis=1)
    return first, second


def preferred_pairs(data: Dataset) -> Pairs:
    """The rows of all pairs of one query with y_i > y_j."""
    first, second = all_pairs(data)
    apart = data.labels[first] - data.labels[second]
    better, worse = np.where(apart > 0, first, second), np.where(apart > 0, second, first)
    return better[apart != 0], worse[apart != 0]


if __name__ == "__main__":
    main()
