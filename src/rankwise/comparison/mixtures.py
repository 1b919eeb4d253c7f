"""Values in one table that were not measured alike: by other tools, over fewer folds."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.data.catalog.published import find_published_folds, find_published_tools
from rankwise.results.table import ResultTable

Column = tuple[str, str]


def describe_mixtures(table: ResultTable) -> list[str]:
    """A sentence for each kind of mixture, with the first data set and measure that has it.

    Values that name no tool are taken for published ones, made by the collection's own script.
    """
    tools = {place: found for place, found in _tools(table).items() if len(found) > 1}
    folds = {place: found for place, found in _folds(table).items() if len(found) > 1}
    sentences = []
    if tools:
        sentences.append(
            f"{_counted(tools)} figures of several tools side by side, {_example(tools)}; tools "
            "disagree about the same ranking, see 'rankwise explain'"
        )
    if folds:
        sentences.append(
            f"{_counted(folds)} means over different numbers of folds side by side, "
            f"{_example(folds)}; finish the runs first"
        )
    return sentences


def _tools(table: ResultTable) -> dict[Column, set[str]]:
    found: dict[Column, set[str]] = {}
    official = {
        dataset: {None, *find_published_tools(*subject)}
        for dataset, subject in _subjects(table).items()
    }
    for dataset, measure, tool in zip(table.dataset_names, table.measure, table.tool, strict=True):
        named = "the collection's script" if tool in official[dataset] else str(tool)
        found.setdefault((dataset, measure), set()).add(named)
    return found


def _folds(table: ResultTable) -> dict[Column, set[str]]:
    """By column, over how many folds its figures are means; unknown ones are left out."""
    folds: dict[Column, dict[str, set[str]]] = {}
    published = {name: find_published_folds(*subject) for name, subject in _subjects(table).items()}
    rows = zip(table.dataset_names, table.measure, table.method, table.fold, strict=True)
    for dataset, measure, method, fold in rows:
        column = folds.setdefault((dataset, measure), {})
        if fold is not None:
            column.setdefault(method, set()).add(str(fold))
        elif count := published[dataset]:
            column[method] = {str(number + 1) for number in range(count)}
    return {place: {str(len(own)) for own in column.values()} for place, column in folds.items()}


def _subjects(table: ResultTable) -> dict[str, tuple[str, str]]:
    """Collection and data set by full name."""
    subjects = zip(table.collection, table.dataset, strict=True)
    return dict(zip(table.dataset_names, subjects, strict=True))


def _counted(mixed: dict[Column, set[str]]) -> str:
    return "1 column holds" if len(mixed) == 1 else f"{len(mixed)} columns hold"


def _example(mixed: dict[Column, set[str]]) -> str:
    (dataset, measure), found = next(iter(mixed.items()))
    return f"e.g. {measure} on {dataset}: {_listed(found)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
