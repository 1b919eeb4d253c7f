"""Laws of models: finite scores, one per row, whatever stands beside it; files to the bit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.forms import kinds_of
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.rankers.ranker import Model
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.scorers.registry import scorer_kinds
from tests.conformance.discovery import every_ranker, skip_without_extra, sound
from tests.conformance.made import planted, reordered, trained


def model_of(name: str) -> Model:
    try:
        return trained(name)
    except RankwiseError as error:
        skip_without_extra(error)
        raise


@every_ranker
def test_scores_are_finite_and_one_per_row(name: str) -> None:
    data = planted(7, seed=5)
    model = model_of(name)
    sound(model, data.n_documents, model.score(data))


@every_ranker
def test_a_score_does_not_depend_on_the_other_rows(name: str) -> None:
    data = planted(9, seed=6)
    model = model_of(name)
    order = np.random.default_rng(0).permutation(data.n_documents)
    whole = model.score(data)
    assert model.score(reordered(data, order)).tobytes() == whole[order].tobytes()
    part = data.select_queries([4])
    assert model.score(part).tobytes() == whole[4 * 14 : 5 * 14].tobytes()


@every_ranker
def test_scoring_changes_nothing(name: str) -> None:
    data = planted(5, seed=7)
    before = data.features.tobytes()
    model = model_of(name)
    assert model.score(data).tobytes() == model.score(data).tobytes()
    assert data.features.tobytes() == before


@every_ranker
def test_a_file_gives_the_same_scores_to_the_bit(name: str) -> None:
    model = model_of(name)
    text = as_text(ModelFile(model, find_ranker(name).paper))
    found = from_text(text)
    data = planted(11, seed=8)
    assert found.model.score(data).tobytes() == model.score(data).tobytes()
    assert (found.model.ranker, dict(found.model.facts)) == (name, dict(model.facts))
    assert as_text(found) == text


@every_ranker
def test_facts_and_parameters_are_plain_values(name: str) -> None:
    model = model_of(name)
    for values in (model.facts, model.parameters):
        assert json.loads(json.dumps(dict(values), allow_nan=False)) == dict(values)
    assert model.ranker == name


@every_ranker
def test_data_of_another_width_are_refused(name: str) -> None:
    with pytest.raises(RankwiseError, match="trained on 5 features, found 4"):
        model_of(name).score(planted(3, features=4))


@every_ranker
def test_importance_has_one_figure_per_feature(name: str) -> None:
    importance = model_of(name).scorer.importance()
    assert importance.shape == (5,)
    assert np.isfinite(importance).all()
    # The planted order hangs on the first feature more than on any other.
    assert int(np.argmax(np.abs(importance))) == 0


@every_ranker
def test_the_form_of_the_model_is_declared(name: str) -> None:
    """`_learn` says which scorers it returns, so that the exports are known before training."""
    assert model_of(name).scorer.kind in scorer_kinds()
    assert model_of(name).scorer.kind in kinds_of(find_ranker(name))
