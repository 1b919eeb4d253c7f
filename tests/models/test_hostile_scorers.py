"""Model files with numbers changed at random: refused by a sentence, or scored as the rules say.

The core walks through these arrays; run it with the sanitized library to see that it stays inside
(build_tools/compile_core.py --sanitize).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import find_scorer
from rankwise.models.scorers.trees import Trees
from tests.models.made import made_models
from tests.rankers.test_trees import literal_score

TRIALS = 400
HOSTILE = (-(2**70), -(2**31), -100, -5, -4, -1, 0, 1, 3, 4, 5, 34, 36, 100, 2**31, 2**62, 1e-36,
           -0.0, 0.5, 1e308, float("nan"), float("inf"), None, True, "1", [], {})  # fmt: skip
VALUES = (0.0, -0.0, 1e-36, 0.3, -2.0, 1e300, float("nan"), float("inf"), -float("inf"))


# Those that need relations cannot score rows; tests/rankers/test_relational_rankers.py has theirs.
ROW_SCORERS = [kind for kind, scorer in made_models().items() if not scorer.needs_relations]


@pytest.mark.parametrize("kind", ROW_SCORERS)
def test_a_changed_model_is_refused_or_scores_every_row(kind: str) -> None:
    rng = np.random.default_rng(5)
    values = made_models()[kind].as_json()
    features = rng.choice(VALUES, (40, 4))
    accepted = refused = 0
    for _ in range(TRIALS):
        try:
            scorer = find_scorer(kind).from_json(changed(values, rng))
        except RankwiseError:
            refused += 1
            continue
        accepted += 1
        if scorer.n_features > features.shape[1]:
            with pytest.raises(RankwiseError, match="columns"):
                scorer.score(features)
            continue
        scores = scorer.score(features)
        assert scores.shape == (len(features),)
        if isinstance(scorer, Trees):
            assert scores.tolist() == [literal_score(scorer, row) for row in features]
    assert min(accepted, refused) > TRIALS // 20


def changed(values: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """A copy with one to three changes: a number, the length of a list, or a whole entry."""
    changed = copy.deepcopy(values)
    for _ in range(rng.integers(1, 4)):
        key = list(changed)[rng.integers(len(changed))]
        hostile = HOSTILE[rng.integers(len(HOSTILE))]
        found = changed[key]
        how = rng.integers(8)
        if how == 0 or not isinstance(found, list) or not found:
            changed[key] = hostile
        elif how == 1:
            del found[rng.integers(len(found))]
        elif how == 2:
            found.append(found[0])
        elif how == 3:
            rng.shuffle(found)
        elif how < 6:
            # Numbers of the list itself are the likeliest to pass every check.
            found[rng.integers(len(found))] = found[rng.integers(len(found))]
        else:
            found[rng.integers(len(found))] = hostile
    return changed
