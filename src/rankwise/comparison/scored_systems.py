"""A method that is known by its scores only, as a table of results that can be compared.

And query by query, as paired comparisons with others need it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from rankwise.data.catalog.entries import CatalogEntry, catalog_entries, find_entry
from rankwise.data.catalog.home import locate
from rankwise.data.reading import read
from rankwise.data.scores.evaluation_input import HowJudged
from rankwise.data.shared_queries import QueryPrints, number_queries
from rankwise.data.sources import DEFINITION, DataSource, find_source, name_file
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_file
from rankwise.measures.evaluation import Evaluation, FileEvaluation, evaluate
from rankwise.measures.measure import measure_list, result_name
from rankwise.results.benchmark_runs import QUERY_MEASURES, QUERY_TOOL, DenseQueries
from rankwise.results.published.exclusion_reasons import PAPER_MEASURES
from rankwise.results.result_table import ResultTable, full_name
from rankwise.results.task_records import Subject

FOLD = "{fold}"
"""What stands for the number of the fold in the name of score files."""


@dataclass(frozen=True)
class ScoredPart:
    """The test part of a fold and the scores of its documents."""

    fold: int | None
    data: Any
    scores: Any


def tabulate_scores(
    data: Any,
    scores: Any,
    name: str = "mine",
    measures: str | Iterable[str] | None = None,
    tool: str | None = None,
    *,
    dataset: str | None = None,
    collection: str | None = None,
    **how: Unpack[HowJudged],
) -> ResultTable:
    """Evaluate the scores of a method, and give the results as `compare` and `place` take them.

    Args:
        data: a folder of folds, the name of a data set in the data home, or, of a single part,
            what `evaluate` takes: a file, a `Dataset`, a frame, labels, qrels with `trec`.
        scores: of folds a pattern such as `fold{fold}.scores`, or scores by the number of the fold;
            of a single part what `evaluate` takes.
        name: what the method is called.
        measures: by default NDCG@3, NDCG@5, NDCG@10 and MAP, those of the survey.
        tool: whose conventions count; by default those of the data set's own tool.
        dataset, collection: what the data set is called, where its path does not say so.
        how: the further keywords are those of `evaluate`.

    Measures that the tool does not compute are left out, and said in `remarks`, as is what was odd
    in the files, and that folds test the same queries.
    """
    source, parts = find_parts(data, scores, dataset, collection)
    chosen = tool or source.tool
    wanted = [str(one) for one in measure_list(measures) or PAPER_MEASURES]
    rows: list[dict[str, Any]] = []
    refused: dict[str, str] = {}
    odd: list[str] = []
    for part in parts:
        found = evaluate(part.data, part.scores, wanted, chosen, **how)
        refused |= found.refused
        # Without a choice of how to read them, files are odd in their layout only.
        odd += found.remarks if how else ()
        rows += make_rows(found, source, name, part.fold)
    table = ResultTable.from_rows(rows)
    said = [*(f"{each}: {reason}" for each, reason in refused.items()), *odd]
    said += _describe_copies([part.data for part in parts]) if len(parts) > 1 else []
    return replace(table, remarks=(*table.remarks, *dict.fromkeys(said)))


def _describe_copies(tests: Sequence[Path]) -> list[str]:
    """That queries come back in the test files of several folds, where they do."""
    numbers = number_queries([QueryPrints.of(read(test)) for test in tests])
    copies = len(numbers) - len(np.unique(numbers))
    if not copies:
        return []
    return [
        f"{copies} of {len(numbers)} queries were tested in an earlier fold too: the means of the "
        "folds are no independent results"
    ]


def tabulate_evaluations(
    found: Sequence[FileEvaluation], data: str, name: str | None = None, dataset: str | None = None
) -> ResultTable:
    """Evaluations of score files as a table of results; methods are called as the files are.

    What the data set is, and which fold, is read off the path of `data`, or said by `dataset`.
    """
    source, fold = name_file(data)
    if dataset is not None:
        source = _name_values(dataset, None, source)
    rows = []
    for one in found:
        if one.evaluation is not None:
            rows += make_rows(one.evaluation, source, name or Path(one.scores).stem, fold)
    return ResultTable.from_rows(rows)


def make_rows(
    found: Evaluation, source: DataSource, name: str, fold: int | None
) -> list[dict[str, Any]]:
    """The means of an evaluation as rows of a table of results."""
    return [
        {
            "collection": source.collection,
            "dataset": source.dataset,
            "version": source.version,
            "fold": None if fold is None else str(fold),
            "method": name,
            "measure": result_name(str(measure)),
            "value": result.mean,
            "tool": found.tool.name,
        }
        for measure, result in found.results.items()
        if result.mean == result.mean
    ]


def find_parts(
    data: Any, scores: Any, dataset: str | None = None, collection: str | None = None
) -> tuple[DataSource, list[ScoredPart]]:
    """What the data set is called, and the test part of each fold with its scores."""
    if isinstance(data, str | Path) and not is_file(locate(data)):
        source = find_source(data, dataset=dataset, collection=collection)
        return source, list(_pair_folds(source, scores))
    if isinstance(data, str | Path):
        source, fold = name_file(data)
    else:
        source, fold = _name_values(dataset), None
    if dataset is not None:
        source = _name_values(dataset, collection, source)
    return source, [ScoredPart(fold, data, scores)]


def pair_systems(
    data: str | Path, systems: Mapping[str, Any]
) -> tuple[DataSource, list[tuple[Path, dict[str, Any]]]]:
    """The test file of every fold with the scores of all systems, by their names."""
    source = find_source(data)
    parts = {name: list(_pair_folds(source, scores)) for name, scores in systems.items()}
    files = [part.data for part in next(iter(parts.values()), [])]
    for name, own in parts.items():
        if [part.data for part in own] != files:
            raise RankwiseError(
                f"all systems must have scores of the same folds, found {_folds_of(own)} for "
                f"{name!r} and {_folds_of(parts[next(iter(parts))])} for {next(iter(parts))!r}"
            )
    return source, [
        (file, {name: own[place].scores for name, own in parts.items()})
        for place, file in enumerate(files)
    ]


def _folds_of(parts: Sequence[ScoredPart]) -> str:
    numbers = [str(part.fold or 1) for part in parts]
    return f"fold {numbers[0]}" if len(numbers) == 1 else f"folds {', '.join(numbers)}"


def _pair_folds(source: DataSource, scores: Any) -> Iterator[ScoredPart]:
    folds = source.folds()
    if isinstance(scores, Mapping):
        by_fold = _read_fold_numbers(scores, [fold.number for fold in folds])
    elif isinstance(scores, str | Path):
        by_fold = {fold.number: fill_pattern(scores, fold.number, len(folds)) for fold in folds}
    elif isinstance(scores, Sequence) and len(scores) == len(folds):
        by_fold = {fold.number: one for fold, one in zip(folds, scores, strict=True)}
    else:
        raise RankwiseError(
            f"the scores must be of the {len(folds)} folds of {source.dataset}: a pattern such as "
            f"'fold{FOLD}.scores', or one entry a fold"
        )
    for fold in folds:
        if fold.number in by_fold:
            single = len(folds) == 1 and fold.test.parent == source.folder
            yield ScoredPart(None if single else fold.number, fold.test, by_fold[fold.number])


def _read_fold_numbers(scores: Mapping[Any, Any], known: Sequence[int]) -> dict[int, Any]:
    """Scores by the number of the fold, each of which must be one that there is."""
    found = {str(fold): one for fold, one in scores.items()}
    unknown = next((fold for fold in found if fold not in set(map(str, known))), None)
    if unknown is not None or not found:
        raise RankwiseError(
            f"scores by fold must be of the folds {', '.join(map(str, known))}, found "
            f"{'none' if unknown is None else repr(unknown)}"
        )
    return {int(fold): one for fold, one in found.items()}


def fill_pattern(pattern: str | Path, fold: int, folds: int) -> Path:
    """The score file of a fold, which must be there."""
    text = str(pattern)
    if FOLD not in text and folds > 1:
        raise RankwiseError(
            f"{folds} folds need a score file each: write {FOLD} where the number of the fold "
            f"stands, as in 'fold{FOLD}.scores'; found {text[:80]!r}"
        )
    path = Path(text.replace(FOLD, str(fold)))
    if not is_file(path):
        raise RankwiseError(f"fold {fold} needs the score file {path}, there is no such file")
    return path


def _name_values(
    dataset: str | None, collection: str | None = None, source: DataSource | None = None
) -> DataSource:
    """Names for data that no path names; a data set of the catalogue brings its tool."""
    if dataset is None:
        raise RankwiseError(
            "the data set of these scores must be named, found no name",
            Advice("as in {}", "dataset", "MQ2008"),
        )
    version = source.version if source else None
    entry = _find_named(dataset if collection is None else f"{collection} {dataset}")
    if entry is None:
        return DataSource(Path(), collection or "", dataset, version, DEFINITION)
    tool = entry.tool or DEFINITION
    return DataSource(Path(), entry.collection, entry.title, version, tool)


def _find_named(name: str) -> CatalogEntry | None:
    """The data set of the catalogue that goes by a name, in full or short; None where none does."""
    for entry in catalog_entries():
        if full_name(entry.collection, entry.title).casefold() == name.strip().casefold():
            return entry
    try:
        return find_entry(name)
    except RankwiseError:
        return None


def tabulate_queries(
    data: Any,
    scores: Any,
    name: str = "mine",
    *,
    dataset: str | None = None,
    collection: str | None = None,
    **how: Unpack[HowJudged],
) -> tuple[DenseQueries, ...]:
    """The values of a method on every query, for `place` among methods of one protocol.

    The arguments are those of `tabulate_scores`. Values are of MAP and NDCG@10 by their
    definition, as a dense table has them.
    """
    source, parts = find_parts(data, scores, dataset, collection)
    folds: list[int] = []
    queries: list[str] = []
    values: dict[str, list[float]] = {measure: [] for measure in QUERY_MEASURES}
    prints: list[QueryPrints] = []
    for part in parts:
        if len(parts) > 1:
            prints.append(QueryPrints.of(read(part.data)))
        found = evaluate(part.data, part.scores, list(QUERY_MEASURES), QUERY_TOOL, **how)
        ids = list(found[QUERY_MEASURES[0]].query_ids)
        queries += ids
        folds += [part.fold or 1] * len(ids)
        for measure, own in values.items():
            own += found[measure].values.tolist()
    # A query that several folds test counts once, where it stands first, with its mean.
    same = number_queries(prints) if prints else np.arange(len(queries))
    first = np.unique(same, return_index=True)[1]
    arrays = {
        measure: (np.bincount(same, own) / np.bincount(same))[None]
        for measure, own in values.items()
    }
    subject = Subject(source.collection, source.dataset, source.version)
    numbers = np.array(folds, dtype=np.int64)[first]
    names = tuple(queries[number] for number in first)
    return (DenseQueries(subject, (name,), numbers, names, arrays),)
