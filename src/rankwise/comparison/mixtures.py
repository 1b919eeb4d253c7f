"""What a table puts side by side that was not measured alike: other tools, fewer folds."""

from __future__ import annotations

from collections.abc import Iterable

from rankwise.results.table import ResultTable

OFFICIAL = ("letor3", "letor4")
"""Tools whose figures may stand beside published ones of LETOR, which name no tool."""
FIVE_FOLDS = ("LETOR", "MSLR")
"""Collections of which a published figure is a mean over five folds."""

Column = tuple[str, str]


def mixtures(table: ResultTable) -> list[str]:
    """A sentence for each kind of mixture, with the first data set and measure that has it.

    Figures that name no tool are taken for published ones, made by the collection's own script.
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
    for dataset, measure, tool in zip(table.dataset_names, table.measure, table.tool, strict=True):
        named = "the collection's script" if tool is None or tool in OFFICIAL else str(tool)
        found.setdefault((dataset, measure), set()).add(named)
    return found


def _folds(table: ResultTable) -> dict[Column, set[str]]:
    """By column, over how many folds its figures are means; unknown ones are left out."""
    folds: dict[Column, dict[str, set[str]]] = {}
    rows = zip(table.dataset_names, table.measure, table.method, table.fold, strict=True)
    for dataset, measure, method, fold in rows:
        column = folds.setdefault((dataset, measure), {})
        if fold is not None:
            column.setdefault(method, set()).add(str(fold))
        elif dataset.startswith(FIVE_FOLDS):
            column[method] = set("12345")
    return {place: {str(len(own)) for own in column.values()} for place, column in folds.items()}


def _counted(mixed: dict[Column, set[str]]) -> str:
    return "1 column holds" if len(mixed) == 1 else f"{len(mixed)} columns hold"


def _example(mixed: dict[Column, set[str]]) -> str:
    (dataset, measure), found = next(iter(mixed.items()))
    return f"e.g. {measure} on {dataset}: {_listed(found)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
