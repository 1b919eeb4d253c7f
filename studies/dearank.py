"""DEARank's discussion, computed on any data: sections 4.3, 4.4, 5.1 and 5.2 of the paper.

    python studies/dearank.py DATA... [--tool TOOL] [--fold N] [--solver compiled|highs]
        [--pools-only] [--phi PHI] [--best N] [-o FOLDER]

The pools are those of CCR-I, CCR-O, BCC and the additive model: how far their candidates overfit
their home query, and how diverse their errors are. The variants are trained with the weights of
Eq. 9 and with those of Eq. 15, and judged on the test part of each fold; on a single file, on the
very data they learned from. There, too, the diversity of the weak rankers in each ensemble is
measured. Several data sets are set side by side: with -o as in Figures 1 and 2 of the paper, beside
what it published. The page is docs/dearank.md.

Jiang and Lin (2014). DEARank: a data-envelopment-analysis-based ranking method. Machine
Learning 96.

Preference pairs tell how diverse the members of an ensemble are: two documents of a query with
different labels. A member is right about a pair when the document with the higher label has the
higher score; a tie is wrong. Of two members a and b, p11, p10, p01 and p00 are the shares of the
pairs about which both, only a, only b and none is right, in each query, averaged over the queries
that have pairs. Then

    disagreement = p10 + p01                                            (Skalak 1996; Ho 1998)
    double fault = p00                                                  (Giacinto and Roli 2001)
    Q            = (p11 p00 - p10 p01) / (p11 p00 + p10 p01)            (Yule 1900)

each averaged over all pairs of members (Q over those that have one), and of all L members together

    entropy = mean over pairs of min(l, L - l) / (L - ⌈L / 2⌉)          (Kuncheva and Whitaker 2003)

with l the number of members that are right about a pair. A high disagreement and entropy, a low
double fault and Q mean diversity. For outcomes that are right or wrong, the plain and the
fail/non-fail disagreement of Tsymbal, Pechenizkiy and Cunningham (2005) are both `disagreement`.

Kuncheva and Whitaker (2003). Measures of diversity in classifier ensembles and their relationship
with the ensemble accuracy. Machine Learning 51.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, find_folds, read_fold
from rankwise.data.reading import read
from rankwise.data.sources import from_folder, name_file
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_folder, make_folder
from rankwise.models.scorers.linear import Linear
from rankwise.rankers.boosting.weak_rankers import Boosted, Pool, linear_scores, performance_matrix
from rankwise.rankers.dea.dearank import WEIGHTINGS, Candidates, DEARankIMAP, candidates
from rankwise.rankers.dea.programs import LOGARITHMIC, PHIS
from rankwise.rankers.registry import find_ranker
from rankwise.rankers.training.training_measure import TrainingMeasure
from rankwise.reports.drawing.renderer import save
from rankwise.reports.figures import Axis, Bar, Bars, BarSeries, GroupedBars
from rankwise.results.published.published_tables import read_shipped, read_shipped_rows
from rankwise.tables.terminal import Column, Look, lay_out

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Diversity:
    """The measures of the module for one ensemble; None where it has one member, or no pairs.

    Attributes:
        members: different rankers in the ensemble; over several folds the mean, so no whole number.
        right: the share of pairs that a member orders rightly, on average over members.
        disagreement: of two members, on average.
        double_fault: of two members, on average.
        q: of two members, on average; also None where no two members have one.
        entropy: of all members.
    """

    members: float
    right: float | None
    disagreement: float | None
    double_fault: float | None
    q: float | None
    entropy: float | None


def measure_diversity(weights: Floats, dataset: Dataset) -> Diversity:
    """The diversity of linear rankers, one a row of `weights`, on the documents of `dataset`."""
    members = len(weights)
    both, entropy, queries = np.zeros((members, members)), 0.0, 0
    scores = linear_scores(dataset, weights)
    for first, last in pairwise(dataset.query_offsets.tolist()):
        right = _judge_pairs(scores[:, first:last], dataset.labels[first:last])
        pairs = right.shape[1]
        if pairs == 0:
            continue
        # Whole numbers, which every order of summation adds up to the same bits.
        both += right @ right.T / pairs
        count = right.sum(axis=0)
        entropy += float(np.minimum(count, members - count).mean())
        queries += 1
    if queries == 0:
        return Diversity(float(members), None, None, None, None, None)
    return _summarise(both / queries, entropy / queries)


def _judge_pairs(scores: Floats, labels: Floats) -> Floats:
    """(members, preference pairs): 1 where a member orders a pair rightly, else 0."""
    above, below = np.nonzero(labels[:, np.newaxis] > labels)
    return (scores[:, above] > scores[:, below]).astype(np.float64)


def _summarise(both: Floats, entropy: float) -> Diversity:
    """From p11 of all pairs of members, whose diagonal is the share that each is right about."""
    members, right = len(both), np.diag(both)
    if members < 2:
        return Diversity(float(members), float(right.mean()), None, None, None, None)
    one, other = np.triu_indices(members, 1)
    p11 = both[one, other]
    p10, p01 = right[one] - p11, right[other] - p11
    p00 = 1.0 - p11 - p10 - p01
    agreeing, differing = p11 * p00, p10 * p01
    known = agreeing + differing > 1e-15
    q = (agreeing - differing)[known] / (agreeing + differing)[known]
    return Diversity(
        members=float(members),
        right=float(right.mean()),
        disagreement=float((p10 + p01).mean()),
        double_fault=float(np.maximum(p00, 0.0).mean()),
        q=float(q.mean()) if known.any() else None,
        entropy=entropy / (members - (members + 1) // 2),
    )


VARIANTS = ("dearank-i-map", "dearank-i-ndcg", "dearank-o-map", "dearank-o-ndcg")
# What Figure 1 of the paper averages.
FIGURE_1_MEASURES = (*(f"NDCG@{cut}" for cut in range(1, 11)), "MAP")

_CANDIDATES_IN_A_BLOCK = 4096


@dataclass(frozen=True)
class PoolFacts:
    """How the candidates of one pool behave: Figure 2 and section 5.1.

    Attributes:
        model: the data envelopment model of the pool.
        candidates: distinct weights, each counted once for every query it comes from.
        programs: linear programs solved for them.
        biased: the share of candidates with a higher average precision on their home query than on
            the average of all queries: local overfitting.
        at_home: mean average precision of the candidates on their home queries.
        everywhere: mean average precision of the candidates on all queries.
        correlation: the mean over pairs of candidates of the correlation of their errors 1 - AP
            over the queries: the lower, the more diverse; None for fewer than two candidates.
        spread: the mean over queries of the standard deviation of AP over the candidates.
    """

    model: str
    candidates: int
    programs: int
    biased: float
    at_home: float
    everywhere: float
    correlation: float | None
    spread: float


@dataclass(frozen=True)
class FeatureSpread:
    """How the raw features do as rankers in NDCG@10 (section 4.3), constant ones left out."""

    features: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class VariantFacts:
    """One trained variant under one weighting: `program` is Eq. 9 alone, `feature` Eq. 15.

    Attributes:
        variant: the name of the ranker.
        model: its data envelopment model.
        weighting: how weak rankers join.
        map: MAP of the ensemble.
        ndcg_at_10: its NDCG@10.
        figure_1: the mean of NDCG@1 … NDCG@10 and MAP.
        best: the size of the reduced pool; 0 for all candidates.
        figures: NDCG@1 … NDCG@10 and MAP.
        members_map: MAP of the ensemble's members, on average over them.
        biased: the share of members that do better on their home query than on the average of all
            training queries, by the measure that is boosted.
        diversity: of the members, as each orders documents by the weights of its program.
    """

    variant: str
    model: str
    weighting: str
    map: float
    ndcg_at_10: float
    figure_1: float
    best: int = 0
    figures: tuple[float, ...] = ()
    members_map: float | None = None
    biased: float | None = None
    diversity: Diversity | None = None


def measure_pool(
    train: Dataset,
    model: str,
    tool: str = "definition",
    solver: str = "compiled",
    phi: str = LOGARITHMIC,
) -> PoolFacts:
    """Local overfitting and error diversity of the pool of `model`, measured by MAP."""
    found = candidates(train, model, solver, phi)
    sums = _Sums.over(found, train, TrainingMeasure.of(train, "MAP", tool))
    return PoolFacts(
        model=model,
        candidates=len(found),
        programs=found.programs,
        biased=sums.biased / len(found),
        at_home=sums.at_home / len(found),
        everywhere=float(sums.values.mean()) / len(found),
        correlation=sums.correlation(),
        spread=sums.spread(len(found)),
    )


def measure_features(dataset: Dataset, tool: str = "definition") -> FeatureSpread:
    """The spread of NDCG@10 over the features that order at least one query."""
    measure = TrainingMeasure.of(dataset, "NDCG@10", tool)
    values = Pool.of(np.eye(dataset.n_features), dataset, measure).performance.mean(axis=1)
    return FeatureSpread(len(values), float(values.mean()), float(values.std()))


def train_variants(
    train: Dataset,
    validation: Dataset | None,
    test: Dataset,
    tool: str = "definition",
    solver: str = "compiled",
    phi: str = LOGARITHMIC,
    best: int = 0,
) -> Iterator[VariantFacts]:
    """Train the four variants with both weightings and judge them on `test`, one at a time.

    With `best`, a third time with the reduced pool of so many candidates (section 4.4).
    """
    found: dict[str, Candidates] = {}
    for name in VARIANTS:
        kind: Any = find_ranker(name)
        model = kind().model
        if model not in found:
            found[model] = candidates(train, model, solver, phi).distinct()
        measure = TrainingMeasure.of(train, kind().measure, tool)
        pool = Pool.of(found[model].weights, train, measure)
        settings = [(weighting, 0) for weighting in WEIGHTINGS] + [(WEIGHTINGS[0], best)]
        for weighting, kept in settings if best else settings[:-1]:
            ranker = kind(weighting=weighting, best=kept, tool=tool, solver=solver)
            used = pool.keep_best(kept) if kept else pool
            ensemble = ranker.combine(used, train, validation, measure)
            yield _judge_variant(ranker, ensemble, used, found[model], test)


def measure_changes(facts: Sequence[VariantFacts]) -> dict[str, float] | None:
    """Table 8's row of percentages: what the reduced pool changes, by measure.

    100 (Σ E of the four variants with the reduced pool / Σ E of the four with all candidates - 1).
    The paper gives no formula. This one, the change of the mean, agrees with all its rows to what
    rounding leaves open, and by a little better than the mean of the four relative changes does, so
    it is a guess. None where no reduced pool was tried.
    """
    reduced = np.array([one.figures for one in facts if one.best])
    whole = np.array(
        [one.figures for one in facts if not one.best and one.weighting == WEIGHTINGS[0]]
    )
    if not len(reduced):
        return None
    before, after = whole.sum(axis=0), reduced.sum(axis=0)
    changes = 100.0 * (after / np.where(before > 0.0, before, np.nan) - 1.0)
    return dict(zip(FIGURE_1_MEASURES, changes.tolist(), strict=True))


def compare_roles(facts: list[VariantFacts]) -> tuple[float, float]:
    """(DEARank-I, DEARank-O): the bars of Figure 1, with the weights of Eq. 9."""
    return _average_figure_1(facts, "ccr-i"), _average_figure_1(facts, "ccr-o")


@dataclass(frozen=True)
class _Sums:
    """Sums over the candidates, so that no whole performance matrix is ever held."""

    biased: int
    at_home: float
    values: Floats
    squares: Floats
    directions: Floats
    varying: int

    @classmethod
    def over(cls, found: Candidates, train: Dataset, measure: TrainingMeasure) -> _Sums:
        biased, at_home, varying = 0, 0.0, 0
        values, squares, directions = np.zeros((3, train.n_queries))
        for first in range(0, len(found), _CANDIDATES_IN_A_BLOCK):
            block = slice(first, first + _CANDIDATES_IN_A_BLOCK)
            matrix = performance_matrix(found.weights[block], train, measure)
            home = matrix[np.arange(len(matrix)), found.homes[block]]
            biased += int(np.count_nonzero(home > matrix.mean(axis=1)))
            at_home += float(home.sum())
            values += matrix.sum(axis=0)
            squares += np.square(matrix).sum(axis=0)
            unit = _center_rows(matrix)
            directions += unit.sum(axis=0)
            varying += len(unit)
        return cls(biased, at_home, values, squares, directions, varying)

    def correlation(self) -> float | None:
        """Σ over pairs of z_a · z_b = (|Σ z|² - n) / 2 for unit vectors z."""
        n = self.varying
        if n < 2:
            return None
        return (float(np.square(self.directions).sum()) - n) / (n * (n - 1))

    def spread(self, n: int) -> float:
        variances = self.squares / n - np.square(self.values / n)
        return float(np.sqrt(np.maximum(variances, 0.0)).mean())


def _center_rows(matrix: Floats) -> Floats:
    """Rows centred and of length 1; rows that do not vary have no direction."""
    centred = matrix - matrix.mean(axis=1, keepdims=True)
    lengths = np.sqrt(np.square(centred).sum(axis=1, keepdims=True))
    varies = lengths[:, 0] > 1e-12
    unit: Floats = centred[varies] / lengths[varies]
    return unit


def _judge_variant(
    ranker: DEARankIMAP, ensemble: Boosted, pool: Pool, found: Candidates, test: Dataset
) -> VariantFacts:
    scores = Linear(ensemble.weights).score(test.features)
    figures = {
        name: TrainingMeasure.of(test, name, ranker.tool).mean(scores) for name in FIGURE_1_MEASURES
    }
    members = np.array(sorted(set(ensemble.chosen)))
    weights = pool.weights[members]
    values = performance_matrix(weights, test, TrainingMeasure.of(test, "MAP", ranker.tool))
    at_home = pool.performance[members, found.homes[pool.numbers[members]]]
    return VariantFacts(
        variant=ranker.name,
        model=ranker.model,
        weighting=ranker.weighting,
        map=figures["MAP"],
        ndcg_at_10=figures["NDCG@10"],
        figure_1=sum(figures.values()) / len(figures),
        best=ranker.best,
        figures=tuple(figures.values()),
        members_map=float(values.mean()),
        biased=float((at_home > pool.performance[members].mean(axis=1)).mean()),
        diversity=measure_diversity(weights, test),
    )


def _average_figure_1(facts: list[VariantFacts], model: str) -> float:
    chosen = [
        one.figure_1
        for one in facts
        if one.model == model and one.weighting == WEIGHTINGS[0] and not one.best
    ]
    if not chosen:
        raise RankwiseError(f"Figure 1 needs variants over {model}, found none")
    return sum(chosen) / len(chosen)


MODELS = ("ccr-i", "ccr-o", "bcc", "additive")
OWN_TOOL = "own"


@dataclass(frozen=True)
class DEARankAnalysis:
    """Facts averaged over the folds; `variants` is empty where none were trained.

    Attributes:
        pools: of weak rankers, one for each data envelopment model.
        spread: how the raw features do as rankers.
        variants: the trained variants under both weightings.
        judged_on: `test`, or `training data` of a single file.
    """

    pools: tuple[PoolFacts, ...]
    spread: FeatureSpread
    variants: tuple[VariantFacts, ...]
    judged_on: str

    def figure_1(self) -> dict[str, float] | None:
        """DEARank-I and DEARank-O as in Figure 1 of the paper, and their difference."""
        if not self.variants:
            return None
        inputs, outputs = compare_roles(list(self.variants))
        return {"DEARank-I": inputs, "DEARank-O": outputs, "difference": inputs - outputs}

    def changes(self) -> dict[str, float] | None:
        """Table 8's row of percentages; None where no reduced pool was tried."""
        return measure_changes(self.variants)


