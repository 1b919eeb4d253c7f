"""Hyper-parameters: which combinations are tried, and which one validation chooses.

Nothing here ever receives the test part: `tune` sees training and validation data, so that no
choice can depend on what the methods are judged by.

Commands write what a tuning searches as NAME=VALUE, NAME=V,V,… and NAME=LOW:HIGH[:log].
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.folds import cut_into_parts
from rankwise.data.joining import concatenate
from rankwise.errors import RankwiseError
from rankwise.measures.constancy import find_deciding
from rankwise.measures.evaluation import evaluate
from rankwise.measures.measure import lower_is_better
from rankwise.models.model import Model
from rankwise.rankers.distributed import ClusterLost, SpreadData
from rankwise.rankers.parameters import (
    WITHIN_SETTINGS,
    Parameter,
    parameters_of,
    parse_value,
    refuse_unknown,
    split_settings,
)
from rankwise.rankers.ranker import (
    Ranker,
    Round,
    Watch,
    add_remarks,
    never_stop,
    sharing_preparations,
)
from rankwise.rankers.registry import find_ranker, spreading
from rankwise.rankers.wrapper import Wrapper
from rankwise.results.task_records import Tried

Combination = dict[str, Any]

# How often a combination that was drawn before may come again.
_DRAWS_FOR_ONE = 20


@dataclass(frozen=True)
class Selection:
    """The figure on validation that chooses: a measure as a tool computes it."""

    measure: str
    tool: str


@dataclass(frozen=True)
class SearchRange:
    """Where a sampler draws a parameter from: uniform, or uniform in the logarithm."""

    low: float
    high: float
    logarithmic: bool = False


@dataclass(frozen=True)
class Search:
    """What to try beyond a ranker's own grid.

    Attributes:
        fixed: parameters that have one value.
        grid: values that replace those of the registry, by parameter.
        intervals: parameters that are drawn.
        draws: how many combinations are drawn at random; None takes the whole grid.
        seed: of the draws.
        trials: a budget in combinations that is the same for every ranker: its defaults, then
            others of its grid drawn at random, so many in all or as many as there are.
    """

    fixed: Mapping[str, Any]
    grid: Mapping[str, Sequence[Any]]
    intervals: Mapping[str, SearchRange]
    draws: int | None = None
    seed: int = 0
    trials: int | None = None


@dataclass(frozen=True)
class TuningChoice:
    """How one of several combinations was chosen.

    Attributes:
        measure, tool: what chose: what was asked for, or where that is the same for every ranking
            of the data, a measure that is not.
        parts: into how many the training queries were cut, where there was no validation part.
        equals: how many combinations had the best value, of which the first was taken.
    """

    measure: str
    tool: str
    parts: int | None
    equals: int


@dataclass(frozen=True)
class Chosen:
    """The model of the best combination, and everything that was tried, in order.

    `choice` is None where there was one combination only.
    """

    model: Model
    tried: tuple[Tried, ...]
    choice: TuningChoice | None = None


class TimeIsUp(RankwiseError):
    """The task has taken the time it was given, which is no fault of one combination."""


def list_combinations(ranker: type[Ranker], search: Search) -> list[Combination]:
    """Every combination to try, in a fixed order; each is checked before anything is trained."""
    declared = {one.name: one for one in parameters_of(ranker)}
    check_names(ranker, search)
    if search.intervals and not search.draws:
        raise RankwiseError(
            f"{ranker.name}: parameters drawn from intervals need a number of draws: draws = 20"
        )
    values = list_values(declared, search)
    if search.trials:
        found = _begin_with_defaults(declared, values, search)
    elif search.draws:
        found = _draw_combinations(declared, values, search)
    else:
        found = _list_product(values)
    wanted = [{**search.fixed, **combination} for combination in found]
    for combination in wanted:
        _check_plain(ranker.name, ranker(**combination).parameters())
    return wanted


@sharing_preparations()
def tune(
    ranker: type[Ranker],
    tried: Sequence[Combination],
    train: Dataset | SpreadData,
    validation: Dataset | None,
    selection: Selection,
    *,
    seed: int = 0,
    watch: Watch = never_stop,
    clock: Callable[[], float] = time.perf_counter,
) -> Chosen:
    """Train every combination on `train` and choose as `choose_model` does."""

    def fit(combination: Combination, part: Dataset | SpreadData) -> Model:
        return _fit_combination(ranker, combination, part, validation, seed, watch)

    return choose_model(
        ranker.name, tried, fit, train, validation, selection, watch=watch, clock=clock
    )


Part = TypeVar("Part", Dataset, Dataset | SpreadData)


def choose_model(
    name: str,
    tried: Sequence[Combination],
    fit: Callable[[Combination, Part], Model],
    train: Part,
    validation: Dataset | None,
    selection: Selection,
    *,
    watch: Watch = never_stop,
    clock: Callable[[], float] = time.perf_counter,
) -> Chosen:
    """Of the models that combinations give, the best on `validation`, the first of equals.

    Without validation data the training queries are cut into `PARTS` parts; each combination is
    trained on all but one of them, as often, its value is the mean over the parts, and the best is
    trained on all queries. `fit` is given the data to train on.

    A combination that cannot be trained is recorded with its reason and passed over; the last of
    these reasons is raised where none can. What ends the task as a whole, time that is up or a
    cluster that is lost, is raised at once: a choice among those before it would be by chance.
    What combinations have in common is prepared for the first and counts among its seconds.
    """
    several = len(tried) > 1
    folds: list[tuple[Part, Dataset | None]] = [(train, validation)]
    remarks: list[str] = []
    if several:
        if validation is None:
            folds = list(cross_validation(_cuttable(name, train)))
        what = "training" if validation is None else "validation"
        judged = _cuttable(name, train) if validation is None else validation
        selection, remarks = settle_selection(selection, judged, what)
    trials = [_JudgedCombination(combination) for combination in tried]
    best: tuple[float, Model] | None = None
    for part, held_out in folds:
        for trial in trials:
            model = None if trial.failure else trial.train(part, held_out, fit, selection, watch,
                                                           clock)  # fmt: skip
            merit = compute_merit(trial.value, selection)
            if model is not None and len(folds) == 1 and (best is None or merit > best[0]):
                best = (merit, model)
    able = [trial for trial in trials if trial.failure is None]
    if not able:
        failure = next((one.failure for one in reversed(trials) if one.failure), None)
        raise failure or RankwiseError(f"{name}: there is no combination to try")
    merits = [compute_merit(one.value, selection) for one in able]
    if best is None:
        watch(TRAINING_BEGINS)
        best = max(merits), fit(able[merits.index(max(merits))].combination, train)
    found = Chosen(best[1], tuple(trial.record() for trial in trials))
    if not several:
        return found
    parts = len(folds) if validation is None else None
    choice = TuningChoice(selection.measure, selection.tool, parts, merits.count(max(merits)))
    facts = add_remarks(best[1].facts, remarks)
    return replace(found, model=replace(best[1], facts=facts), choice=choice)


TRAINING_BEGINS = Round(0, 1)
"""What a watch is told before each training."""


@dataclass
class _JudgedCombination:
    """A combination, and how it did on each part that judged it."""

    combination: Combination
    values: list[float | None] = field(default_factory=list)
    seconds: float = 0.0
    failure: RankwiseError | None = None

    def train(
        self,
        part: Part,
        held_out: Dataset | None,
        fit: Callable[[Combination, Part], Model],
        selection: Selection,
        watch: Watch,
        clock: Callable[[], float],
    ) -> Model | None:
        """The model of one part; None where it cannot be trained."""
        watch(TRAINING_BEGINS)
        begun = clock()
        model = None
        try:
            model = fit(self.combination, part)
            self.values.append(evaluate_model(model, held_out, selection))
        except (TimeIsUp, ClusterLost):
            raise
        except RankwiseError as error:
            self.failure = error
        self.seconds += clock() - begun
        return model if self.failure is None else None

    @property
    def value(self) -> float | None:
        """The mean over the parts that have one."""
        if self.failure is not None or None in self.values:
            return None
        there = [one for one in self.values if one is not None and not math.isnan(one)]
        return math.fsum(there) / len(there) if there else math.nan

    def record(self) -> Tried:
        reason = None if self.failure is None else str(self.failure)
        return Tried(self.combination, self.value, self.seconds, reason)


PARTS = 5
"""Into how many parts training queries are cut where there is no validation part."""


def cross_validation(
    data: Dataset, parts: int | None = None, seed: int = 0
) -> Iterator[tuple[Dataset, Dataset]]:
    """What is trained on and what judges it: each of some parts of whole queries judges once."""
    cut = cut_into_parts(data, parts or min(PARTS, data.n_queries), seed=seed)
    for place, part in enumerate(cut):
        yield concatenate([*cut[:place], *cut[place + 1 :]]), part


def _cuttable(name: str, train: Dataset | SpreadData) -> Dataset:
    if isinstance(train, SpreadData):
        raise RankwiseError(
            f"{name}: choosing among combinations of parameters over a cluster needs a validation "
            "part, the fold has none; fix the parameters or add the part"
        )
    if train.n_queries < 2:
        raise RankwiseError(
            f"{name}: choosing among combinations of parameters needs a validation part or two "
            f"training queries, found {train.n_queries}; fix the parameters or add the part"
        )
    return train


def settle_selection(
    selection: Selection, judged: Dataset, what: str
) -> tuple[Selection, list[str]]:
    """What can choose on these data, and a remark where it is not what was asked for."""
    name, reason = find_deciding(
        judged.labels, judged.query_offsets, selection.measure, selection.tool
    )
    if reason is None:
        return selection, []
    said = f"on the {what} data {reason}"
    if name is None:
        raise RankwiseError(
            f"no measure can choose among combinations of parameters: {said}; fix the parameters"
        )
    return replace(selection, measure=name), [f"{said}; {name} is taken"]


def _fit_combination(
    ranker: type[Ranker],
    combination: Combination,
    train: Dataset | SpreadData,
    validation: Dataset | None,
    seed: int,
    watch: Watch,
) -> Model:
    if isinstance(train, SpreadData):
        return spreading(ranker)(**combination).fit_on_cluster(train, validation, watch=watch)
    return ranker(**combination).fit(train, validation, seed=seed, watch=watch)


def evaluate_model(model: Model, validation: Dataset | None, selection: Selection) -> float | None:
    """The figure that chooses; None without validation data."""
    if validation is None:
        return None
    scores = model.score(validation)
    return evaluate(validation, scores, [selection.measure], selection.tool)[selection.measure].mean


def compute_merit(figure: float | None, selection: Selection) -> float:
    """How good a figure is, higher being better whatever the measure; nothing is below none."""
    if figure is None or math.isnan(figure):
        return -math.inf
    return -figure if lower_is_better(selection.measure) else figure


def _check_plain(name: str, parameters: Mapping[str, Any]) -> None:
    """Refuse what neither a key nor a store can hold."""
    try:
        json.dumps(parameters)
    except (TypeError, ValueError) as error:
        raise RankwiseError(
            f"{name}: parameters must be numbers, texts, true or false, or lists of these, found "
            f"{dict(parameters)} ({error})"
        ) from error


def check_names(ranker: type[Ranker], search: Search) -> None:
    """Refuse parameters that the ranker does not have, and such as are given twice."""
    refuse_unknown(ranker, (*search.fixed, *search.grid, *search.intervals))
    places = Counter((*search.fixed, *search.grid, *search.intervals))
    for name, count in places.items():
        if count > 1:
            raise RankwiseError(
                f"{ranker.name}: {name} must be given once, by set, grid or draw, found it "
                f"{count} times"
            )


def list_values(declared: Mapping[str, Parameter], search: Search) -> dict[str, tuple[Any, ...]]:
    """The values of each parameter that has several, in the order of declaration."""
    fixed = {*search.fixed, *search.intervals}
    grids = {name: tuple(search.grid.get(name, one.grid)) for name, one in declared.items()}
    return {name: grid for name, grid in grids.items() if grid and name not in fixed}


def _list_product(values: Mapping[str, tuple[Any, ...]]) -> list[Combination]:
    return [
        dict(zip(values, combination, strict=True))
        for combination in itertools.product(*values.values())
    ]


def _begin_with_defaults(
    declared: Mapping[str, Parameter], values: Mapping[str, tuple[Any, ...]], search: Search
) -> list[Combination]:
    """The defaults first, then different combinations of the grid in a random order."""
    if search.draws or search.intervals:
        raise RankwiseError(
            "trials are the defaults and combinations of the grid, found draws or intervals "
            "beside them; give one or the other"
        )
    defaults = {name: declared[name].default for name in values}
    # A grid that somebody gave is all that they want to see tried.
    first = {
        name: grid[0] if name in search.grid and defaults[name] not in grid else defaults[name]
        for name, grid in values.items()
    }
    others = [one for one in _list_product(values) if one != first]
    order = np.random.default_rng(search.seed).permutation(len(others)).tolist()
    return [first, *(others[place] for place in order[: (search.trials or 1) - 1])]


def _draw_combinations(
    declared: Mapping[str, Parameter], values: Mapping[str, tuple[Any, ...]], search: Search
) -> list[Combination]:
    """Different combinations at random; fewer where there are not as many as asked for."""
    rng = np.random.default_rng(search.seed)
    draws = search.draws or 0
    for name, interval in search.intervals.items():
        check_interval(interval, declared[name])
    if not search.intervals:
        whole = _list_product(values)
        chosen = rng.permutation(len(whole))[:draws]
        return [whole[place] for place in sorted(chosen.tolist())]
    found: list[Combination] = []
    for _ in range(_DRAWS_FOR_ONE * draws):
        combination = {name: grid[int(rng.integers(len(grid)))] for name, grid in values.items()}
        for name, interval in search.intervals.items():
            combination[name] = _draw_value(interval, declared[name], rng)
        if combination not in found:
            found.append(combination)
        if len(found) == draws:
            break
    return found


def check_interval(interval: SearchRange, declared: Parameter) -> None:
    """Refuse an interval from which the parameter cannot be drawn."""
    low, high = interval.low, interval.high
    if not low <= high or (interval.logarithmic and low <= 0):
        raise RankwiseError(
            f"{declared.name}: an interval must rise, and begin above 0 to be drawn in the "
            f"logarithm, found {low:g} to {high:g}"
        )
    whole = float(low).is_integer() and float(high).is_integer()
    if isinstance(declared.default, int) and not whole:
        raise RankwiseError(
            f"{declared.name} is a whole number (its default is {declared.default}), so its "
            f"interval must begin and end with one, found {low:g} to {high:g}"
        )


def _draw_value(
    interval: SearchRange, declared: Parameter, rng: np.random.Generator
) -> float | int:
    low, high = interval.low, interval.high
    if interval.logarithmic:
        value = math.exp(rng.uniform(math.log(low), math.log(high)))
    else:
        value = float(rng.uniform(low, high))
    value = min(max(value, low), high)
    return round(value) if isinstance(declared.default, int) else value


def parse_fixed(ranker: str, given: Iterable[str]) -> dict[str, Any]:
    """Parameters of one value; `of` is read before those of the ranker that it names."""
    texts = _divide_settings(given, "set")
    return {name: _parse_setting(ranker, texts, name, text) for name, text in texts.items()}


def parse_grid(ranker: str, given: Iterable[str], fixed: Iterable[str] = ()) -> dict[str, Any]:
    """Values to try by parameter; one that holds a comma stands in braces."""
    settled = _divide_settings(fixed, "set")
    found = {}
    for name, text in _divide_settings(given, "values").items():
        parts = [one.removeprefix("=") for one in split_settings(_mark_values(text))]
        found[name] = tuple(_parse_setting(ranker, settled, name, part) for part in parts)
        if not found[name]:
            raise RankwiseError(f"there must be a value of {name} to try, found none")
    return found


def parse_intervals(given: Iterable[str]) -> dict[str, SearchRange]:
    """Intervals to draw from by parameter."""
    return {
        name: _parse_interval(name, text) for name, text in _divide_settings(given, "draw").items()
    }


def _mark_values(text: str) -> str:
    """Values as settings without names, so that they are cut at the same commas."""
    depth, marked = 0, ["="]
    for letter in text:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        marked.append(",=" if letter == "," and depth == 0 else letter)
    return "".join(marked)


def _divide_settings(given: Iterable[str], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in given:
        name, sign, text = one.partition("=")
        if not (name and sign and text):
            raise RankwiseError(f"--{what} must be written NAME=…, found {one!r}")
        if name in found:
            raise RankwiseError(f"--{what} must name a parameter once, found {name} twice")
        found[name] = text
    return found


def _parse_setting(ranker: str, settled: dict[str, str], name: str, text: str) -> Any:
    owner, own = _find_owner(find_ranker(ranker), settled, name)
    refuse_unknown(owner, [own])
    declared = {one.name: one for one in parameters_of(owner)}
    return parse_value(declared[own], text, owner.name)


def _find_owner(
    ranker: type[Ranker], settled: dict[str, str], name: str
) -> tuple[type[Ranker], str]:
    """Whose parameter it is: the ranker's, or with `of.` the wrapped one's."""
    if name.startswith(WITHIN_SETTINGS) and issubclass(ranker, Wrapper):
        return find_ranker(settled.get("of", ranker.of)), name.removeprefix(WITHIN_SETTINGS)
    return ranker, name


def _parse_interval(name: str, text: str) -> SearchRange:
    low, _, rest = text.partition(":")
    high, _, scale = rest.partition(":")
    try:
        if scale not in ("", "log"):
            raise ValueError(scale)
        return SearchRange(float(low), float(high), scale == "log")
    except ValueError:
        raise RankwiseError(
            "an interval must be NAME=LOW:HIGH, or NAME=LOW:HIGH:log to draw in the logarithm, "
            f"found {name}={text}"
        ) from None
