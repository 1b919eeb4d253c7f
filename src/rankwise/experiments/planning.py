"""The plan: an experiment expanded into tasks before anything is run.

An experiment is asked for by a file or the name of a shipped one, with entries replaced. Its tasks
are those of every ranker on every fold, and those of transfer: every way at every share of the
target's training part. The measure that is asked for becomes a hyper-parameter of the rankers that
look at one, and what is tried of a wrapper is divided from what is tried of the ranker within.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

from rankwise.data.catalog.home import WILDCARDS, find_in_catalogue
from rankwise.data.folds import FoldFiles
from rankwise.data.sources import DataSource
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.configuration import (
    OWN,
    Configuration,
    RankerChoice,
    TransferChoice,
    configure,
    list_shipped_configurations,
    read_configuration,
)
from rankwise.experiments.digests import (
    RELATION,
    compute_fold_checksums,
    digest_code,
    make_task_key,
)
from rankwise.experiments.parameter_search import (
    PARTS,
    Combination,
    Search,
    Selection,
    list_combinations,
)
from rankwise.experiments.transfer import TARGET_ONLY, TransferStep, refuse_way
from rankwise.files import is_folder
from rankwise.measures.families.registry import is_own, load_family
from rankwise.measures.measure import split_names
from rankwise.measures.tool import ToolRefusal
from rankwise.measures.tools.registry import find_tool
from rankwise.rankers.parameters import (
    WITHIN_SETTINGS,
    parameters_of,
    split_settings,
    write_settings,
)
from rankwise.rankers.ranker import Ranker
from rankwise.rankers.registry import find_ranker, make_ranker, parse_settings
from rankwise.rankers.round_measures import is_computed, refuse_choosing, usual_measure
from rankwise.rankers.wrapper import Wrapper, layers_of
from rankwise.results.task_records import TaskName


class ExperimentChoices(TypedDict, total=False):
    """What is run; each replaces the entry of the configuration.

    Attributes:
        data: folders of folds, or names of the data home.
        rankers: names, `all`, or own ones as `module:Name`.
        folds: only these.
        seeds: every method once with each.
        measures: what is evaluated.
        tools: whose conventions evaluate; `own` is each data set's own tool. By default that and
            the definition.
        select: the measure that chooses on validation: parameters, else by MAP, and the round of
            each ranker, else by its own rule.
        time_limit: the most seconds that a task may take.
        memory_limit: the same in memory, `2 GB`.
        keep: what the store keeps beside figures: `models`, `scores`, or both.
    """

    data: str | Path | Sequence[str | Path]
    rankers: str | Sequence[str]
    folds: Sequence[int]
    seeds: Sequence[int]
    measures: str | Sequence[str]
    tools: str | Sequence[str]
    select: str | None
    time_limit: float | None
    memory_limit: str | None
    keep: str | Sequence[str]


@dataclass(frozen=True)
class Experiment:
    """An experiment with all of its tasks, ready to be run."""

    configuration: Configuration
    plan: ExperimentPlan

    def __repr__(self) -> str:
        return f"Experiment {self.configuration.name!r} of {len(self.plan.tasks)} tasks"


def plan(
    configuration: str | Path | Mapping[str, Any] | None = None,
    **choices: Unpack[ExperimentChoices],
) -> Experiment:
    """The experiment of a TOML file, of a shipped name, or of the same content as a mapping.

    Everything that can be wrong with it is found here, before anything is run.
    """
    configured = configure_experiment(configuration, **choices)
    return Experiment(configured, plan_tasks(configured))


def configure_experiment(
    configuration: str | Path | Mapping[str, Any] | None = None,
    **choices: Unpack[ExperimentChoices],
) -> Configuration:
    """The configuration of a file, a shipped name or a mapping, with entries replaced."""
    content, base = _read_content(configuration)
    data = choices.get("data")
    if data:
        named = [data] if isinstance(data, str | Path) else data
        content["data"] = [_name_data_entry(str(name)) for name in named]
        base = Path()
    rankers = _split_all_names(choices.get("rankers"))
    if rankers:
        content["rankers"] = [{"name": ",".join(rankers)}]
    for key, numbers in (("folds", choices.get("folds")), ("seeds", choices.get("seeds"))):
        if numbers:
            content[key] = list(numbers)
    named_lists = {key: choices.get(key) for key in ("measures", "tools", "keep")}
    for key, given in named_lists.items():
        if names := _split_all_names(given):
            content[key] = names
    select = choices.get("select")
    if select:
        _replace_entries(content, "selection", {"measure": select})
        for ranker in content.get("rankers", []):
            if isinstance(ranker, dict):
                ranker.pop("measure", None)
    limits = {"seconds": choices.get("time_limit"), "memory": choices.get("memory_limit")}
    _replace_entries(content, "limits", limits)
    return configure(content, base)


def _read_content(
    configuration: str | Path | Mapping[str, Any] | None,
) -> tuple[dict[str, Any], Path]:
    """The entries, and the folder that relative ones are taken from."""
    if configuration is None or isinstance(configuration, Mapping):
        return dict(configuration or {}), Path()
    shipped = str(configuration) in list_shipped_configurations()
    return read_configuration(configuration), Path() if shipped else Path(configuration).parent


def _split_all_names(given: Any) -> list[str]:
    texts: Iterable[str] = [given] if isinstance(given, str) else given or ()
    return [name for text in texts for name in split_names(text)]


def _replace_entries(content: dict[str, Any], key: str, given: Mapping[str, Any]) -> None:
    """Put what is given over the entries of a table; what is no table is told by `configure`."""
    there = content.get(key, {})
    if isinstance(there, Mapping):
        content[key] = {**there, **{name: one for name, one in given.items() if one is not None}}


def _name_data_entry(name: str) -> dict[str, str]:
    """A folder where there is one, else a name in the data home."""
    known = bool(WILDCARDS & set(name)) or find_in_catalogue(name)
    return {"home": name} if known and not is_folder(name) else {"path": name}


@dataclass(frozen=True)
class Task:
    """One method on one fold with one seed: tuned on validation, evaluated on test.

    It is small: a worker anywhere gets it and reads the data from `files`. One that is `spread` is
    run by all workers of a cluster together. `own_measures` are those that must be imported,
    without cut-offs; `wrapped` the rankers within a wrapper. `transfer` says what is learnt from
    beside the fold, and how much of that. `keep` is what is kept beside its figures, which depend
    on none of it.
    """

    name: TaskName
    files: FoldFiles
    checksums: Mapping[str, str]
    ranker: str
    combinations: tuple[Combination, ...]
    selection: Selection
    seed: int
    measures: tuple[str, ...]
    tools: tuple[str, ...]
    code: str
    spread: bool = False
    own_measures: tuple[str, ...] = ()
    wrapped: tuple[str, ...] = ()
    transfer: TransferStep | None = None
    keep: tuple[str, ...] = ()

    @property
    def tried(self) -> int:
        """How many combinations are compared, with what a transfer adds to them."""
        return len(self.combinations) * (1 if self.transfer is None else self.transfer.trainings)

    @property
    def trainings(self) -> int:
        """How many trainings it is."""
        crossed = self.files.validation is None and self.tried > 1
        return self.tried * PARTS + 1 if crossed else self.tried

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """Everything that the figures depend on, which names and places of files are not."""
        related = {k: v for k, v in self.checksums.items() if k.startswith(RELATION)}
        return {
            "data": self.rows,
            "fold": self.name.fold,
            "ranker": self.ranker,
            "combinations": list(self.combinations),
            "selection": [self.selection.measure, self.selection.tool],
            "seed": self.seed,
            "measures": list(self.measures),
            "tools": list(self.tools),
            "code": self.code,
            # Only where it is so: the keys of all other tasks do not know of it.
            **({"spread": True} if self.spread else {}),
            **({"relations": related} if related else {}),
            **({} if self.transfer is None else {"transfer": self.transfer.inputs}),
        }

    @property
    def rows(self) -> dict[str, str]:
        """The checksums of the parts: methods with the same are compared query by query.

        Relations are what a method learns from beside them, and no part of what it is judged on.
        """
        return {k: v for k, v in self.checksums.items() if not k.startswith(RELATION)}

    def code_now(self) -> str:
        """What `code` would be of a plan that is made now, in this process."""
        return digest_code(*self.coded)

    @property
    def coded(self) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
        """Whose code the figures depend on: the arguments of `digest_code`."""
        return self.ranker, self.own_measures, self.wrapped

    @cached_property
    def key(self) -> str:
        """The digest of `inputs`."""
        return make_task_key(self.inputs)


def evaluated_by(task: Task, measures: Iterable[str], tools: Iterable[str]) -> Task:
    """The same task with other measures and tools that evaluate it."""
    listed = tuple(measures), tuple(tools)
    own, wrapped = list_coded(
        task.ranker, task.combinations, task.selection, itertools.product(*listed)
    )
    code = digest_code(task.ranker, own, wrapped)
    return replace(task, measures=listed[0], tools=listed[1], own_measures=own, code=code)


@dataclass(frozen=True)
class ExperimentPlan:
    """All tasks of an experiment, in the order in which they are begun."""

    name: str
    tasks: tuple[Task, ...]


def expand(configuration: Configuration) -> ExperimentPlan:
    """The tasks of an experiment; everything that can be wrong with it is found here."""
    if not configuration.sources and not configuration.transfers:
        raise RankwiseError(
            "an experiment needs data, found none",
            Advice("write [[data]] in its file"),
            Advice("give {}", "data", "DIR"),
        )
    if not configuration.rankers:
        raise RankwiseError(
            "an experiment needs rankers, found none",
            Advice("write [[rankers]] in its file"),
            Advice("give {}", "rankers", "NAME"),
        )
    tasks = [
        task
        for source in configuration.sources
        for fold in find_folds(source, configuration.folds)
        for task in list_fold_tasks(configuration, source, fold)
    ]
    check_different(tasks)
    return ExperimentPlan(configuration.name, tuple(tasks))


def find_folds(source: DataSource, wanted: tuple[int, ...] | None) -> list[FoldFiles]:
    """The folds of a data set, of which some may be wanted only."""
    found = source.folds()
    if wanted is None:
        return found
    by_number = {fold.number: fold for fold in found}
    missing = [number for number in wanted if number not in by_number]
    if missing:
        there = ", ".join(map(str, by_number))
        raise RankwiseError(f"{source.folder} must have fold {missing[0]}, found {there}")
    return [by_number[number] for number in wanted]


def list_fold_tasks(
    configuration: Configuration, source: DataSource, fold: FoldFiles
) -> list[Task]:
    """Every ranker with every seed on one fold."""
    choices = [(choice, _uses_relations(choice)) for choice in configuration.rankers]
    seen = {used: fold if used else replace(fold, relations=()) for _, used in choices}
    checksums = {used: compute_fold_checksums(files) for used, files in seen.items()}
    tools = tuple(dict.fromkeys(_name_tool(tool, source) for tool in configuration.tools))
    measures = configuration.measures
    check_measures(measures, tools)
    return [
        _make_task(
            source, seen[used], checksums[used], choice, seed, measures, tools, configuration.keep
        )
        for choice, used in choices
        for seed in list_seeds(configuration, source, choice)
    ]


def list_seeds(
    configuration: Configuration, source: DataSource, choice: RankerChoice
) -> tuple[int, ...]:
    """The seeds that a ranker is run with; see `Configuration.repeated`."""
    if configuration.repeated == "all":
        return configuration.seeds
    tried = _choose_combinations(choice, _name_tool(choice.tool, source))
    # A wrapper draws where its ranker does, trees where they see some of the features.
    drawn = any(make_ranker(choice.name, **one).random for one in tried)
    return configuration.seeds if drawn else configuration.seeds[:1]


def _uses_relations(choice: RankerChoice) -> bool:
    """Whether the ranker, or the one that it wraps, learns from relations; others never see any."""
    ranker = find_ranker(choice.name)
    if not ranker.uses_relations and issubclass(ranker, Wrapper):
        ranker = find_ranker(str(choice.search.fixed.get("of", ranker.of)))
    return ranker.uses_relations


def _make_task(
    source: DataSource,
    fold: FoldFiles,
    checksums: Mapping[str, str],
    choice: RankerChoice,
    seed: int,
    measures: tuple[str, ...],
    tools: tuple[str, ...],
    keep: tuple[str, ...],
) -> Task:
    convention = _name_tool(choice.tool, source)
    selection = Selection(choice.measure or usual_measure(convention), convention)
    check_measures((selection.measure,), (convention,))
    judge = source.tool if source.tool in tools else tools[0]
    name = TaskName(source.collection, source.dataset, source.version, fold.number,
                    choice.label, choice.name, seed, judge)  # fmt: skip
    tried = _choose_combinations(choice, convention)
    if choice.spread and fold.validation is None and len(tried) > 1:
        raise RankwiseError(
            f"{choice.name}: choosing among {len(tried)} combinations over a cluster needs a "
            "validation part, the data have none; give each parameter one value"
        )
    own, wrapped = list_coded(choice.name, tried, selection, itertools.product(measures, tools))
    return Task(
        name=name,
        files=fold,
        checksums=checksums,
        ranker=choice.name,
        combinations=tried,
        selection=selection,
        seed=seed,
        measures=measures,
        tools=tools,
        code=digest_code(choice.name, own, wrapped),
        spread=choice.spread,
        own_measures=own,
        wrapped=wrapped,
        keep=keep,
    )


def list_coded(
    ranker: str,
    tried: Iterable[Combination],
    selection: Selection,
    judged: Iterable[tuple[str, str]] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Own measures, imported, and wrapped rankers: whose code the figures depend on beside its."""
    combinations = list(tried)
    within = [made for one in combinations for made in layers_of(make_ranker(ranker, **one))]
    trained = {
        (str(one[name]), selection.tool)
        for one in [*combinations, *(made.parameters() for made in within)]
        for name in (MEASURE, SELECTION)
        if name in one
    }
    own = _own_measures({*judged, *trained, (selection.measure, selection.tool)})
    return own, tuple(dict.fromkeys(made.name for made in within))


