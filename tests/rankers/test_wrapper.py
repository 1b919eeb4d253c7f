"""The contract of wrappers: what is wrapped is named by parameters and trained as if alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.checks.made import planted, unseen
from rankwise.errors import RankwiseError
from rankwise.experiments.planning import measured_parameters
from rankwise.models.scorers.scorer import Scorer
from rankwise.rankers import make_ranker, parse_settings
from rankwise.rankers.parameters import parameter, split_settings, write_settings
from rankwise.rankers.ranker import Learned, Training
from rankwise.rankers.registry import find_ranker, ranker_names
from rankwise.rankers.wrapper import Wrapper, layers_of


@dataclass(frozen=True)
class Bare(Wrapper):
    """Adds nothing to what it wraps."""

    times: int = parameter(1, "how often it is trained", grid=(1, 2), lowest=1)

    def _learn(self, training: Training) -> Learned[Scorer]:
        model = self.fit_wrapped(training)
        return Learned(model.scorer, dict(model.facts))


BARE = "tests.rankers.test_wrapper:Bare"


@pytest.mark.parametrize("of", ["ridge-regression", "ranknet", "random-forest"])
def test_the_wrapped_ranker_learns_what_it_learns_alone(of: str) -> None:
    alone = make_ranker(of).fit(planted(8), planted(4, seed=1), seed=7)
    within = Bare(of=of).fit(planted(8), planted(4, seed=1), seed=7)
    assert within.score(unseen()).tobytes() == alone.score(unseen()).tobytes()
    assert within.parameters == {"of": of, "settings": "", "times": 1}


def test_settings_reach_the_wrapped_ranker() -> None:
    wanted = make_ranker("ridge-regression", regularization=7.0, centre_in_query=True)
    text = "regularization=7.0,centre_in_query=true"
    assert Bare(settings=text).wrapped == wanted
    settings: Any = {"regularization": 7.0, "centre_in_query": True}
    assert Bare(settings=settings).settings == text
    assert make_ranker(Bare, **{"of.regularization": 7.0, "of.centre_in_query": True}) == Bare(
        settings=text
    )
    found = parse_settings(Bare, ["times=2", "of.regularization=7", "of.centre_in_query=yes"])
    assert Bare(**found).wrapped == wanted


def test_a_wrapper_can_do_what_its_ranker_can() -> None:
    for of in ("lambdamart", "ridge-regression"):
        made, inner = Bare(of=of), make_ranker(of)
        for fact in ("handles_null", "uses_measure", "random"):
            assert getattr(made, fact) == getattr(inner, fact)


def test_wrappers_within_wrappers() -> None:
    inner = write_settings({"of": "ranksvm", "settings": "gap=0.001,regularization=2.0"})
    made = Bare(of=BARE, settings=inner)
    names = [one.name for one in layers_of(made)]
    assert names == [Bare.name, "ranksvm"]
    assert list(layers_of(made))[-1] == make_ranker("ranksvm", gap=0.001, regularization=2.0)


def test_a_measure_that_is_asked_for_reaches_the_wrapped_ranker() -> None:
    found = measured_parameters(Bare, "NDCG@5", "letor4", {"of": "lambdamart"})
    inner = Bare(**found).wrapped.parameters()
    assert (inner["measure"], inner["tool"]) == ("NDCG@5", "letor4")
    kept = measured_parameters(
        Bare, "NDCG@5", None, {"of": "lambdamart", "settings": "measure=MAP"}
    )
    assert Bare(**kept).wrapped.parameters()["measure"] == "MAP"
    assert measured_parameters(Bare, "MAP", None, {"times": 2}) == {"times": 2}


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"of": "ridge-regresion"}, "did you mean 'ridge-regression'"),
        ({"settings": "regularisation=1"}, "did you mean 'regularization'"),
        ({"settings": "regularization"}, "name=value"),
        ({"settings": "regularization=-1"}, "regularization must be at least"),
        ({"settings": "regularization={1"}, "close each brace"),
        ({"settings": "regularization=1}"}, "close each brace"),
        ({"of": 3}, "of must be a text"),
        ({"settings": 3}, "settings must be a text"),
    ],
)
def test_what_cannot_be_wrapped_is_one_sentence(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(RankwiseError, match=words):
        Bare(**parameters)


def test_settings_are_given_one_way() -> None:
    with pytest.raises(RankwiseError, match="by settings or by"):
        make_ranker(Bare, settings="gap=1", **{"of.gap": 1})


NAMES = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
VALUES = st.text(st.characters(exclude_characters="{}", exclude_categories=["Cs", "Z", "C"]))


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_settings_are_read_as_they_are_written(settings: dict[str, str]) -> None:
    parts = [part.partition("=") for part in split_settings(write_settings(settings))]
    assert {name: value for name, _, value in parts} == settings
    nested = {"of": "x", "settings": write_settings(settings)}
    parts = [part.partition("=") for part in split_settings(write_settings(nested))]
    assert {name: value for name, _, value in parts} == nested


@pytest.mark.parametrize("name", ["per-class", "nearest-queries"])
def test_weights_reach_the_wrapped_ranker(name: str) -> None:
    dataset = planted()
    weights = np.repeat(1.0 + np.arange(dataset.n_queries) % 3, dataset.query_lengths)
    weighted = replace(dataset, weights=weights)
    ranker = make_ranker(name, of="ranksvm-primal")
    plain, weighed = (ranker.fit(part).score(dataset) for part in (dataset, weighted))
    assert not np.array_equal(plain, weighed)
    refusing = next(one for one in ranker_names() if not find_ranker(one).takes_weights)
    with pytest.raises(RankwiseError, match="cannot weigh documents"):
        make_ranker(name, of=refusing).fit(weighted)
