"""The linear programs of data envelopment analysis for the documents of one query.

Of n documents with features x_1 … x_n >= 0 and labels y_1 … y_n, document k asks for the weights
that show it at its best:

| model | document k | roles |
|---|---|---|
| ccr-i | max μ·x_k subject to μ·x_i <= 1 | features are outputs, the one input is the query |
| ccr-o | min v·x_k subject to v·x_i >= φ(y_i) | features are inputs, the label is the output |
| bcc | min v·x_k + v_0 subject to v·x_i + v_0 >= φ(y_i), v_0 free | as ccr-o, variable returns |
| additive | min ω - μ·x_k subject to ω - μ·x_i >= 0, μ >= 1, ω free | as ccr-i, variable returns |

with i = 1 … n, and μ, v >= 0. `ccr-i`, `ccr-o` are
Eqs. 5 and 6 of Jiang and Lin (2014); `bcc` is the output-oriented model of Banker, Charnes and
Cooper (1984) with its one output price set to 1, `additive` that of Charnes, Cooper, Golany,
Seiford and Stutz (1985). With a constant input the output-oriented BCC model is CCR (Lovell and
Pastor 1999), so `bcc` has features as inputs. Prices of the additive model are at least 1 in units
of each feature's largest value.

φ is the output that the label of a document stands for in `ccr-o` and `bcc`:

| φ | φ(y) |
|---|---|
| logarithmic | ln(1 + y) |
| linear | y |
| square-root | √y |
| exponential | 2^y - 1 |

Eq. 6 of Jiang and Lin (2014) asks for a continuous function that keeps the order of the labels; the
paper's runs have the logarithm. All of these are 0 for a label of 0, whose documents then constrain
nothing. A factor of φ is one of the weights, so with labels of 0 and one other value all φ give the
same weak rankers, but for those whose weights sum to too little (`dearank.SMALLEST_SUM`).

What the papers leave open:

* A document whose features are all 0 asks nothing: it has no program and no weights.
* In `ccr-o` such a document with a positive label would make every program of its query
  infeasible; its constraint is left out. In `bcc` it only bounds v_0.
* Documents with equal features share their weights; documents at their bound share those of the
  program that brought them there (Theorem 1), so that neither is solved again.
* No program is unbounded: its own constraint bounds it. Optima may have many corners; which one
  comes back depends on the solver, the optimal value does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankwise.errors import RankwiseError
from rankwise.native.arrays import Floats, Integers


def _exponential(labels: Floats) -> Floats:
    outputs: Floats = np.expm1(labels * np.log(2.0))
    return outputs


_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "logarithmic": np.log1p,
    "linear": np.copy,
    "square-root": np.sqrt,
    "exponential": _exponential,
}
PHIS = tuple(_FUNCTIONS)
LOGARITHMIC = PHIS[0]
# Beyond this, differences between small labels are lost in the programs of one query.
_LARGEST = 1e9


def label_outputs(labels: Floats, phi: str = LOGARITHMIC) -> Floats:
    """φ(y) of every label, which must not be negative."""
    if phi not in _FUNCTIONS:
        raise RankwiseError(f"phi must be one of {', '.join(PHIS)}, found {phi!r}")
    with np.errstate(over="ignore"):
        outputs: Floats = _FUNCTIONS[phi](labels)
    if outputs.max(initial=0.0) > _LARGEST:
        raise RankwiseError(
            f"phi={phi} must stay below {_LARGEST:g}, found {outputs.max():g} for the label "
            f"{labels.max():g}; choose phi={LOGARITHMIC}"
        )
    return outputs


MODELS = ("ccr-i", "ccr-o", "bcc", "additive")
# Those whose programs look at labels, and so have a φ.
LABEL_MODELS = ("ccr-o", "bcc")
SOLVERS = ("compiled", "highs")
NO_PROGRAM = -2


@dataclass(frozen=True, eq=False)
class OptimalWeights:
    """The optimal weights of the documents of one query.

    Attributes:
        weights: (documents, features); 0 for a document without a program.
        values: the optimum of each program as the table of this module states it; NaN without one.
        homes: the document whose program gave the weights; -2 without a program.
        left_out: documents of positive label whose constraint is left out, as all features are 0.
    """

    weights: Floats
    values: Floats
    homes: Integers
    left_out: int

    @property
    def programs(self) -> int:
        """How many programs were solved."""
        return int(np.count_nonzero(self.homes == np.arange(len(self.homes))))


def optimal_weights(
    features: ArrayLike,
    labels: ArrayLike,
    model: str = "ccr-i",
    solver: str = "compiled",
    phi: str = LOGARITHMIC,
) -> OptimalWeights:
    """Solve the program of `model` for every document of a query.

    Features must not be negative. Every model but `additive` gives the same optimum whatever the
    unit of a feature, so columns are brought to a largest value of 1 before a solver sees them.
    """
    matrix, judged = _checked(features, labels)
    highest = matrix.max(axis=0, initial=0.0)
    units = np.where(highest > 0.0, highest, 1.0)
    family = _FAMILIES[_known(model, MODELS, "model")](matrix / units, judged, phi)
    values = np.full(len(matrix), np.nan)
    solutions = np.zeros((len(matrix), family.matrix.shape[1]))
    homes = np.where(matrix.any(axis=1), -1, NO_PROGRAM)
    _solve(family, values, solutions, homes, _known(solver, SOLVERS, "solver"))
    weights = family.least_price * (highest > 0.0) + solutions[:, : matrix.shape[1]]
    weights[homes == NO_PROGRAM] = 0.0
    optima = family.offsets + family.sign * values
    return OptimalWeights(weights / units, optima, homes, family.left_out)


@dataclass(frozen=True, eq=False)
class _Family:
    """Programs over one region: maximise objectives[k] · x, matrix · x <= limits, x >= 0.

    The first variables are the weights, less `least_price`; `bounds[k]` is what objective k cannot
    exceed; the optimum of the model is offsets[k] + sign · maximum.
    """

    matrix: Floats
    limits: Floats
    objectives: Floats
    bounds: Floats
    offsets: Floats
    sign: float
    least_price: float = 0.0
    left_out: int = 0


def _ccr_i(features: Floats, labels: Floats, phi: str) -> _Family:
    ones = np.ones(len(features))
    return _Family(features, ones, features, ones, np.zeros(len(features)), 1.0)


def _ccr_o(features: Floats, labels: Floats, phi: str) -> _Family:
    """Documents of label 0 constrain nothing: v · x is never negative."""
    harvest = label_outputs(labels, phi)
    positive = harvest > 0.0
    bounding = positive & features.any(axis=1)
    return _Family(
        matrix=-features[bounding],
        limits=-harvest[bounding],
        objectives=-features,
        bounds=-harvest,
        offsets=np.zeros(len(features)),
        sign=-1.0,
        left_out=int(np.count_nonzero(positive & ~bounding)),
    )


def _bcc(features: Floats, labels: Floats, phi: str) -> _Family:
    """With v_0 = max φ - u: v_0 above the largest φ helps no document, so u >= 0."""
    harvest = label_outputs(labels, phi)
    highest = float(harvest.max())
    rows = np.column_stack([-features, np.ones(len(features))])
    room = highest - harvest
    return _Family(rows, room, rows, room, np.full(len(features), highest), -1.0)


def _additive(features: Floats, labels: Floats, phi: str) -> _Family:
    """With μ = 1 + δ and ω = max_i Σx_i + ω': no ω may be below the largest sum, so ω' >= 0."""
    sums = features.sum(axis=1)
    rows = np.column_stack([features, -np.ones(len(features))])
    room = sums.max() - sums
    return _Family(rows, room, rows, room, room, -1.0, least_price=1.0)


_FAMILIES: dict[str, Callable[[Floats, Floats, str], _Family]] = {
    "ccr-i": _ccr_i,
    "ccr-o": _ccr_o,
    "bcc": _bcc,
    "additive": _additive,
}


def _solve(
    family: _Family,
    values: Floats,
    solutions: Floats,
    homes: Integers,
    solver: str,
) -> None:
    from rankwise.rankers.dea.solvers import solve_family

    solve_family(
        # C reads flat arrays.
        np.array(family.matrix, order="C"),
        np.array(family.limits),
        np.array(family.objectives, order="C"),
        np.array(family.bounds),
        values,
        solutions,
        homes,
        solver,
    )


def _checked(features: ArrayLike, labels: ArrayLike) -> tuple[Floats, Floats]:
    matrix = np.asarray(features, dtype=np.float64)
    judged = np.asarray(labels, dtype=np.float64)
    if matrix.ndim != 2 or judged.shape != matrix.shape[:1] or not matrix.size:
        raise RankwiseError(
            "the documents of a query need a row of features and a label each, found arrays of "
            f"shapes {matrix.shape} and {judged.shape}"
        )
    for what, array in (("features", matrix), ("labels", judged)):
        if not np.isfinite(array).all() or array.min() < 0.0:
            raise RankwiseError(
                f"data envelopment analysis needs {what} that are finite and not negative, "
                f"found {array.min():g}; normalize the data first"
            )
    return matrix, judged


def _known(name: str, choices: tuple[str, ...], what: str) -> str:
    if name not in choices:
        raise RankwiseError(f"the {what} must be one of {', '.join(choices)}, found {name!r}")
    return name