def _choose_combinations(choice: RankerChoice, tool: str) -> tuple[Combination, ...]:
    """What is tried."""
    return tuple(list_combinations(find_ranker(choice.name), settle_search(choice, tool)))


def settle_search(choice: RankerChoice, tool: str) -> Search:
    """The search of a choice; a ranker with a `tool` follows the convention that also selects.

    A measure that was asked for chooses the round of a ranker too, unless its search names one.
    """
    ranker = find_ranker(choice.name)
    if issubclass(ranker, Wrapper):
        choice = _search_within(choice, ranker, tool)
    declared = {one.name: one for one in parameters_of(ranker)}
    search = choice.search
    if "tool" in declared:
        if "tool" in search.grid:
            raise RankwiseError(
                f"{choice.name}: the convention is not tuned; name conventions to train under by "
                "tools = […]"
            )
        search = replace(search, fixed={"tool": tool, **search.fixed})
    settled = {*search.fixed, *search.grid, *search.intervals}
    asked = None if selecting_parameter(ranker) in settled else choice.measure
    chosen = {k: v for k, v in selected_by(ranker, asked, tool).items() if k not in settled}
    return replace(search, fixed={**chosen, **search.fixed})


def _search_within(choice: RankerChoice, ranker: type[Wrapper], tool: str) -> RankerChoice:
    """The same choice, with what is tried of the wrapped ranker as values of `settings`."""
    within, around = divide_search(ranker, choice.search)
    if within is None:
        return replace(choice, search=around)
    of = str(around.fixed.get("of", ranker.of))
    tried = _choose_combinations(replace(choice, name=of, search=within), tool)
    texts = tuple(write_settings(one) for one in tried)
    if len(texts) == 1:
        return replace(choice, search=replace(around, fixed={**around.fixed, "settings": texts[0]}))
    return replace(choice, search=replace(around, grid={**around.grid, "settings": texts}))


