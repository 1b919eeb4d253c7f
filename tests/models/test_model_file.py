"""Model files: the same scores to the bit after a round trip; wrong and hostile ones refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise import __version__
from rankwise.errors import RankwiseError
from rankwise.models import load_model, read_model_file, save_model
from rankwise.models import model_file as model_file_module
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.scorer import SCORERS, find_scorer, scorer_kinds
from rankwise.rankers.registry import find_ranker
from tests.models.made import made_models, model_file, scores_of

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("kind", made_models())
def test_round_trip_to_the_bit(kind: str, tmp_path: Path) -> None:
    scorer = made_models()[kind]
    model = Model("ranksvm", {"regularization": 0.1 + 0.2}, scorer, {"gap": 1e-7, "rounds": [1]})
    save_model(model, tmp_path / "model.json", feature_names=["a", "b", "ü", "<d>"])
    found = read_model_file(tmp_path / "model.json")
    rows = np.random.default_rng(0).normal(size=(50, 4))
    assert scores_of(found.model.scorer, rows).tobytes() == scores_of(scorer, rows).tobytes()
    assert (found.model.ranker, found.model.parameters) == (model.ranker, model.parameters)
    assert found.model.facts == model.facts
    assert found.feature_names == found.names == ("a", "b", "ü", "<d>")
    assert found.paper == find_ranker("ranksvm").paper
    assert found.rankwise_version == __version__
    assert as_text(found) == (tmp_path / "model.json").read_text("utf-8")


@given(st.lists(FINITE, min_size=1, max_size=8), FINITE)
def test_every_finite_weight_survives(weights: list[float], intercept: float) -> None:
    before = Linear(np.array(weights), intercept)
    after = from_text(as_text(model_file(before))).model.scorer
    assert isinstance(after, Linear)
    assert after.weights.tobytes() == before.weights.tobytes()
    assert np.float64(after.intercept).tobytes() == np.float64(intercept).tobytes()


def test_the_document_is_as_documented() -> None:
    document = json.loads(as_text(model_file(Linear(np.array([0.5, -2.0])))))
    assert document == {
        "format": "rankwise model",
        "format_version": 1,
        "rankwise_version": __version__,
        "ranker": "ridge-regression",
        "paper": "Somebody (2001)",
        "parameters": {"regularization": 0.1},
        "features": {"count": 2, "names": None},
        "training": {"round": 3},
        "scorer": {"kind": "linear", "weights": [0.5, -2.0], "intercept": 0.0},
    }


def test_features_without_names_are_called_by_their_numbers() -> None:
    assert model_file(Linear(np.zeros(3))).names == ("1", "2", "3")


def test_every_kind_of_the_table_is_there_under_its_own_name() -> None:
    for kind in scorer_kinds():
        assert find_scorer(kind).kind == kind
    assert set(made_models()) == set(SCORERS)


def changed(**changes: object) -> str:
    """A good document with some members replaced (… is: taken out)."""
    document = json.loads(as_text(model_file(Linear(np.array([0.5, -2.0])))))
    document.update(changes)
    return json.dumps({key: value for key, value in document.items() if value is not ...})


LINEAR = {"kind": "linear", "weights": [0.5, -2.0], "intercept": 0.0}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "it must be JSON, found a mistake in line 1, column 1"),
        ("[1, 2", "it must be JSON, found a mistake in line 1, column 6"),
        ("[" * 100_000, "its values are nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "its values are nested too deeply"),
        ('{"a": 1, "a": 2}', "an object in it has a key more than once"),
        ('{"a": NaN}', "its numbers must be finite, found NaN"),
        ('{"a": -Infinity}', "its numbers must be finite, found -Infinity"),
        ('{"a": ' + "9" * 10_000 + "}", "it holds a whole number of 10000 digits"),
        ("[]", 'it must be a JSON object with "format": "rankwise model"'),
        ("{}", 'it must be a JSON object with "format": "rankwise model"'),
        ('{"format": "pickle"}', 'it must be a JSON object with "format": "rankwise model"'),
        (changed(format_version=2), "it has format version 2, this package reads up to 1"),
        (changed(format_version=True), "its format_version must be a whole number, found True"),
        (changed(format_version=...), "its format_version must be a whole number, found None"),
        (changed(scorer=...), "it must hold an object under 'scorer'"),
        (changed(scorer={}), "its scorer must have a kind"),
        (changed(scorer={"kind": "os.system"}), "must be one of linear, trees, stumps, network"),
        (changed(scorer={"kind": ["linear"]}), "its scorer must have a kind"),
        (changed(scorer={"kind": "linear"}), "a list of numbers under 'weights'"),
        (changed(scorer=LINEAR | {"weights": ["0.5", 1]}), "a list of numbers under 'weights'"),
        (changed(scorer=LINEAR | {"weights": [1e308 * 10, 1]}), "finite, found Infinity"),
        (changed(scorer=LINEAR | {"weights": [[1], 1]}), "a list of numbers under 'weights'"),
        (changed(scorer=LINEAR | {"weights": [10**400, 1]}), "a whole number of 401 digits"),
        (changed(scorer=LINEAR | {"intercept": 10**400}), "a whole number of 401 digits"),
        (changed(features={"count": 3, "names": None}), "its features must number 2"),
        (changed(features={"count": 2.0, "names": None}), "its features must number 2"),
        (changed(features={"count": 2, "names": ["a"]}), "must be a list of 2 texts"),
        (changed(features={"count": 2, "names": ["a", 3]}), "must be a list of 2 texts"),
        (changed(ranker=3), "it must hold a short text under 'ranker'"),
        (changed(ranker="x" * 10_000), "it must hold a short text under 'ranker'"),
        (changed(parameters=[]), "it must hold an object under 'parameters'"),
        (changed(training=None), "it must hold an object under 'training'"),
    ],
)
def test_a_wrong_file_is_one_sentence(content: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(content)
    with pytest.raises(RankwiseError) as caught:
        load_model(path)
    assert str(caught.value).startswith(f"{path} is not a model that can be read: ")
    assert sentence in str(caught.value)
    assert len(str(caught.value)) < 500


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_with_a_sentence(content: bytes) -> None:
    with pytest.raises(RankwiseError):
        from_text(content)


@given(st.data())
def test_a_torn_or_altered_file_gives_a_model_or_a_sentence(data: st.DataObject) -> None:
    scorer = made_models()[data.draw(st.sampled_from(sorted(made_models())))]
    text = bytearray(as_text(model_file(scorer)).encode())
    rows = np.zeros((2, 4))
    whole = from_text(bytes(text)).model.scorer
    assert scores_of(whole, rows).tobytes() == scores_of(scorer, rows).tobytes()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place] = data.draw(st.sampled_from(b'0123456789-.,[]{}":eE \xff'))
    try:
        found = from_text(bytes(text)).model.scorer
    except RankwiseError:
        return
    if found.n_features == 4 and not found.needs_relations:
        assert found.score(rows).shape == (2,)


def test_a_file_that_is_too_large_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankwise.models.model_file.MOST_BYTES", 100)
    (tmp_path / "model.json").write_text("[" + " " * 200 + "]")
    with pytest.raises(RankwiseError, match="larger than 0 MB: it is no model file"):
        load_model(tmp_path / "model.json")


def test_a_model_with_nan_is_never_written(tmp_path: Path) -> None:
    bad = Model("ranksvm", {}, Linear(np.array([np.nan])))
    with pytest.raises(RankwiseError, match="must consist of finite numbers"):
        save_model(bad, tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_names_of_the_format_are_fixed() -> None:
    """Files in the world depend on them."""
    assert (model_file_module.FORMAT, model_file_module.FORMAT_VERSION) == ("rankwise model", 1)
    assert isinstance(model_file(Linear(np.zeros(1))), ModelFile)
