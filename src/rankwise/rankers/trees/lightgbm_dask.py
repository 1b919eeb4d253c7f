"""Growing trees over a cluster with LightGBM's own Dask training, the round chosen afterwards.

Every worker holds its shares, the histograms of all are added. Workers cannot agree on when to
stop, as none sees the validation data: all rounds are grown, then the best is looked for here.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.models.formats.lightgbm_text import trees_of_text
from rankwise.models.scorers.trees import Trees
from rankwise.native.arrays import Floats, Integers
from rankwise.rankers.distributed import SpreadData, Tick, ticking
from rankwise.rankers.ranker import Learned, Round, Watch
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.rankers.trees.lightgbm_training import STEADY_SETTINGS, Growth, is_patience_over

# So long may workers take to notice by themselves that another has failed.
_PATIENCE_SECONDS = 2.0
_NEEDED = ("lightgbm", "sklearn", "pandas", "distributed", "dask.array", "dask.dataframe")


def grow_trees_on_cluster(
    train: SpreadData, validation: Dataset | None, growth: Growth, watch: Watch
) -> Learned[Trees]:
    """The trees up to the best round on validation, chosen as `grow_trees` does, or all.

    With one worker they are those of `grow_trees`. With several, LightGBM finds the bins of each
    feature from the documents of one worker, so that trees differ a little with their number.
    While trees grow, `watch` is told of round 0 about every second; one that says stop ends
    training without a model, since there is none yet.
    """
    _require_packages(growth.ranker)
    if growth.measure is not None:
        find_tool(growth.tool).measure(growth.measure)
    booster = _grown(train, growth, watch)
    trees = trees_of_text(booster.model_to_string(), train.n_features)
    rounds = trees.n_trees if len(trees.columns) else 0
    values = _values(trees, rounds, validation, growth, watch)
    kept = int(np.argmax(values)) + 1 if values else rounds
    facts: dict[str, Any] = {"round": kept, "rounds": rounds}
    if values:
        facts["selection"] = values[kept - 1]
    facts |= {"workers": len(train.homes), "shares": len(train.shares)}
    text = booster.model_to_string(num_iteration=kept)
    return Learned(trees_of_text(text, train.n_features), facts)


def _require_packages(ranker: str) -> None:
    for name in _NEEDED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise MissingExtra(f"{ranker} over a cluster", "spread") from error


def _grown(train: SpreadData, growth: Growth, watch: Watch) -> Any:
    """LightGBM's booster after all rounds."""
    import lightgbm

    _refuse_single_rows(train, growth.ranker)
    client: Any = _LightGBMClient(train, ticking(watch, growth.ranker, growth.rounds))
    features, labels, query_lengths = _arrays(train)
    settings = {**STEADY_SETTINGS, **growth.settings}
    ranker = lightgbm.DaskLGBMRanker(client=client, n_estimators=growth.rounds, **settings)
    try:
        with train.workers.client.as_current(), _quiet():
            ranker.fit(
                features,
                labels,
                group=query_lengths,
                categorical_feature=growth.categorical_feature,
            )
    except lightgbm.basic.LightGBMError as error:
        client.end(error)
        raise growth.refusal(error) from error
    except BaseException as error:
        client.end(error)
        raise
    return ranker.booster_


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """However quiet it is set, LightGBM prints that it looks for ports and ignores its default."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Parameter n_jobs will be ignored")
        yield


def _refuse_single_rows(train: SpreadData, ranker: str) -> None:
    """scikit-learn, through which LightGBM's Dask training goes, refuses a single row."""
    rows = dict.fromkeys(train.homes, 0)
    for share in train.shares:
        rows[share.home] += share.n_documents
    if min(rows.values()) < 2:
        raise RankwiseError(
            f"{ranker}: every worker must get at least 2 documents, found one with "
            f"{min(rows.values())}; ask for fewer shares"
        )


