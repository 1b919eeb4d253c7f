"""Self-attention: documents are scored in the context of the others of their query.

The network is trained by torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.models.scorers.attention import (
    NORM_FLOOR,
    OUTPUT_ACTIVATIONS,
    Attention,
    AttentionSizes,
)
from rankwise.native.arrays import Floats
from rankwise.rankers.gradient.neuralndcg import RelaxedGain
from rankwise.rankers.gradient.torch_training import import_torch, reproducible
from rankwise.rankers.losses.lambdas import LogisticPairs, lambdas
from rankwise.rankers.losses.listwise import (
    Loss,
    OrderLikelihood,
    TopOneCrossEntropy,
    find_gain_measure,
)
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Training
from rankwise.rankers.training.model_selection import Judge, batches, best_round
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.relative_features import draw_weights, find_standard

LOSSES = ("listnet", "listmle", "ranknet", "lambdarank", "neuralndcg", "ordinal")
_SCALINGS = 50


@dataclass(frozen=True)
class SelfAttention(Ranker):
    """Minimise a loss of the scores that a transformer gives to all documents of a query together.

    A shared layer brings each document to `width` numbers; `blocks` of self-attention with `heads`
    heads and of a hidden layer of `inner` units follow, both beside what they add to and after
    layer normalization; a last layer gives the score (see `Attention`). There are no positions: the
    order of the documents tells nothing. Adam follows the loss (torch, the extra `neural`), and
    the round is the one with the best `measure` on validation data. The losses are those of the
    rankers of the same names, and `ordinal`: an output for each level of the labels but the lowest,
    which says by a logistic loss whether the label reaches it; the score is the sum of the chances.

    The paper's settings on MSLR-WEB30K are options: width=144 heads=2 blocks=4 inner=512
    dropout=0.4 loss=ordinal learning_rate=0.001 decay_after=50 epochs=100 queries_per_batch=64; of
    NeuralNDCG's paper width=96 heads=1 blocks=2 inner=384 dropout=0.1 loss=neuralndcg
    output_activation=tanh. The defaults are smaller, for small data and two cores.

    Deviations: lists are not cut to 240 documents, queries meet in the same batches in every
    round, and everything is in double precision.

    Pobrotyn, Bartczak, Synowiec, Białobrzeski, Bojar (2020). Context-aware learning to rank with
    self-attention. arXiv:2005.10084.
    """

    name: ClassVar[str] = "self-attention"
    family: ClassVar[Family] = "listwise"
    paper: ClassVar[str] = "Pobrotyn et al. (2020), arXiv:2005.10084"
    uses_measure: ClassVar[bool] = True
    random: ClassVar[bool] = True

    loss: str = parameter(
        "listnet", "what is minimised", choices=LOSSES, grid=("listnet", "neuralndcg")
    )
    width: int = parameter(32, "numbers that stand for a document", lowest=1, highest=4096)
    heads: int = parameter(2, "heads of attention, which share the width", lowest=1, highest=64)
    blocks: int = parameter(1, "blocks of attention", lowest=1, highest=64)
    inner: int = parameter(64, "hidden units of a block", lowest=1, highest=16384)
    dropout: float = parameter(
        0.3, "the share of numbers left out in a training step", lowest=0.0, highest=0.95
    )
    output_activation: str = parameter(
        "none", "what is applied to the score; ordinal: sigmoid", choices=OUTPUT_ACTIVATIONS
    )
    temperature: float = parameter(1.0, "τ of neuralndcg", lowest=1e-6, highest=1e6)
    regularization: float = parameter(0.0, "λ, which shrinks all parameters", lowest=0.0)
    learning_rate: float = parameter(0.003, "length of Adam's steps", lowest=1e-9, highest=10.0)
    decay: float = parameter(0.1, "what the rate is multiplied by", lowest=0.0, highest=1.0)
    decay_after: int = parameter(0, "passes after which the rate falls; 0: never", lowest=0)
    queries_per_batch: int = parameter(8, "queries to a step; 0: all of them", lowest=0)
    epochs: int = parameter(100, "passes over the data at most", lowest=1)
    patience: int = parameter(15, "rounds without a better one after which training ends", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.width % self.heads:
            raise RankwiseError(
                f"{self.name}: width must be a multiple of heads ({self.heads}), found {self.width}"
            )
        if self.loss == "ordinal" and self.output_activation == "tanh":
            raise RankwiseError(
                f"{self.name}: loss=ordinal has output_activation sigmoid, found tanh; leave it out"
            )

    def _learn(self, training: Training) -> Learned[Attention]:
        train = training.train
        refuse_equal_labels(train, self.name)
        find_tool(self.tool).measure(self.measure)
        ordinal = self.loss == "ordinal"
        outputs = len(np.unique(train.labels)) - 1 if ordinal else 1
        steps = AttentionTraining(
            train,
            batches(train, self.queries_per_batch, training.rng),
            self._find_loss(training.rng),
            AttentionSizes(
                train.n_features, self.width, self.heads, self.inner, self.blocks, outputs
            ),
            "sigmoid" if ordinal else self.output_activation,
            AttentionSteps(
                self.learning_rate, self.decay, self.decay_after, self.regularization, self.dropout
            ),
            training.rng,
        )
        judge = Judge.of(training, self.measure, self.tool)
        return best_round(
            steps, judge, rounds=self.epochs, patience=self.patience, watch=training.watch
        )

    def trains_under_tool(self) -> bool:
        """Whether the loss is made of the tool's gains and discounts."""
        return self.loss in ("lambdarank", "neuralndcg")

    def _find_loss(self, rng: np.random.Generator) -> Callable[[Dataset], Loss] | None:
        """The loss of scores; None for ordinal, which judges outputs."""
        gain = find_gain_measure(self.tool)
        known: dict[str, Callable[[Dataset], Loss]] = {
            "listnet": lambda part: TopOneCrossEntropy.of(part, "softmax"),
            "listmle": lambda part: OrderLikelihood.of(part, 1, rng),
            "ranknet": LogisticPairs.of,
            "lambdarank": lambda part: lambdas(part, "NDCG", self.tool),
            "neuralndcg": lambda part: RelaxedGain.of(part, gain, self.temperature, _SCALINGS),
        }
        return known.get(self.loss)


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
