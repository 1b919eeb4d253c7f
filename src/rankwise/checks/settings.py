"""Laws of what a training is asked for: hyper-parameters, starts and weights.

Every value of a hyper-parameter is bounded, refused in one sentence, or trains. Training continues
another model, or says that it cannot. Weights are taken as the equation says, or refused; never
ignored in silence.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.law import (
    ExaminedRanker,
    NotApplicable,
    fingerprint,
    is_writable,
    law,
    refusal,
    require,
    require_sentence,
    require_sound,
    skip_without_extra,
)
from rankwise.checks.made import half_way, joined, mean, planted, unseen, with_labels
from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.rankers.parameters import Parameter, parameters_of
from rankwise.rankers.ranker import Ranker

_UNDECLARED = "its parameters come from a signature, which declares no bounds"


@law
def parameters_out_of_bounds_are_one_sentence(subject: ExaminedRanker) -> None:
    """A value out of its bounds is refused in a sentence that names ranker and parameter."""
    if not subject.declares_bounds:
        raise NotApplicable(_UNDECLARED)
    declared = parameters_of(subject.ranker)
    tried = 0
    for one in declared:
        for value in [] if isinstance(one.default, bool) else _wrong_values(one):
            tried += 1
            changed = {one.name: value}
            error = refusal(partial(subject.ranker, **changed), f"not {changed}")
            require_sentence(error, subject.ranker.name, one.name)
    require(bool(tried) or not any(map(_is_number, declared)), "bounds of numbers", "none")


@law
def every_number_has_a_bound_and_every_parameter_a_meaning(subject: ExaminedRanker) -> None:
    """Every parameter says what it means, and a number how low it may be."""
    if not subject.declares_bounds:
        raise NotApplicable(_UNDECLARED)
    for one in parameters_of(subject.ranker):
        require(len(one.meaning) > 5, f"a meaning of {one.name}", repr(one.meaning))
        require(not _is_number(one) or one.lowest is not None, f"a lowest {one.name}", "none")
        useful = not one.grid or one.default in one.grid or len(one.grid) > 1
        require(useful, f"a grid of {one.name} with its default or two values", one.grid)


@law
def every_choice_and_every_tuned_value_trains(subject: ExaminedRanker) -> None:
    """Each choice and each value of a grid gives a model; one that lacks a library says which."""
    train, validation = planted(10), planted(5, seed=1)
    for one in parameters_of(subject.ranker):
        for value in dict.fromkeys([*one.choices, *one.grid]):
            try:
                model = subject.quick(**{one.name: value}).fit(train, validation)
            except MissingExtra as error:
                require_sentence(error, "pip install")
                continue
            scores = model.score(train)
            require_sound(scores, train)
            found = model.parameters[one.name]
            require(found == value, f"{one.name}={value!r} in the model", repr(found))
            if is_writable(model):
                # Choices may change the form of the model: neural networks are saved here too.
                again = from_text(as_text(ModelFile(model, ""))).model.score(train)
                require(again.tobytes() == scores.tobytes(), "the same scores of its file", again)


@law
def unknown_measures_and_tools_are_one_sentence(subject: ExaminedRanker) -> None:
    """A misspelt measure or tool is refused in one sentence by rankers that look at measures."""
    if not subject.ranker.uses_measure:
        raise NotApplicable("looks at no measure")
    misspelt = [{"measure": "NDGC@5"}, {"tool": "letor9"}]
    if any(one.name == "selection" for one in parameters_of(subject.ranker)):
        misspelt.append({"selection": "NDGC@5"})
    for wrong in misspelt:
        error = refusal(partial(_fit_with, subject, wrong), f"not {wrong}")
        skip_without_extra(error)
        require_sentence(error)


@law
def a_data_set_is_not_kept_in_the_model(subject: ExaminedRanker) -> None:
    """The model of data with named features is that of the bare arrays."""
    data = planted(8)
    named = replace(data, feature_names=tuple("abcde"))
    bare, rich = (subject.quick().fit(one).score(unseen()) for one in (data, named))
    require(bare.tobytes() == rich.tobytes(), "the scores of the bare arrays", "others")


def _fit_with(subject: ExaminedRanker, changes: dict[str, str]) -> Model:
    return subject.quick(**changes).fit(planted(4), planted(4, seed=1))


def _wrong_values(one: Parameter) -> list[object]:
    wrong: list[object] = [] if one.lowest is None else [one.lowest - 1]
    wrong += [] if one.highest is None else [one.highest + 1]
    wrong += ["no such choice"] if one.choices else []
    return wrong + (["text"] if isinstance(one.default, int | float) and not one.choices else [])


def _is_number(one: Parameter) -> bool:
    return isinstance(one.default, int | float) and not isinstance(one.default, bool)


_STRONG = 1e3


@law
def a_start_is_taken_or_refused(subject: ExaminedRanker) -> None:
    """A ranker that does not say `takes_start` refuses to continue a model in one sentence."""
    if subject.ranker.takes_start:
        raise NotApplicable("continues models, as it says")
    start, train = subject.trained, planted(6)
    error = refusal(lambda: subject.quick().fit(train, start=start), "it cannot continue a model")
    require_sentence(error, subject.ranker.name, "model")


@law
def a_start_is_kept_where_little_is_learnt(subject: ExaminedRanker) -> None:
    """From one query that contradicts it, a model that is continued unlearns next to nothing."""
    if not subject.ranker.takes_start:
        raise NotApplicable("refuses to continue models")
    one = planted(1, seed=2)
    contrary = with_labels(one, one.labels.max() - one.labels)
    declared = {parameter.name for parameter in parameters_of(subject.ranker)}
    strong = {"regularization": _STRONG} if "regularization" in declared else {}
    ranker = subject.quick(**strong)
    found = mean(ranker.fit(contrary, start=subject.trained).score(unseen()))
    require(found > half_way(), f"NDCG@5 above {half_way():.4f} as before", found)


@law
def a_start_is_left_where_much_is_learnt(subject: ExaminedRanker) -> None:
    """From a whole data set that contradicts it, a model that is continued learns the contrary."""
    if not subject.ranker.takes_start:
        raise NotApplicable("refuses to continue models")
    train = planted()
    contrary = with_labels(train, train.labels.max() - train.labels)
    before = mean(subject.trained.score(unseen()))
    after = mean(subject.quick().fit(contrary, start=subject.trained).score(unseen()))
    require(after < before - 0.2, f"NDCG@5 below {before - 0.2:.4f}", after)


# Of the spread of scores: minimisers are compared, which training reaches to a gap.
_NEARLY = 0.02
_LITTLE = 0.01


@law
def weights_are_taken_or_refused(subject: ExaminedRanker) -> None:
    """A ranker that does not say `takes_weights` refuses data with weights in one sentence."""
    if subject.ranker.takes_weights:
        raise NotApplicable("takes weights, as it says")
    train = _weighed(planted(6), np.arange(1.0, 7.0))
    error = refusal(lambda: subject.quick().fit(train), "it cannot weigh documents")
    require_sentence(error, subject.ranker.name, "weights")


@law
def equal_weights_change_nothing(subject: ExaminedRanker) -> None:
    """Weights that are all the same give the model of data without weights, to the bit."""
    _require_weights(subject)
    plain = fingerprint(subject.quick().fit(planted(12)), unseen())
    for weight in (1.0, 3.0):
        train = _weighed(planted(12), np.full(12, weight))
        found = fingerprint(subject.quick().fit(train), unseen())
        require(found == plain, f"the model of no weights where all are {weight:g}", "another one")


@law
def heavy_queries_are_followed(subject: ExaminedRanker) -> None:
    """Of two halves that contradict each other, it learns what the heavy one says."""
    _require_weights(subject)
    right, other = planted(16), planted(16, seed=4)
    both = joined(right, with_labels(other, other.labels.max() - other.labels))
    figures = []
    for first, second in ((1.0, _LITTLE), (_LITTLE, 1.0)):
        train = _weighed(both, np.repeat([first, second], 16))
        figures.append(mean(subject.quick().fit(train).score(unseen())))
    heavy, light = figures
    require(heavy > half_way(), f"NDCG@5 above {half_way():.4f} of the heavy half", heavy)
    require(light < heavy - 0.2, f"less than {heavy - 0.2:.4f} where it is light", light)


@law
def a_query_of_weight_two_counts_twice(subject: ExaminedRanker) -> None:
    """Where its equation says so, queries of weight 2 are the same queries twice."""
    if not subject.ranker.weighs_as_copies:
        raise NotApplicable("does not say that weights are copies")
    once, doubled = planted(8), planted(8, seed=4)
    copies = joined(once, doubled, doubled)
    train = _weighed(joined(once, doubled), np.repeat([1.0, 2.0], 8))
    expected, found = (_close(subject).fit(data).score(unseen()) for data in (copies, train))
    ignored = _close(subject).fit(joined(once, doubled)).score(unseen())
    allowed = _NEARLY * float(expected.std())
    away = float(np.abs(found - expected).max())
    require(away <= allowed, f"scores within {allowed:.2g} of those of copies", f"{away:.2g}")
    nearer = away < float(np.abs(ignored - expected).max()) / 2.0
    require(nearer, "scores nearer to those of copies than without weights", f"{away:.2g}")


def _require_weights(subject: ExaminedRanker) -> None:
    if not subject.ranker.takes_weights:
        raise NotApplicable("refuses data with weights")


def _weighed(data: Dataset, weights: NDArray[np.float64]) -> Dataset:
    """One weight a query."""
    return replace(data, weights=np.repeat(weights, data.query_lengths))


def _close(subject: ExaminedRanker) -> Ranker:
    """The ranker, so near to its minimum that two of them can be compared."""
    declared = {one.name for one in parameters_of(subject.ranker)}
    near = {"gap": 1e-9, "rounds": 1000} if "gap" in declared else {}
    return subject.quick(**near)
