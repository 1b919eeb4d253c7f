"""Logs of simulated users: millions of sessions on the lists of logging rankers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.feedback.click_models.model import ClickModel
from rankwise.feedback.click_models.registry import count_grades, make_user
from rankwise.feedback.log import ClickLog
from rankwise.feedback.logging_rankers import (
    DEFAULT_SHARE,
    LoggingRanker,
    logging_scores,
    order_rows,
    several,
)
from rankwise.feedback.session_setting import SessionSetting
from rankwise.native import ADDRESS, DOUBLES, INT64, INT64S, INT64S_OUT, UINT8S_OUT, function
from rankwise.processors import processors

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
        _refuse_failure(_session_queries(setting.address, self.seed, first, count, queries))
        lengths = setting.list_lengths[queries]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        rows, clicks = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.uint8)

        def fill(block: int) -> None:
            chosen = slice(block, min(block + _BLOCK, count))
            _refuse_failure(
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


def _refuse_failure(code: int) -> None:
    if code < 0:
        raise MemoryError("the compiled core could not get the memory for a simulation")
