"""`rankwise results list|show|export|diff`: what a store of experiments holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from rankwise.cli.comparison.results_bundle import bundle
from rankwise.cli.comparison.results_dense import dense
from rankwise.cli.comparison.results_kept import extract_command, kept_command
from rankwise.cli.comparison.results_upkeep import gc, store_argument, verify
from rankwise.cli.experiments.bench_output import print_summaries
from rankwise.cli.options import format_option, measures_option, shape_options, writable
from rankwise.cli.output import note, print_json, print_table, progress, terminal_width
from rankwise.cli.report_tables import print_report_tables
from rankwise.errors import RankwiseError
from rankwise.experiments import summarize
from rankwise.reports import MARGINS, Margin, make_summary_table, mark_summaries
from rankwise.results import (
    Part,
    Store,
    StoredTask,
    Subject,
    ValueChange,
    choose_measures,
    describe_task,
    export_runs,
    name_subjects,
)
from rankwise.tables import shape_table, shown

_LONGEST_REASON = 300
_ROOM_FOR_NAMES = 80


@click.command("list")
@store_argument
@click.option("--failed", is_flag=True, help="Only tasks that failed, with their reasons.")
@click.option("--all", "everything", is_flag=True, help="Also tasks that later ones superseded.")
@format_option()
def list_command(store: Path, failed: bool, everything: bool, output_format: str) -> None:
    """List the tasks of STORE: how they ended, what was chosen, time and memory.

    \b
    Examples:
      rankwise results list results.sqlite
      rankwise results list results.sqlite --failed
    """
    with Store.read(store) as opened, opened.snapshot():
        found, tuned = opened.tasks(superseded=everything), opened.tuned_parameters()
    chosen = [task for task in found if task.ending == "failed"] if failed else found
    if output_format == "json":
        print_json([asdict(task) for task in chosen])
        return
    seeds = len({task.name.seed for task in found}) > 1
    called = name_subjects(Subject.of(task.name) for task in found)
    rows = [
        [task.key[:8], f"{called[Subject.of(task.name)]} {task.name.fold}", shown(task.name.method),
         *([task.name.seed] if seeds else ()), f"{task.seconds:.1f} s",
         f"{task.peak_bytes / 1e6:.0f} MB", _ending(task, tuned[task.number])]
        for task in chosen
    ]  # fmt: skip
    titles = ["key", "fold", "method", *(["seed"] if seeds else ()), "time", "peak",
              "chosen, or why it failed"]  # fmt: skip
    whole = (0, 1, 2) if terminal_width() >= _ROOM_FOR_NAMES else (0,)
    print_table(titles, rows, numeric=range(3, len(titles) - 1), unbroken=whole)


@click.command()
@store_argument
@click.option(
    "--task", metavar="KEY", help="One task in full, as JSON, by the beginning of its key."
)
@click.option("--all-tools", is_flag=True, help="Every tool's figures, not each data set's own.")
@click.option(
    "--part",
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="Figures of which parts.",
)
@measures_option("Only these; may be repeated.")
@click.option(
    "--against",
    metavar="METHOD",
    help="Mark what is better or worse than this method by more than luck (paired t-test, Holm).",
)
@click.option(
    "--margin",
    type=click.Choice(MARGINS),
    help="± the standard deviation over folds, or half of the 95 % interval over queries.",
)
@shape_options
@format_option(own=("csv", "latex", "markdown"))
def show(
    store: Path,
    task: str | None,
    all_tools: bool,
    part: Part,
    measures: tuple[str, ...],
    against: str | None,
    margin: Margin | None,
    columns: str | None,
    transpose: bool,
    output_format: str,
) -> None:
    """Show the figures of STORE: means over folds, a table for each data set.

    \b
    Examples:
      rankwise results show results.sqlite
      rankwise results show results.sqlite -m MAP,NDCG@10
      rankwise results show results.sqlite --all-tools --format markdown
      rankwise results show results.sqlite --against listnet --margin folds --format latex
      rankwise results show results.sqlite --task 3fa9
    """
    with Store.read(store) as opened, opened.snapshot():
        if task is not None:
            print_json(describe_task(opened, task))
            return
        stored, left_out = opened.values(part=part), opened.remarks()
    chosen = choose_measures(stored, measures)
    found = summarize(chosen, all_tools=all_tools)
    shaped = against is not None or margin is not None or columns is not None or transpose
    if output_format == "json" or (output_format == "table" and not shaped):
        print_summaries(found, output_format, naming="name them with -m, or ")
    else:
        with progress("comparing methods"):
            marks = mark_summaries(store, chosen, against, margin)
        made = (make_summary_table(one, marks) for one in found)
        parts = [part for one in made for part in shape_table(one, columns, transpose)]
        print_report_tables(parts, output_format)
    for sentence in left_out:
        note(sentence)


@click.command()
@store_argument
@click.argument("target", type=click.Path(path_type=Path), metavar="OUT", callback=writable)
@click.option("--all-tools", is_flag=True, help="Every tool's figures, not each data set's own.")
@click.option(
    "--to",
    "layout",
    type=click.Choice(("table", "mlflow")),
    default="table",
    show_default=True,
    help="A table, or a folder of runs as MLflow lays them out.",
)
def export(store: Path, target: Path, all_tools: bool, layout: str) -> None:
    """Write the figures of STORE as a table of results; the ending of OUT names the format.

    With --to mlflow OUT is a new folder: one run a task, with parameters, metrics and tags.

    \b
    Examples:
      rankwise results export results.sqlite results.csv
      rankwise results export results.sqlite mlruns --to mlflow
      rankwise results export results.sqlite results.parquet --all-tools
    """
    if layout == "mlflow":
        if all_tools:
            raise RankwiseError("runs of MLflow have every tool's figures; leave --all-tools out")
        note(f"{target}: {export_runs(store, target)} runs")
        return
    with Store.read(store) as opened, opened.snapshot():
        table = opened.export(target, all_tools=all_tools)
        for sentence in opened.remarks():
            note(sentence)
    note(f"{target}: {table!r}")


@click.command()
@click.argument("one", type=click.Path(path_type=Path), metavar="STORE")
@click.argument("other", type=click.Path(path_type=Path), metavar="OTHER")
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Differences up to this do not count.",
)
@format_option()
@click.pass_context
def diff(
    context: click.Context, one: Path, other: Path, tolerance: float, output_format: str
) -> None:
    """Compare the figures of two stores, task by task; exit 1 where they differ.

    \b
    Examples:
      rankwise results diff before.sqlite after.sqlite
      rankwise results diff before.sqlite after.sqlite --tolerance 1e-9
    """
    with Store.read(one) as before, Store.read(other) as after:
        found = before.difference(after, tolerance)
    if output_format == "json":
        print_json([change._asdict() for change in found])
    elif found:
        called = _subjects(found)
        rows = [[name, c.fold, c.method, c.seed, c.measure, c.tool, _cell(c.before),
                 _cell(c.after)] for name, c in zip(called, found, strict=True)]  # fmt: skip
        titles = ["data set", "fold", "method", "seed", "measure", "tool", str(one), str(other)]
        print_table(titles, rows, numeric=(1, 3, 6, 7), unbroken=(2,))
    note(f"{len(found)} differences" if found else "no difference")
    context.exit(1 if found else 0)


def _ending(task: StoredTask, tuned: Sequence[str]) -> str:
    """The parameters that tuning chose among several values, or the reason of a failure."""
    if task.ending == "failed":
        return shown(task.reason or "", _LONGEST_REASON)
    return ", ".join(f"{name} = {task.parameters[name]}" for name in tuned) or "done"


def _subjects(changes: Sequence[ValueChange]) -> list[str]:
    """What the data sets of changes are called, with versions where there are several."""
    subjects = [Subject(change.collection, change.dataset, change.version) for change in changes]
    called = name_subjects(subjects)
    return [called[subject] for subject in subjects]


def _cell(value: float | None) -> str:
    return "missing" if value is None else f"{value:.6f}"


STORE_COMMANDS = (
    list_command, show, kept_command, extract_command, export, bundle, dense, diff, verify, gc,
)  # fmt: skip
"""What the group `rankwise results` takes from here."""
