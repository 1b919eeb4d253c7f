"""What the cut-off of the samples of a build does to what is learnt (LETOR, section 6.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.text_files import QUERY_TABLE, read_query_rows
from rankwise.collection.data_card import CARD, parse_fold_seed, read_data_card, read_feature_names
from rankwise.collection.features.feature_sets import fill_rule_of
from rankwise.collection.features.web_features import OF_THE_SAMPLE
from rankwise.data.dataset import Dataset
from rankwise.data.folds import compose_fold, cut_into_parts
from rankwise.data.normalization.scales import FillRule, fill_null, query_level_norm
from rankwise.data.reading import read
from rankwise.errors import FormatError, RankwiseError
from rankwise.experiments.fitting import fit
from rankwise.measures.evaluation import evaluate
from rankwise.progress import Stage, silent_stage
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import make_ranker
from rankwise.tables.notebook import Rows, Tabular, shortened

DEPTHS = (10, 20, 50, 100, 200, 500, 1000)
_FOLDS = 5


@dataclass(frozen=True)
class DepthFigures:
    """Figures of one depth, means over all queries, each tested in its fold.

    `recall` is the share of relevant documents that the samples have; the figures are MAP of BM25
    and of the ranker, among the sampled documents and over all that were judged relevant.
    """

    depth: int
    recall: float
    baseline: float
    learnt: float
    baseline_of_all: float
    learnt_of_all: float


@dataclass(frozen=True)
class DepthComparison(Tabular):
    """The samples of a build at several depths; `remarks` tell what was left out or stays."""

    ranker: str
    figures: tuple[DepthFigures, ...]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        depths = ", ".join(str(one.depth) for one in self.figures)
        return shortened(f"{self.ranker} on samples of depth {depths}")

    def _table(self) -> Rows:
        rows = [tuple(asdict(one).values()) for one in self.figures]
        return tuple(DepthFigures.__dataclass_fields__), rows


def compare_depths(
    directory: str | Path,
    depths: Iterable[int] = DEPTHS,
    ranker: object = "ridge-regression",
    *,
    seed: int = 0,
    stage: Stage = silent_stage,
) -> DepthComparison:
    """Cut the samples of a build at several depths, learn and test at each.

    Rows stand in the order of BM25, so a shallower sample is the beginning of a deeper one. NULL is
    filled and features are scaled within what is left. Depths past the build's own are left out.
    """
    home = Path(directory)
    card = read_data_card(home)
    made = read_built_rows(home, "depths")
    learner = make_ranker(ranker)
    wanted, remarks = _wanted(sorted(set(depths)), int(card["sampling"]["depth"]))
    advance = stage("Learning at each depth", len(wanted))
    figures = []
    for done, depth in enumerate(wanted, 1):
        figures.append(_figures(made, depth, learner, seed))
        advance(done)
    names = read_feature_names(card, home / CARD)
    kept = [name for name in names if name.partition(" of ")[0] in OF_THE_SAMPLE]
    if kept:
        remarks.append(f"computed at the depth of the build, not again: {', '.join(kept)}")
    return DepthComparison(learner.name, tuple(figures), tuple(remarks))


@dataclass(frozen=True)
class BuiltRows:
    """What a build made: rows with NULL, judged relevant documents, filling, the place of BM25.

    `fold_seed` drew the folds; None where they are runs of queries.
    """

    dataset: Dataset
    relevant: dict[str, int]
    fill_rule: FillRule
    baseline: int
    fold_seed: int | None


def read_built_rows(home: Path, need: str) -> BuiltRows:
    """The rows of a build whose samples are the best by BM25, which `need` needs."""
    card = read_data_card(home)
    if card["sampling"]["method"] != "top":
        raise RankwiseError(
            f"{need} need a build made by 'rankwise build --sampling top', found "
            f"{card['sampling']['method']!r}"
        )
    dataset = _dataset(home)
    names = read_feature_names(card, home / CARD)
    stream = card["sampling"]["stream"]
    return BuiltRows(
        dataset,
        _relevant(home, dataset),
        fill_rule_of(str(card["feature_set"]), names),
        _baseline(names, stream),
        parse_fold_seed(card),
    )


def _wanted(depths: list[int], deepest: int) -> tuple[list[int], list[str]]:
    wanted = [depth for depth in depths if depth <= deepest]
    deeper = ", ".join(str(depth) for depth in depths if depth > deepest)
    if not wanted:
        raise RankwiseError(
            f"at least one depth must be within the {deepest} of the build, found {deeper}; choose "
            "smaller ones, or build again with 'rankwise build --depth'"
        )
    return wanted, [f"left out, past the {deepest} of the build: {deeper}"] if deeper else []


def _figures(made: BuiltRows, depth: int, ranker: Ranker, seed: int) -> DepthFigures:
    cut = query_level_norm(fill_null(_cut(made.dataset, depth), made.fill_rule))
    parts = cut_into_parts(cut, _FOLDS, seed=made.fold_seed)
    pairs: dict[str, tuple[float, float]] = {}
    for number in range(1, _FOLDS + 1):
        fold = compose_fold(parts, number)
        model = fit(ranker, fold.train, fold.validation, seed=seed)
        plain = _average_precisions(fold.test, fold.test.features[:, made.baseline])
        learnt = _average_precisions(fold.test, model.score(fold.test))
        pairs |= {query: (plain[query], learnt[query]) for query in plain}
    figures = np.array([pairs[query] for query in cut.query_ids])
    found = np.array([np.count_nonzero(query.labels > 0) for query in cut.queries()])
    judged = np.array([made.relevant[query] for query in cut.query_ids])
    of_all = figures * (found / np.maximum(judged, 1))[:, None]
    return DepthFigures(
        depth, float(found.sum() / max(judged.sum(), 1)), *figures.mean(axis=0).tolist(),
        *of_all.mean(axis=0).tolist(),
    )  # fmt: skip


def _cut(dataset: Dataset, depth: int) -> Dataset:
    """The first `depth` rows of each query."""
    within = np.arange(dataset.n_documents) - np.repeat(
        dataset.query_offsets[:-1], dataset.query_lengths
    )
    rows = within < depth
    lengths = np.minimum(dataset.query_lengths, depth)
    return Dataset(
        features=dataset.features[rows],
        labels=dataset.labels[rows],
        query_offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        query_ids=dataset.query_ids,
    )


def _average_precisions(dataset: Dataset, scores: NDArray[np.float64]) -> dict[str, float]:
    return dict(evaluate(dataset, scores, "MAP")["MAP"].per_query)


def _dataset(directory: Path) -> Dataset:
    found = sorted((directory / "Feature-null" / "ALL").glob("*.txt"))
    if len(found) != 1:
        raise RankwiseError(
            f"{directory} must hold one file in Feature-null/ALL, found {len(found)}"
        )
    return read(found[0])


def _relevant(directory: Path, dataset: Dataset) -> dict[str, int]:
    """How many documents were judged relevant, by query; the table must have all of them."""
    path = directory / QUERY_TABLE
    relevant = {}
    for number, row in read_query_rows(path, ("query", "relevant_judged")):
        judged = row["relevant_judged"]
        if not (judged.isascii() and judged.isdecimal()):
            raise FormatError(
                f"relevant_judged must be a whole number, found {judged[:60]!r}", path, number
            )
        relevant[row["query"]] = int(judged)
    lost = next((query for query in dataset.query_ids if query not in relevant), None)
    if lost is not None:
        raise FormatError(f"every query must have a line, found none for {lost!r}", path)
    return relevant


def _baseline(names: Sequence[str], stream: str) -> int:
    """The place of the BM25 that the samples were drawn by; see `Sampling.place`."""
    found = [n for n, name in enumerate(names) if name.startswith("bm25 of ")]
    if not found:
        raise RankwiseError("BM25 is compared with, found no such feature in the build")
    return next((n for n in found if names[n] == f"bm25 of {stream}"), found[0])
