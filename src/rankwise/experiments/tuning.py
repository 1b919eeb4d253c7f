"""Hyper-parameters: which combinations are tried, and which one validation chooses.

Nothing here ever receives the test part: `tune` sees training and validation data, so that no
choice can depend on what the methods are judged by.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.evaluation import evaluate
from rankwise.measures.names import lower_is_better
from rankwise.rankers.cluster.spread_data import SpreadData
from rankwise.rankers.cluster.workers import ClusterLost
from rankwise.rankers.making import spreading
from rankwise.rankers.parameters import Parameter, parameters_of, refuse_unknown
from rankwise.rankers.ranker import Model, Ranker, Round, Watch, never_stop
from rankwise.rankers.training.shared_preparation import sharing_preparations
from rankwise.results.store_records import Tried

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
class Chosen:
    """The model that validation chose, and everything that was tried, in order."""

    model: Model
    tried: tuple[Tried, ...]


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

    def fit(combination: Combination) -> Model:
        return _fit(ranker, combination, train, validation, seed, watch)

    return choose_model(ranker.name, tried, fit, validation, selection, watch=watch, clock=clock)


def choose_model(
    name: str,
    tried: Sequence[Combination],
    fit: Callable[[Combination], Model],
    validation: Dataset | None,
    selection: Selection,
    *,
    watch: Watch = never_stop,
    clock: Callable[[], float] = time.perf_counter,
) -> Chosen:
    """Of the models that combinations give, the best on `validation`, the first of equals.

    A combination that cannot be trained is recorded with its reason and passed over; the last of
    these reasons is raised where none can. What ends the task as a whole, time that is up or a
    cluster that is lost, is raised at once: a choice among those before it would be by chance.
    Without validation data there is nothing to choose by, so more than one combination is refused.
    What combinations have in common is prepared for the first and counts among its seconds.
    """
    if validation is None and len(tried) > 1:
        raise RankwiseError(
            f"{name}: choosing among {len(tried)} combinations of parameters needs a "
            "validation part, the fold has none; fix the parameters or add the part"
        )
    records: list[Tried] = []
    best: tuple[float, Model] | None = None
    failure: RankwiseError | None = None
    for combination in tried:
        watch(Round(0, 1))
        begun = clock()
        try:
            model = fit(combination)
            figure = evaluate_model(model, validation, selection)
        except (TimeIsUp, ClusterLost):
            raise
        except RankwiseError as error:
            failure = error
            records.append(Tried(combination, None, clock() - begun, str(error)))
            continue
        records.append(Tried(combination, figure, clock() - begun))
        merit = compute_merit(figure, selection)
        if best is None or merit > best[0]:
            best = (merit, model)
    if best is None:
        raise failure or RankwiseError(f"{name}: there is no combination to try")
    return Chosen(best[1], tuple(records))


def _fit(
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
