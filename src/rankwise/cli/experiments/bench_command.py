"""`rankwise bench`: run an experiment by LETOR's protocol, and continue it after anything.

Before and during a run it shows the plan, then how it stands; afterwards values, which `rankwise
results show` prints too.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from rankwise.cli.options import (
    format_option,
    jobs_option,
    measures_option,
    output_option,
    split_commas,
    tools_option,
    wait_option,
)
from rankwise.cli.output import (
    make_tables_of,
    note,
    print_json,
    print_report_tables,
    print_table,
    say,
    terminal_width,
)
from rankwise.errors import RankwiseError
from rankwise.experiments import (
    DEFAULT_STORE,
    BenchRun,
    DatasetSummary,
    Experiment,
    PlanFacts,
    RunProgress,
    Task,
    count_ended,
    engine_names,
    find_score_files,
    foresee,
    list_own_code,
    list_shipped_configurations,
    make_engine,
    place_store,
    plan,
    refuse_engine,
)
from rankwise.experiments import bench as run_bench
from rankwise.reports import (
    has_published,
    has_seeds,
    make_summary_table,
    tabulate_summary,
    title_summary,
)
from rankwise.results import StoredTask, TaskOutcome, name_subjects
from rankwise.sanitize import visible
from rankwise.tables import shown

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _what_options(command: Decorated) -> Decorated:
    """What is run; each replaces the entry of the configuration file."""
    for one in reversed(
        (
            click.option(
                "--data",
                multiple=True,
                metavar="DIR",
                help="A folder of folds, or NAME of the data home; may be repeated.",
            ),
            click.option(
                "--ranker",
                "rankers",
                multiple=True,
                callback=split_commas,
                metavar="all|NAME,…",
                help="Registered rankers, or your own as module:Name, which is run.",
            ),
            click.option(
                "--fold",
                "folds",
                multiple=True,
                callback=_whole_numbers,
                metavar="1,2,…",
                help="Only these folds.",
            ),
            click.option(
                "--seed",
                "seeds",
                multiple=True,
                callback=_whole_numbers,
                metavar="0,1,…",
                help="Every method once with each seed.",
            ),
            measures_option("What is evaluated; may be repeated."),
            tools_option(
                "Whose conventions evaluate; own is each data set's own tool.  "
                "[default: own,definition]"
            ),
            click.option(
                "--select",
                metavar="MEASURE",
                help="The measure that chooses on validation: parameters, else by MAP, "
                "and the round of each ranker, else by its own rule.",
            ),
            click.option(
                "--time-limit",
                type=click.FloatRange(min=0, min_open=True),
                metavar="SECONDS",
                help="The most a task may take.",
            ),
            click.option("--memory-limit", metavar="SIZE", help="The same in memory: 2 GB."),
            click.option(
                "--keep",
                multiple=True,
                callback=split_commas,
                metavar="models,scores",
                help="Keep the chosen models, their scores, or both in the store.",
            ),
        )
    ):
        command = one(command)
    return command


def _whole_numbers(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[int, ...]:
    texts = [part.strip() for text in given for part in text.split(",")]
    wrong = next((text for text in texts if not (text.isdecimal() and len(text) <= 18)), None)
    if wrong is not None:
        raise RankwiseError(
            f"{parameter.opts[0]} must be whole numbers of at most 18 digits with commas between, "
            f"found {wrong!r}"
        )
    return tuple(map(int, texts))


_HELP = f"""Run every ranker on every fold: tuned on validation, evaluated once on test.

CONFIG.toml describes the experiment, or is the name of a shipped one
({", ".join(list_shipped_configurations())}); flags replace its entries.
What the store already has is not run again, so that the same command continues a run after
Ctrl-C, a crash or a change of the plan. With --keep, tasks that are done but whose models or
scores were not kept are run again.

A ranker or measure written module:Name is code of your own, which is run with all your rights:
read a CONFIG.toml from elsewhere before you run it.

