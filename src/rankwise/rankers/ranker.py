"""The one interface of all methods: `fit(train, validation) -> Model`.

Remarks say of a training that went through that its model may not be what was meant. What several
trainings on the same data have in common is prepared once, by whoever comes first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self, TypeVar, cast

import numpy as np

from rankwise.arguments import check_seed
from rankwise.data.dataset import Dataset, as_features
from rankwise.data.shared_queries import QueryPrints, find_common
from rankwise.data.sparse_features import refuse_dense
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.scorers.scorer import Scorer
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import Parameter, check_parameters, parameters_of_fields
from rankwise.rankers.round_measures import settle_choosing

Family = Literal["pointwise", "pairwise", "listwise", "wrapper", "own"]


@dataclass(frozen=True)
class Round:
    """How training stands after a round: what the progress line shows."""

    number: int
    total: int
    training: float | None = None
    validation: float | None = None


# Told after every round; true means stop now and return the best model so far.
Watch = Callable[[Round], bool]


def never_stop(progress: Round) -> bool:
    """The watch of those who do not look: never stops training."""
    return False


@dataclass(frozen=True)
class QuietWatch:
    """A watch that shows no figures."""

    watch: Watch
    looks_at_figures: ClassVar[bool] = False

    def __call__(self, progress: Round) -> bool:
        """What the watch says."""
        return self.watch(progress)


def looks_at_figures(watch: Watch) -> bool:
    """Whether figures that choose nothing are worth computing for a watch to show."""
    return bool(getattr(watch, "looks_at_figures", watch is not never_stop))


@dataclass(frozen=True, eq=False)
class Training:
    """All that a training is given.

    Attributes:
        train: the data to learn from.
        validation: the data that choose the round or stop early, where there are any.
        seed: of everything random.
        watch: told after every round.
        start: the function to start from, of the features of `train`; None to start anew.
    """

    train: Dataset
    validation: Dataset | None = None
    seed: int = 0
    watch: Watch = never_stop
    start: Scorer | None = None

    # Made when it is first asked for something: most methods leave nothing to chance, and some
    # train in less time than numpy's generators take to load.
    @cached_property
    def rng(self) -> np.random.Generator:
        """The one generator of this training."""
        return np.random.default_rng(self.seed)

    @property
    def judged(self) -> Dataset:
        """The data that choose: those for validation, else the training data."""
        return self.train if self.validation is None else self.validation

    def on(self, train: Dataset, validation: Dataset | None = None) -> Training:
        """A training within this one: on other data, from the same seed, watched by nobody."""
        return Training(train, validation, self.seed)


Function = TypeVar("Function", bound=Scorer, covariant=True)


class Learned(NamedTuple, Generic[Function]):
    """What a training gives: the learned function, and facts about it (JSON values only)."""

    scorer: Function
    facts: dict[str, Any]


@dataclass(frozen=True)
class Ranker(ABC):
    """A method with its hyper-parameters, nothing else; training state lives in `fit`.

    A subclass is a frozen dataclass whose fields are made by `parameter(...)`, and states the
    class-level facts below. Its docstring gives the objective as an equation, the citation, and
    where it deviates from the paper and why. A class that states no name, such as a subclass of a
    registered ranker, is called `module:Class`: its figures are never taken for its parent's.

    `takes_sparse` says that it trains on sparse data as they are; for all others they become an
    array first, up to a limit (`rankwise.data.sparse_features.largest_array`).

    `takes_weights` says that it trains on data with weights, of which only the ratios count: they
    come with a mean of 1. All others refuse such data. `weighs_as_copies` says that a query of
    weight 2 is to it, by its equation, the same query twice.

    `takes_start` says that training can start from another model, `Training.start`.

    `keeps_measure` says that the method is named after its `measure`, which a tool that does not
    compute it does not change.

    `follows_tool` says that training itself, not only the choice of a round, follows the convention
    of the tool that is named; `trains_under_tool` says so of a ranker with its hyper-parameters.

    `random` says that it draws random numbers; `random_with` is the setting with which one that
    else draws none does so.

    `guesses` are the parts of a method that its paper leaves open and this implementation filled
    in, a short phrase each; none means that the paper specifies it fully.

    `uses_classes` says that it looks at the classes of queries, where the data have some.

    `sparsity` names the hyper-parameter that decides how many features a model keeps; none means
    that it keeps what it is given.

    `uses_relations` says that it learns from relations between documents, and refuses data without.

    `reads` names files, from the folder of its module on, that training reads beside the data:
    where one of them changes, what a store has of the ranker is of other code.
    """

    name: ClassVar[str]
    family: ClassVar[Family] = "own"
    paper: ClassVar[str] = "own"
    handles_null: ClassVar[bool] = False
    uses_measure: ClassVar[bool] = False
    keeps_measure: ClassVar[bool] = False
    follows_tool: ClassVar[bool] = False
    random: ClassVar[bool] = False
    random_with: ClassVar[str | None] = None
    takes_sparse: ClassVar[bool] = False
    takes_weights: ClassVar[bool] = False
    weighs_as_copies: ClassVar[bool] = False
    takes_start: ClassVar[bool] = False
    uses_classes: ClassVar[bool] = False
    guesses: ClassVar[tuple[str, ...]] = ()
    sparsity: ClassVar[str | None] = None
    uses_relations: ClassVar[bool] = False
    reads: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if "name" not in vars(cls):
            cls.name = f"{cls.__module__}:{cls.__qualname__}"

    def __post_init__(self) -> None:
        check_parameters(self, self.name)

    def fit(
        self,
        train: Dataset,
        validation: Dataset | None = None,
        *,
        seed: int = 0,
        watch: Watch = never_stop,
        start: Model | None = None,
    ) -> Model:
        """Learn from `train`; `validation`, where given, chooses the round or stops early.

        Training starts from the model `start`, where one is given; rankers that start anew in any
        case refuse it.

        What is odd about the two, such as validation by training queries, is in the `remarks` of
        the model's facts.
        """
        check_seed(seed)
        self._refuse(train, "training")
        if start is not None:
            train = self._ready_for(start, train)
        train = self._weighed(train)
        if validation is not None:
            validation = validation.ordered_as(train.feature_names, "the training data")
            self._refuse_validation(validation, train.n_features)
        if not self.takes_sparse:
            train = _held_dense(train)
            validation = None if validation is None else _held_dense(validation)
        able, remarks = self._able_to_choose(train, validation)
        function = None if start is None else start.scorer
        scorer, facts = able._learn(Training(train, validation, seed, watch, function))
        facts = add_remarks(facts, remarks)
        if validation is not None:
            facts = add_remarks(facts, validation_remarks(train, validation))
        elif self.uses_measure:
            facts = add_remarks(facts, unvalidated_remarks(facts))
        return Model(self.name, able.parameters(), scorer, facts, self.paper, train.feature_names)

    def _able_to_choose(
        self, train: Dataset | None, validation: Dataset | None
    ) -> tuple[Self, list[str]]:
        """The ranker with measures that tell rankings of these data apart, and remarks on that."""
        parameters = self.parameters()
        if not (self.uses_measure and {"measure", "tool"} <= parameters.keys()):
            return self, []
        keeps = self.name if self.keeps_measure else ""
        changed, remarks = settle_choosing(parameters, train, validation, keeps=keeps)
        return replace(self, **changed) if changed else self, remarks

    def trains_under_tool(self) -> bool:
        """Whether what is learned follows the tool's convention of a measure.

        If not, the tool decides at most which of several models is taken.
        """
        return self.follows_tool

    @classmethod
    def declared_parameters(cls) -> tuple[Parameter, ...]:
        """The hyper-parameters, in order; see `parameters_of`."""
        return parameters_of_fields(cls)

    def parameters(self) -> dict[str, Any]:
        """Hyper-parameters by name."""
        names = {declared.name for declared in self.declared_parameters()}
        return {name: value for name, value in asdict(self).items() if name in names}

    @abstractmethod
    def _learn(self, training: Training) -> Learned[Scorer]:
        """The learned function, and facts about the training."""

    def _ready_for(self, start: Model, train: Dataset) -> Dataset:
        """The data with their features in the order of the model to start from."""
        if not self.takes_start:
            raise RankwiseError(
                f"{self.name} starts anew in every training and cannot continue a model; take one "
                "of the rankers that can (see 'rankwise rankers list')"
            )
        train = train.ordered_as(start.feature_names, "the model to start from")
        if train.n_features != start.scorer.n_features:
            raise RankwiseError(
                f"{self.name}: the training data must have the features of the model to start "
                f"from, found {train.n_features} and {start.scorer.n_features} of them"
            )
        return train

    def _weighed(self, train: Dataset) -> Dataset:
        """The data with weights of mean 1, or without any where all are the same."""
        if train.weights is None:
            return train
        total = float(train.weights.sum())
        if total == 0.0 or not np.isfinite(total):
            raise RankwiseError(
                f"{self.name}: the weights of the training data must have a sum above 0 that a "
                f"number can hold, found {total:g}"
            )
        held = as_features(train.stored)
        if bool((train.weights == train.weights[0]).all()):
            return replace(train, features=held, weights=None)
        if not self.takes_weights:
            raise RankwiseError(
                f"{self.name} cannot weigh documents, found training data with weights; take one "
                "of the rankers that can (see 'rankwise rankers list'), or data without them"
            )
        return replace(train, features=held, weights=train.weights * (train.n_documents / total))

    def _refuse_validation(self, validation: Dataset, width: int) -> None:
        self._refuse(validation, "validation")
        if validation.weights is not None:
            raise RankwiseError(
                f"{self.name}: validation data must have no weights, found some; measures count "
                "every query once"
            )
        if validation.n_features != width:
            raise RankwiseError(
                "training and validation data must have equally many features, "
                f"found {width} and {validation.n_features}"
            )

    def _refuse(self, dataset: Dataset, what: str) -> None:
        """Data that no method, or not this one, can learn from."""
        if dataset.n_features == 0:
            raise RankwiseError(f"{self.name}: the {what} data must have features, found none")
        null = False
        for values in dataset.value_blocks():
            if np.isinf(values).any():
                raise RankwiseError(
                    f"{self.name}: the {what} data must be finite, found infinite values"
                )
            null = null or (not self.handles_null and bool(np.isnan(values).any()))
        if null:
            raise RankwiseError(
                f"{self.name} cannot take NULL features, found some in the {what} data; fill them "
                "first: rankwise data normalize IN OUT --to min"
            )


def _held_dense(dataset: Dataset) -> Dataset:
    """The data as a dense array; a RankwiseError where that would be too large."""
    if dataset.sparse is not None:
        refuse_dense(dataset.sparse)
    return dataset.to_dense()


REMARKS = "remarks"


def add_remarks(facts: Mapping[str, Any], remarks: list[str]) -> dict[str, Any]:
    """The facts of a training with remarks on it, each once; as they are where there is none."""
    told = dict.fromkeys([*facts.get(REMARKS, ()), *remarks])
    return {**facts, REMARKS: list(told)} if remarks else dict(facts)


def kept_facts(weights: Floats) -> dict[str, Any]:
    """How many features have a weight, with a remark where none has."""
    kept = int(np.count_nonzero(weights))
    remark = (
        "no feature was kept, so that all documents score the same: lower what draws weights to 0"
    )
    return add_remarks({"features_kept": kept}, [] if kept else [remark])


def unvalidated_remarks(facts: Mapping[str, Any]) -> list[str]:
    """What the lack of validation data did, as the facts of a training tell it."""
    if facts.get("selection") is not None:
        return [
            "there were no validation data: what is chosen by them was chosen by the training data "
            "themselves"
        ]
    if "round" in facts:
        return [
            f"there were no validation data: all {facts['rounds']} rounds were run and kept, since "
            "nothing could tell when to stop"
        ]
    return []


def validation_remarks(train: Dataset, validation: Dataset) -> list[str]:
    """Whether queries that validate are queries that were learnt from, by their ids or rows."""
    shared = len(find_common(QueryPrints.of(validation), QueryPrints.of(train)))
    if not shared:
        return []
    return [
        f"{shared} of the {validation.n_queries} queries that validate are training queries: what "
        "validation chose is too good to be true"
    ]


Prepared = TypeVar("Prepared")


@contextmanager
def sharing_preparations() -> Iterator[None]:
    """While this holds, `prepare_once` keeps what was prepared last under each name.

    For the thread that calls, and no longer than the block: trying several settings of a ranker
    is such a block, after which its memory is free again.
    """
    token = _KEPT_PREPARATIONS.set({})
    try:
        yield
    finally:
        _KEPT_PREPARATIONS.reset(token)


def prepare_once(
    name: str, dataset: Dataset, settings: Hashable, make: Callable[[], Prepared]
) -> Prepared:
    """What `make` gives, or gave for the same data and settings within `sharing_preparations`.

    `make` must depend on the data and the settings alone, so that no model can tell whether
    somebody was there before.
    """
    kept = _KEPT_PREPARATIONS.get()
    if kept is None:
        return make()
    there = kept.get(name)
    if there is None or there.dataset is not dataset or there.settings != settings:
        # What was kept is let go before its successor takes room.
        kept.pop(name, None)
        there = kept[name] = _KeptPreparations(dataset, settings, make())
    return cast("Prepared", there.prepared)


@dataclass(frozen=True, eq=False)
class _KeptPreparations:
    dataset: Dataset
    settings: Hashable
    prepared: Any


_KEPT_PREPARATIONS: ContextVar[dict[str, _KeptPreparations] | None] = ContextVar(
    "kept preparations", default=None
)
