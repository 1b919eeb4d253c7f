"""A filled arena from data made here: what `rankwise serve --demo` shows.

Three teams train rankers of Rankwise on the package, as anybody would, and submit what they get
over some weeks; the labels they do not see. Names and dates are invented, figures are not.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.arena.arena import Arena
from rankwise.arena.arena_settings import FILE_NAME, ArenaSettings, read_settings
from rankwise.arena.participation import (
    OPERATOR,
    Account,
    Cost,
    Declaration,
    Kind,
    Rules,
    Submission,
)
from rankwise.arena.task_creation import create_arena, create_task
from rankwise.data import normalize, read, split_folds, write_folds
from rankwise.data.catalog.archives import unpack
from rankwise.data.dataset import Dataset
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.experiments import fit
from rankwise.files import make_folder
from rankwise.rankers.registry import make_ranker

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
    """What a team, or Rankwise as a baseline, submits on a day: a ranker with settings."""

    day: float
    team: str
    title: str
    ranker: str
    description: str
    settings: dict[str, int] = field(default_factory=dict)
    paper: str = ""


_BASELINE = ""
_ATTEMPTS = (
    _Attempt(
        0, _BASELINE, "best-feature", "best-feature",
        "The one feature that ranks the validation queries best.",
    ),
    _Attempt(
        4, "Department of Defaults", "Features, boosted", "adarank-ndcg",
        "Single features, added up where they help NDCG. All settings as they came.",
        paper="Xu and Li (2007), AdaRank: a boosting algorithm for information retrieval",
    ),
    _Attempt(
        11, "Quiet Gradient", "Ridge, first try", "ridge-regression",
        "Least squares with a penalty on the weights.",
    ),
    _Attempt(
        19, "Night Shift", "Pairs in the primal", "ranksvm-primal",
        "Pairs of documents of one query, squared hinge loss.",
        paper="Chapelle and Keerthi (2010), Efficient algorithms for ranking with SVMs",
    ),
    _Attempt(
        24, _BASELINE, "linear-regression", "linear-regression",
        "Least squares on the labels, one document at a time.",
    ),
    _Attempt(
        28, "Night Shift", "Lists, softly", "listnet",
        "Cross entropy between distributions over the first document.",
        paper="Cao et al. (2007), Learning to rank: from pairwise to listwise approach",
    ),
    _Attempt(
        31, "Quiet Gradient", "One weight at a time", "coordinate-ascent",
        "Goes straight for NDCG, one coordinate after the other.",
        paper="Metzler and Croft (2007), Linear feature-based models",
    ),
    _Attempt(
        36, "Department of Defaults", "Boosted thresholds", "rankboost",
        "Thresholds on single features, added up.", {"rounds": 60},
        "Freund et al. (2003), An efficient boosting algorithm for combining preferences",
    ),
)  # fmt: skip

DemoStage = Callable[[str], None]


def fill_demo(
    folder: str | Path, *, seed: int = 0, told: DemoStage = lambda sentence: None
) -> ArenaSettings:
    """Make the demo's arena in a folder; one that is there already is shown again as it is."""
    home = Path(folder)
    if (home / FILE_NAME).exists():
        return read_settings(home)
    if home.exists() and any(home.iterdir()):
        raise RankwiseError(f"the demo needs a folder of its own, found files in {home}")
    make_folder(home.parent)
    # It gets its name when it is complete, so that a demo that was interrupted begins anew.
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=".demo-") as place:
        _fill(Path(place), seed, told)
        if home.exists():
            home.rmdir()
        (Path(place) / "arena").rename(home)
    return read_settings(home)


def _fill(place: Path, seed: int, told: DemoStage) -> None:
    told("making a collection of 400 queries and hiding the labels of some")
    settings = create_arena(place / "arena", title="Rankwise arena, a demonstration")
    dataset = normalize(make_dataset(400, seed=seed), "query-level")
    write_folds(split_folds(dataset), place / "Made-up")
    create_task(
        settings, place / "Made-up", name=TASK, title="Made-up documents", description=_DESCRIPTION,
        rules=Rules(board_measures=("MAP", "P@10"), daily_limit=10), seed=seed,
        clock=lambda: time.time() - _DAYS * _DAY_SECONDS,
    )  # fmt: skip
    _take_part(settings, place, told)


def _take_part(settings: ArenaSettings, place: Path, told: DemoStage) -> None:
    """Let the teams train on the package and submit, each on its day."""
    days = [_DAYS]
    clock = lambda: time.time() - days[0] * _DAY_SECONDS  # noqa: E731
    with Arena.open(settings, clock=clock) as arena:
        train, validation, test = _unpack(arena.package(TASK), place)
        teams = {one.team for one in _ATTEMPTS} - {_BASELINE}
        accounts = {team: _join(arena, team) for team in sorted(teams)}
        for attempt in _ATTEMPTS:
            told(f"{attempt.team or 'a baseline'}: {attempt.title}")
            days[0] = _DAYS - attempt.day
            began = time.perf_counter()
            model = fit(make_ranker(attempt.ranker, **attempt.settings), train, validation)
            trained = time.perf_counter()
            scores = model.score(test)
            cost = Cost(trained - began, time.perf_counter() - trained, None, "the demo's machine")
            account = accounts.get(attempt.team, OPERATOR)
            kind: Kind = "entry" if attempt.team else "baseline"
            arena.submit(account, TASK, _submission(attempt, scores, cost), kind=kind)


def _unpack(package: Path, place: Path) -> tuple[Dataset, Dataset, Dataset]:
    """The parts of the package's fold, as a participant reads them."""
    (fold,) = (unpack(package, place / "package") / TASK).glob("Fold*")
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