def analyse_dearank(
    data: str | Path | Dataset | Sequence[Fold],
    *,
    tool: str = "definition",
    fold: int | None = None,
    solver: str = "compiled",
    pools_only: bool = False,
    phi: str = LOGARITHMIC,
    best: int = 0,
) -> DEARankAnalysis:
    """Local overfitting and error diversity of DEARank's pools, and what its variants reach.

    Args:
        data: a data set or its file, on which variants are judged that learned from it; or folds or
            their folder, over which figures are averaged.
        tool: whose measures count.
        fold: look at this fold of a folder only.
        solver: who solves the linear programs, `compiled` or `highs`.
        pools_only: do not train the variants.
        phi: the output that a label stands for in CCR-O and BCC (`rankers.dea.label_outputs`).
        best: train the variants with this many of the candidates, too (Table 8); 0: do not.
    """
    _refuse_idle(pools_only, phi, best)
    folds = _folds(data, fold)
    pools: list[list[PoolFacts]] = []
    variants: list[list[VariantFacts]] = []
    for fold_data in folds:
        _refuse_null(fold_data)
        train = fold_data.train
        pools.append([measure_pool(train, model, tool, solver, phi) for model in MODELS])
        parts = train, fold_data.validation, fold_data.test
        variants.append([] if pools_only else list(train_variants(*parts, tool, solver, phi, best)))
    spreads = [measure_features(fold_data.train, tool) for fold_data in folds]
    judged_on = "training data" if folds[0].test is folds[0].train else "test"
    return DEARankAnalysis(tuple(_means(pools)), _mean(spreads), tuple(_means(variants)), judged_on)


