"""Documents ranked by data envelopment analysis itself: efficiency, super- and cross-efficiency.

    python studies/dea_efficiency.py DATA [--query ID] [--goal benevolent|aggressive|any]
        [--tool TOOL] [--solver compiled|highs]

The introduction of the DEARank paper sets these rankings of decision making units aside, since they
say nothing about units that are not there yet. Within a query they can rank, without any label:
features are the outputs of each document, the query its one input (CCR-I). Efficiency is how far a
document gets under its own best weights; many reach 1. Super-efficiency tells these apart: against
all other documents only, it may exceed 1, without bound where a document alone has some feature.
Cross-efficiency is the mean over the weights of all documents of the query. MAP and NDCG@10 say how
well each ranks; ties count as expected. The page is docs/dearank.md.

Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
Learning 96.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.rankers.dea.solvers import find_maximum, solve_narrow, solve_one
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.tables.terminal import Column, Look, lay_out

Floats = NDArray[np.float64]


# A constraint whose two sides differ by less, in units of the virtual input 1, is met exactly.
TIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class Efficiency:
    """What the CCR model says about each unit.

    Attributes:
        scores: (units,) in [0, 1]; NaN for a unit without inputs, which the model does not judge.
        input_weights: (units, inputs) ν of each unit's program.
        output_weights: (units, outputs) μ of each.
        intensities: (units, units) λ: row n holds the mixture of units that unit n is measured
            against; the dual solution.
        reference_sets: for each unit the units that are efficient under its weights.
    """

    scores: Floats
    input_weights: Floats
    output_weights: Floats
    intensities: Floats
    reference_sets: tuple[NDArray[np.int64], ...]


def ccr(inputs: ArrayLike, outputs: ArrayLike, solver: str = "compiled") -> Efficiency:
    """Solve the CCR model of every unit n (Eq. 4 of Jiang and Lin 2014).

    max over μ, ν of μ·Y_n subject to μ·Y_i - ν·X_i <= 0 for all i, ν·X_n = 1, μ >= 0, ν >= 0.

    The efficiency reference set of n (Definition 1) is {i : μ·Y_i = ν·X_i > 0} under its optimal
    weights; these weights are then optimal for every i in it (Theorem 1). ν·X_n <= 1 is solved in
    place of the equation: scaling (μ, ν) up never lowers the score, so both have the same optimum,
    and where the score is 0 all weights are.

    Charnes, Cooper and Rhodes (1978). Measuring the efficiency of decision making units. European
    Journal of Operational Research 2.
    """
    x, y, input_units, output_units = scale_units(inputs, outputs)
    solved = [_unit(x, y, n, solver) for n in range(len(x))]
    weights = np.array([solution for solution, _ in solved]).reshape(len(x), -1)
    mu, nu = weights[:, : y.shape[1]], weights[:, y.shape[1] :]
    scores = np.where(x.any(axis=1), np.einsum("ns,ns->n", mu, y), np.nan)
    return Efficiency(
        scores=scores,
        input_weights=nu / input_units,
        output_weights=mu / output_units,
        intensities=np.array([prices for _, prices in solved]),
        reference_sets=tuple(_reference_set(x, y, mu[n], nu[n]) for n in range(len(x))),
    )


def scale_units(inputs: ArrayLike, outputs: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """Inputs and outputs with a largest value of 1 in every column, and their units."""
    consumed, produced = _units(inputs, "inputs"), _units(outputs, "outputs")
    if len(consumed) != len(produced):
        raise RankwiseError(
            "inputs and outputs must have a row for every unit, found "
            f"{len(consumed)} and {len(produced)} rows"
        )
    input_units, output_units = _largest(consumed), _largest(produced)
    return consumed / input_units, produced / output_units, input_units, output_units


def _unit(x: Floats, y: Floats, n: int, solver: str) -> tuple[Floats, Floats]:
    """(μ and ν, λ) of unit n; all 0 where it has no inputs."""
    if not x[n].any():
        return np.zeros(y.shape[1] + x.shape[1]), np.zeros(len(x))
    own = np.concatenate([np.zeros(y.shape[1]), x[n]])
    matrix = np.vstack([np.hstack([y, -x]), own])
    limits = np.append(np.zeros(len(x)), 1.0)
    objective = np.concatenate([y[n], np.zeros(x.shape[1])])
    solution, prices = solve_one(matrix, limits, objective, solver)
    return solution, prices[:-1]


def _reference_set(x: Floats, y: Floats, mu: Floats, nu: Floats) -> NDArray[np.int64]:
    output, spent = np.einsum("is,s->i", y, mu), np.einsum("im,m->i", x, nu)
    return np.flatnonzero((spent > TIGHT) & (spent - output <= TIGHT * np.maximum(spent, 1.0)))


def _largest(values: Floats) -> Floats:
    highest = values.max(axis=0)
    return np.where(highest > 0.0, highest, 1.0)


def _units(values: ArrayLike, what: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or not array.size:
        raise RankwiseError(
            f"{what} must be a table with a row for every unit, found shape {array.shape}"
        )
    if not np.isfinite(array).all() or array.min() < 0.0:
        raise RankwiseError(f"{what} must be finite and not negative, found {array.min():g}")
    return array


# A score this near to 1 is that of an efficient unit.
_EFFICIENT = 1.0 - 1e-9


def super_efficiency(inputs: ArrayLike, outputs: ArrayLike, solver: str = "compiled") -> Floats:
    """The score of every unit n against all others:

        max over μ, ν of μ·Y_n subject to μ·Y_i - ν·X_i <= 0 for all i != n, ν·X_n = 1,
        μ >= 0, ν >= 0.

    This is `ccr` without the unit's own constraint, so that efficient units, which tie at 1 there,
    are told apart: a score of 1.2 stays efficient with up to 1.2 times its inputs. Below 1 it is
    the score of `ccr`, whose own constraint is not tight then. Infinite where the others together
    have nothing of an output that the unit has, or take an input that it does without; NaN for a
    unit without inputs.

    Andersen and Petersen (1993). A procedure for ranking efficient units in data envelopment
    analysis. Management Science 39.
    """
    scores = ccr(inputs, outputs, solver).scores.copy()
    x, y, _, _ = scale_units(inputs, outputs)
    for n in np.flatnonzero(scores >= _EFFICIENT):
        scores[n] = _against_others(x, y, int(n), solver)
    return scores


def _against_others(x: Floats, y: Floats, n: int, solver: str) -> float:
    others = np.arange(len(x)) != n
    own = np.concatenate([np.zeros(y.shape[1]), x[n]])
    matrix = np.vstack([np.hstack([y[others], -x[others]]), own])
    limits = np.append(np.zeros(len(matrix) - 1), 1.0)
    objective = np.concatenate([y[n], np.zeros(x.shape[1])])
    return find_maximum(matrix, limits, objective, solver)


GOALS = ("benevolent", "aggressive", "any")
# Weights that reach a unit's score but for this are optimal for it: scores are known no better.
_REACHED = 1e-10
_SPENT = 1e-12


@dataclass(frozen=True, eq=False)
class CrossEfficiency:
    """What all units say about all units.

    Attributes:
        scores: (units,) the mean of each column of `table`.
        table: (units, units): row n judges by the weights of unit n; NaN where these give nothing
            to divide by.
    """

    scores: Floats
    table: Floats


def cross_efficiency(
    inputs: ArrayLike, outputs: ArrayLike, goal: str = "benevolent", solver: str = "compiled"
) -> CrossEfficiency:
    """The mean over n, the unit itself included, of E_nj = μ_n·Y_j / ν_n·X_j for every unit j.

    (μ_n, ν_n) are optimal weights of n (`ccr`), of which there may be many. The goal chooses:

    | goal | among the optimal weights of n |
    |---|---|
    | benevolent | max μ·A subject to ν·B = 1 |
    | aggressive | min μ·A subject to ν·B = 1 |
    | any | those at which the solver stops: two solvers may give other scores |

    with A = Σ Y_j and B = Σ X_j over the units j != n, subject to μ·Y_j - ν·X_j <= 0 for all j and
    μ·Y_n = θ_n ν·X_n, where θ_n is the score of n. So the others, taken together as one unit, look
    as good or as bad as the weights allow.

    Sexton, Silkman and Hogan (1986). Data envelopment analysis: critique and extensions. New
    Directions for Program Evaluation 32. The goals: Doyle and Green (1994). Efficiency and
    cross-efficiency in DEA: derivations, meanings and uses. Journal of the Operational Research
    Society 45.
    """
    if goal not in GOALS:
        raise RankwiseError(f"the goal must be one of {', '.join(GOALS)}, found {goal!r}")
    own = ccr(inputs, outputs, solver)
    x, y, input_units, output_units = scale_units(inputs, outputs)
    mu, nu = own.output_weights * output_units, own.input_weights * input_units
    if goal != "any" and len(x) > 1:
        sign = 1.0 if goal == "benevolent" else -1.0
        for n in np.flatnonzero(np.isfinite(own.scores)):
            mu[n], nu[n] = _weights_of(x, y, own, int(n), sign, solver)
    produced, spent = np.einsum("ns,js->nj", mu, y), np.einsum("nm,jm->nj", nu, x)
    judges = spent > _SPENT
    table = np.where(judges, produced / np.where(judges, spent, 1.0), np.nan)
    return CrossEfficiency(_column_means(table), table)


def _weights_of(
    x: Floats, y: Floats, own: Efficiency, n: int, sign: float, solver: str
) -> tuple[Floats, Floats]:
    """The optimal weights of unit n that serve the goal."""
    others = np.arange(len(x)) != n
    taken, brought = x[others].sum(axis=0), y[others].sum(axis=0)
    if not taken.any():
        return np.zeros(y.shape[1]), np.zeros(x.shape[1])
    nothing = np.zeros(y.shape[1])
    # Weights beyond the score of n break its own row, so this side of the equation is enough.
    reached = np.concatenate([-y[n], max(0.0, own.scores[n] - _REACHED) * x[n]])
    matrix = np.vstack(
        [
            np.hstack([y, -x]),
            reached,
            np.concatenate([nothing, taken]),
            np.concatenate([nothing, -taken]),
        ]
    )
    limits = np.concatenate([np.zeros(len(x) + 1), [1.0, -1.0]])
    objective = sign * np.concatenate([brought, np.zeros(x.shape[1])])
    solution = solve_narrow(matrix, limits, objective, solver)
    return solution[: y.shape[1]], solution[y.shape[1] :]


def _column_means(table: Floats) -> Floats:
    known = np.isfinite(table)
    counts = known.sum(axis=0)
    totals = np.where(known, table, 0.0).sum(axis=0)
    means: Floats = np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)
    return means


WAYS = ("efficiency", "super-efficiency", "cross-efficiency")
MEASURES = ("MAP", "NDCG@10")
# Scores that differ by less are those of one efficient document and another.
_DECIMALS = 9


@dataclass(frozen=True)
class EfficiencyRanking:
    """What ranking the documents of every query by one score reaches; ties count as expected."""

    way: str
    map: float
    ndcg_at_10: float


@dataclass(frozen=True, eq=False)
class EfficiencyAnalysis:
    """The scores of documents by data envelopment analysis, and the rankings they make.

    Attributes:
        query_ids: of each document.
        labels: of each document.
        scores: by `WAYS`, a score for each document; super-efficiency may be infinite.
        rankings: what each way reaches.
        goal: of cross-efficiency.
    """

    query_ids: tuple[str, ...]
    labels: Floats
    scores: dict[str, Floats]
    rankings: tuple[EfficiencyRanking, ...]
    goal: str

    @property
    def efficient(self) -> int:
        """Documents with an efficiency of 1."""
        return int(np.count_nonzero(self.scores["efficiency"] >= 1.0))

    @property
    def unbounded(self) -> int:
        """Documents that alone have some feature: an infinite super-efficiency."""
        return int(np.count_nonzero(np.isinf(self.scores["super-efficiency"])))


def analyse_efficiency(
    data: str | Path | Dataset,
    *,
    query: str | None = None,
    goal: str = "benevolent",
    tool: str = "definition",
    solver: str = "compiled",
) -> EfficiencyAnalysis:
    """Score and rank the documents of every query by data envelopment analysis, without labels.

    Args:
        data: a data set or its file.
        query: look at the query with this id only.
        goal: of cross-efficiency, `benevolent`, `aggressive` or `any`
            (`cross_efficiency`).
        tool: whose measures count.
        solver: who solves the linear programs, `compiled` or `highs`.
    """
    dataset = _choose_query(data if isinstance(data, Dataset) else read(data), query)
    if not np.isfinite(dataset.features).all():
        raise RankwiseError(
            "data envelopment analysis cannot take NULL features, found some; fill them first: "
            "rankwise data normalize IN OUT --to min"
        )
    parts = [_score_query(one.features, goal, solver) for one in dataset.queries()]
    scores = dict(zip(WAYS, np.concatenate(parts, axis=1), strict=True))
    return EfficiencyAnalysis(
        query_ids=tuple(np.repeat(np.array(dataset.query_ids), dataset.query_lengths).tolist()),
        labels=dataset.labels,
        scores=scores,
        rankings=tuple(_judge_ranking(way, scores[way], dataset, tool) for way in WAYS),
        goal=goal,
    )


def _choose_query(dataset: Dataset, query: str | None) -> Dataset:
    if query is None:
        return dataset
    ids: Sequence[str] = [str(one) for one in dataset.query_ids]
    if query not in ids:
        raise RankwiseError(f"the data have no query {query!r}; the first one is {ids[0]!r}")
    return dataset.select_queries(np.array([ids.index(query)]))


def _score_query(features: Floats, goal: str, solver: str) -> Floats:
    """(ways, documents), with features brought to [0, 1] within the query as DEARank's are."""
    ranges = np.ptp(features, axis=0)
    outputs = (features - features.min(axis=0)) / np.where(ranges > 0.0, ranges, 1.0)
    inputs = np.ones((len(outputs), 1))
    scores = [
        ccr(inputs, outputs, solver).scores,
        super_efficiency(inputs, outputs, solver),
        cross_efficiency(inputs, outputs, goal, solver).scores,
    ]
    return np.array(scores, dtype=np.float64).round(_DECIMALS)


