"""The tables of an experiment: of each data set, of winning numbers, of training conventions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.experiments.bench_run import BenchRun
from rankwise.experiments.conventions import Question, compute_curves, explain_conventions
from rankwise.experiments.summary import DatasetSummary, Wins, count_wins, summarize
from rankwise.experiments.transfer_curves import TransferQuestion, compute_gains
from rankwise.files import make_folder, plain_name, write_text
from rankwise.reports.matplotlib_renderer.convention_figures import write_convention_figures
from rankwise.reports.names import LONGEST, shown
from rankwise.reports.transfer_figures import write_transfer
from rankwise.results.comparability import keep_comparable
from rankwise.results.result_files import write_results
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import make_table
from rankwise.results.task_records import TaskValue

TABLES = ("results.csv", "tables.md")


@dataclass(frozen=True)
class StudyFiles:
    """Training conventions or transfer compared: sentences, files, or why there are none."""

    folder: Path
    sentences: tuple[str, ...] = ()
    paths: tuple[Path, ...] = ()
    remark: str | None = None


def write_bench(run: BenchRun, folder: str | Path) -> list[StudyFiles]:
    """Write the tables of a run into a folder, and what training conventions and transfer show.

    Where there are several such questions, each has a folder of its own in it.
    """
    home = make_folder(folder)
    write_tables(run.values, home, remarks=run.choosers())
    asked = run.questions()
    found = []
    with Store.read(run.store) as store:
        for question in asked:
            name = plain_name("-".join(filter(None, question.subject)))
            place = make_folder(home / name) if len(asked) > 1 else home
            found.append(write_conventions(store, question, place))
        transfers = run.transfers()
        for target in transfers:
            name = plain_name("-".join(filter(None, target.subject)))
            place = make_folder(home / name) if len(transfers) > 1 else home
            found.append(write_gains(store, target, place))
    return found


def write_tables(
    values: Sequence[TaskValue], folder: str | Path, *, remarks: Sequence[str] = ()
) -> None:
    """`results.csv` with every fold and tool, and `tables.md` for reading.

    Winning numbers are over the same folds of all; `tables.md` says what they leave out, and ends
    with the remarks.
    """
    csv, page = (Path(folder) / name for name in TABLES)
    table = make_table(values, all_tools=True)
    write_results(table, csv)
    parts = [format_summary(one) for one in summarize(values, all_tools=True)]
    measures = dict.fromkeys(value.measure for value in values)
    won = [_wins_markdown(measure, count_wins(values, measure)) for measure in measures]
    if any(won):
        left_out = keep_comparable(make_table(values)).remarks
        won += [f"In the winning numbers {sentence}.\n" for sentence in left_out]
    parts += won
    parts += [f"{remark}.\n" for remark in remarks]
    write_text(page, "\n".join(filter(None, parts)))


def write_conventions(store: Store, question: Question, folder: Path) -> StudyFiles:
    """Training conventions compared: `findings.md` and Figures 1 and 2 of the paper."""
    try:
        sentences = explain_conventions(store, question)
        findings = folder / "findings.md"
        write_text(findings, "".join(f"- {sentence}\n" for sentence in sentences))
        drawn = compute_curves(store, question)
        paths = write_convention_figures(drawn, folder) if drawn else []
    except MissingExtra as error:
        return StudyFiles(folder, remark=f"no figures: {error}")
    except RankwiseError as error:
        return StudyFiles(folder, remark=f"training conventions are not compared: {error}")
    return StudyFiles(folder, tuple(sentences), (findings, *paths))


def write_gains(store: Store, question: TransferQuestion, folder: Path) -> StudyFiles:
    """What sources add to a target: `transfer.md` and figures."""
    try:
        gains = compute_gains(store, question)
        paths = write_transfer(gains, folder) if gains.points else []
    except MissingExtra as error:
        return StudyFiles(folder, remark=f"no figures: {error}")
    except RankwiseError as error:
        return StudyFiles(folder, remark=f"transfer is not compared: {error}")
    return StudyFiles(folder, gains.remarks, tuple(paths))


def title_summary(summary: DatasetSummary) -> str:
    """The data set, its version and whose figures these are."""
    version = f", {summary.version}" if summary.version else ""
    part = "" if summary.part == "test" else f" on {summary.part}"
    return f"{summary.dataset}{version}: means over folds{part}, by the tool {summary.tool}"


def tabulate_summary(
    summary: DatasetSummary, longest: int = LONGEST
) -> tuple[list[str], list[list[str]]]:
    """Titles and rows; a published figure stands behind each measure that has any."""
    known, seeds = has_published(summary), has_seeds(summary)
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


def format_summary(summary: DatasetSummary) -> str:
    """The table of a data set in Markdown."""
    titles, rows = tabulate_summary(summary)
    return f"### {title_summary(summary)}\n\n{_table(titles, rows)}"


def has_published(summary: DatasetSummary) -> list[bool]:
    """Of each measure, whether any method has a published figure."""
    return [any(row.published[place] is not None for row in summary.rows)
            for place in range(len(summary.measures))]  # fmt: skip


def has_seeds(summary: DatasetSummary) -> bool:
    """Whether any method was run with several seeds."""
    return any(max(row.seeds) > 1 for row in summary.rows)


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