def _refuse_idle(pools_only: bool, phi: str, best: int) -> None:
    """Options that nobody would use."""
    if phi not in PHIS:
        raise RankwiseError(f"phi must be one of {', '.join(PHIS)}, found {phi!r}")
    if best < 0:
        raise RankwiseError(f"a reduced pool must have candidates, found {best}")
    if best and pools_only:
        raise RankwiseError(
            "a reduced pool is for training, found it together with pools only",
            Advice("leave out {}", "best"),
        )


def _folds(data: str | Path | Dataset | Sequence[Fold], number: int | None) -> list[Fold]:
    if isinstance(data, str | Path):
        if is_folder(locate(data)):
            files = [one for one in find_folds(data) if number in (None, one.number)]
            if not files:
                raise RankwiseError(f"{data} has no fold {number}")
            return [read_fold(one) for one in files]
        if number is not None:
            raise RankwiseError(
                f"one fold can be chosen of a folder with folds, found the file {data}",
                Advice("leave out {}", "fold"),
            )
        data = read(data)
    if isinstance(data, Dataset):
        return [Fold(1, data, None, data)]
    return [one for one in data if number in (None, one.number)]


def _refuse_null(fold: Fold) -> None:
    for name, part in fold.parts():
        if not np.isfinite(part.features).all():
            raise RankwiseError(
                f"DEARank cannot take NULL features, found some in the {name} data; fill them "
                "first: rankwise data normalize IN OUT --to min"
            )