def _judge_ranking(way: str, scores: Floats, dataset: Dataset, tool: str) -> EfficiencyRanking:
    # Efficient documents tie: the order of the file must not earn anything.
    values = (
        TrainingMeasure.of(dataset, measure, tool, ties="expected").mean(scores)
        for measure in MEASURES
    )
    return EfficiencyRanking(way, *values)


def _print_documents(found: EfficiencyAnalysis) -> None:
    _print_table(
        ["Document", "Label", *(way.capitalize() for way in WAYS)],
        [
            [number, f"{label:g}", *(f"{found.scores[way][number - 1]:.4f}" for way in WAYS)]
            for number, label in enumerate(found.labels.tolist(), 1)
        ],
        f"Documents of query {found.query_ids[0]}",
    )


def _print_rankings(found: EfficiencyAnalysis) -> None:
    _print_table(
        ["Ranked by", "MAP", "NDCG@10"],
        [[one.way, f"{one.map:.4f}", f"{one.ndcg_at_10:.4f}"] for one in found.rankings],
        f"Documents by data envelopment analysis alone, {found.goal} judges",
    )
    print(
        f"{found.efficient} of {len(found.labels)} documents are efficient; "
        f"{found.unbounded} have a feature that no other document of their query has"
    )


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str) -> None:
    laid_out = [Column(name, place > 0, False) for place, name in enumerate(columns)]
    texts = [[str(cell) for cell in row] for row in rows]
    print("\n".join(lay_out(laid_out, texts, title, Look(100))))


def main(argv: Sequence[str] | None = None) -> None:
    """Rank the documents of each query of DATA, and of one query show them all."""
    parser = argparse.ArgumentParser(
        description="Rank documents by efficiency, super-efficiency and cross-efficiency."
    )
    parser.add_argument("data")
    parser.add_argument("--query", help="show the documents of the query with this id")
    parser.add_argument("--goal", choices=GOALS, default="benevolent", help="which weights judge")
    parser.add_argument("--tool", default="definition", help="whose measures count")
    parser.add_argument("--solver", choices=["compiled", "highs"], default="compiled")
    options = vars(parser.parse_args(argv))
    found = analyse_efficiency(options.pop("data"), **options)
    if options["query"] is not None:
        _print_documents(found)
    _print_rankings(found)


if __name__ == "__main__":
    main()