@dataclass(eq=False)
class _LightGBMClient:
    """A Dask client as LightGBM uses it, under which data stay put and no wait is for ever.

    LightGBM trains a part of the data where Dask has computed it. Dask may move small parts to idle
    workers, and then the model would not be the same again; so each is tied to its share's worker.
    """

    train: SpreadData
    tick: Tick
    calls: list[tuple[Any, str]] = field(default_factory=list)
    said: BaseException | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.train.workers.client, name)

    def compute(self, parts: Sequence[Any]) -> list[Any]:
        """The parts, computed before this returns."""
        client = self.train.workers.client
        futures = [
            client.compute(part, workers=[share.home], allow_other_workers=False)
            for part, share in zip(parts, self.train.shares, strict=True)
        ]
        self.train.workers.wait(futures, self._noted)
        return futures

    def who_has(self, parts: Sequence[Any]) -> dict[str, tuple[str, ...]]:
        """Where the parts lie, in their order: it ranks the workers, and a set would shuffle it."""
        shares = zip(parts, self.train.shares, strict=True)
        return {part.key: (share.home,) for part, share in shares}

    def submit(self, *arguments: Any, **options: Any) -> Any:
        """Any call; those that are tied to a worker are remembered, to be ended if need be."""
        future = self.train.workers.client.submit(*arguments, **options)
        self.calls += [(future, home) for home in options.get("workers", ())]
        return future

    def gather(self, futures: Mapping[str, Any] | Sequence[Any]) -> Any:
        """What calls return, in the form in which the futures are given."""
        if isinstance(futures, Mapping):
            found = self.train.workers.first_answers(list(futures.values()), self._noted)
            return dict(zip(futures, found, strict=True))
        return self.train.workers.first_answers(futures, self._noted)

    def end(self, error: BaseException) -> None:
        """End what still runs; raise where a worker is gone, if the error may follow from it.

        Neither Ctrl-C nor what the tick has raised does.
        """
        try:
            if error is not self.said and not isinstance(error, KeyboardInterrupt):
                self.train.workers.refuse_loss(ask=True)
        finally:
            self.train.workers.end(self.calls, _PATIENCE_SECONDS)

    def _noted(self) -> None:
        """Tick, and remember what it raises."""
        try:
            self.tick()
        except BaseException as error:
            self.said = error
            raise


def _arrays(train: SpreadData) -> tuple[Any, Any, Any]:
    """Features, labels and query lengths as Dask arrays, a chunk for each share."""
    array, delayed = importlib.import_module("dask.array"), importlib.import_module("dask").delayed

    def joined(what: Any, rows: Sequence[int], columns: tuple[int, ...], kind: type) -> Any:
        chunks = [
            array.from_delayed(delayed(what, pure=False)(share.dataset), (count, *columns), kind)
            for share, count in zip(train.shares, rows, strict=True)
        ]
        return array.concatenate(chunks)

    documents = [share.n_documents for share in train.shares]
    queries = [share.n_queries for share in train.shares]
    return (
        joined(_features, documents, (train.n_features,), np.float64),
        joined(_labels, documents, (), np.float64),
        joined(_query_lengths, queries, (), np.int64),
    )


def _features(share: Dataset) -> Floats:
    return share.features


def _labels(share: Dataset) -> Floats:
    return share.labels


def _query_lengths(share: Dataset) -> Integers:
    return share.query_lengths


def _values(
    trees: Trees, rounds: int, validation: Dataset | None, growth: Growth, watch: Watch
) -> list[float]:
    """The measure on validation after each tree, up to where training here would have ended."""
    if validation is None or growth.measure is None:
        return []
    measure = TrainingMeasure.of(validation, growth.measure, growth.tool)
    scores, walked = np.zeros(validation.n_documents), trees.threshold_form
    values: list[float] = []
    for number in range(1, rounds + 1):
        one = replace(walked, roots=walked.roots[number - 1 : number])
        scores += one.score(validation.features)
        values.append(measure.mean(scores))
        stop = watch(Round(number, growth.rounds, None, values[-1]))
        if stop or is_patience_over(values, growth.patience):
            break
    return values
