"""Baselines: rankers of Rankwise on a task's own package, as any participant could run them.

A bench on the package tunes on its validation parts; its test labels are all 0, so that its test
figures mean nothing and no hidden label is looked at. Here each method is trained again with the
parameters that the store keeps, must reach the same figure on validation, and scores the test part.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rankwise.arena.arena import Arena
from rankwise.arena.participation import (
    OPERATOR,
    ArenaEntry,
    ArenaTask,
    BadRequest,
    Cost,
    Declaration,
    Submission,
)
from rankwise.data.catalog.archives import unpack
from rankwise.data.folds import Fold, read_folds
from rankwise.data.formats.score_files import score_lines
from rankwise.errors import RankwiseError
from rankwise.experiments.benchmark import bench
from rankwise.experiments.fitting import fit
from rankwise.measures.evaluation import evaluate
from rankwise.rankers.registry import make_ranker
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredTask

BASELINE_RANKERS = (
    "best-feature", "linear-regression", "ridge-regression", "ranksvm-primal", "rankboost",
    "adarank-map", "adarank-ndcg", "listnet", "coordinate-ascent", "lambdamart",
)  # fmt: skip
"""Ten methods that stand for the families, quick enough for a small task."""

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class _Trained:
    """A method of a store on one fold: its task, and its figures on validation."""

    task: StoredTask
    seconds: float
    figures: dict[tuple[str, str], float]


def enter_baselines(
    arena: Arena,
    task: str,
    store: str | Path | None = None,
    *,
    rankers: Sequence[str] = BASELINE_RANKERS,
    jobs: int | None = None,
    say: Say = lambda message: None,
) -> tuple[ArenaEntry, ...]:
    """Put the methods of a bench on the board of a task.

    Args:
        arena: where the task is.
        task: its name.
        store: of a bench on the task's unpacked package; without one the bench is run here, with
            `rankers`, into `baselines-TASK.sqlite` beside `arena.toml`.
        rankers: what is run.
        jobs: processes of the bench.
        say: is told what was left out, and why.
    """
    found = arena.task(task)
    with _unpacked(arena, found) as folder:
        if store is None:
            store = arena.settings.folder / f"baselines-{found.name}.sqlite"
            run = bench(
                data=folder, rankers=list(rankers), measures=[found.rules.measure, "MAP"],
                tools=["definition"], store=store, jobs=jobs,
            )  # fmt: skip
            for failure in run.failures:
                say(f"{failure.name} is left out: {failure.reason}")
        folds = read_folds(folder)
    methods = _read_methods(Path(store), found)
    return tuple(
        arena.submit(OPERATOR, task, _train(method, trained, folds, say), kind="baseline")
        for method, trained in methods.items()
    )


@contextmanager
def _unpacked(arena: Arena, task: ArenaTask) -> Iterator[Path]:
    # Its name is what the store calls the data set.
    with tempfile.TemporaryDirectory(prefix="rankwise-package-") as folder:
        place = unpack(arena.package(task.name), Path(folder) / "package")
        yield place / task.name


def _read_methods(path: Path, task: ArenaTask) -> dict[str, dict[int, _Trained]]:
    """The methods that are done on every fold, by name and fold; of several seeds the first."""
    wanted = {fold.number for fold in task.folds}
    methods: dict[str, dict[int, _Trained]] = {}
    with Store.read(path) as store, store.snapshot():
        figures: dict[int, dict[tuple[str, str], float]] = {}
        for value in store.values(part="validation"):
            figures.setdefault(value.task, {})[value.measure, value.tool] = value.value
        for one in store.tasks():
            if one.ending == "done" and one.name.fold in wanted:
                own = methods.setdefault(one.name.method, {})
                seconds = _find_seconds(store, one)
                own.setdefault(one.name.fold, _Trained(one, seconds, figures.get(one.number, {})))
    complete = {name: own for name, own in methods.items() if own.keys() == wanted}
    if not complete:
        raise BadRequest(
            f"{path} must hold at least one method that is done on the folds of {task.name}, found "
            "none; run 'rankwise bench' on the task's unpacked package"
        )
    return complete


def _find_seconds(store: Store, task: StoredTask) -> float:
    """How long training the chosen combination took."""
    for tried in store.tried(task.number):
        chosen = all(task.parameters.get(name) == one for name, one in tried.parameters.items())
        if chosen and tried.reason is None:
            return tried.seconds
    return task.seconds


def _train(
    method: str, trained: dict[int, _Trained], folds: Sequence[Fold], say: Say
) -> Submission:
    files: dict[str, bytes] = {}
    paper = ""
    for fold in folds:
        one = trained[fold.number]
        ranker = make_ranker(one.task.name.ranker, **one.task.parameters)
        model = fit(ranker, fold.train, fold.validation, seed=one.task.name.seed)
        paper = model.paper or ""
        if fold.validation is not None:
            _check_figures(method, one, fold, model.score(fold.validation))
        files[f"Fold{fold.number}"] = score_lines(model.score(fold.test)).encode()
    first = trained[folds[0].number].task
    say(f"{method} is trained")
    return Submission(
        files,
        Declaration(
            title=method,
            description=f"{first.name.ranker} of Rankwise, tuned on the validation part.",
            paper=paper[:200],
            training_data="the training and validation parts of the package",
            parameters={name: str(value)[:200] for name, value in first.parameters.items()},
            cost=Cost(training_seconds=round(sum(one.seconds for one in trained.values()), 3)),
        ),
    )


def _check_figures(method: str, trained: _Trained, fold: Fold, scores: object) -> None:
    """Refuse a store of other data or other code: trained again, a method must be the same."""
    for (measure, tool), expected in trained.figures.items():
        found = evaluate(fold.validation, scores, [measure], tool)[measure].mean
        if not math.isclose(found, expected, abs_tol=1e-6):
            raise RankwiseError(
                f"{method} must reach {measure} {expected:.6f} on the validation part of fold "
                f"{fold.number} again, found {found:.6f}: the store is of other data or of another "
                "version of Rankwise; run 'rankwise bench' on the task's unpacked package"
            )