\b
Examples:
  rankwise bench --data MQ2008 --ranker listnet,ranksvm --fold 1 --dry-run
  rankwise bench --data letor3/OHSUMED/QueryLevelNorm --ranker all --jobs 2 -o results
  rankwise bench --data MQ2008 --ranker listnet --scores mine='fold{{fold}}.scores'
  rankwise bench --data MQ2008 --ranker listnet --keep models,scores
  rankwise bench letor-baselines --store letor.sqlite
  rankwise bench mine.toml --engine dask --scheduler tcp://head:8786
"""


@click.command(help=_HELP)
@click.argument("config", required=False, metavar="[CONFIG.toml]")
@_what_options
@jobs_option("Tasks at a time; else one a processor.")
@click.option("--engine", type=click.Choice(engine_names()), default="local", show_default=True)
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster: tcp://host:8786.")
@click.option("--send-data", is_flag=True, help="Send data to Dask workers that lack the folder.")
@wait_option()
@click.option("--store", type=click.Path(path_type=Path), help=f"Else {DEFAULT_STORE}.")
@output_option("Write the tables into this folder (and the store, without --store).", "DIR")
@click.option(
    "--scores",
    multiple=True,
    metavar="NAME=PATTERN",
    help="A method known by its score files, mine='fold{fold}.scores'; may be repeated.",
)
@click.option("--dry-run", is_flag=True, help="Show the tasks and how long they may take.")
@click.option("--retry", is_flag=True, help="Try tasks again that failed before.")
@click.option("--quiet", is_flag=True, help="Only the table at the end.")
@format_option(own=("csv", "latex", "markdown"))
@click.pass_context
def bench(
    context: click.Context,
    /,
    config: str | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    send_data: bool,
    wait: str | None,
    store: Path | None,
    output: Path | None,
    scores: tuple[str, ...],
    dry_run: bool,
    retry: bool,
    quiet: bool,
    output_format: str,
    **what: Any,
) -> None:
    """Plan, run, and print the tables."""
    for name in [] if config is None else list_own_code(config):
        note(f"{config} names {name}, whose code is run with all your rights")
    experiment = plan(config, **what)
    target = place_store(store, output)
    chosen = make_engine(engine, target, jobs, scheduler, send_data, wait)
    refuse_engine(experiment.plan, chosen)
    scored = _name_scores(scores)
    if dry_run:
        if scored:
            files = len(find_score_files(experiment.plan, scored))
            note(f"{files} score files of {', '.join(scored)} will be evaluated beside the tasks")
        _show_plan(experiment, target, retry, jobs, output_format)
        return
    if not chosen.limits_memory and experiment.configuration.limits.memory_bytes is not None:
        note("on a cluster the memory limit is that of its workers: dask worker --memory-limit")
    with watching(quiet=quiet) as watch:
        try:
            run = run_bench(
                experiment, store=target, output=output, engine=chosen, retry=retry, watch=watch,
                scored=scored,
            )  # fmt: skip
        except KeyboardInterrupt:
            ended = count_ended(experiment, target)
            note(f"stopped: {ended} of {len(experiment.plan.tasks)} tasks are in {target}; the "
                 "same command continues")  # fmt: skip
            raise
    _show_results(run, output, output_format)
    context.exit(1 if run.failed else 0)


def _name_scores(given: tuple[str, ...]) -> dict[str, str]:
    named = {}
    for text in given:
        name, sign, pattern = text.partition("=")
        if not (name and sign and pattern):
            raise RankwiseError(
                f"--scores names a method and its files, mine='fold{{fold}}.scores'; found {text!r}"
            )
        if name in named:
            raise RankwiseError(f"--scores must name a method once, found {name!r} again")
        named[name] = pattern
    return named


def _show_plan(
    experiment: Experiment, target: Path, retry: bool, jobs: int | None, output_format: str
) -> None:
    facts = foresee(experiment, target, retry=retry, jobs=jobs)
    if output_format == "json":
        print_json(facts.as_dict())
        return
    if output_format != "table":
        make_tables_of(output_format)
    print_plan(facts)


def _show_results(run: BenchRun, folder: Path | None, output_format: str) -> None:
    print_summaries(run.summaries(), output_format)
    for sentence in run.choosers():
        note(sentence)
    print_failures(run.failures)
    print_untrained(run.untrained)
    if run.lost_workers:
        note(tell_losses(run.lost_workers, run.begun_again))
    print_kept(run)
    if folder is not None:
        _write_report(run, folder)
    store = shlex.quote(str(run.store))
    note(f"the store: {run.store}; see: rankwise results show {store}")
    for study in run.studies():
        note(f"compared by a study of the repository: python {study} CONFIG --store {store} -o OUT")


def _write_report(run: BenchRun, folder: Path) -> None:
    from rankwise.reports import write_bench

    write_bench(run, folder)
    note(f"written: {folder / 'results.csv'} and {folder / 'tables.md'}")


Show = Callable[[RunProgress], None]


def print_plan(facts: PlanFacts) -> None:
    """The plan for people."""
    called = name_subjects(one.subject for one in facts.methods)
    rows = [[called[one.subject], one.method, one.tasks, one.trainings] for one in facts.methods]
    print_table(["data set", "method", "tasks", "trainings"], rows, numeric=(2, 3))
    say(
        f"{facts.tasks} tasks: {facts.done} done, {facts.failed} failed, "
        f"{facts.to_do} to do with {facts.trainings} trainings"
    )
    if facts.again:
        say(f"{facts.again} of these are done, but are run again for what is to be kept of them")
    if not facts.to_do:
        return
    if facts.seconds is None:
        say("how long they take is not known: the store holds nothing like them")
    else:
        unknown = facts.tasks_without_estimate
        rest = f", and {unknown} tasks of which nothing is known" if unknown else ""
        say(f"about {format_duration(facts.seconds)} by earlier runs{rest}")


@contextlib.contextmanager
def watching(*, quiet: bool) -> Iterator[Show]:
    """A live view on a terminal, a line a task elsewhere, nothing where quiet."""
    if quiet:
        yield lambda progress: None
    elif sys.stderr.isatty():
        with _live_view() as show:
            yield show
    else:
        yield _line_view()


def format_duration(seconds: float) -> str:
    """`45 s`, `12 min`, `3.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def describe_end(task: Task, outcome: TaskOutcome) -> str:
    """A line about a task that has ended."""
    if outcome.ending == "failed":
        return f"{task.name}: failed ({outcome.kind}): {shown(outcome.reason or '', 1000)}"
    figures = [f"{one.measure} {one.mean:.4f}" for one in outcome.values
               if one.part == "test" and one.tool == task.name.tool]  # fmt: skip
    return f"{task.name}: {', '.join(figures[:2])} ({outcome.seconds:.1f} s)"


def tell_losses(workers: int, begun_again: int) -> str:
    """A line about workers that were lost in the middle of tasks."""
    return f"workers lost: {workers}, tasks begun again: {begun_again}"


def _line_view() -> Show:
    shown: list[object] = [None]
    lost = [0]

    def show(progress: RunProgress) -> None:
        if progress.lost_workers != lost[0]:
            lost[0] = progress.lost_workers
            note(tell_losses(lost[0], progress.begun_again.total()))
        if progress.last is not None and progress.last is not shown[0]:
            shown[0] = progress.last
            count = progress.done + progress.failed
            note(f"[{count}/{progress.total}] {describe_end(*progress.last)}")

    return show


@contextlib.contextmanager
def _live_view() -> Iterator[Show]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    shown: list[object] = [None]
    with Live(console=console, refresh_per_second=4, transient=True) as live:

        def show(progress: RunProgress) -> None:
            if progress.last is not None and progress.last is not shown[0]:
                shown[0] = progress.last
                console.print(Text(visible(describe_end(*progress.last))))
            lines = visible("\n".join(_format_progress(progress)))
            live.update(Text(lines, no_wrap=True, overflow="ellipsis"))

        yield show


def _format_progress(progress: RunProgress) -> list[str]:
    head = (
        f"{progress.done} of {progress.total} done, {len(progress.running)} running, "
        f"{progress.failed} failed{_format_left(progress)}"
    )
    if progress.lost_workers:
        head += f"; {tell_losses(progress.lost_workers, progress.begun_again.total())}"
    running = list(progress.running.values())[:8]
    return [head, *(f"  {task.name}{_format_standing(progress, task)}" for task in running)]


def _format_left(progress: RunProgress) -> str:
    """The time that is left, as far as it is known."""
    left, unknown = progress.left, progress.left.unknown
    if not unknown:
        return (
            f", about {format_duration(left.least_seconds(progress.jobs))} left"
            if left.number
            else ""
        )
    if unknown == left.number:
        return ", time left not known"
    least = format_duration(left.least_seconds(progress.jobs))
    return f", more than {least} left: nothing is known of {unknown} of the {left.number} tasks"


def _format_standing(progress: RunProgress, task: Task) -> str:
    standing = progress.standing.get(task.key)
    if standing is None:
        return ""
    return (
        f": training {standing.training} of {task.trainings}, "
        f"round {standing.round} of {standing.rounds}"
    )


# Characters that columns take in a table, with what divides them, and its edge.
_FOLDS, _SEEDS, _FIGURE, _PUBLISHED, _BETWEEN = 9, 8, 6, 12, 3


def print_summaries(
    found: Sequence[DatasetSummary], output_format: str, *, naming: str = ""
) -> None:
    """One table a data set: means over folds, beside what was published where that is known.

    A note names the measures for which there is no room; `naming` is how else to have them.
    """
    if output_format == "json":
        print_json([asdict(one) for one in found])
    elif output_format != "table":
        print_report_tables([make_summary_table(one) for one in found], output_format)
    else:
        width = terminal_width()
        absent: dict[str, None] = {}
        for one in found:
            narrow = narrowed(one, width)
            absent |= dict.fromkeys(name for name in one.measures if name not in narrow.measures)
            titles, rows = tabulate_summary(narrow, _name_room(one, width))
            marked = make_summary_table(narrow)
            print_table(titles, rows, title=title_summary(one), numeric=range(1, len(titles)),
                        unbroken=(0,), best=marked.best, second=marked.second)  # fmt: skip
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


def print_kept(run: BenchRun) -> None:
    """How much is kept beside figures, and which tasks could not be run again for it."""
    for name, reason in run.unkept.items():
        note(f"{name}: run again for what is kept, and failed: {shown(reason, 1000)}; its figures "
             "of before are still in the store")  # fmt: skip
    if run.kept:
        models = sum(item.what == "model" for item in run.kept)
        scores = len(run.kept) - models
        note(f"kept: {models} models, {scores} score lists; see: rankwise results kept "
             f"{shlex.quote(str(run.store))}")  # fmt: skip


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


def _name_room(summary: DatasetSummary, width: int) -> int:
    """Characters for names: as many as they have, but two measures come before long ones."""
    longest = max((len(shown(row.method)) for row in summary.rows), default=0)
    return min(longest, max(16, width - _BETWEEN - _counts(summary) - sum(_sizes(summary)[:2])))


def _counts(summary: DatasetSummary) -> int:
    """Characters for the numbers of folds and, where there are several, of seeds."""
    return _FOLDS + _SEEDS * has_seeds(summary)


def _sizes(summary: DatasetSummary) -> list[int]:
    """What each measure takes of a line, with its published figures."""
    known = has_published(summary)
    return [max(_FIGURE, len(measure)) + _BETWEEN + _PUBLISHED * there
            for measure, there in zip(summary.measures, known, strict=True)]  # fmt: skip
