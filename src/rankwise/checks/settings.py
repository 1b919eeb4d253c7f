"""Laws of hyper-parameters: every value is bounded, refused in one sentence, or trains."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from rankwise.checks.law import NotApplicable, law, refusal, require, require_sentence
from rankwise.checks.made import planted, unseen
from rankwise.checks.soundness import require_sound, skip_without_extra
from rankwise.checks.subject import ExaminedRanker, is_writable
from rankwise.errors import MissingExtra
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.rankers.parameters import Parameter, parameters_of

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
