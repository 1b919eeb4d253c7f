"""A transformer over the documents of a query, without positions: every one sees the others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.models.scorers.scorer import ListScorer, find_slopes, integers, list_blocks, numbers

Floats = NDArray[np.float64]
OUTPUT_ACTIVATIONS = ("none", "tanh", "sigmoid")
NORM_FLOOR = 1e-5
"""What is added to the variance in layer normalization."""
_LARGEST_SIZE = 2**20


@dataclass(frozen=True)
class AttentionSizes:
    """The sizes of the layers: features, width, heads, inner width, blocks and outputs."""

    features: int
    width: int
    heads: int
    inner: int
    blocks: int
    outputs: int = 1

    def shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Names and shapes of all parameters, in the order in which they are kept."""
        yield "input", (self.width, self.features)
        yield "input bias", (self.width,)
        for number in range(self.blocks):
            yield from ((f"{number} {name}", shape) for name, shape in self._block_shapes())
        yield "norm", (2, self.width)
        yield "output", (self.outputs, self.width)
        yield "output bias", (self.outputs,)

    @property
    def count(self) -> int:
        """How many numbers all parameters have."""
        block = sum(prod(shape) for _, shape in self._block_shapes())
        ends = self.width * (self.features + 1) + 2 * self.width + self.outputs * (self.width + 1)
        return ends + self.blocks * block

    def _block_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        width, inner = self.width, self.inner
        return [
            ("attention norm", (2, width)),
            ("query, key, value", (3 * width, width)),
            ("query, key, value bias", (3 * width,)),
            ("attention output", (width, width)),
            ("attention output bias", (width,)),
            ("inner norm", (2, width)),
            ("inner", (inner, width)),
            ("inner bias", (inner,)),
            ("inner output", (width, inner)),
            ("inner output bias", (width,)),
        ]


@dataclass(frozen=True, eq=False)
class Attention(ListScorer):
    """s = Σ_o a(W_o norm(H_B) + b_o), H_0 = W z + b, z = (x − mean) / scale, and for each block

        H ← H + O(head_1 … head_h),    head = softmax(Q Kᵀ / √d) V   of norm(H)
        H ← H + W₂ max(0, W₁ norm(H) + b₁) + b₂

    H has a row for every document of the query; Q, K and V are affine functions of its rows, cut
    into h heads of d columns; norm brings every row to mean 0 and variance 1, then scales and
    shifts its columns by learned numbers.

    Attributes:
        sizes: of the layers; a has as many summands as there are outputs.
        weights: all parameters one after the other, in the order of `AttentionSizes.shapes`.
        means: what is subtracted from each feature.
        scales: what it is then divided by.
        activation: a, one of `OUTPUT_ACTIVATIONS`.
    """

    kind: ClassVar[str] = "attention"
    sizes: AttentionSizes
    weights: Floats
    means: Floats
    scales: Floats
    activation: str = "none"

    def __post_init__(self) -> None:
        _check(self)

    @property
    def n_features(self) -> int:
        """The inputs of the first layer."""
        return self.sizes.features

    def parameters(self) -> dict[str, Floats]:
        """The parameters by name, each in its shape."""
        found, place = {}, 0
        for name, shape in self.sizes.shapes():
            found[name] = self.weights[place : place + prod(shape)].reshape(shape)
            place += prod(shape)
        return found

    def importance(self) -> Floats:
        """The slope of the score in every standardised feature, in a list of random documents."""
        return find_slopes(self, self.means, self.scales)

    def as_json(self) -> dict[str, Any]:
        """The sizes by name, `weights`, `means`, `scales` and `activation`."""
        return {
            **vars(self.sizes),
            "weights": self.weights.tolist(),
            "means": self.means.tolist(),
            "scales": self.scales.tolist(),
            "activation": self.activation,
        }

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Attention:
        """From what `as_json` gives."""
        names = [one.name for one in fields(AttentionSizes)]
        sizes = [int(integers({name: [values.get(name)]}, name)[0]) for name in names]
        weights, means, scales = (numbers(values, name) for name in ("weights", "means", "scales"))
        activation = str(values.get("activation"))
        return cls(AttentionSizes(*sizes), weights, means, scales, activation)

    def _score_list(self, rows: Floats) -> Floats:
        own = self.parameters()
        hidden = (rows - self.means) / self.scales @ own["input"].T + own["input bias"]
        for number in range(self.sizes.blocks):
            block = {name: own[f"{number} {name}"] for name, _ in self.sizes._block_shapes()}
            hidden = hidden + self._attend(_norm(hidden, block["attention norm"]), block)
            inner = _norm(hidden, block["inner norm"]) @ block["inner"].T + block["inner bias"]
            hidden = hidden + np.maximum(inner, 0.0) @ block["inner output"].T
            hidden += block["inner output bias"]
        outputs = _norm(hidden, own["norm"]) @ own["output"].T + own["output bias"]
        scores: Floats = _activate(outputs, self.activation).sum(axis=1)
        return scores

    def _attend(self, hidden: Floats, block: dict[str, Floats]) -> Floats:
        mixed = hidden @ block["query, key, value"].T + block["query, key, value bias"]
        count, heads = len(hidden), self.sizes.heads
        # (3, heads, documents, d)
        parts = mixed.reshape(count, 3, heads, -1).transpose(1, 2, 0, 3)
        query, key, value = np.ascontiguousarray(parts)
        met = np.empty((heads, count, query.shape[2]))
        for head in range(heads):
            for some in list_blocks(count):
                own = query[head, some] @ key[head].T / sqrt(query.shape[2])
                own = np.exp(own - own.max(axis=1, keepdims=True))
                met[head, some] = own @ value[head] / own.sum(axis=1, keepdims=True)
        joined = met.transpose(1, 0, 2).reshape(count, -1)
        found: Floats = joined @ block["attention output"].T + block["attention output bias"]
        return found


def _norm(hidden: Floats, scaled: Floats) -> Floats:
    away = hidden - hidden.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.square(away).mean(axis=1, keepdims=True) + NORM_FLOOR)
    found: Floats = away / spread * scaled[0] + scaled[1]
    return found


def _activate(outputs: Floats, activation: str) -> Floats:
    if activation == "tanh":
        return np.tanh(outputs)
    return 1.0 / (1.0 + np.exp(-outputs)) if activation == "sigmoid" else outputs


def _check(attention: Attention) -> None:
    """As many numbers as the sizes ask for, and sizes that fit together."""
    sizes = attention.sizes
    for name, size in vars(sizes).items():
        if not 1 <= size <= _LARGEST_SIZE:
            raise RankwiseError(
                f"the {name} of an attention model must number 1 to {_LARGEST_SIZE}, found {size}"
            )
    if sizes.width % sizes.heads:
        raise RankwiseError(
            f"the width of an attention model must be a multiple of its heads ({sizes.heads}), "
            f"found {sizes.width}"
        )
    wanted = {"weights": sizes.count, "means": sizes.features, "scales": sizes.features}
    for name, length in wanted.items():
        found = len(getattr(attention, name))
        if found != length:
            raise RankwiseError(
                f"an attention model of these sizes must have {length} {name}, found {found}"
            )
    if not np.all(attention.scales > 0.0):
        raise RankwiseError("the scales of an attention model must be above 0, found others")
    if attention.activation not in OUTPUT_ACTIVATIONS:
        raise RankwiseError(
            f"the activation of an attention model must be one of {', '.join(OUTPUT_ACTIVATIONS)}, "
            f"found {attention.activation[:80]!r}"
        )
