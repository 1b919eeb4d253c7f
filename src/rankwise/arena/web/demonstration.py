"""A filled arena from data made here: what `rankwise serve --demo` shows.

Three teams train rankers of Rankwise on the package, as anybody would, and submit what they get
over some weeks; the labels they do not see. Names and dates are invented, figures are not.
"""

from __future__ import annotations

import io
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.account import OPERATOR, Account
from rankwise.arena.creating import create_arena, create_task
from rankwise.arena.entry import Cost, Declaration, Submission
from rankwise.arena.service import Arena
from rankwise.arena.settings import FILE_NAME, ArenaSettings, read_settings
from rankwise.arena.task import Rules
from rankwise.data import read, split_folds, write_folds
from rankwise.data.dataset import Dataset
from rankwise.data.synthetic import make_dataset
from rankwise.experiments import fit

TASK = "made-up"
_DAY_SECONDS = 24 * 3600.0
_DAYS = 40.0
_DESCRIPTION = (
    "A made-up collection of 400 queries that behaves like LETOR's: twelve features, labels 0 to "
    "2.\n\nEverything here was computed when the demo began: three invented teams trained rankers "
    "on the package and submitted scores for queries whose labels they do not see. Try it: accept "
    "the invitation that the terminal shows, and submit."
)


@dataclass(frozen=True)
class _Attempt:
    """What a team submits on a day: a ranker with settings, and what it says of it."""

    day: float
    team: str
    title: str
    ranker: str
    settings: dict[str, object]
    description: str
    paper: str = ""


_ATTEMPTS = (
    _Attempt(
        1, "Department of Defaults", "Best single feature", "best-feature", {},
        "The one feature that ranks the validation queries best. A floor to stand on.",
    ),
    _Attempt(
        3, "Quiet Gradient", "Linear regression", "linear-regression", {},
        "Least squares on the labels, one document at a time.",
    ),
    _Attempt(
        8, "Quiet Gradient", "Ridge regression", "ridge-regression", {},
        "The same with a penalty on the weights.",
    ),
    _Attempt(
        12, "Night Shift", "RankSVM", "ranksvm-primal", {},
        "Pairs of documents of one query, hinge loss, trained in the primal.",
        "Joachims (2002), Optimizing search engines using clickthrough data",
    ),
    _Attempt(
        19, "Night Shift", "ListNet", "listnet", {},
        "Cross entropy between permutations of the top document.",
        "Cao et al. (2007), Learning to rank: from pairwise approach to listwise approach",
    ),
    _Attempt(
        31, "Department of Defaults", "RankBoost", "rankboost", {"n_rounds": 60},
        "Thresholds on single features, added up.",
        "Freund et al. (2003), An efficient boosting algorithm for combining preferences",
    ),
)  # fmt: skip

Stage = Callable[[str], None]


def fill_demo(
    folder: str | Path, *, seed: int = 0, told: Stage = lambda sentence: None
) -> ArenaSettings:
    """Make the demo's arena in a folder; one that is there already is shown again as it is."""
    home = Path(folder)
    if (home / FILE_NAME).exists():
        return read_settings(home)
    told("making a collection of 400 queries and hiding the labels of some")
    settings = create_arena(home, title="Rankwise arena, a demonstration")
    with tempfile.TemporaryDirectory() as place:
        folds = Path(place) / "folds"
        write_folds(split_folds(make_dataset(400, seed=seed)), folds)
        create_task(
            settings, folds, name=TASK, title="Made-up documents", description=_DESCRIPTION,
            rules=Rules(daily_limit=10), seed=seed,
            clock=lambda: time.time() - _DAYS * _DAY_SECONDS,
        )  # fmt: skip
        _take_part(settings, Path(place), told)
    return settings


def _take_part(settings: ArenaSettings, place: Path, told: Stage) -> None:
    """Let the teams train on the package and submit, each on its day."""
    days = [_DAYS]
    clock = lambda: time.time() - days[0] * _DAY_SECONDS  # noqa: E731
    with Arena.open(settings, clock=clock) as arena:
        train, validation, test = _unpack(arena.package(TASK), place)
        accounts = {team: _join(arena, team) for team in {one.team for one in _ATTEMPTS}}
        for attempt in _ATTEMPTS:
            told(f"{attempt.team} trains {attempt.title}")
            days[0] = _DAYS - attempt.day
            began = time.perf_counter()
            model = fit(attempt.ranker, train, validation, **attempt.settings)
            trained = time.perf_counter()
            scores = model.score(test)
            cost = Cost(trained - began, time.perf_counter() - trained, None, "the demo's machine")
            arena.submit(accounts[attempt.team], TASK, _submission(attempt, scores, cost))


def _unpack(package: Path, place: Path) -> tuple[Dataset, Dataset, Dataset]:
    """The parts of the package's fold, as a participant reads them."""
    with zipfile.ZipFile(io.BytesIO(package.read_bytes())) as archive:
        archive.extractall(place / "package")
    (fold,) = (place / "package" / TASK).glob("Fold*")
    train, validation, test = (read(fold / f"{part}.txt.gz") for part in ("train", "vali", "test"))
    return train, validation, test


def _join(arena: Arena, team: str) -> Account:
    """An account in a team, by invitation."""
    return arena.authenticate(arena.accept(arena.invite("participant", team, OPERATOR), team))


def _submission(attempt: _Attempt, scores: NDArray[np.float64], cost: Cost) -> Submission:
    text = "".join(f"{score!r}\n" for score in scores.tolist())
    declaration = Declaration(
        attempt.title, attempt.description, attempt.paper, training_data="none",
        parameters={name: str(value) for name, value in attempt.settings.items()}, cost=cost,
    )  # fmt: skip
    return Submission({"Fold1.scores": text.encode()}, declaration)
