"""Laws of models: finite scores, one per row, whatever stands beside it; files to the bit."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.law import (
    ExaminedRanker,
    NotApplicable,
    is_writable,
    law,
    refusal,
    require,
    require_sound,
)
from rankwise.checks.made import DOCUMENTS, planted, reordered
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, as_text, from_text
from rankwise.rankers.ranker_description import kinds_of
from rankwise.rankers.registry import ranker_names

Floats = NDArray[np.float64]


@law
def scores_are_finite_and_one_per_row(subject: ExaminedRanker) -> None:
    """A model gives every row one finite score."""
    data = planted(7, seed=5)
    require_sound(subject.trained.score(data), data)


@law
def a_score_does_not_depend_on_the_other_rows(subject: ExaminedRanker) -> None:
    """A row, or of models that score whole lists a query, has the same score among any others.

    To the bit; of own code up to rounding, as its libraries may sum in another order.
    """
    data = planted(9, seed=6)
    model = subject.trained
    whole = model.score(data)
    if model.scorer.row_by_row:
        order = np.random.default_rng(0).permutation(data.n_documents)
        _require_same(model, model.score(reordered(data, order)), whole[order])
    part = data.select_queries([4])
    _require_same(model, model.score(part), whole[4 * DOCUMENTS : 5 * DOCUMENTS])


@law
def the_order_of_documents_moves_no_score(subject: ExaminedRanker) -> None:
    """A document has the same score wherever it stands among the documents of its query.

    To the bit; of own code up to rounding.
    """
    data = planted(6, seed=12)
    model = subject.trained
    order = np.lexsort((np.random.default_rng(1).random(data.n_documents), data.query_of_rows))
    _require_same(model, model.score(reordered(data, order)), model.score(data)[order])


@law
def scoring_changes_nothing(subject: ExaminedRanker) -> None:
    """Scoring twice gives the same scores to the bit and leaves the data alone."""
    data = planted(5, seed=7)
    before = data.features.tobytes()
    first, second = (subject.trained.score(data) for _ in range(2))
    require(first.tobytes() == second.tobytes(), "the same scores again", second)
    require(data.features.tobytes() == before, "the data as they were", "other values in them")


@law
def a_file_gives_the_same_scores_to_the_bit(subject: ExaminedRanker) -> None:
    """A model that was written and read scores as before, and is written as before."""
    model = subject.trained
    if not is_writable(model):
        raise NotApplicable("its model cannot be written to a file; as_scorer() would allow it")
    text = as_text(ModelFile(model, subject.ranker.paper))
    found = from_text(text)
    data = planted(11, seed=8)
    same = found.model.score(data).tobytes() == model.score(data).tobytes()
    require(same, "the scores from before it was written", "others")
    told, facts = (subject.ranker.name, dict(model.facts)), dict(found.model.facts)
    require((found.model.ranker, facts) == told, f"{told}", (found.model.ranker, facts))
    require(as_text(found) == text, "the same file", "another one")


@law
def facts_and_parameters_are_plain_values(subject: ExaminedRanker) -> None:
    """Facts and parameters are JSON values, and the model has the ranker's name."""
    model = subject.trained
    for values in (model.facts, model.parameters):
        again = json.loads(json.dumps(dict(values), allow_nan=False))
        require(again == dict(values), f"{dict(values)} from JSON", again)
    require(model.ranker == subject.ranker.name, f"the name {subject.ranker.name}", model.ranker)


@law
def data_of_another_width_are_refused(subject: ExaminedRanker) -> None:
    """Data with fewer features than it was trained on are refused in one sentence."""
    wanted = "trained on 5 features, found 4"
    error = refusal(lambda: subject.trained.score(planted(3, features=4)), wanted)
    require(wanted in str(error), wanted, str(error))


@law
def importance_has_one_figure_per_feature(subject: ExaminedRanker) -> None:
    """Each feature has a finite importance, and the planted one counts most."""
    model = subject.trained
    try:
        importance = model.scorer.importance()
    except RankwiseError as error:
        if is_writable(model):
            raise
        raise NotApplicable(str(error)) from error
    require(importance.shape == (5,), "5 figures", importance.shape)
    require(bool(np.isfinite(importance).all()), "finite figures", importance)
    # The planted order hangs on the first feature more than on any other.
    first = int(np.argmax(np.abs(importance)))
    require(first == 0, "the first feature to count most", f"feature {first + 1}: {importance}")


@law
def the_form_of_the_model_is_declared(subject: ExaminedRanker) -> None:
    """`_learn` says which scorers it returns, so that the exports are known before training."""
    kind, declared = subject.trained.scorer.kind, kinds_of(subject.ranker)
    if not declared and subject.ranker.name not in ranker_names():
        raise NotApplicable("a ranker of somebody's own need not declare the form of its models")
    require(kind in declared, f"one of the declared forms {declared}", kind)


def _require_same(model: Model, found: Floats, expected: Floats) -> None:
    if is_writable(model):
        same = found.tobytes() == expected.tobytes()
    else:
        same = bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9))
    require(same, f"the scores {expected}", found)
