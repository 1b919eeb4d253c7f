"""The tasks of transfer: every way at every share of the target's training part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankwise.data.folds import FoldFiles
from rankwise.errors import RankwiseError
from rankwise.experiments.configuration import Configuration, TransferChoice
from rankwise.experiments.keys import compute_fold_checksums, make_task_key
from rankwise.experiments.planning import (
    ExperimentPlan,
    Task,
    check_different,
    expand,
    find_folds,
    list_fold_tasks,
)
from rankwise.experiments.transfer import TARGET_ONLY, TransferStep, refuse_way
from rankwise.rankers.registry import find_ranker


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
        _make_task(task, choice, way, share, sources, digest)
        for fold in find_folds(choice.target, configuration.folds)
        for share in choice.shares
        for task in list_fold_tasks(configuration, choice.target, fold)
        for way in (TARGET_ONLY, *choice.ways)
    ]


def _make_task(
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