def _means(folds: list[list[Any]]) -> list[Any]:
    """The mean over folds of each of the things that every fold has, field by field."""
    return [_mean(list(same)) for same in zip(*folds, strict=True)]


def _mean(same: list[Any]) -> Any:
    """Numbers are averaged, those of tuples and of dataclasses within too; None counts nowhere."""
    known = [one for one in same if one is not None]
    if not known or isinstance(known[0], str):
        return same[0]
    first = known[0]
    if is_dataclass(first):
        names = [one.name for one in fields(first)]
        means = {name: _mean([getattr(one, name) for one in known]) for name in names}
        return replace(cast("Any", first), **means)
    if isinstance(first, tuple):
        return tuple(_mean(list(values)) for values in zip(*known, strict=True))
    mean = sum(known) / len(known)
    return round(mean) if isinstance(first, int) else mean


def analyse_datasets(
    data: Sequence[str | Path], *, tool: str = "definition", **how: Any
) -> dict[str, DEARankAnalysis]:
    """The analyses of several data sets by name, as Figures 1 and 2 of the paper set them side
    by side; the tool `own` is each data set's own. The further keywords are those of
    `analyse_dearank`.
    """
    found: dict[str, DEARankAnalysis] = {}
    for one in data:
        name, own = _name_data(one)
        if name in found:
            raise RankwiseError(f"every data set must be named once, found {name} again ({one})")
        found[name] = analyse_dearank(one, tool=own if tool == OWN_TOOL else tool, **how)
    return found


