"""What `rankwise bench` and `rankwise results show` print of figures, and the files of --out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from rankwise.cli.output import console, note, print_json, print_table
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.experiments.conventions import Question
from rankwise.experiments.summary import DatasetSummary, Wins, summarize, wins
from rankwise.files import write_text
from rankwise.reports.names import LONGEST, shown
from rankwise.results.completeness import complete
from rankwise.results.formats import write_results
from rankwise.results.store import Store
from rankwise.results.store_records import StoredTask, TaskValue
from rankwise.results.store_values import make_table

# Characters that columns take in a table, with what divides them, and its edge.
_FOLDS, _SEEDS, _FIGURE, _PUBLISHED, _BETWEEN = 9, 8, 6, 12, 3


def print_summaries(
    means: Sequence[TaskValue], output_format: str, *, all_tools: bool = False, naming: str = ""
) -> None:
    """One table a data set: means over folds, beside what was published where that is known.

    A note names the measures for which there is no room; `naming` is how else to have them.
    """
    found = summarize(means, all_tools=all_tools)
    if output_format == "json":
        print_json([asdict(one) for one in found])
    elif output_format == "markdown":
        click.echo("\n".join(map(markdown, found)), nl=False)
    else:
        width = console().width
        absent: dict[str, None] = {}
        for one in found:
            narrow = narrowed(one, width)
            absent |= dict.fromkeys(name for name in one.measures if name not in narrow.measures)
            titles, rows = cells(narrow, _name_room(one, width))
            print_table(titles, rows, title=heading(one), numeric=range(1, len(titles)),
                        unbroken=(0,))  # fmt: skip
        if absent:
            note(f"not shown for want of room: {', '.join(absent)} ({naming}--format markdown)")


def print_failures(tasks: Sequence[StoredTask]) -> None:
    """Why tasks failed, one line each, on standard error."""
    failed = [task for task in tasks if task.ending == "failed"]
    for task in failed:
        note(f"{task.name}: failed ({task.kind}): {shown(task.reason or '', 1000)}")
    if failed:
        note(f"{len(failed)} tasks failed; try them again with --retry")


def print_untrained(found: Mapping[tuple[str, str], int]) -> None:
    """Combinations that could not be trained: the choice was among fewer than planned."""
    for (method, reason), count in found.items():
        note(f"{method}: {count} combinations left out of the choice: {shown(reason, 1000)}")


def write_tables(means: Sequence[TaskValue], folder: Path) -> None:
    """`results.csv` with every fold and tool, and `tables.md` for reading.

    Winning numbers are over the same folds of all; `tables.md` says what they leave out.
    """
    write_results(make_table(means, all_tools=True), folder / "results.csv")
    parts = [markdown(one) for one in summarize(means, all_tools=True)]
    measures = dict.fromkeys(mean.measure for mean in means)
    won = [_wins_markdown(measure, wins(means, measure)) for measure in measures]
    if any(won):
        won += [f"In the winning numbers {sentence}.\n" for sentence in complete(means)[1]]
    parts += won
    write_text(folder / "tables.md", "\n".join(filter(None, parts)))


def write_conventions(store: Store, question: Question, folder: Path) -> None:
    """Training conventions compared: `findings.md` and Figures 1 and 2 of the paper."""
    from rankwise.experiments.conventions import compute_curves, explain_conventions
    from rankwise.reports.convention_figures import write_convention_figures

    try:
        sentences = explain_conventions(store, question)
        write_text(folder / "findings.md", "".join(f"- {sentence}\n" for sentence in sentences))
        drawn = compute_curves(store, question)
        paths = write_convention_figures(drawn, folder) if drawn else []
    except MissingExtra as error:
        note(f"no figures: {error}")
        return
    except RankwiseError as error:
        note(f"training conventions are not compared: {error}")
        return
    for sentence in sentences:
        note(sentence)
    note(f"written: {', '.join(['findings.md', *(path.name for path in paths)])} in {folder}")


def heading(summary: DatasetSummary) -> str:
    """The data set, its version and whose figures these are."""
    version = f", {summary.version}" if summary.version else ""
    part = "" if summary.part == "test" else f" on {summary.part}"
    return f"{summary.dataset}{version}: means over folds{part}, by the tool {summary.tool}"


def cells(summary: DatasetSummary, longest: int = LONGEST) -> tuple[list[str], list[list[str]]]:
    """Titles and rows; a published figure stands behind each measure that has any."""
    known, seeds = _published(summary), _has_seeds(summary)
    titles = ["method", "folds", *(["seeds"] if seeds else [])]
    for measure, published in zip(summary.measures, known, strict=True):
        titles += [measure, "published"] if published else [measure]
    rows = []
    for row in summary.rows:
        line = [shown(row.method, longest), str(row.folds)]
        if seeds:
            line.append("–".join(map(str, dict.fromkeys(row.seeds))))
        for figure, there, published in zip(row.figures, row.published, known, strict=True):
            line += [_figure(figure), _printed(there)] if published else [_figure(figure)]
        rows.append(line)
    return titles, rows


def narrowed(summary: DatasetSummary, width: int) -> DatasetSummary:
    """As many measures as a terminal of `width` has room for: the first ones and the last."""
    sizes = _sizes(summary)
    free = width - _name_room(summary, width) - _BETWEEN - _counts(summary)
    kept = list(range(len(sizes)))
    while len(kept) > 1 and sum(sizes[place] for place in kept) > free:
        kept.pop(-2)
    rows = tuple(
        replace(
            row,
            figures=tuple(row.figures[place] for place in kept),
            published=tuple(row.published[place] for place in kept),
        )
        for row in summary.rows
    )
    return replace(summary, measures=tuple(summary.measures[p] for p in kept), rows=rows)


def _published(summary: DatasetSummary) -> list[bool]:
    """Of each measure, whether any method has a published figure."""
    return [any(row.published[place] is not None for row in summary.rows)
            for place in range(len(summary.measures))]  # fmt: skip


def _name_room(summary: DatasetSummary, width: int) -> int:
    """Characters for names: as many as they have, but two measures come before long ones."""
    longest = max((len(shown(row.method)) for row in summary.rows), default=0)
    return min(longest, max(16, width - _BETWEEN - _counts(summary) - sum(_sizes(summary)[:2])))


def _counts(summary: DatasetSummary) -> int:
    """Characters for the numbers of folds and, where there are several, of seeds."""
    return _FOLDS + _SEEDS * _has_seeds(summary)


def _has_seeds(summary: DatasetSummary) -> bool:
    return any(max(row.seeds) > 1 for row in summary.rows)


def _sizes(summary: DatasetSummary) -> list[int]:
    """What each measure takes of a line, with its published figures."""
    known = _published(summary)
    return [max(_FIGURE, len(measure)) + _BETWEEN + _PUBLISHED * there
            for measure, there in zip(summary.measures, known, strict=True)]  # fmt: skip


def markdown(summary: DatasetSummary) -> str:
    """The table for documents."""
    titles, rows = cells(summary)
    return f"### {heading(summary)}\n\n{_table(titles, rows)}"


def _wins_markdown(measure: str, found: Sequence[Wins]) -> str:
    if not found:
        return ""
    titles = ["method", "wins", "of"]
    rows = [[shown(one.method), str(one.here), str(one.possible)] for one in found]
    if any(one.published is not None for one in found):
        titles += ["over published rivals", "published", "of"]
        for row, one in zip(rows, found, strict=True):
            beside = (one.shared, one.published, one.shared_possible)
            row += ["" if number is None else str(number) for number in beside]
    return f"### Winning numbers in {measure}\n\n{_table(titles, rows)}"


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    ruler = ["---"] + ["---:"] * (len(titles) - 1)
    lines = (" | ".join(cell.replace("|", "\\|") for cell in row) for row in (titles, ruler, *rows))
    return "".join(f"| {line} |\n" for line in lines)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _printed(value: float | None) -> str:
    """A published figure with the decimals that it was printed with: three, or four."""
    if value is None:
        return ""
    return f"{value:.3f}" if round(value, 3) == value else f"{value:.4f}"
