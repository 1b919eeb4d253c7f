"""`rankwise bench`: run an experiment by LETOR's protocol, and continue it after anything."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json
from rankwise.experiments.engines.registry import engine_names

if TYPE_CHECKING:
    from rankwise.experiments.configuration import Configuration
    from rankwise.experiments.engines.engine import Engine
    from rankwise.experiments.plan import ExperimentPlan
    from rankwise.experiments.runner import Standing

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

DEFAULT_STORE = "results.sqlite"


def _what_options(command: Decorated) -> Decorated:
    """What is run; each replaces the entry of the configuration file."""
    for option in reversed(
        (
            click.option("--data", multiple=True, metavar="DIR",
                         help="A folder of folds, or NAME of the data home; may be repeated."),
            click.option("--rankers", metavar="all|NAME,…",
                         help="Registered rankers, or your own as module:Name."),
            click.option("--folds", metavar="1,2,…", help="Only these folds."),
            click.option("--seeds", metavar="0,1,…", help="Every method once with each seed."),
            click.option("--measures", metavar="NAME,…", help="What is evaluated."),
            click.option("--tools", metavar="NAME,…",
                         help="Whose conventions evaluate; own is each data set's own tool."),
            click.option("--select", metavar="MEASURE",
                         help="The measure that chooses parameters on validation, else MAP."),
            click.option("--time-limit", type=click.FloatRange(min=0, min_open=True),
                         metavar="SECONDS", help="The most a task may take."),
            click.option("--memory-limit", metavar="SIZE", help="The same in memory: 2 GB."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


@click.command()
@click.argument("config", required=False, metavar="[CONFIG.toml]")
@_what_options
@click.option("--jobs", type=click.IntRange(min=1), help="Tasks at a time; else one a processor.")
@click.option(
    "--engine", type=click.Choice(engine_names()), default=engine_names()[0], show_default=True
)
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster: tcp://host:8786.")
@click.option("--send-data", is_flag=True, help="Send data to Dask workers that lack the folder.")
@click.option("--store", type=click.Path(path_type=Path), help=f"Else {DEFAULT_STORE}.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the tables into this folder (and the store, without --store).",
)
@click.option("--dry-run", is_flag=True, help="Show the tasks and how long they may take.")
@click.option("--retry", is_flag=True, help="Try tasks again that failed before.")
@click.option("--quiet", is_flag=True, help="Only the table at the end.")
@format_option("table", "json", "markdown")
@click.pass_context
def bench(
    context: click.Context,
    /,
    config: str | None,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    send_data: bool,
    store: Path | None,
    out: Path | None,
    dry_run: bool,
    retry: bool,
    quiet: bool,
    output_format: str,
    **what: Any,
) -> None:
    """Run every ranker on every fold: tuned on validation, evaluated once on test.

    CONFIG.toml describes the experiment, or is the name of a shipped one (letor-baselines,
    apple-to-apple); flags replace its entries. What the store already has is not run again, so
    that the same command continues a run after Ctrl-C, a crash or a change of the plan.

    \b
    Examples:
      rankwise bench --data MQ2008 --rankers listnet,ranksvm --folds 1 --dry-run
      rankwise bench --data letor3/OHSUMED/QueryLevelNorm --rankers all --jobs 2 --out results
      rankwise bench letor-baselines --store letor.sqlite
      rankwise bench mine.toml --engine dask --scheduler tcp://head:8786
    """
    from rankwise.experiments.plan import expand
    from rankwise.experiments.runner import refuse_engine
    from rankwise.files import make_folder

    configuration = configuration_of(config, what)
    plan = expand(configuration)
    target = store or (out or Path()) / DEFAULT_STORE
    chosen = _engine(engine, jobs, target, scheduler, send_data)
    refuse_engine(plan, chosen)
    if dry_run:
        _show_plan(plan, target, retry, jobs, output_format)
        return
    if not chosen.limits_memory and configuration.limits.memory_bytes is not None:
        note("on a cluster the memory limit is that of its workers: dask worker --memory-limit")
    folder = None if out is None else make_folder(out)
    standing = _run(plan, configuration, target, chosen, retry=retry, quiet=quiet)
    _show_results(plan, target, folder, output_format)
    context.exit(1 if standing.failed else 0)


def configuration_of(config: str | None, what: Mapping[str, Any]) -> Configuration:
    """The experiment of a file, with the entries that flags replace."""
    from rankwise.experiments.configuration import (
        configure,
        read_configuration,
        shipped_configurations,
    )

    content = {} if config is None else read_configuration(config)
    shipped = config in shipped_configurations()
    base = Path() if config is None or shipped else Path(config).parent
    if what["data"]:
        content["data"] = [_data(name) for name in what["data"]]
        base = Path()
    if what["rankers"]:
        content["rankers"] = [{"name": what["rankers"]}]
    for key in ("folds", "seeds"):
        if what[key]:
            content[key] = [_whole(key, part) for part in what[key].split(",")]
    for key in ("measures", "tools"):
        if what[key]:
            content[key] = [part.strip() for part in what[key].split(",") if part.strip()]
    if what["select"]:
        _replace(content, "selection", {"measure": what["select"]})
        for ranker in content.get("rankers", []):
            if isinstance(ranker, dict):
                ranker.pop("measure", None)
    _replace(content, "limits", {"seconds": what["time_limit"], "memory": what["memory_limit"]})
    return configure(content, base)


def _replace(content: dict[str, Any], key: str, given: Mapping[str, Any]) -> None:
    """Put what flags give over the entries of a table; what is no table is told by `configure`."""
    there = content.get(key, {})
    if isinstance(there, Mapping):
        content[key] = {**there, **{name: one for name, one in given.items() if one is not None}}


def _data(name: str) -> dict[str, str]:
    """A folder where there is one, else a name in the data home."""
    from rankwise.experiments.data_sources import in_catalogue

    known = bool(set("*?[") & set(name)) or in_catalogue(name)
    return {"home": name} if known and not Path(name).is_dir() else {"path": name}


def _whole(what: str, text: str) -> int:
    from rankwise.errors import RankwiseError

    if not text.strip().isdecimal():
        raise RankwiseError(f"--{what} must be whole numbers with commas between, found {text!r}")
    return int(text)


def _engine(
    name: str, jobs: int | None, store: Path, scheduler: str | None, send_data: bool
) -> Engine:
    from rankwise.experiments.engines.engine import EngineOptions
    from rankwise.experiments.engines.registry import find_engine
    from rankwise.experiments.runner import scratch_folder
    from rankwise.processors import processors

    folder = scratch_folder(store)
    options = EngineOptions(jobs or processors(), folder, scheduler, send_data)
    return find_engine(name).from_options(options)


def _run(
    plan: ExperimentPlan, configuration: Configuration, target: Path, engine: Engine, **how: bool
) -> Standing:
    from rankwise.cli.experiments.bench_view import watching
    from rankwise.experiments.estimates import expected_seconds
    from rankwise.experiments.runner import clear_scratch, run_plan
    from rankwise.results.store import Store

    with Store.open(target) as store:
        expected = expected_seconds(plan.tasks, store.typical_seconds())
        with watching(quiet=how["quiet"]) as watch:
            try:
                standing = run_plan(plan, store, engine, configuration.limits,
                                    retry=how["retry"], expected=expected, watch=watch)  # fmt: skip
            except KeyboardInterrupt:
                stored = store.endings()
                ended = sum(1 for task in plan.tasks if task.key in stored)
                note(f"stopped: {ended} of {len(plan.tasks)} tasks are in {target}; the same "
                     "command continues")  # fmt: skip
                raise
        clear_scratch(target)
    return standing


def _show_plan(
    plan: ExperimentPlan, target: Path, retry: bool, jobs: int | None, output_format: str
) -> None:
    from rankwise.cli.experiments.bench_view import plan_facts, print_plan

    facts = plan_facts(plan, target, retry, jobs)
    if output_format == "json":
        print_json(facts)
    else:
        print_plan(facts)


def _show_results(
    plan: ExperimentPlan, target: Path, folder: Path | None, output_format: str
) -> None:
    from rankwise.cli.experiments.bench_output import (
        print_failures,
        print_summaries,
        print_untrained,
        write_conventions,
        write_tables,
    )
    from rankwise.experiments.conventions import find_questions
    from rankwise.files import make_folder, plain_name
    from rankwise.results.store import Store

    keys = {task.key for task in plan.tasks}
    with Store.read(target) as store:
        means = store.values(keys=keys)
        print_summaries(means, output_format)
        print_failures([task for task in store.failures(superseded=True) if task.key in keys])
        print_untrained(store.untrained_combinations(keys))
        if folder is not None:
            write_tables(means, folder)
            note(f"written: {folder / 'results.csv'} and {folder / 'tables.md'}")
            asked = find_questions(plan)
            for question in asked:
                several = len(asked) > 1
                name = plain_name("-".join(filter(None, question.subject)))
                place = make_folder(folder / name) if several else folder
                write_conventions(store, question, place)
    note(f"the store: {target}; see: rankwise results show {shlex.quote(str(target))}")
