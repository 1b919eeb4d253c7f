"""Self-attention over the documents of queries, trained by torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.rankers.gradient.torch_library import import_torch, reproducible
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.scorers.attention import NORM_FLOOR, Attention, AttentionSizes
from rankwise.rankers.training.standard_features import draw_weights, find_standard

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AttentionSteps:
    """How Adam goes: the rate, by what it falls and after how many passes, what is dropped."""

    rate: float
    decay: float
    decay_after: int
    regularization: float
    dropout: float


class AttentionTraining:
    """Adam on the parameters of an `Attention`: a round is one pass over the batches.

    The queries of a batch are filled up to the longest, and nobody attends to the filling. A loss
    of the scores starts torch's way back; without one the outputs o_k are judged one by one,

        1/n Σ_i Σ_k log(1 + exp(−t_ik o_ik)),    t_ik = 1 where y_i ≥ level k, else −1.

    First weights are drawn from `rng` as those of `NetworkTraining`, and dropout from a generator
    that it seeds, so that torch's own random state plays no part.
    """

    def __init__(
        self,
        train: Dataset,
        parts: list[Dataset],
        loss: Callable[[Dataset], Loss] | None,
        sizes: AttentionSizes,
        activation: str,
        steps: AttentionSteps,
        rng: np.random.Generator,
    ) -> None:
        torch = _torch()
        self._sizes, self._activation, self._steps, self._rng = sizes, activation, steps, rng
        self._means, self._scales = find_standard(train)
        self._weights = torch.from_numpy(_first_weights(sizes, rng)).requires_grad_()
        self._drawn = torch.Generator().manual_seed(int(rng.integers(2**62)))
        self._levels = np.unique(train.labels)[1:]
        self._parts = [
            (*self._padded(part), None if loss is None else loss(part), part) for part in parts
        ]
        self._optimizer = torch.optim.Adam(
            [self._weights], lr=steps.rate, weight_decay=steps.regularization
        )
        self._rounds = 0

    def step(self) -> float:
        """One pass over the batches; their mean loss."""
        total = 0.0
        if self._steps.decay_after and self._rounds and not self._rounds % self._steps.decay_after:
            self._optimizer.param_groups[0]["lr"] *= self._steps.decay
        self._rounds += 1
        with reproducible(_torch()):
            for number in self._rng.permutation(len(self._parts)):
                inputs, real, loss, part = self._parts[number]
                outputs = self._outputs(inputs, real, self._steps.dropout)[real]
                self._optimizer.zero_grad()
                total += self._back(outputs, loss, part)
                self._optimizer.step()
        return total / len(self._parts)

    def scorer(self) -> Attention:
        """The model as it stands, as plain arrays."""
        weights = self._weights.detach().numpy().copy()
        return Attention(self._sizes, weights, self._means, self._scales, self._activation)

    def scores(self, dataset: Dataset) -> Floats:
        """What torch says of some data, nothing dropped."""
        inputs, real = self._padded(dataset)
        with _torch().no_grad(), reproducible(_torch()):
            found: Floats = self._sum(self._outputs(inputs, real, 0.0)[real]).numpy()
        return found

    def _back(self, outputs: Any, loss: Loss | None, part: Dataset) -> float:
        """Leave the slopes of the loss in the weights; its value."""
        torch = _torch()
        if loss is None:
            signs = np.where(part.labels[:, np.newaxis] >= self._levels, -1.0, 1.0)
            cost = torch.nn.functional.softplus(torch.from_numpy(signs) * outputs).sum(dim=1).mean()
            cost.backward()
            return float(cost.detach())
        scores = self._sum(outputs)
        value, slopes = loss.at(np.ascontiguousarray(scores.detach().numpy()))
        scores.backward(torch.from_numpy(slopes))
        return value

    def _sum(self, outputs: Any) -> Any:
        activated = (
            outputs if self._activation == "none" else getattr(_torch(), self._activation)(outputs)
        )
        return activated.sum(dim=1)

    def _padded(self, part: Dataset) -> tuple[Any, Any]:
        """(queries, longest, features) standardised rows, and where there is a document."""
        torch = _torch()
        lengths = part.query_lengths
        real = np.arange(max(1, int(lengths.max()))) < lengths[:, np.newaxis]
        inputs = np.zeros((*real.shape, part.n_features))
        inputs[real] = (part.features - self._means) / self._scales
        return torch.from_numpy(inputs), torch.from_numpy(real)

    def _outputs(self, inputs: Any, real: Any, dropout: float) -> Any:
        """(queries, longest, outputs); see `Attention`."""
        sizes, own = self._sizes, self._parameters()
        hidden = inputs @ own["input"].T + own["input bias"]
        for number in range(sizes.blocks):
            block = {
                name.partition(" ")[2]: values
                for name, values in own.items()
                if name.startswith(f"{number} ")
            }
            found = self._attend(_norm(hidden, block["attention norm"]), real, block, dropout)
            hidden = hidden + self._drop(found, dropout)
            inner = _norm(hidden, block["inner norm"]) @ block["inner"].T + block["inner bias"]
            inner = self._drop(_torch().relu(inner), dropout) @ block["inner output"].T
            hidden = hidden + self._drop(inner + block["inner output bias"], dropout)
        return _norm(hidden, own["norm"]) @ own["output"].T + own["output bias"]

    def _attend(self, hidden: Any, real: Any, block: dict[str, Any], dropout: float) -> Any:
        mixed = hidden @ block["query, key, value"].T + block["query, key, value bias"]
        queries, longest = hidden.shape[:2]
        parts = mixed.reshape(queries, longest, 3, self._sizes.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        met = query @ key.transpose(-1, -2) / sqrt(query.shape[-1])
        met = met.masked_fill(~real[:, None, None, :], -1e30)
        shares = self._drop(_torch().softmax(met, dim=-1), dropout)
        joined = (shares @ value).permute(0, 2, 1, 3).reshape(queries, longest, -1)
        return joined @ block["attention output"].T + block["attention output bias"]

    def _drop(self, values: Any, dropout: float) -> Any:
        if not dropout:
            return values
        drawn = _torch().rand(values.shape, generator=self._drawn)
        return values * (drawn >= dropout) / (1.0 - dropout)

    def _parameters(self) -> dict[str, Any]:
        shapes = list(self._sizes.shapes())
        parts = self._weights.split([prod(shape) for _, shape in shapes])
        return {
            name: part.reshape(shape) for (name, shape), part in zip(shapes, parts, strict=True)
        }


def _first_weights(sizes: AttentionSizes, rng: np.random.Generator) -> Floats:
    """Matrices at random; norms scale by 1 and shift by 0, and biases are 0."""
    found = []
    for name, shape in sizes.shapes():
        if name.endswith("norm"):
            found.append(np.repeat([1.0, 0.0], shape[1]))
        elif name.endswith("bias"):
            found.append(np.zeros(shape))
        else:
            found.append(draw_weights(shape[1], shape[0], rng).ravel())
    return np.concatenate(found)


def _norm(hidden: Any, scaled: Any) -> Any:
    return _torch().nn.functional.layer_norm(
        hidden, hidden.shape[-1:], scaled[0], scaled[1], NORM_FLOOR
    )


def _torch() -> Any:
    return import_torch("self-attention")