def _name_data(data: str | Path) -> tuple[str, str]:
    """What a file or a folder of folds is called, and its own tool."""
    if is_folder(locate(data)):
        source = from_folder(data)
    else:
        source, _ = name_file(data)
    return source.dataset, source.tool


def draw_dearank(
    found: DEARankAnalysis | Mapping[str, DEARankAnalysis],
    folder: str | Path,
    formats: Sequence[str] = ("png", "svg"),
) -> list[Path]:
    """Draw the figures into a folder; the files that were written.

    Of several data sets by name, Figures 1 and 2 of the paper; of one all that was found.
    """
    home = make_folder(folder)
    made: Sequence[Bars | GroupedBars] = (
        make_dataset_figures(found) if isinstance(found, Mapping) else dearank_figures(found)
    )
    return [path for figure in made for path in save(figure, home, formats)]


def dearank_figures(found: DEARankAnalysis) -> list[Bars]:
    """The figures as data."""
    biased = Bars(
        "dearank-local-overfitting",
        "Candidates that do better on their home query",
        "The share of candidates with a higher average precision on the query they come from than "
        "on the average of all queries; Figure 2 of Jiang and Lin (2014).",
        Axis("share of candidates better at home", 0.0, 1.0),
        tuple(Bar(pool.model, pool.biased) for pool in found.pools),
    )
    diverse = Bars(
        "dearank-error-diversity",
        "Correlation of the candidates' errors",
        "The mean correlation of the errors of two candidates over the queries: lower is more "
        "diverse.",
        Axis("mean correlation of errors", 0.0, 1.0),
        tuple(Bar(pool.model, pool.correlation or 0.0) for pool in found.pools),
    )
    return [biased, diverse, *_variant_figures(found.variants)]


