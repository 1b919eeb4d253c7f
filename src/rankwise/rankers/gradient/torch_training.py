"""Small neural networks, trained by torch.

torch is imported when asked for, runs on one thread and gives the same bits.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.scorers.networks import Network
from rankwise.native.arrays import Floats
from rankwise.rankers.losses.listwise import Loss
from rankwise.rankers.training.relative_features import draw_weights, find_standard

MAX_HIDDEN_LAYERS = 3


def hidden_sizes(text: str, ranker: str) -> tuple[int, ...]:
    """The widths of the hidden layers: `none` is (), `10` is (10,), `32-16` is (32, 16)."""
    if text == "none":
        return ()
    parts = text.split("-")
    if len(parts) > MAX_HIDDEN_LAYERS or not all(
        part.isascii() and part.isdigit() and 1 <= int(part) <= 4096 for part in parts
    ):
        raise RankwiseError(
            f"{ranker}: hidden_layers must be none or up to {MAX_HIDDEN_LAYERS} widths from 1 to "
            f"4096 such as 10 or 32-16, found {text!r}"
        )
    return tuple(int(part) for part in parts)


class NetworkTraining:
    """Adam on the weights of a network: a round is one pass over the batches in random order.

    The loss is one of the scores, whose slopes start torch's way back through the layers. First
    weights are drawn from `rng`, uniform within √(6 / (inputs + outputs)) as Glorot and Bengio
    (2010) propose, so that torch's own random state plays no part. Torch runs in double
    precision on one thread, in ways that always give the same bits.
    """

    def __init__(
        self,
        train: Dataset,
        parts: list[Dataset],
        loss: Callable[[Dataset], Loss],
        hidden: tuple[int, ...],
        *,
        activation: str,
        rate: float,
        regularization: float,
        rng: np.random.Generator,
    ) -> None:
        torch = _torch()
        self._sizes = (train.n_features, *hidden, 1)
        self._activation = activation
        self._means, self._scales = find_standard(train)
        self._rng = rng
        self._layers = [
            (_parameter(draw_weights(inputs, outputs, rng)), _parameter(np.zeros(outputs)))
            for inputs, outputs in pairwise(self._sizes)
        ]
        self._parts = [
            (torch.from_numpy((part.features - self._means) / self._scales), loss(part))
            for part in parts
        ]
        weights, biases = zip(*self._layers, strict=True)
        self._optimizer = torch.optim.Adam(
            [
                {"params": list(weights), "weight_decay": regularization},
                {"params": list(biases), "weight_decay": 0.0},
            ],
            lr=rate,
        )

    def step(self) -> float:
        """One pass over the batches; their mean loss."""
        total = 0.0
        with reproducible(_torch()):
            for number in self._rng.permutation(len(self._parts)):
                inputs, loss = self._parts[number]
                scores = self._forward(inputs)
                value, slopes = loss.at(np.ascontiguousarray(scores.detach().numpy()))
                self._optimizer.zero_grad()
                scores.backward(_torch().from_numpy(slopes))
                self._optimizer.step()
                total += value
        return total / len(self._parts)

    def scorer(self) -> Network:
        """The network as it stands, as plain arrays."""
        weights, biases = zip(*self._layers, strict=True)
        return Network(
            self._sizes,
            np.concatenate([matrix.detach().numpy().ravel() for matrix in weights]),
            np.concatenate([bias.detach().numpy() for bias in biases]),
            self._means,
            self._scales,
            self._activation,
        )

    def _forward(self, inputs: Any) -> Any:
        activate = getattr(_torch(), self._activation)
        *hidden, (weights, bias) = self._layers
        for matrix, offset in hidden:
            inputs = activate(inputs @ matrix.T + offset)
        return (inputs @ weights.T + bias)[:, 0]


def _torch() -> Any:
    return import_torch("a ranker with hidden layers")


def _parameter(values: Floats) -> Any:
    return _torch().from_numpy(values).requires_grad_()


def import_torch(what: str) -> Any:
    """The library; where it is not installed, an error that says what needs it."""
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise MissingExtra(what, "neural") from error


@contextmanager
def reproducible(torch: Any) -> Iterator[None]:
    """One thread and deterministic algorithms, for as long as the block runs."""
    threads = torch.get_num_threads()
    deterministic = torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(deterministic)
