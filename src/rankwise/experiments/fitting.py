"""Training one ranker on one data set, on this machine or over a cluster."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankwise.data.catalog.home import locate
from rankwise.data.checking import describe_label_features, find_label_features
from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import attach_relations, find_relations_beside
from rankwise.data.joining import equally_wide
from rankwise.data.queries import with_query_classes
from rankwise.data.reading import read
from rankwise.errors import Advice, RankwiseError, TrainingRemark
from rankwise.experiments.parameter_search import Selection
from rankwise.experiments.resources import ATTEMPTS, BEGUN_AGAIN
from rankwise.experiments.transfer import (
    SOURCE_WEIGHTS,
    WAYS,
    learn_with_source,
    prepare_transfer,
    refuse_way,
)
from rankwise.measures.evaluation import evaluate
from rankwise.models.model import Model
from rankwise.rankers.external_scorer import one_sentence
from rankwise.rankers.ranker import Ranker, Round, Watch, add_remarks, looks_at_figures, never_stop
from rankwise.rankers.registry import make_ranker
from rankwise.rankers.round_measures import is_computed, usual_measure
from rankwise.rankers.wrapper import layers_of

Data = Dataset | str | Path

_LOG = logging.getLogger(__name__)

WITH_CLASSES = "per-class"
"""The wrapper that trains a ranker for each class of queries."""


def fit(
    ranker: object,
    train: Data,
    validation: Data | None = None,
    *,
    also: Data | Sequence[Data] = (),
    way: str | None = None,
    source_weight: float | None = None,
    absent: str | None = None,
    seed: int = 0,
    zero_based: bool = False,
    class_column: int | str | None = None,
    relations: Sequence[str | Path] = (),
    watch: Watch = never_stop,
) -> Model:
    """Learn a model.

    Args:
        ranker: a registered name, `module:Name`, a class, or a ranker made by `make_ranker`.
        train: the data to learn from; a file is read.
        validation: data that choose the round or stop training early.
        also: further data to learn from, with the features of `train` by name (else by number);
            queries that `train` or `validation` have too are left out.
        way: how: `pooled` (the default), `weighted`, or `fine-tuned`; see
            `rankwise.experiments.transfer`.
        source_weight: of `weighted`, what a document of these counts beside one of `train`; None
            takes the best on validation.
        absent: what features that these lack become: `zero` (the default) there, or `drop`.
        seed: for methods that draw random numbers.
        zero_based: of files, that their feature indices begin at 0.
        class_column: the feature, by number from 1 or by name, that holds the class of a query.
        relations: files or folders of relations between documents, for rankers that learn from
            them; those of a build are found by themselves.
        watch: is told after every round, and stops training by returning true; the round is then
            noted in the facts of the model.
    """
    made = make_ranker(ranker)
    if class_column is not None:
        refuse_unused_classes(made)
        if not isinstance(also, Sequence) or also:
            raise RankwiseError(
                "classes of queries are for training on `train` alone, found `also`"
            )
    remarks: list[str] = []
    parts = read_parts(
        train,
        validation,
        zero_based=zero_based,
        class_column=class_column,
        say=remarks.append,
        relations=relations,
        ranker=made,
    )
    last = _LastRound(watch)
    sources = _read_sources(also, zero_based)
    asked = _ask_transfer(made, bool(sources), way, source_weight, absent, len(parts) > 1)
    with _one_sentence(made):
        if asked is None:
            model = last.noted(made.fit(*parts, seed=seed, watch=last))
        else:
            model = last.noted(_transfer(made, sources, parts, asked, seed, last))
    return replace(model, facts=add_remarks(model.facts, remarks)) if remarks else model


@dataclass(frozen=True)
class _Transfer:
    """How further data are learnt from."""

    way: str
    weights: tuple[float, ...]
    absent: str


def _read_sources(also: Data | Sequence[Data], zero_based: bool) -> list[Dataset]:
    given = [also] if isinstance(also, Dataset | str | Path) else also
    return [one if isinstance(one, Dataset) else read(one, zero_based=zero_based) for one in given]


def _ask_transfer(
    ranker: Ranker,
    sources: bool,
    way: str | None,
    weight: float | None,
    absent: str | None,
    validated: bool,
) -> _Transfer | None:
    """What was asked for; None without sources. What would have no effect is refused."""
    given = {"way": way, "source_weight": weight, "absent": absent}
    if not sources:
        idle = next((name for name, value in given.items() if value is not None), None)
        if idle is not None:
            raise RankwiseError(
                f"{idle} says how to learn from further data, found none", Advice("name {}", "also")
            )
        return None
    chosen = way or WAYS[0]
    refuse_way(chosen, type(ranker))
    if chosen != "weighted" and weight is not None:
        raise RankwiseError(
            f"a source weight is for the way 'weighted', found {chosen!r}",
            Advice("choose {}", "way", "weighted"),
        )
    if weight is not None and not (weight > 0.0 and math.isfinite(weight)):
        raise RankwiseError(f"a source weight must be a number above 0, found {weight:g}")
    if chosen == "weighted" and weight is None and not validated:
        raise RankwiseError(
            "choosing the weight of the source needs validation data, found none",
            Advice("give {}", "source_weight"),
        )
    weights = SOURCE_WEIGHTS if weight is None else (weight,)
    return _Transfer(chosen, weights, absent or "zero")


def _transfer(
    ranker: Ranker,
    sources: Sequence[Dataset],
    parts: Sequence[Dataset],
    asked: _Transfer,
    seed: int,
    watch: Watch,
) -> Model:
    own = ranker.parameters()
    tool = str(own.get("tool", "definition"))
    selection = Selection(str(own.get("measure", usual_measure(tool))), tool)
    return learn_with_source(
        asked.way,
        lambda combination: ranker,
        [{}],
        prepare_transfer(sources, *parts, absent=asked.absent),
        selection,
        weights=asked.weights,
        seed=seed,
        watch=watch,
    ).model


def refuse_unused_classes(ranker: Ranker) -> None:
    """Refuse a column of classes for a ranker that looks at none, nor anything that it wraps."""
    layers = [ranker, *layers_of(ranker)]
    if not any(one.uses_classes or one.family == "own" for one in layers):
        raise RankwiseError(
            f"{ranker.name} does not look at classes of queries, found a column of them; train "
            f"{WITH_CLASSES} around it, or leave the column out"
        )


def read_parts(
    train: Data,
    validation: Data | None = None,
    *,
    zero_based: bool = False,
    class_column: int | str | None = None,
    say: Callable[[str], None] = lambda remark: None,
    relations: Sequence[str | Path] = (),
    ranker: Ranker | None = None,
) -> list[Dataset]:
    """Training and perhaps validation data, equally wide: sparse files leave last features out.

    `class_column` is the feature whose numbers become the classes of queries. `say` is told where
    one of the data sets has fewer features than the other. `relations` are attached to both, where
    the `ranker` learns from them; without any those of the files' build are.
    """
    given = [train] if validation is None else [train, validation]
    related = _find_relations(ranker, train, relations)
    parts = [one if isinstance(one, Dataset) else read(one, zero_based=zero_based) for one in given]
    if related:
        parts = [attach_relations(part, related) for part in parts]
    tell_label_features(parts[0])
    wide = equally_wide(parts)
    widths = [part.n_features for part in parts]
    if len(set(widths)) > 1:
        say(
            f"the training data have {widths[0]} features, the validation data {widths[1]}: those "
            "that are absent count as 0, as in sparse files"
        )
    if class_column is not None:
        return [with_query_classes(part, class_column) for part in wide]
    return wide


def tell_label_features(train: Dataset, where: str = "the training data") -> None:
    """Warn of features that are the label by another name."""
    found = find_label_features(train)
    if found:
        warnings.warn(TrainingRemark(f"{where}: {describe_label_features(found)}"), stacklevel=4)


def _find_relations(
    ranker: Ranker | None, train: Data, given: Sequence[str | Path]
) -> Sequence[str | Path]:
    """The files of relations that a ranker is to have; given to one that has no use, refused."""
    layers = [] if ranker is None else [ranker, *layers_of(ranker)]
    if not any(one.uses_relations for one in layers):
        if given and ranker is not None:
            raise RankwiseError(
                f"{ranker.name} does not learn from relations, found files of them; wrap it: "
                f"propagation with of={ranker.name}"
            )
        return given
    return given or (() if isinstance(train, Dataset) else find_relations_beside(train))


def fit_on_cluster(
    ranker: object,
    train: str | Path,
    validation: Data | None = None,
    *,
    scheduler: str,
    shares: int | None = None,
    wait: float | str | None = None,
    zero_based: bool = False,
    watch: Watch = never_stop,
    tick: Callable[[], None] = lambda: None,
) -> Model:
    """Learn over a Dask cluster, whose workers alone read the training data, in shares.

    `scheduler` is its address; `shares` is one a worker where it is not given; `wait` is how long a
    cluster without workers is waited for (seconds, or `10m`); `tick` is called while it waits and
    while workers read. Where a worker is lost, training begins again, with it or with those that
    are left; the third loss ends it. Otherwise as `fit`.
    """
    from rankwise.cluster import connect, parse_wait
    from rankwise.rankers.distributed import spread
    from rankwise.rankers.registry import spreading

    seconds = parse_wait(wait)
    made = make_ranker(ranker)
    able = spreading(type(made))(**made.parameters())
    judged = None if validation is None else read_parts(validation, zero_based=zero_based)[0]
    last = _LastRound(watch)
    width = 0 if judged is None else judged.n_features
    with connect(scheduler, "training over a cluster") as client:

        def learn() -> Model:
            data = spread(
                client, Path(locate(train)), shares=shares, zero_based=zero_based, n_features=width,
                tick=tick,
            )  # fmt: skip
            wide = None if judged is None else judged.widened(data.n_features)
            return last.noted(able.fit_on_cluster(data, wide, watch=last))

        return _begin_again(learn, client, seconds, tick)


def _begin_again(
    learn: Callable[[], Model], client: Any, wait: float, tick: Callable[[], None]
) -> Model:
    """The model; a lost worker has training begin anew, a few times at most."""
    from rankwise.cluster import await_return, await_workers
    from rankwise.rankers.distributed import ClusterLost, SchedulerLost

    losses = 0
    while True:
        await_workers(client, wait, tick)
        workers = len(client.nthreads())
        try:
            model = learn()
            break
        except SchedulerLost:
            raise
        except ClusterLost as error:
            losses += 1
            if losses == ATTEMPTS:
                raise ClusterLost(
                    f"{error.message}; training began {ATTEMPTS} times, and lost one each time",
                    *error.advice,
                ) from error
            _LOG.warning("%s; training begins again", error.message)
            await_return(client, workers, tick)
    return replace(model, facts={**model.facts, BEGUN_AGAIN: losses}) if losses else model


@dataclass(frozen=True)
class TrainingFigure:
    """What a model reaches on the data it was trained or validated on."""

    measure: str
    tool: str
    value: float

    def __str__(self) -> str:
        return f"{self.measure} ({self.tool}): {self.value:.4f}"


def training_figure(
    model: Model, data: Dataset, measure: str | None = None, tool: str | None = None
) -> TrainingFigure:
    """The mean of a measure, by default the one that the model was trained towards, else MAP.

    Of a tool that computes no such measure it is NDCG@10.
    """
    convention = tool or model.parameters.get("tool", "definition")
    wanted = measure or model.parameters.get("measure", "MAP")
    if measure is None and not is_computed(wanted, convention):
        wanted = usual_measure(convention)
    wide = data.widened(model.scorer.n_features)
    mean = evaluate(wide, model.score(wide), [wanted], convention)[wanted].mean
    return TrainingFigure(wanted, convention, mean)


def _one_sentence(ranker: Ranker) -> AbstractContextManager[None]:
    """What somebody's own ranker raises is one sentence; a defect of a registered one is told."""
    if type(ranker).__module__.startswith("rankwise."):
        return nullcontext()
    return one_sentence(ranker.name, "fit")


class _LastRound:
    """A watch that notes the round after which training was stopped."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.stopped_at: int | None = None

    def __call__(self, progress: Round) -> bool:
        stop = self.watch(progress)
        self.stopped_at = progress.number if stop else None
        return stop

    @property
    def looks_at_figures(self) -> bool:
        """As the watch that it stands for."""
        return looks_at_figures(self.watch)

    def noted(self, model: Model) -> Model:
        """The model, with the round in its facts where training was stopped."""
        if self.stopped_at is None:
            return model
        return replace(model, facts={**model.facts, "stopped_at_round": self.stopped_at})
