"""`rankwise bench`: run an experiment by LETOR's protocol, and continue it after anything."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rankwise.cli.experiments.bench_output import (
    print_failures,
    print_kept,
    print_summaries,
    print_untrained,
)
from rankwise.cli.experiments.bench_view import print_plan, tell_losses, watching
from rankwise.cli.options import (
    format_option,
    jobs_option,
    measures_option,
    option,
    output_option,
    split_commas,
    tools_option,
    wait_option,
)
from rankwise.cli.output import make_tables_of, note, print_json
from rankwise.errors import RankwiseError
from rankwise.experiments import (
    DEFAULT_STORE,
    BenchRun,
    Experiment,
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

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def _what_options(command: Decorated) -> Decorated:
    """What is run; each replaces the entry of the configuration file."""
    for one in reversed(
        (
            click.option("--data", multiple=True, metavar="DIR",
                         help="A folder of folds, or NAME of the data home; may be repeated."),
            option("--ranker", "rankers", multiple=True, callback=split_commas,
                   former=("--rankers",), metavar="all|NAME,…",
                   help="Registered rankers, or your own as module:Name, which is run."),
            option("--fold", "folds", multiple=True, callback=_whole_numbers,
                   former=("--folds",), metavar="1,2,…", help="Only these folds."),
            option("--seed", "seeds", multiple=True, callback=_whole_numbers,
                   former=("--seeds",), metavar="0,1,…", help="Every method once with each seed."),
            measures_option("What is evaluated; may be repeated.", former=("--measures",)),
            tools_option("Whose conventions evaluate; own is each data set's own tool.  "
                         "[default: own,definition]",
                         former=("--tools",)),
            click.option("--select", metavar="MEASURE",
                         help="The measure that chooses on validation: parameters, else by MAP, "
                         "and the round of each ranker, else by its own rule."),
            click.option("--time-limit", type=click.FloatRange(min=0, min_open=True),
                         metavar="SECONDS", help="The most a task may take."),
            click.option("--memory-limit", metavar="SIZE", help="The same in memory: 2 GB."),
            option("--keep", multiple=True, callback=split_commas, metavar="models,scores",
                   help="Keep the chosen models, their scores, or both in the store."),
        )
    ):  # fmt: skip
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
@output_option(
    "Write the tables into this folder (and the store, without --store).", "DIR", former=("--out",)
)
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
        _write(run, folder)
    note(f"the store: {run.store}; see: rankwise results show {shlex.quote(str(run.store))}")


def _write(run: BenchRun, folder: Path) -> None:
    from rankwise.reports import write_bench

    found = write_bench(run, folder)
    note(f"written: {folder / 'results.csv'} and {folder / 'tables.md'}")
    for conventions in found:
        if conventions.remark is not None:
            note(conventions.remark)
            continue
        for sentence in conventions.sentences:
            note(sentence)
        names = ", ".join(path.name for path in conventions.paths)
        note(f"written: {names} in {conventions.folder}")
