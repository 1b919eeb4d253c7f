"""The attention scorer: its equation, its JSON, torch's own layers, and files that do not fit."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from rankwise.checks.made import planted, unseen
from rankwise.errors import RankwiseError
from rankwise.models.scorers import scorer
from rankwise.models.scorers.attention import Attention, AttentionSizes
from rankwise.rankers.gradient.self_attention import (
    AttentionSteps,
    AttentionTraining,
    SelfAttention,
)
from rankwise.rankers.losses.listwise import TopOneCrossEntropy
from tests.models.made import random_attention
from tests.rankers.torch_marks import needs_torch

STEPS = AttentionSteps(rate=0.01, decay=0.1, decay_after=0, regularization=0.0, dropout=0.2)


def made(seed: int = 0) -> Attention:
    return random_attention(np.random.default_rng(seed))


def rows_of(count: int = 9) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(count, 4))


def norm(row, scaled):
    away = row - row.mean()
    return away / np.sqrt((away**2).mean() + 1e-5) * scaled[0] + scaled[1]


def literal_scores(found: Attention, rows: np.ndarray) -> list[float]:
    """The equation, document by document and head by head."""
    own, sizes = found.parameters(), found.sizes
    columns = sizes.width // sizes.heads
    hidden = [own["input"] @ ((x - found.means) / found.scales) + own["input bias"] for x in rows]
    for b in range(sizes.blocks):
        part = {name.removeprefix(f"{b} "): values for name, values in own.items()}
        normed = [norm(row, part["attention norm"]) for row in hidden]
        mixed = [part["query, key, value"] @ row + part["query, key, value bias"] for row in normed]
        q, k, v = ([np.split(row, 3)[which] for row in mixed] for which in range(3))
        added = []
        for i in range(len(rows)):
            heads = []
            for head in range(sizes.heads):
                cut = slice(head * columns, (head + 1) * columns)
                masses = np.exp([q[i][cut] @ other[cut] / np.sqrt(columns) for other in k])
                heads.append(
                    sum(m * other[cut] for m, other in zip(masses, v, strict=True)) / masses.sum()
                )
            joined = np.concatenate(heads)
            added.append(part["attention output"] @ joined + part["attention output bias"])
        hidden = [row + more for row, more in zip(hidden, added, strict=True)]
        for i, row in enumerate(hidden):
            inner = part["inner"] @ norm(row, part["inner norm"]) + part["inner bias"]
            more = part["inner output"] @ np.maximum(inner, 0) + part["inner output bias"]
            hidden[i] = row + more
    outputs = [own["output"] @ norm(row, own["norm"]) + own["output bias"] for row in hidden]
    return [float(np.tanh(one).sum()) for one in outputs]


def test_scores_are_the_equation(monkeypatch):
    found, rows = made(), rows_of()
    assert found.score(rows) == pytest.approx(literal_scores(found, rows), rel=1e-10)
    monkeypatch.setattr(scorer, "_PAIRS_AT_ONCE", 20)
    assert found.score(rows) == pytest.approx(literal_scores(found, rows), rel=1e-10)


def test_a_score_depends_on_the_other_documents_of_the_list():
    found, rows = made(), rows_of()
    assert not np.allclose(found.score(rows)[:5], found.score(rows[:5]))


def test_json_gives_the_same_bits():
    found = made()
    back = Attention.from_json(json.loads(json.dumps(found.as_json())))
    assert back.score(rows_of()).tobytes() == found.score(rows_of()).tobytes()
    assert back.as_json() == found.as_json()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"heads": 4}, "multiple of its heads"),
        ({"blocks": 2**40}, "blocks of an attention model must number 1 to"),
        ({"width": 0}, "width of an attention model must number 1 to"),
        ({"inner": 2**20, "blocks": 2**20}, "must have .* weights"),
        ({"inner": "5"}, "whole numbers"),
        ({"weights": [1.0]}, "weights, found 1"),
        ({"means": []}, "must have 4 means, found 0"),
        ({"scales": [1.0, 0.0, 1.0, 1.0]}, "above 0"),
        ({"scales": [1.0, float("inf"), 1.0, 1.0]}, "finite"),
        ({"activation": "__import__"}, "one of none, tanh, sigmoid"),
    ],
)
def test_files_that_do_not_fit_are_refused(change, sentence):
    with pytest.raises(RankwiseError, match=sentence):
        Attention.from_json({**made().as_json(), **change})


@needs_torch
@pytest.mark.parametrize("outputs", [1, 3])
def test_numpy_scores_as_torch_does(outputs):
    offsets = np.array([0, 1, 15, 20, 50, 51, 70, 98])
    train = replace(planted(7), query_offsets=offsets, relations=())
    sizes = AttentionSizes(5, width=6, heads=3, inner=7, blocks=2, outputs=outputs)
    training = AttentionTraining(
        train,
        [train],
        lambda part: TopOneCrossEntropy.of(part, "softmax"),
        sizes,
        "sigmoid",
        STEPS,
        np.random.default_rng(0),
    )
    for _ in range(3):
        training.step()
    found = training.scorer().score_dataset(train)
    assert np.abs(found - training.scores(train)).max() < 1e-12


@needs_torch
def test_a_block_is_that_of_torch():
    torch = pytest.importorskip("torch")
    found, rows = made(), rows_of()
    own = {name: torch.from_numpy(values.copy()) for name, values in found.parameters().items()}
    hidden = torch.from_numpy((rows - found.means) / found.scales) @ own["input"].T
    hidden = hidden + own["input bias"]
    for number in range(found.sizes.blocks):
        layer = torch.nn.TransformerEncoderLayer(
            6, 2, 5, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64
        )
        block = {name.removeprefix(f"{number} "): values for name, values in own.items()}
        layer.load_state_dict(
            {
                "self_attn.in_proj_weight": block["query, key, value"],
                "self_attn.in_proj_bias": block["query, key, value bias"],
                "self_attn.out_proj.weight": block["attention output"],
                "self_attn.out_proj.bias": block["attention output bias"],
                "linear1.weight": block["inner"],
                "linear1.bias": block["inner bias"],
                "linear2.weight": block["inner output"],
                "linear2.bias": block["inner output bias"],
                "norm1.weight": block["attention norm"][0],
                "norm1.bias": block["attention norm"][1],
                "norm2.weight": block["inner norm"][0],
                "norm2.bias": block["inner norm"][1],
            }
        )
        hidden = layer(hidden[None])[0]
    hidden = torch.nn.functional.layer_norm(hidden, (6,), own["norm"][0], own["norm"][1])
    outputs = torch.tanh(hidden @ own["output"].T + own["output bias"]).sum(dim=1)
    assert np.abs(found.score(rows) - outputs.detach().numpy()).max() < 1e-10


@needs_torch
def test_ordinal_has_an_output_a_level_and_its_loss_is_logistic():
    train = planted(5, levels=4)
    model = SelfAttention(loss="ordinal", epochs=2).fit(train)
    assert (model.scorer.sizes.outputs, model.scorer.activation) == (3, "sigmoid")
    scores = model.score(unseen())
    assert scores.min() > 0.0
    assert scores.max() < 3.0
    sizes = AttentionSizes(5, width=4, heads=1, inner=3, blocks=1, outputs=3)
    steps = replace(STEPS, dropout=0.0)
    training = AttentionTraining(
        train, [train], None, sizes, "sigmoid", steps, np.random.default_rng(0)
    )
    first = replace(training.scorer(), activation="none")
    one_by_one = []
    for k in range(3):
        weights = first.weights.copy()
        alone = Attention(sizes, weights, first.means, first.scales)
        alone.parameters()["output"][[j for j in range(3) if j != k]] = 0.0
        one_by_one.append(alone.score_dataset(train))
    reached = [train.labels >= level for level in (1, 2, 3)]
    expected = sum(
        np.log1p(np.exp(np.where(yes, -one, one))).mean()
        for yes, one in zip(reached, one_by_one, strict=True)
    )
    assert training.step() == pytest.approx(expected, rel=1e-9)


@needs_torch
def test_the_rate_falls_after_so_many_passes():
    train = planted(5)
    one, two = (
        SelfAttention(decay=0.0, decay_after=after, epochs=4, patience=4, dropout=0.0).fit(train)
        for after in (2, 3)
    )
    early = SelfAttention(epochs=2, dropout=0.0).fit(train)
    assert one.facts["round"] <= 2
    assert two.facts["round"] <= 3
    if one.facts["round"] == early.facts["round"]:
        assert one.score(unseen()).tobytes() == early.score(unseen()).tobytes()


def test_heads_must_share_the_width():
    with pytest.raises(RankwiseError, match="width must be a multiple of heads"):
        SelfAttention(width=10, heads=3)
    with pytest.raises(RankwiseError, match="loss=ordinal has output_activation sigmoid"):
        SelfAttention(loss="ordinal", output_activation="tanh")
