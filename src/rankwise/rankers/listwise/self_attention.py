"""Self-attention: documents are scored in the context of the others of their query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.gradient.attention_training import AttentionSteps, AttentionTraining
from rankwise.rankers.losses.discounted_gains import find_gain_measure
from rankwise.rankers.losses.listwise import Loss, OrderLikelihood, TopOneCrossEntropy
from rankwise.rankers.losses.logistic_pairs import LogisticPairs, lambdas
from rankwise.rankers.losses.neural_sort import RelaxedGain
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.attention import OUTPUT_ACTIVATIONS, Attention, AttentionSizes
from rankwise.rankers.training.label_levels import refuse_equal_labels
from rankwise.rankers.training.rounds import Judge, batches, best_round

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
    tool: str = parameter("definition", "whose convention of the measure is followed")

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

    def _learn(
        self,
        train: Dataset,
        validation: Dataset | None,
        rng: np.random.Generator,
        watch: Watch,
    ) -> tuple[Attention, dict[str, Any]]:
        refuse_equal_labels(train, self.name)
        find_tool(self.tool).measure(self.measure)
        ordinal = self.loss == "ordinal"
        outputs = len(np.unique(train.labels)) - 1 if ordinal else 1
        training = AttentionTraining(
            train,
            batches(train, self.queries_per_batch, rng),
            self._find_loss(rng),
            AttentionSizes(
                train.n_features, self.width, self.heads, self.inner, self.blocks, outputs
            ),
            "sigmoid" if ordinal else self.output_activation,
            AttentionSteps(
                self.learning_rate, self.decay, self.decay_after, self.regularization, self.dropout
            ),
            rng,
        )
        judge = Judge.of(train, validation, self.measure, self.tool)
        return best_round(training, judge, rounds=self.epochs, patience=self.patience, watch=watch)

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
