"""`rankwise results`: tables of results, and what a store of experiments holds.

`check`, `convert` and `merge` take tables. `list`, `show`, `export` and `diff` print a store;
`dense` is its dense table, as it is shipped of our own runs; `bundle` puts document, models and
script of a method into one archive; `kept` and `extract` are the models and scores that it keeps;
`verify` and `gc` say what of it is damaged, and what it no longer needs.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import click

from rankwise.cli.experiments.bench_command import print_summaries
from rankwise.cli.options import (
    format_option,
    measures_option,
    output_option,
    shape_options,
    writable,
)
from rankwise.cli.output import (
    find_made_format,
    note,
    print_json,
    print_report_tables,
    print_table,
    progress,
    say,
    terminal_width,
)
from rankwise.errors import RankwiseError
from rankwise.experiments import summarize, write_bundle
from rankwise.reports import MARGINS, Margin, make_summary_table, mark_summaries
from rankwise.results import (
    Part,
    Store,
    StoredTask,
    Subject,
    ValueChange,
    WideLayout,
    choose_measures,
    condense_store,
    describe_task,
    export_runs,
    extract_kept,
    inspect_results,
    list_kept,
    merge_results,
    name_subjects,
    read_results,
    verify_store,
    write_results,
)
from rankwise.tables import shape_table, shown

_LONGEST_SENTENCE = 300

store_argument = click.argument("store", type=click.Path(path_type=Path), metavar="STORE")
"""The store that a command is about."""


@click.command()
@store_argument
@format_option()
@click.pass_context
def verify(context: click.Context, store: Path, output_format: str) -> None:
    """Name everything of STORE that is damaged; exit 1 where there is anything.

    Each value is compared with the digest that was stored beside it, the tasks with their number,
    and the file with what SQLite expects of it.

    \b
    Examples:
      rankwise results verify results.sqlite
      rankwise results verify results.sqlite --format json
    """
    found = verify_store(store)
    if output_format == "json":
        print_json(asdict(found))
    elif find_made_format() is not None:
        rows = [[one.key or "", one.sentence] for one in found.damages]
        print_table(["key", "damage"], rows)
    for damage in found.damages if output_format == "table" else ():
        key = f"{shown(damage.key)}  " if damage.key else ""
        say(key + shown(damage.sentence, _LONGEST_SENTENCE))
    number = len(found.damages)
    damaged = f"damaged in {number:,} place{'s' if number > 1 else ''}"
    note(
        f"{store}: {found.tasks:,} tasks, {found.figures:,} figures, {found.query_values:,} values "
        f"of queries: {damaged if number else 'nothing is damaged'}"
    )
    if number and found.tasks:
        note(
            f"'rankwise results gc {shlex.quote(str(store))} --damaged' removes the damaged tasks; "
            "the same 'rankwise bench' runs them again"
        )
    elif number:
        note("put back a copy of it, or begin a new store")
    context.exit(1 if number else 0)


@click.command()
@store_argument
@click.option("--failed", is_flag=True, help="Also remove tasks that failed.")
@click.option("--damaged", is_flag=True, help="First remove tasks that verify finds damaged.")
@click.option("--dry-run", is_flag=True, help="Only say how many tasks would be removed.")
def gc(store: Path, failed: bool, damaged: bool, dry_run: bool) -> None:
    """Remove what later tasks of the same name superseded, and give the space back.

    \b
    Examples:
      rankwise results gc results.sqlite --dry-run
      rankwise results gc results.sqlite --failed
      rankwise results gc results.sqlite --damaged
    """
    if not store.is_file():
        raise RankwiseError(f"cannot read {store}: there is no such file")
    would = "would be " if dry_run else ""
    with Store.open(store) as opened:
        if damaged:
            tasks = {one.task for one in opened.damages() if one.task is not None}
            count = len(tasks) if dry_run else opened.remove_damaged()
            note(f"{count} damaged tasks {would}removed from {store}")
            if dry_run and tasks:
                return
        found = opened.garbage(failed=failed)
        if not dry_run:
            opened.collect_garbage(failed=failed)
    note(f"{len(found)} tasks {would}removed from {store}")


@click.command("dense")
@store_argument
@output_option("The folder to write the files of the table into.", "DIR", required=True)
@click.option(
    "--data",
    multiple=True,
    metavar="DIR",
    help="Data that STORE was run on, a folder of folds or NAME of the data home: its numbers of "
    "queries, documents and features are told with the table; may be repeated.",
)
@format_option()
def dense(store: Path, output: Path, data: tuple[str, ...], output_format: str) -> None:
    """Condense STORE into a table of all methods on all data sets, with what each run cost.

    Written are rankwise_dense.csv with the means over all folds and seeds, which 'compare' and
    'place' take by the name of the folder; and beside it every run with its time, memory, chosen
    parameters or failure, what the data sets are like, and the values of every query.

    A method that lacks a fold or a seed on a data set has no mean there. Listed are these, with
    the reason. The same store gives the same bytes.

    \b
    Examples:
      rankwise results dense results.sqlite -o mine --data MQ2008
      rankwise place mine.csv --table mine
    """
    table = condense_store(store, output, data=data)
    called = name_subjects(table.subjects())
    rows = [
        (called[subject], method, reason)
        for (subject, method), reason in table.incomplete().items()
    ]
    columns = ("data set", "method", "why it has no mean")
    if output_format == "json":
        names = ("dataset", "method", "reason")
        print_json([dict(zip(names, row, strict=True)) for row in rows])
    elif rows:
        cells = [(*map(shown, row[:2]), shown(row[2], _LONGEST_REASON)) for row in rows]
        print_table(columns, cells, unbroken=(0, 1))
    note(f"{output}: {table!r}")


@click.command("bundle")
@store_argument
@click.option("--method", required=True, help="Whose results, as the store calls it.")
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A model file of the method; may be repeated. Else those that STORE keeps.",
)
@output_option("The archive, a zip file.", required=True)
@format_option()
def bundle(
    store: Path, method: str, models: tuple[Path, ...], output: Path, output_format: str
) -> None:
    """Pack what LETOR asks of submitted results: a document, the models, and a script.

    README.md has the settings and figures of every fold, results.csv the figures of every tool,
    reproduce.sh the commands that train with these settings, score and evaluate again. The same
    store and models give the same bytes.

    \b
    Examples:
      rankwise results bundle results.sqlite --method listnet -o listnet.zip
      rankwise results bundle results.sqlite --method listnet --model fold1.json -o listnet.zip
    """
    found = write_bundle(store, method, output, models=models)
    if output_format == "json":
        print_json(asdict(found))
        return
    rows = [("output", found.output), ("method", found.method), ("tasks", found.tasks),
            ("files", ", ".join(found.files))]  # fmt: skip
    print_table(("", ""), rows, unbroken=(0,))


@click.command("kept")
@store_argument
@click.option("--all", "everything", is_flag=True, help="Also of tasks that later ones superseded.")
@format_option()
def kept_command(store: Path, everything: bool, output_format: str) -> None:
    """List the models and scores that STORE keeps: rankwise bench --keep models,scores.

    \b
    Examples:
      rankwise results kept results.sqlite
      rankwise results kept results.sqlite --format json
    """
    found = list_kept(store, superseded=everything)
    if output_format == "json":
        print_json([{**item._asdict(), "name": asdict(item.name)} for item in found])
        return
    called = name_subjects(Subject.of(item.name) for item in found)
    rows = [
        [item.key[:8], f"{called[Subject.of(item.name)]} {item.name.fold}",
         shown(item.name.method), item.name.seed, item.what, f"{item.size / 1e3:,.1f} kB"]
        for item in found
    ]  # fmt: skip
    titles = ["key", "fold", "method", "seed", "kept", "size"]
    print_table(titles, rows, numeric=(3, 5), unbroken=(0, 4))
    if not found:
        note(f"{store} keeps no models or scores: rankwise bench --keep models,scores")


def _file_option(name: str, help_text: str) -> Callable[[Any], Any]:
    return click.option(
        name, type=click.Path(path_type=Path), metavar="FILE", callback=writable, help=help_text
    )


@click.command("extract")
@store_argument
@click.argument("task", metavar="KEY")
@_file_option("--model", "Write the model here: for score, model export.")
@_file_option("--scores", "Write the scores of the test part here, one a line.")
@_file_option("--validation-scores", "The same of the validation part.")
def extract_command(
    store: Path, task: str, model: Path | None, scores: Path | None, validation_scores: Path | None
) -> None:
    """Write the kept model or scores of one task of STORE, by the beginning of its KEY.

    \b
    Examples:
      rankwise results extract results.sqlite 3fa9 --model fold1.json
      rankwise results extract results.sqlite 3fa9 --scores fold1.scores
    """
    written = extract_kept(
        store, task, model=model, scores=scores, validation_scores=validation_scores
    )
    note(f"written: {', '.join(map(str, written))}")


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
         f"{task.peak_bytes / 1e6:.0f} MB", _describe_ending(task, tuned[task.number])]
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


def _describe_ending(task: StoredTask, tuned: Sequence[str]) -> str:
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


@click.group()
def results() -> None:
    """Tables of results: check, convert, merge. What experiments stored: list, show and more.

    A table has the columns collection, dataset, method, measure, value and, where known, version,
    fold, tool, source, note; its file ends in .csv, .tsv, .jsonl or .parquet.

    \b
    Examples:
      rankwise results check mine.csv
      rankwise results convert wide.csv long.csv --wide NDCG@10 --collection "LETOR 4.0"
      rankwise results merge mine.csv theirs.parquet -o all.csv --conflicts mean
    """


@results.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.pass_context
def check(context: click.Context, files: tuple[str, ...]) -> None:
    """Name every problem of the result tables FILE by its row; exit 1 where there is one.

    A data set that goes by several names (MQ2008, mq-2008) is one of them.

    \b
    Examples:
      rankwise results check mine.csv theirs.jsonl
    """
    wrong = 0
    for file in files:
        inspection = inspect_results(file)
        for problem in inspection.problems:
            say(inspection.describe(problem))
        spellings = inspection.spellings
        for sentence in spellings:
            say(f"{file}: {sentence}")
        found = len(inspection.problems) + len(spellings)
        wrong += found
        note(f"{file}: {inspection.table!r}, {found} problems")
    context.exit(1 if wrong else 0)


@results.command()
@click.argument("source", type=click.Path(), metavar="IN")
@click.argument("target", type=click.Path(), metavar="OUT", callback=writable)
@click.option("--wide", "measure", metavar="MEASURE", help="IN is a wide table of this measure.")
@click.option("--collection", default="", help="The collection of a wide table's data sets.")
@click.option(
    "--rows",
    type=click.Choice(["method", "dataset"]),
    default="method",
    show_default=True,
    help="What a row of a wide table is.",
)
@click.option("--study", help="What to name as the source of a wide table's results.")
def convert(
    source: str,
    target: str,
    measure: str | None,
    collection: str,
    rows: Literal["method", "dataset"],
    study: str | None,
) -> None:
    """Read the result table IN and write it as OUT; the endings name the formats.

    \b
    Examples:
      rankwise results convert results.csv results.parquet
      rankwise results convert paper.csv long.csv --wide MAP --collection "LETOR 3.0"
    """
    wide = None if measure is None else WideLayout(measure, collection, rows, study)
    table = read_results(source, wide=wide)
    write_results(table, target)
    note(f"{target}: {table!r}")


@results.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@output_option("The file to write.", required=True)
@click.option(
    "--conflicts",
    type=click.Choice(["error", "first", "last", "mean"]),
    default="error",
    show_default=True,
    help="What to do where two values for the same thing differ.",
)
@click.option("--average-folds", is_flag=True, help="Write the means over folds.")
def merge(
    files: tuple[str, ...],
    output: Path,
    conflicts: Literal["error", "first", "last", "mean"],
    average_folds: bool,
) -> None:
    """Put the result tables FILE together into one.

    \b
    Examples:
      rankwise results merge a.csv b.csv -o all.csv
      rankwise results merge runs.csv -o means.csv --average-folds
    """
    tables = [read_results(file) for file in files]
    table = merge_results(tables, conflicts, names=files)
    if average_folds:
        table = table.aggregate_folds()
    write_results(table, output)
    note(f"{output}: {table!r}")


for command in STORE_COMMANDS:
    results.add_command(command)
