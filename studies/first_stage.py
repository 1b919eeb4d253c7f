"""What the first stage does: samples cut at several depths, and retrieval before ranking.

    python studies/first_stage.py depths DIR [--depths 25,50,100] [--ranker NAME] [--seed N]
    python studies/first_stage.py stages DIR [--measures MAP,P@10] [--ranker NAME] [--seed N]

DIR is the folder of a build whose samples are the best by BM25. `depths` asks what the cut-off of
the samples does to what is learnt, which LETOR leaves open (Qin, Liu, Xu and Li 2010, section 6.1).
Rows stand in the order of BM25, so a shallower sample is the beginning of a deeper one. NULL is
filled and features are scaled within what is left. Values that flow between the documents of a
query (propagation, HITS) stay those of the build's own depth.

`stages` evaluates over a whole corpus: BM25 retrieves, a ranker orders what it retrieved. Figures
of LETOR's kind are over the sampled documents and forget those that retrieval never found. Here
every document that was judged relevant counts: one that was not retrieved stands behind all that
were, so that the first stage bounds what the second can reach. Recall at the depth of the build is
that bound. A relevant document counts as relevant whatever its label, as the build keeps the number
of the lost ones and not their labels; NDCG is therefore not among the measures.

The page is docs/collection/building.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.errors import FormatError, RankwiseError
from rankwise.experiments.fitting import fit
from rankwise.measures.evaluation import evaluate, evaluate_judged
from rankwise.measures.measure import measure_list
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import make_ranker
from rankwise.tables.terminal import Column, Look, lay_out

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
class DepthComparison:
    """The samples of a build at several depths; `remarks` tell what was left out or stays."""

    ranker: str
    figures: tuple[DepthFigures, ...]
    remarks: tuple[str, ...]


def compare_depths(
    directory: str | Path,
    depths: Iterable[int] = DEPTHS,
    ranker: object = "ridge-regression",
    *,
    seed: int = 0,
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
    figures = [_figures(made, depth, learner, seed) for depth in wanted]
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


STAGE_MEASURES = ("MAP", "P@5", "P@10", "RR", "Recall@10")
"""What is computed where nothing else is asked for."""
_BINARY = ("AP", "P", "RR", "Recall", "RPrec", "Success", "IPrec", "BPref", "F1")


@dataclass(frozen=True)
class StageFigures:
    """One measure over all documents that were judged relevant, after each stage.

    `best` is what a perfect second stage would reach with what was retrieved.
    """

    measure: str
    retrieved: float
    ranked: float
    best: float


@dataclass(frozen=True)
class TwoStages:
    """Retrieval and ranking over a whole corpus; each query was tested in its fold."""

    ranker: str
    depth: int
    queries: int
    recall: float
    figures: tuple[StageFigures, ...]


def evaluate_stages(
    directory: str | Path,
    ranker: object = "ridge-regression",
    *,
    measures: str | Sequence[str] = STAGE_MEASURES,
    seed: int = 0,
) -> TwoStages:
    """Train on the folds of a build, and evaluate retrieval and ranking over the whole corpus.

    Args:
        directory: the folder of a build with samples of the best by BM25.
        ranker: who orders what was retrieved, trained on each fold's training part.
        measures: of relevant and other documents: MAP, P, RR, Recall and the like.
        seed: of the training.
    """
    names = _check_measures(measures)
    home = Path(directory)
    made = read_built_rows(home, "two stages")
    learner = make_ranker(ranker)
    rows = query_level_norm(fill_null(made.dataset, made.fill_rule))
    scores = _score_all(made, rows, learner, seed)
    judged = _judge_all(rows, made.relevant)
    evaluated = {
        what: evaluate_judged(judged.scored(column), names).means()
        for what, column in (
            ("retrieved", rows.features[:, made.baseline]),
            ("ranked", scores),
            ("best", (rows.labels > 0).astype(np.float64)),
        )
    }
    found = int(np.count_nonzero(rows.labels > 0))
    return TwoStages(
        ranker=learner.name,
        depth=int(read_data_card(home)["sampling"]["depth"]),
        queries=rows.n_queries,
        recall=found / max(found + int(judged.lost.sum()), 1),
        figures=tuple(
            StageFigures(name, *(evaluated[what][name] for what in evaluated)) for name in names
        ),
    )


@dataclass(frozen=True, eq=False)
class _WholeCorpus:
    """The rows of a build, and how many relevant documents of each query they lack."""

    rows: Dataset
    lost: NDArray[np.int64]

    def scored(self, scores: NDArray[np.float64]) -> JudgedScores:
        """The rows with scores, and behind those of a query the documents that were not found."""
        lengths = self.rows.query_lengths
        rows = np.repeat(self.rows.query_offsets[1:], self.lost)
        labels = np.insert((self.rows.labels > 0).astype(np.float64), rows, 1.0)
        return JudgedScores(
            labels,
            np.insert(scores, rows, 0.0),
            offsets_of(lengths + self.lost),
            list(self.rows.query_ids),
            retrieved=lengths,
        )


def _judge_all(rows: Dataset, relevant: dict[str, int]) -> _WholeCorpus:
    found = np.add.reduceat((rows.labels > 0).astype(np.int64), rows.query_offsets[:-1])
    judged = np.array([relevant[query] for query in rows.query_ids], np.int64)
    return _WholeCorpus(rows, np.maximum(judged - found, 0))


def _score_all(made: BuiltRows, rows: Dataset, ranker: Ranker, seed: int) -> NDArray[np.float64]:
    """The scores of all rows, each by the model of the fold that tests on it."""
    parts = cut_into_parts(rows, _FOLDS, seed=made.fold_seed)
    starts = dict(zip(rows.query_ids, rows.query_offsets[:-1].tolist(), strict=True))
    scores = np.empty(rows.n_documents)
    for number in range(1, _FOLDS + 1):
        fold = compose_fold(parts, number)
        model = fit(ranker, fold.train, fold.validation, seed=seed)
        given = model.score(fold.test)
        offsets = fold.test.query_offsets.tolist()
        for place, query in enumerate(fold.test.query_ids):
            own = given[offsets[place] : offsets[place + 1]]
            scores[starts[query] : starts[query] + len(own)] = own
    return scores


def _check_measures(measures: str | Sequence[str]) -> list[str]:
    names = [str(name) for name in measure_list(measures) or STAGE_MEASURES]
    for name in names:
        family = find_tool("definition").measure(name).family
        if family not in _BINARY:
            raise RankwiseError(
                f"over a whole corpus measures must be of relevant and other documents, "
                f"{', '.join(_BINARY)}, found {name!r}: the labels of lost documents are not kept"
            )
    return names


def _print_depths(found: DepthComparison) -> None:
    ranker = found.ranker
    _print_table(
        ["depth", "relevant found", "BM25 MAP", f"{ranker} MAP", "BM25, of all",
         f"{ranker}, of all"],
        [[o.depth, f"{o.recall:.1%}", f"{o.baseline:.4f}", f"{o.learnt:.4f}",
          f"{o.baseline_of_all:.4f}", f"{o.learnt_of_all:.4f}"] for o in found.figures],
        numeric=range(6),
    )  # fmt: skip
    for remark in found.remarks:
        print(remark, file=sys.stderr)


def _print_stages(found: TwoStages) -> None:
    _print_table(
        ["measure", "BM25", f"then {found.ranker}", "at best"],
        [[one.measure, f"{one.retrieved:.4f}", f"{one.ranked:.4f}", f"{one.best:.4f}"]
         for one in found.figures],
        numeric=range(1, 4),
    )  # fmt: skip
    print(f"{found.recall:.1%} of the relevant documents are among the {found.depth} best by BM25")


def _print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], numeric: range) -> None:
    laid_out = [Column(name, place in numeric, False) for place, name in enumerate(columns)]
    texts = [[str(cell) for cell in row] for row in rows]
    print("\n".join(lay_out(laid_out, texts, None, Look(100))))


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main(argv: Sequence[str] | None = None) -> None:
    """Cut the samples of a build at several depths, or evaluate its two stages."""
    parser = argparse.ArgumentParser(description="What the first stage of a build does.")
    parser.add_argument("part", choices=["depths", "stages"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--depths", type=_numbers, default=DEPTHS, help="of the samples")
    parser.add_argument("--measures", default=STAGE_MEASURES, help="of relevant documents")
    parser.add_argument("--ranker", default="ridge-regression", help="who learns")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(argv)
    if given.part == "depths":
        _print_depths(compare_depths(given.directory, given.depths, given.ranker, seed=given.seed))
    else:
        _print_stages(
            evaluate_stages(given.directory, given.ranker, measures=given.measures, seed=given.seed)
        )


if __name__ == "__main__":
    main()
