"""Tuning by optuna: `rw.tune` beside plain optuna code, on the same budget and seed.

    python benchmarks/tune.py [--trials 8] [--queries 2000] [--rounds 100] [--repeat 2]

Both tune LambdaMART on made-up data with optuna's TPE: same space, same seed, same number of
trials. Printed are the best values, which must be equal, the lines of code that each needs, and the
processor time, the less of `--repeat` runs in turn, with the overhead of `rw.tune`, which also
keeps every trial in a store. Data are read before either begins.
"""

from __future__ import annotations

import argparse
import inspect
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import optuna

import rankwise as rw
from rankwise.data.synthetic import make_dataset


def tune_plainly(
    train: rw.Dataset, validation: rw.Dataset, rounds: int, trials: int, model_file: Path
) -> float:
    best: tuple[float, rw.Model] | None = None

    def objective(trial: optuna.Trial) -> float:
        nonlocal best
        ranker = rw.make_ranker(
            "lambdamart",
            rounds=rounds,
            leaf_documents=trial.suggest_categorical("leaf_documents", [20, 100]),
            learning_rate=trial.suggest_float("learning_rate", 0.02, 0.3, log=True),
            leaves=trial.suggest_int("leaves", 7, 63),
            measure="NDCG@10",
        )
        model = rw.fit(ranker, train, validation)
        figure = rw.evaluate(validation, model.score(validation), "NDCG@10")["NDCG@10"].mean
        if best is None or figure > best[0]:
            best = figure, model
        return figure

    sampler = optuna.samplers.TPESampler(seed=0)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=trials)
    if best is not None:
        rw.save_model(best[1], model_file)
    return study.best_value


def tune_here(
    train: rw.Dataset, validation: rw.Dataset, rounds: int, trials: int, model_file: Path
) -> float:
    found = rw.tune(
        "lambdamart",
        train,
        validation,
        method="optuna",
        trials=trials,
        measure="NDCG@10",
        fixed={"rounds": rounds},
        draw={"learning_rate": (0.02, 0.3, "log"), "leaves": (7, 63)},
        store=model_file.with_suffix(".sqlite"),
    )
    rw.save_model(found.model, model_file)
    return found.best.value or 0.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=8)
    options.add_argument("--queries", type=int, default=2000)
    options.add_argument("--rounds", type=int, default=100)
    options.add_argument("--repeat", type=int, default=2)
    given = options.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    whole = rw.normalize(make_dataset(given.queries, seed=1), "query-level")
    fold = next(iter(rw.split_folds(whole)))
    if fold.validation is None:
        raise SystemExit("the fold has no validation part")
    ways: dict[str, Callable[..., float]] = {"plain optuna": tune_plainly, "rw.tune": tune_here}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    values: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        for way in ways.values():
            # What is imported is so for both.
            way(fold.train, fold.validation, 2, 1, Path(place) / f"warm-{way.__name__}.json")
        for turn in range(given.repeat):
            for name, way in ways.items():
                file = Path(place) / f"{way.__name__}-{turn}.json"
                begun = time.process_time()
                values[name] = way(fold.train, fold.validation, given.rounds, given.trials, file)
                seconds[name].append(time.process_time() - begun)
    rows = fold.train.n_documents
    print(f"{given.trials} trials of LambdaMART, {given.rounds} rounds, {rows:,} documents\n")
    print("| | best NDCG@10 | lines of code | processor seconds | a trial |")
    print("|---|---|---|---|---|")
    for name, way in ways.items():
        least = min(seconds[name])
        lines = len(inspect.getsource(way).strip().splitlines())
        print(
            f"| {name} | {values[name]:.6f} | {lines} | {least:.2f} | {least / given.trials:.3f} |"
        )
    plain, ours = (min(seconds[name]) for name in ways)
    print(f"\nsame best value: {len(set(values.values())) == 1}; overhead {ours / plain - 1:+.1%}")


if __name__ == "__main__":
    main()