def _variant_figures(variants: Sequence[VariantFacts]) -> list[Bars]:
    if not variants:
        return []
    whole = [one for one in variants if not one.best]
    values = [one.figure_1 for one in whole]
    bars = tuple(
        Bar(f"{one.variant}, Eq. {'9' if one.weighting == 'program' else '15'}", one.figure_1)
        for one in whole
    )
    return [
        *_draw_disagreement(whole),
        Bars(
            "dearank-variants",
            "The variants of DEARank",
            "The mean of NDCG@1-10 and MAP, as in Figure 1 of Jiang and Lin (2014), with weak "
            "rankers weighted as a whole (Eq. 9) and feature by feature (Eq. 15).",
            Axis("mean of NDCG@1-10 and MAP", min(values), max(values)),
            bars,
        ),
    ]


def _draw_disagreement(variants: Sequence[VariantFacts]) -> list[Bars]:
    """Ensembles of several weak rankers, each with how often two of them disagree."""
    bars = tuple(
        Bar(
            one.variant,
            one.diversity.disagreement,
            note=f"{round(one.diversity.members, 1):g}: {one.members_map or 0.0:.3f}, "
            f"{one.map:.3f}",
        )
        for one in variants
        if one.weighting == "program"
        and one.diversity is not None
        and one.diversity.disagreement is not None
    )
    if not bars:
        return []
    return [
        Bars(
            "dearank-ensemble-diversity",
            "Disagreement of the weak rankers in each ensemble",
            "Of two weak rankers in one ensemble, the share of preference pairs about which only "
            "one is right, on average; higher is more diverse. Behind each: how many weak rankers "
            "it has, their mean MAP, and the MAP of the ensemble.",
            Axis(
                "mean disagreement of two weak rankers",
                0.0,
                _round_tenth(bar.value for bar in bars),
            ),
            bars,
        )
    ]


