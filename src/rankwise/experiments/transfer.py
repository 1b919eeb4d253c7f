"""Transfer: learning for a target data set from a source data set as well (LETOR, section 5.3.3).

Every way ends in a model of the target's features, chosen on the target's validation part. Nothing
here ever receives the target's test part except to keep its queries out of the source.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds import FoldFiles
from rankwise.data.joining import ABSENT, concatenate, match_features, without_features
from rankwise.data.shared_queries import find_shared_queries, rename_queries
from rankwise.errors import RankwiseError
from rankwise.experiments.parameter_search import Chosen, Combination, Selection, choose_model
from rankwise.models.model import Model
from rankwise.rankers.ranker import Ranker, Watch, add_remarks, never_stop

TARGET_ONLY = "target-only"
WAYS = ("pooled", "weighted", "fine-tuned")
SOURCE_WEIGHT = "source_weight"
SOURCE_WEIGHTS = (0.03, 0.1, 0.3, 1.0)
"""What a source query may weigh beside a target query of 1, where validation chooses."""


@dataclass(frozen=True)
class TransferStep:
    """What a task of an experiment learns from beside the shrunken training part of its fold.

    Attributes:
        way: one of `WAYS`, or `TARGET_ONLY`.
        share: percent of the target's training queries.
        source: the fold of the source, of which the training part counts; None of `TARGET_ONLY`.
        checksums: those of its files.
        digest: of all folds of the source: tasks of one generation share it.
        source_name: what the source is called in tables.
        absent: one of `ABSENT`.
        method: what the ranker is called in tables, whatever the way.
    """

    way: str
    share: float
    source: FoldFiles | None = None
    checksums: Mapping[str, str] = field(default_factory=dict)
    source_name: str = ""
    absent: str = "zero"
    method: str = ""
    digest: str = ""

    @property
    def trainings(self) -> int:
        """How often each combination of parameters is trained."""
        return {"weighted": len(SOURCE_WEIGHTS), "fine-tuned": 2}.get(self.way, 1)

    @property
    def inputs(self) -> dict[str, Any]:
        """What figures depend on."""
        return {
            "way": self.way,
            "share": self.share,
            "source": self.digest,
            "absent": self.absent,
            **({"weights": list(SOURCE_WEIGHTS)} if self.way == "weighted" else {}),
        }


@dataclass(frozen=True, eq=False)
class TransferData:
    """Source and target with the same features, no query in both; `remarks` say what was done.

    `dropped` are the features that nothing may be learnt from.
    """

    source: Dataset
    train: Dataset
    validation: Dataset | None
    remarks: tuple[str, ...]
    dropped: tuple[int, ...] = ()


def refuse_way(way: str, ranker: type[Ranker]) -> None:
    """Refuse a way that is unknown, or that the ranker cannot go."""
    if way not in WAYS:
        raise RankwiseError(f"a way of transfer must be one of {', '.join(WAYS)}, found {way!r}")
    if way == "weighted" and not ranker.takes_weights:
        raise RankwiseError(
            f"{ranker.name} cannot weigh documents, which the way 'weighted' asks for; pool the "
            "data, or take one of the rankers that can (see 'rankwise rankers list')"
        )
    if way == "fine-tuned" and not ranker.takes_start:
        raise RankwiseError(
            f"{ranker.name} starts anew in every training, which the way 'fine-tuned' cannot; pool "
            "the data, or take one of the rankers that can (see 'rankwise rankers list')"
        )


def shrink(train: Dataset, share: float, seed: int) -> Dataset:
    """About `share` percent of the queries, one at least; a smaller share is part of a larger."""
    if not 0.0 < share <= 100.0:
        raise RankwiseError(f"a share must be above 0 and at most 100 percent, found {share:g}")
    if share == 100.0:
        return train
    count = max(1, math.ceil(train.n_queries * share / 100.0))
    order = np.random.default_rng(seed).permutation(train.n_queries)
    return train.select_queries(np.sort(order[:count]))


def prepare_transfer(
    sources: Sequence[Dataset],
    train: Dataset,
    validation: Dataset | None = None,
    *,
    kept_out: Sequence[Dataset] = (),
    absent: str = "zero",
) -> TransferData:
    """The sources as one, with the target's features and without its queries.

    Args:
        sources: what is learnt from beside the target.
        train, validation: those of the target.
        kept_out: further data of the target whose queries may not be learnt from: its test part.
        absent: `zero` fills features that a source lacks with 0; `drop` learns nothing from them.
    """
    if absent not in ABSENT:
        raise RankwiseError(
            f"features that the source lacks must become {' or '.join(ABSENT)}, found {absent!r}"
        )
    matches = [match_features(source, train) for source in sources]
    remarks = [remark for match in matches for remark in match.remarks]
    lacking = sorted({int(column) for match in matches for column in match.lacking})
    if lacking:
        remarks.append("these are 0 there" if absent == "zero" else "nothing is learnt from these")
    given = [train, *([] if validation is None else [validation]), *kept_out]
    kept = []
    for number, (source, match) in enumerate(zip(sources, matches, strict=True), 1):
        mapped = match.apply(source)
        shared = find_shared_queries(mapped, given)
        if shared:
            remarks.append(
                f"{len(shared)} of the {source.n_queries} queries of the source are queries of the "
                "target too, and were left out"
            )
        chosen = np.setdiff1d(np.arange(source.n_queries), shared)
        if len(chosen) == 0:
            raise RankwiseError(
                "the source must have queries that the target has not, found none; take another"
            )
        kept.append(rename_queries(_plain(mapped.select_queries(chosen)), f"source {number}: "))
    dropped = np.array(lacking if absent == "drop" else [], dtype=np.int64)
    return TransferData(
        without_features(concatenate(kept), dropped),
        without_features(_plain(train), dropped),
        None if validation is None else without_features(validation, dropped),
        tuple(remarks),
        tuple(dropped.tolist()),
    )


def learn_with_source(
    way: str,
    make: Callable[[Combination], Ranker],
    tried: Sequence[Combination],
    data: TransferData,
    selection: Selection,
    *,
    weights: Sequence[float] = SOURCE_WEIGHTS,
    seed: int = 0,
    watch: Watch = never_stop,
    clock: Callable[[], float] = time.perf_counter,
) -> Chosen:
    """The model that the target's queries choose among all combinations (see `choose_model`).

    `pooled` learns from both as if they were one. `weighted` does so with every source query
    counting w where a target query counts 1, w being one of `weights`. `fine-tuned` learns from
    the source alone, then continues that model on the target.
    """
    validation, pools = data.validation, _Pools(data.source)

    def fit(combination: Combination, both: Dataset, start: Model | None = None) -> Model:
        return make(combination).fit(both, validation, seed=seed, watch=watch, start=start)

    def fit_weighted(combination: Combination, part: Dataset) -> Model:
        own, weight = _split(combination)
        return _note_weight(fit(own, pools.get(part, weight)), weight)

    def choose(
        combinations: Sequence[Combination], fitted: Callable[[Combination, Dataset], Model]
    ) -> Chosen:
        name = make(tried[0]).name
        return choose_model(
            name, combinations, fitted, data.train, validation, selection, watch=watch, clock=clock
        )

    if way == "fine-tuned":
        begun = choose(tried, lambda one, part: fit(one, data.source))
        found = choose(tried, lambda one, part: fit(one, part, begun.model))
        found = replace(found, tried=(*begun.tried, *found.tried))
    elif way == "weighted":
        weighed = [{**one, SOURCE_WEIGHT: weight} for weight in weights for one in tried]
        found = choose(weighed, fit_weighted)
    else:
        found = choose(tried, lambda one, part: fit(one, pools.get(part, 1.0)))
    _refuse_use_of(data.dropped, found.model)
    facts = {"transfer": way, "source_queries": data.source.n_queries}
    noted = add_remarks({**found.model.facts, **facts}, list(data.remarks))
    return replace(found, model=replace(found.model, facts=noted))


def pool(source: Dataset, target: Dataset, weight: float) -> Dataset:
    """Both as one data set, every document of the source weighing `weight`, of the target 1."""
    both = concatenate([target, source])
    if weight == 1.0:
        return both
    weights = np.repeat([1.0, weight], [target.n_documents, source.n_documents])
    return replace(both, features=as_features(both.stored), weights=weights)


class _Pools:
    """The source with what is trained on of the target, once for each weight; the last such."""

    def __init__(self, source: Dataset) -> None:
        self._source = source
        self._part: Dataset | None = None
        self._pools: dict[float, Dataset] = {}

    def get(self, part: Dataset, weight: float) -> Dataset:
        if part is not self._part:
            self._part, self._pools = part, {}
        if weight not in self._pools:
            self._pools[weight] = pool(self._source, part, weight)
        return self._pools[weight]


def _split(combination: Combination) -> tuple[Combination, float]:
    """The parameters of the ranker, and the weight among them."""
    own = {name: value for name, value in combination.items() if name != SOURCE_WEIGHT}
    return own, combination[SOURCE_WEIGHT]


def _note_weight(model: Model, weight: float) -> Model:
    return replace(model, facts={**model.facts, SOURCE_WEIGHT: weight})


def _plain(dataset: Dataset) -> Dataset:
    """Without what the other side may lack: weights would be confused with those of transfer."""
    if dataset.weights is not None:
        raise RankwiseError(
            "transfer weighs source and target itself: data must have no weights, found some"
        )
    return replace(
        dataset,
        features=as_features(dataset.stored),
        query_classes=None,
        query_features=None,
        relations=(),
    )


def _refuse_use_of(dropped: Sequence[int], model: Model) -> None:
    """A function that counts a feature which was 0 in training would count what it never saw."""
    if dropped and np.any(model.scorer.importance()[list(dropped)] != 0.0):
        raise RankwiseError(
            f"{model.ranker} counts features that were dropped; fill them with 0 instead"
        )
