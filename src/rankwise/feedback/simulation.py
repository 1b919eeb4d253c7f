"""Logs of simulated users: millions of sessions on the lists of logging rankers.

Compiled code draws the sessions (simulation.c, sessions.h). `SessionSetting` is what all sessions
of a simulation share, as that code reads it. `simulate_folds` writes a log of the training part of
every fold, one file each: the feedback of experiments.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.folds import read_folds
from rankwise.data.reading import read
from rankwise.errors import Advice, RankwiseError
from rankwise.feedback.log import ClickLog
from rankwise.feedback.log_files import write_log
from rankwise.feedback.logging_rankers import (
    DEFAULT_SHARE,
    LoggingRanker,
    logging_scores,
    order_rows,
    several,
)
from rankwise.feedback.training_sets import FOLD
from rankwise.feedback.users import ClickModel, count_grades, make_user
from rankwise.files import is_folder
from rankwise.native import (
    ADDRESS,
    DOUBLE,
    DOUBLES,
    INT64,
    INT64S,
    INT64S_OUT,
    UINT8S_OUT,
    function,
)
from rankwise.processes import processors

RANDOMIZATIONS = {
    "none": "the ranker's order as it is",
    "shuffle": "the documents that are shown in an order of chance (result randomization)",
    "swap": "the first document exchanged with one of those shown, drawn each time",
    "plackett-luce": "documents drawn one after the other in proportion to exp(score)",
}
DEFAULT_USER = "dependent-click:navigational"
DEFAULT_LOGGING = "ranksvm-primal"
DEFAULT_SHOWN = 10

_BLOCK = 1 << 16
_CODES = {name: code for code, name in enumerate(RANDOMIZATIONS)}

_session_queries = function(
    "rankwise_session_queries", *(ADDRESS, INT64, INT64, INT64, INT64S_OUT), returns=INT64
)
_simulate_sessions = function(
    "rankwise_simulate_sessions",
    *(ADDRESS, INT64, INT64, INT64, INT64, INT64S, DOUBLES, INT64),
    *(INT64S, INT64S, INT64S_OUT, UINT8S_OUT),
    returns=INT64,
)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Users before the lists of logging rankers: sessions by number, the same ones every time.

    Attributes:
        setting: the documents, the user and the length of lists.
        orders: (rankers, documents): the rows of each query, best first.
        weights: (rankers, documents): exp(score), for Plackett-Luce.
        randomization: one of `RANDOMIZATIONS`.
        seed: what decides every session, together with its number.
    """

    setting: SessionSetting
    orders: NDArray[np.int64]
    weights: NDArray[np.float64]
    randomization: str
    seed: int

    def draw(self, first: int, count: int, threads: int = 1) -> ClickLog:
        """Sessions number `first` up to `first` + `count`."""
        setting, dataset = self.setting, self.setting.dataset
        queries = np.empty(count, np.int64)
        _check_status(_session_queries(setting.address, self.seed, first, count, queries))
        lengths = setting.list_lengths[queries]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        rows, clicks = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.uint8)

        def fill(block: int) -> None:
            chosen = slice(block, min(block + _BLOCK, count))
            _check_status(
                _simulate_sessions(
                    setting.address, self.seed, first + block, chosen.stop - block,
                    _CODES[self.randomization], self.orders, self.weights, len(self.orders),
                    queries[chosen], offsets[block : chosen.stop + 1], rows, clicks,
                )
            )  # fmt: skip

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, range(0, count, _BLOCK)))
        positions = np.arange(1, offsets[-1] + 1) - np.repeat(offsets[:-1], lengths)
        return ClickLog(dataset, queries, offsets, rows, positions, clicks)

    def blocks(self, last: int, *, first: int = 0, most: int = 1_000_000) -> Iterator[ClickLog]:
        """Sessions `first` up to `last` in parts of about `most` impressions: any number fits."""
        step = max(1, most // self.setting.shown)
        for begin in range(first, last, step):
            yield self.draw(begin, min(step, last - begin))


def prepare_simulation(
    dataset: Dataset,
    *,
    user: str | ClickModel = DEFAULT_USER,
    noise: float | None = None,
    logging: LoggingRanker | Sequence[LoggingRanker] = DEFAULT_LOGGING,
    share: float = DEFAULT_SHARE,
    randomization: str = "none",
    temperature: float = 1.0,
    shown: int = DEFAULT_SHOWN,
    seed: int = 0,
) -> Simulation:
    """The users of `simulate_clicks`, before any session is drawn."""
    if randomization not in RANDOMIZATIONS:
        raise RankwiseError(
            f"lists are randomized by {', '.join(RANDOMIZATIONS)}, found {randomization!r}"
        )
    if shown < 0 or temperature <= 0.0 or seed < 0:
        raise RankwiseError(
            "lists must be of at least 1 document (0 means all), the temperature above 0, the seed "
            f"at least 0, found {shown}, {temperature:g} and {seed}"
        )
    chosen = make_user(user, count_grades(dataset), noise)
    scores = [
        logging_scores(dataset, one, share=share, seed=seed + number)
        for number, one in enumerate(several(logging))
    ]
    starts, lengths = dataset.query_offsets[:-1], dataset.query_lengths
    weights = [
        np.exp((one - np.repeat(np.maximum.reduceat(one, starts), lengths)) / temperature)
        for one in scores
    ]
    orders = [order_rows(dataset, one) for one in scores]
    return Simulation(
        SessionSetting(dataset, chosen, shown), np.array(orders), np.array(weights),
        randomization, seed,
    )  # fmt: skip


def simulate_clicks(
    data: Dataset | str | Path,
    sessions: int,
    *,
    user: str | ClickModel = DEFAULT_USER,
    noise: float | None = None,
    logging: LoggingRanker | Sequence[LoggingRanker] = DEFAULT_LOGGING,
    share: float = DEFAULT_SHARE,
    randomization: str = "none",
    temperature: float = 1.0,
    shown: int = DEFAULT_SHOWN,
    seed: int = 0,
    threads: int | None = None,
) -> ClickLog:
    """A log of simulated users; the same seed gives the same bytes with any number of threads.

    Args:
        data: judged documents, or their file; a user goes by the labels.
        sessions: how many; each takes one of the queries at random.
        user: a click model, or `model:setting` of a registered one.
        noise: the share of clicks that no label decides, in place of the setting's.
        logging: whose lists are shown, as `logging_scores` takes it; of several each session takes
            one at random.
        share: of the queries, what a logging ranker named by its method is trained on.
        randomization: how lists are changed before they are shown, one of `RANDOMIZATIONS`.
        temperature: of Plackett-Luce: scores are divided by it.
        shown: documents to a list at most; 0 means all.
        seed: of everything.
        threads: by default one a processor.
    """
    if sessions < 1:
        raise RankwiseError(f"a log must have at least 1 session, found {sessions}")
    dataset = data if isinstance(data, Dataset) else read(data)
    simulation = prepare_simulation(
        dataset, user=user, noise=noise, logging=logging, share=share,
        randomization=randomization, temperature=temperature, shown=shown, seed=seed,
    )  # fmt: skip
    return simulation.draw(0, sessions, threads or processors())


def _check_status(code: int) -> None:
    if code < 0:
        raise MemoryError("the compiled core could not get the memory for a simulation")


Floats = NDArray[np.float64]

_SETTING_ARRAYS = (
    "offsets",
    "grades",
    "features",
    "attraction",
    "satisfaction",
    "positions",
    "gains",
    "discounts",
    "ideals",
)


class _SettingFields(ctypes.Structure):
    """`session_setting` of sessions.h."""

    _fields_ = (
        ("queries", INT64),
        ("documents", INT64),
        ("width", INT64),
        ("shown", INT64),
        ("grade_count", INT64),
        ("independent", INT64),
        ("in_turn", INT64),
        ("perseverance", DOUBLE),
        *((name, ADDRESS) for name in _SETTING_ARRAYS),
    )


class SessionSetting:
    """The documents, the user and the length of lists; it keeps the arrays that C points to.

    The value of a list that is shown is its NDCG, gain 2^grade − 1, discount 1 / log2(1 + k), at
    the length of the list.

    Args:
        dataset: whose labels are what the user goes by; NULL features count as 0.
        user: the click model.
        shown: how many documents a list has at most; 0 means all.
        in_turn: whether sessions go through the queries in turn, instead of drawing one.
    """

    def __init__(
        self, dataset: Dataset, user: ClickModel, shown: int, *, in_turn: bool = False
    ) -> None:
        if dataset.n_queries == 0 or dataset.query_lengths.min() == 0:
            raise RankwiseError("simulated users need queries with documents, found none")
        # Compiled code takes a label as an index into the tables of the user.
        make_user(user, count_grades(dataset))
        longest = int(dataset.query_lengths.max())
        self.dataset = dataset
        self.user = user
        self.shown = min(shown, longest) if shown else longest
        tables = user.tables(self.shown)
        features = dataset.to_dense().features
        if features.size and not np.isfinite(features).all():
            features = np.nan_to_num(features)
        self._arrays: dict[str, NDArray[Any]] = {
            "offsets": np.ascontiguousarray(dataset.query_offsets),
            "grades": dataset.labels.astype(np.int32),
            "features": np.ascontiguousarray(features),
            "attraction": np.ascontiguousarray(tables.attraction),
            "satisfaction": np.ascontiguousarray(tables.satisfaction),
            "positions": np.ascontiguousarray(tables.positions),
            "gains": np.exp2(np.arange(len(tables.attraction))) - 1.0,
            "discounts": 1.0 / np.log2(np.arange(2.0, self.shown + 2.0)),
        }
        self._arrays["ideals"] = self._ideals()
        self._fields = _SettingFields(
            dataset.n_queries,
            dataset.n_documents,
            dataset.n_features,
            self.shown,
            len(tables.attraction),
            int(tables.independent),
            int(in_turn),
            tables.perseverance,
            *(self._arrays[name].ctypes.data for name in _SETTING_ARRAYS),
        )

    @property
    def address(self) -> int:
        """Where the structure stands, while this object lives."""
        return ctypes.addressof(self._fields)

    @property
    def list_lengths(self) -> NDArray[np.int64]:
        """By query, how many documents a session is shown."""
        return np.minimum(self.dataset.query_lengths, self.shown)

    def _ideals(self) -> Floats:
        gains, discounts = self._arrays["gains"], self._arrays["discounts"]
        found = []
        for labels in np.split(self._arrays["grades"], self.dataset.query_offsets[1:-1]):
            best = -np.sort(-gains[labels])[: self.shown]
            found.append(float(best @ discounts[: len(best)]))
        return np.array(found)


def simulate_folds(
    data: str | Path, sessions: int, output: str | Path, *, features: bool = False, **how: Any
) -> list[tuple[Path, ClickLog]]:
    """Simulate and write the log of a file, or of the training part of every fold of a folder.

    Of a folder `output` has `{fold}` in its name, in place of which the number of each fold stands.
    `features` writes those of the documents too; `how` is what `simulate_clicks` takes.
    """
    if not is_folder(locate(data)):
        log = simulate_clicks(data, sessions, **how)
        write_log(log, output, features=features)
        return [(Path(output), log)]
    if FOLD not in str(output):
        raise RankwiseError(
            f"{data} is a folder of folds, so that there is a log for each; name them with {FOLD}",
            Advice("as in {}", "output", f"LOGS/{FOLD}.PARQUET"),
        )
    found = []
    for fold in read_folds(data):
        path = Path(str(output).replace(FOLD, str(fold.number)))
        log = simulate_clicks(fold.train, sessions, **how)
        write_log(log, path, features=features)
        found.append((path, log))
    return found