def make_dataset_figures(found: Mapping[str, DEARankAnalysis]) -> list[GroupedBars]:
    """Figures 1 and 2 of Jiang and Lin (2014): data sets beside each other.

    What was published of Figure 1 follows from Tables 2 to 5; of Figure 2 the text prints one
    share only.
    """
    names = tuple(found)
    figures = [
        GroupedBars(
            "dearank-figure-2",
            "Candidates that do better on their home query",
            "The share of candidates with a higher average precision on the query that they come "
            "from than on the average of all queries, on training data: Figure 2 of Jiang and Lin "
            "(2014). The line is the one share that the paper prints, 64.3 % of CCR-O on MQ2007.",
            Axis("Share of candidates", 0.0, 1.0),
            names,
            tuple(_share_series(found, model) for model in ("ccr-i", "ccr-o")),
        )
    ]
    reached = {name: one.figure_1() for name, one in found.items()}
    if all(one is not None for one in reached.values()):
        figures.insert(0, _draw_roles(names, reached))
    return figures


def _draw_roles(
    names: tuple[str, ...], reached: Mapping[str, Mapping[str, float] | None]
) -> GroupedBars:
    series = tuple(
        BarSeries(
            role,
            tuple(None if one is None else one[role] for one in reached.values()),
            tuple(_find_published(name, role) for name in names),
        )
        for role in ("DEARank-I", "DEARank-O")
    )
    return GroupedBars(
        "dearank-figure-1",
        "DEARank-I and DEARank-O",
        "The mean of NDCG@1-10 and MAP over both variants of each: Figure 1 of Jiang and Lin "
        "(2014). A line across a bar is the same mean of their Tables 2 to 5.",
        Axis("Mean of NDCG@1-10 and MAP", 0.0, _round_up(series)),
        names,
        series,
    )


def _round_up(series: Sequence[BarSeries]) -> float:
    """The end of an axis from nought: the next tenth above all bars and lines."""
    ends = [one for each in series for one in (*each.values, *each.published) if one is not None]
    return _round_tenth(ends)


def _round_tenth(ends: Iterable[float]) -> float:
    return min(1.0, math.ceil(10 * max(ends, default=1.0)) / 10)


def _share_series(found: Mapping[str, DEARankAnalysis], model: str) -> BarSeries:
    return BarSeries(
        model.upper(),
        tuple(
            next((pool.biased for pool in one.pools if pool.model == model), None)
            for one in found.values()
        ),
        tuple(_PRINTED_SHARES.get((name, model)) for name in found),
    )


_PRINTED_SHARES = {("MQ2007", "ccr-o"): 0.643}


def _find_published(dataset: str, role: str) -> float | None:
    """The mean of the printed values of both variants on a data set of the paper."""
    table = read_shipped().where(
        dataset=dataset,
        method=(f"{role}-MAP", f"{role}-NDCG"),
        measure=FIGURE_1_MEASURES,
    )
    return float(table.value.mean()) if len(table) == 2 * len(FIGURE_1_MEASURES) else None


def print_analysis(name: str, found: DEARankAnalysis) -> None:
    """Everything that was found on the data set called `name`, table by table."""
    _print_pools(found.pools)
    spread = found.spread
    print(
        f"{spread.features} raw features as rankers: NDCG@10 {spread.mean:.4f} on average, "
        f"standard deviation {spread.deviation:.4f}"
    )
    difference = found.figure_1()
    if difference is None:
        return
    print(
        f"mean of NDCG@1-10 and MAP on the {found.judged_on}: DEARank-I "
        f"{difference['DEARank-I']:.4f}, DEARank-O {difference['DEARank-O']:.4f}, "
        f"difference {difference['difference']:+.4f}"
    )
    _print_variants(found.variants, found.judged_on)
    _print_ensembles(found.variants, found.judged_on)
    _print_changes(name, found)


def _print_pools(pools: Sequence[PoolFacts]) -> None:
    _print_table(
        ["Pool", "Candidates", "Better at home", "MAP home", "all", "Correlation", "Spread"],
        [
            [
                pool.model,
                pool.candidates,
                f"{pool.biased:.1%}",
                f"{pool.at_home:.4f}",
                f"{pool.everywhere:.4f}",
                "-" if pool.correlation is None else f"{pool.correlation:.3f}",
                f"{pool.spread:.3f}",
            ]
            for pool in pools
        ],
        "Local overfitting and error diversity (section 5.1)",
    )


