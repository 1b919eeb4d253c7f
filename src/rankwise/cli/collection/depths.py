"""`rankwise build depths`: what the cut-off of the samples does (LETOR, section 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.own_rankers import apart
from rankwise.collection.data_card import CARD, card_feature_names, fold_seed, read_data_card
from rankwise.collection.features.sets import fill_rule_of
from rankwise.collection.features.web import OF_THE_SAMPLE
from rankwise.collection.query_table import QUERY_TABLE, query_rows
from rankwise.data.dataset import Dataset
from rankwise.data.folds import compose_fold, cut_into_parts
from rankwise.data.normalization import FillRule, fill_null, query_level_norm
from rankwise.data.reading import read
from rankwise.errors import FormatError, RankwiseError
from rankwise.evaluation import evaluate
from rankwise.rankers.registry import find_ranker


@dataclass(frozen=True)
class _Made:
    """What a build made: rows with NULL, judged relevant documents, filling, the place of BM25.

    `fold_seed` drew the folds; None where they are runs of queries.
    """

    dataset: Dataset
    relevant: dict[str, int]
    fill_rule: FillRule
    baseline: int
    fold_seed: int | None


@dataclass(frozen=True)
class _Outcome:
    """Figures of one depth, means over all queries, each tested in its fold."""

    depth: int
    recall: float
    baseline: float
    learnt: float
    baseline_of_all: float
    learnt_of_all: float


@click.command("depths")
@click.argument("directory", type=click.Path(path_type=Path), metavar="DIR")
@click.option(
    "--depths",
    default="10,20,50,100,200,500,1000",
    show_default=True,
    help="Cut-offs, divided by commas; those past the build's own are left out, and said.",
)
@click.option("--ranker", default="ridge-regression", show_default=True, help="Who learns.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@format_option("table", "json")
def depths_command(
    directory: Path, depths: str, ranker: str, seed: int, output_format: str
) -> None:  # fmt: skip
    """Cut the samples of the build in DIR at several depths, learn and test at each.

    Rows stand in the order of BM25, so a shallower sample is the beginning of a deeper one. NULL is
    filled and features are scaled within what is left. Values that flow between the documents of a
    query (propagation, HITS) stay those of the build's own depth. MAP is
    given among the sampled documents, as LETOR does, and over all documents that were judged
    relevant, where those that the sample lost count as never found.

    \b
    Examples:
      rankwise build depths cranfield
      rankwise build depths cranfield --depths 25,50,100 --ranker ranksvm
    """
    card = read_data_card(directory)
    if card["sampling"]["method"] != "top":
        raise RankwiseError(
            f"depths need a build with --sampling top, found {card['sampling']['method']!r}"
        )
    dataset = _dataset(directory)
    relevant = _relevant(directory, dataset)
    wanted = _wanted(_numbers(depths), int(card["sampling"]["depth"]))
    names = card_feature_names(card, directory / CARD)
    made = _Made(
        dataset, relevant, fill_rule_of(card["feature_set"], names),
        _baseline(names, card["sampling"]["stream"]), fold_seed(card),
    )  # fmt: skip
    outcomes = []
    with progress("Learning at each depth", len(wanted)) as advance:
        for done, depth in enumerate(wanted, 1):
            outcomes.append(_outcome(made, depth, ranker, seed))
            advance(done)
    _show(outcomes, ranker, output_format)
    kept = [name for name in names if name.partition(" of ")[0] in OF_THE_SAMPLE]
    if kept:
        note(f"computed at the depth of the build, not again: {', '.join(kept)}")


def _wanted(depths: list[int], deepest: int) -> list[int]:
    wanted = [depth for depth in depths if depth <= deepest]
    deeper = ", ".join(str(depth) for depth in depths if depth > deepest)
    if not wanted:
        raise RankwiseError(
            f"at least one depth must be within the {deepest} of the build, found {deeper}; choose "
            "smaller ones, or build again with --depth"
        )
    if deeper:
        note(f"left out, past the {deepest} of the build: {deeper}")
    return wanted


def _outcome(made: _Made, depth: int, ranker: str, seed: int) -> _Outcome:
    cut = query_level_norm(fill_null(_cut(made.dataset, depth), made.fill_rule))
    parts = cut_into_parts(cut, 5, seed=made.fold_seed)
    pairs: dict[str, tuple[float, float]] = {}
    for number in range(1, 6):
        fold = compose_fold(parts, number)
        learner = find_ranker(ranker)()
        with apart(learner):
            model = learner.fit(fold.train, fold.validation, seed=seed)
        plain = _average_precisions(fold.test, fold.test.features[:, made.baseline])
        learnt = _average_precisions(fold.test, model.score(fold.test))
        pairs |= {query: (plain[query], learnt[query]) for query in plain}
    figures = np.array([pairs[query] for query in cut.query_ids])
    found = np.array([np.count_nonzero(query.labels > 0) for query in cut.queries()])
    judged = np.array([made.relevant[query] for query in cut.query_ids])
    of_all = figures * (found / np.maximum(judged, 1))[:, None]
    return _Outcome(
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
    for number, row in query_rows(path, ("query", "relevant_judged")):
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
        raise RankwiseError("depths compare with BM25, found no such feature in the build")
    return next((n for n in found if names[n] == f"bm25 of {stream}"), found[0])


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) > 0 for part in parts):
        raise RankwiseError(f"depths must be whole numbers divided by commas, found {text!r}")
    return sorted({int(part) for part in parts})


def _show(outcomes: list[_Outcome], ranker: str, output_format: str) -> None:
    if output_format == "json":
        return print_json([outcome.__dict__ for outcome in outcomes])
    columns = (
        "depth", "relevant found", "BM25 MAP", f"{ranker} MAP", "BM25, of all", f"{ranker}, of all",
    )  # fmt: skip
    rows = [
        (o.depth, f"{o.recall:.1%}", f"{o.baseline:.4f}", f"{o.learnt:.4f}",
         f"{o.baseline_of_all:.4f}", f"{o.learnt_of_all:.4f}")
        for o in outcomes
    ]  # fmt: skip
    return print_table(columns, rows, numeric=range(6))