def _name_tool(tool: str, source: DataSource) -> str:
    return source.tool if tool == OWN else find_tool(tool).name


def check_measures(measures: tuple[str, ...], tools: tuple[str, ...]) -> None:
    """Every measure must be computed by some tool, and every tool must compute some measure."""
    refusals = {
        (measure, tool): _find_refusal(measure, tool) for measure in measures for tool in tools
    }
    for place, names in enumerate((measures, tools)):
        for name in names:
            reasons = [reason for pair, reason in refusals.items() if pair[place] == name]
            if all(reasons):
                raise RankwiseError(f"nothing can be evaluated by {name}: {reasons[0]}")


def _find_refusal(measure: str, tool: str) -> str | None:
    try:
        find_tool(tool).measure(measure)
    except ToolRefusal as refusal:
        return str(refusal)
    return None


def _own_measures(asked: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The own measures among measures by tools, imported: one that cannot be is told of now."""
    found = {_find_family(measure, tool) for measure, tool in asked}
    own = tuple(sorted(name for name in found if name is not None and is_own(name)))
    for name in own:
        load_family(name)
    return own


def _find_family(measure: str, tool: str) -> str | None:
    """What a tool means by the name of a measure; None where it computes no such thing."""
    try:
        return find_tool(tool).measure(measure).family
    except RankwiseError:
        return None


def check_different(tasks: Sequence[Task]) -> None:
    """Refuse tasks that are the same, or are called the same."""
    seen: dict[str, Task] = {}
    names: dict[TaskName, Task] = {}
    for task in tasks:
        first = seen.setdefault(task.key, task)
        if first is not task:
            raise RankwiseError(
                f"every task must stand once in a plan, found twice: {task.name}"
                + (f" (also called {first.name})" if first.name != task.name else "")
            )
        other = names.setdefault(task.name, task)
        if other is not task:
            same = other.files == task.files
            what = "one of the rankers a label" if same else "one of the data sets another name"
            entry = 'label = "…"' if same else 'dataset = "…"'
            raise RankwiseError(
                f"tasks that differ must have different names, found twice: {task.name}; give "
                f"{what} in the experiment's file: {entry}"
            )


def plan_tasks(configuration: Configuration) -> ExperimentPlan:
    """All tasks of an experiment, those of transfer after the others."""
    plan = expand(configuration)
    tasks = {task.key: task for task in plan.tasks}
    for choice in configuration.transfers:
        for task in _list_tasks(configuration, choice):
            # Two sources of one target have the tasks of the target alone in common.
            tasks.setdefault(task.key, task)
    found = tuple(tasks.values())
    check_different(found)
    return replace(plan, tasks=found)


def _list_tasks(configuration: Configuration, choice: TransferChoice) -> list[Task]:
    for ranker in configuration.rankers:
        if ranker.spread:
            raise RankwiseError(
                f"{ranker.name}: training is spread over a cluster from files, which transfer is "
                "not; leave spread out"
            )
        for way in choice.ways:
            refuse_way(way, find_ranker(ranker.name))
    sources = {fold.number: fold for fold in choice.source.folds()}
    digest = make_task_key({str(n): compute_fold_checksums(one) for n, one in sources.items()})
    return [
        _make_transfer_task(task, choice, way, share, sources, digest)
        for fold in find_folds(choice.target, configuration.folds)
        for share in choice.shares
        for task in list_fold_tasks(configuration, choice.target, fold)
        for way in (TARGET_ONLY, *choice.ways)
    ]


def _make_transfer_task(
    task: Task,
    choice: TransferChoice,
    way: str,
    share: float,
    sources: Mapping[int, FoldFiles],
    digest: str,
) -> Task:
    label, beside = task.name.method, choice.source.dataset
    if way == TARGET_ONLY:
        step = TransferStep(way, share, method=label)
        name = f"{label}, target only, {share:g} %"
        return replace(task, name=replace(task.name, method=name), transfer=step)
    number = task.name.fold
    if number not in sources:
        raise RankwiseError(
            f"{choice.source.folder} must have fold {number}, which the target has, found "
            f"{', '.join(map(str, sources))}"
        )
    source = sources[number]
    checksums = compute_fold_checksums(source)
    step = TransferStep(way, share, source, checksums, beside, choice.absent, label, digest)
    name = f"{label}, {way} with {beside}, {share:g} %"
    return replace(task, name=replace(task.name, method=name), transfer=step)


MEASURE, SELECTION = "measure", "selection"


def selecting_parameter(ranker: type[Ranker]) -> str | None:
    """The parameter that names what chooses the round: `selection`, else `measure`, if any."""
    declared = {one.name for one in parameters_of(ranker) if isinstance(one.default, str)}
    return next((name for name in (SELECTION, MEASURE) if name in declared), None)


def selected_by(ranker: type[Ranker], measure: str | None, tool: str) -> dict[str, str]:
    """What makes a measure that was asked for choose the round of a ranker, under a tool.

    Where none was, the ranker's own stands, unless the tool does not compute it.
    """
    name = selecting_parameter(ranker)
    if name is not None and measure is not None:
        refuse_choosing(measure, tool, ranker.name, name)
        return {**_computed_defaults(ranker, tool), name: measure}
    return _computed_defaults(ranker, tool)


def measured_parameters(
    ranker: type[Ranker],
    measure: str | None,
    tool: str | None,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The measure and the tool as hyper-parameters, where the ranker looks at them.

    The measure is what it trains towards, and what chooses its round; parameters that are `given`
    stand, and come back with them. A wrapper hands both to the ranker that it wraps.
    """
    settled = dict(given or {})
    if issubclass(ranker, Wrapper):
        inner = find_ranker(settled.get("of", ranker.of))
        known = parse_settings(inner, split_settings(settled.get("settings", "")))
        found = measured_parameters(inner, measure, tool, known)
        return {**settled, "settings": write_settings(found)} if found else settled
    judge = find_tool("definition" if tool is None else tool)
    if measure is not None:
        # What is reported at the end must be known before anything is trained.
        judge.measure(measure)
    declared = {one.name for one in parameters_of(ranker)}
    asked = {MEASURE: measure, SELECTION: measure, "tool": tool}
    found = {name: one for name, one in asked.items() if one is not None and name in declared}
    defaults = _computed_defaults(ranker, tool) if tool is not None else {}
    return {**defaults, **found, **settled}


def _computed_defaults(ranker: type[Ranker], tool: str) -> dict[str, str]:
    """Another measure for each that a parameter has by default and the tool does not compute."""
    defaults = {one.name: one.default for one in parameters_of(ranker)}
    if "tool" not in defaults:
        return {}
    changed = (MEASURE, SELECTION)[1 if ranker.keeps_measure else 0 :]
    return {
        name: usual_measure(tool)
        for name in changed
        if isinstance(defaults.get(name), str) and not _is_usable(defaults[name], tool)
    }


def _is_usable(default: str, tool: str) -> bool:
    """Lists and words such as `same` are read by the ranker itself."""
    return "," in default or not default[:1].isupper() or is_computed(default, tool)


Value = TypeVar("Value")


def divide_search(ranker: type[Wrapper], search: Search) -> tuple[Search | None, Search]:
    """The search of the wrapped ranker, from `of.NAME`, and that of the wrapper itself.

    None where `settings` are given, which say all there is to say of the wrapped ranker.
    """
    fixed, intervals = _divide_by_wrapper(search.fixed), _divide_by_wrapper(search.intervals)
    grid = _divide_by_wrapper(search.grid)
    around = replace(search, fixed=fixed[1], grid=grid[1], intervals=intervals[1])
    if "of" in {**around.grid, **around.intervals}:
        raise RankwiseError(
            f"{ranker.name}: an experiment wraps one ranker at a time, found several values of "
            "'of'; write [[rankers]] once for each"
        )
    # The wrapper draws from all that its ranker's grid has; intervals have nothing to list.
    draws = search.draws if intervals[0] else None
    within = Search(fixed[0], grid[0], intervals[0], draws, search.seed)
    if "settings" not in {**around.fixed, **around.grid}:
        return within, around
    if fixed[0] or grid[0] or intervals[0]:
        raise RankwiseError(
            f"{ranker.name}: parameters of the wrapped ranker must be given by settings or by "
            f"{WITHIN_SETTINGS}NAME, found both"
        )
    return None, around


def _divide_by_wrapper(values: Mapping[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Those of the wrapped ranker, by their own names, and the others."""
    inner = {
        name.removeprefix(WITHIN_SETTINGS): value
        for name, value in values.items()
        if name.startswith(WITHIN_SETTINGS)
    }
    return inner, {
        name: value for name, value in values.items() if not name.startswith(WITHIN_SETTINGS)
    }