def _print_variants(variants: Sequence[VariantFacts], judged_on: str) -> None:
    plain = [one for one in variants if one.weighting == "program" and not one.best]
    pairs = list(zip(plain, (one for one in variants if one.weighting == "feature"), strict=True))
    _print_table(
        ["Variant", "MAP, Eq. 9", "Eq. 15", "NDCG@10, Eq. 9", "Eq. 15"],
        [
            [
                whole.variant,
                f"{whole.map:.4f}",
                f"{by_feature.map:.4f}",
                f"{whole.ndcg_at_10:.4f}",
                f"{by_feature.ndcg_at_10:.4f}",
            ]
            for whole, by_feature in pairs
        ],
        f"Weak rankers weighted as a whole and feature by feature (section 5.2), {judged_on}",
    )


def _print_ensembles(variants: Sequence[VariantFacts], judged_on: str) -> None:
    rows = []
    for one in variants:
        if one.weighting != "program" or one.diversity is None:
            continue
        diversity = one.diversity
        name = f"{one.variant}, best {one.best}" if one.best else one.variant
        rows.append(
            [
                name,
                f"{round(diversity.members, 1):g}",
                _shown(one.members_map, ".4f"),
                _shown(diversity.disagreement, ".3f"),
                _shown(diversity.double_fault, ".3f"),
                _shown(diversity.q, ".3f"),
                _shown(diversity.entropy, ".3f"),
                _shown(one.biased, ".0%"),
            ]
        )
    _print_table(
        ["Ensemble", "Members", "MAP", "Disagree", "Both wrong", "Q", "Entropy", "At home"],
        rows,
        f"Diversity of the weak rankers in each ensemble (section 5.1), {judged_on}",
    )


def _print_changes(name: str, found: DEARankAnalysis) -> None:
    changes = found.changes()
    if changes is None:
        return
    rows = [["here", *(f"{change:+.2f}" for change in changes.values())]]
    printed = {
        str(row["measure"]): row["printed_change"]
        for row in read_shipped_rows("dearank_table_8_changes")
        if row["dataset"] == name
    }
    if printed:
        rows.append(["paper", *(f"{float(printed[one] or 0):+.2f}" for one in changes)])
    _print_table(
        ["", *(one.replace("NDCG@", "N@") for one in changes)],
        rows,
        "Change by the reduced pool in percent, mean of the four variants (Table 8)",
    )


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], title: str) -> None:
    laid_out = [Column(name, place > 0, False) for place, name in enumerate(columns)]
    texts = [[str(cell) for cell in row] for row in rows]
    print("\n".join(lay_out(laid_out, texts, title, Look(100))))


def main(argv: Sequence[str] | None = None) -> None:
    """Analyse data sets; print what was found and, with -o, draw it."""
    parser = argparse.ArgumentParser(
        description="DEARank's discussion, computed: sections 4.3, 4.4, 5.1 and 5.2 of the paper."
    )
    parser.add_argument("data", nargs="+", help="a file to learn from, or a folder with folds")
    parser.add_argument("--tool", default="definition", help="own is each data set's own tool")
    parser.add_argument("--fold", type=int, help="look at this fold of DATA only")
    parser.add_argument("--solver", choices=["compiled", "highs"], default="compiled")
    parser.add_argument("--pools-only", action="store_true", help="do not train the variants")
    parser.add_argument("--phi", choices=PHIS, default=LOGARITHMIC, help="the output of a label")
    parser.add_argument("--best", type=int, default=0, help="the reduced pool of Table 8, too")
    parser.add_argument("-o", "--output", type=Path, help="draw the figures into this folder")
    options = vars(parser.parse_args(argv))
    output = options.pop("output")
    found = analyse_datasets(options.pop("data"), **options)
    for name, analysis in found.items():
        print(f"\n{name}\n")
        print_analysis(name, analysis)
    if output is not None:
        for path in draw_dearank(found if len(found) > 1 else next(iter(found.values())), output):
            print(f"wrote {path}")


if __name__ == "__main__":
    main()
