"""What difference the convention makes that a method is trained under, and whether it is luck.

After Busa-Fekete, Szarvas, Élteto and Kégl (2012), "An apple-to-apple comparison of
learning-to-rank algorithms in terms of Normalized Discounted Cumulative Gain": models trained
towards NDCG@10 as several tools compute it, each evaluated by all of these tools.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance import holm, t_test
from rankwise.experiments.plan import Plan
from rankwise.results.store_reading import stored_means
from rankwise.results.store_systems import values_by_method

_TRAINED = re.compile(r"(?P<method>.+) \((?P<tool>[\w.-]+)\)")
DEFINITION = "definition"


@dataclass(frozen=True)
class Question:
    """On which data set conventions are compared, by which measure under which tool."""

    dataset: str
    measure: str
    tool: str


def questions(plan: Plan) -> list[Question]:
    """One for each data set on which some ranker is trained under several conventions.

    The measure is the one that chooses parameters; the definition judges where it is among the
    tools that evaluate, else the first of them.
    """
    trained: dict[tuple[str, str], set[str]] = {}
    found: dict[str, Question] = {}
    for task in plan.tasks:
        subject = task.name.dataset, task.ranker
        trained.setdefault(subject, set()).add(task.selection.tool)
        if len(trained[subject]) > 1 and task.selection.measure in task.measures:
            judge = DEFINITION if DEFINITION in task.tools else task.tools[0]
            question = Question(task.name.dataset, task.selection.measure, judge)
            found.setdefault(question.dataset, question)
    return list(found.values())


@dataclass(frozen=True)
class Curve:
    """A model under one tool: its mean at every cut-off and the standard error over queries."""

    method: str
    trained: str
    evaluated: str
    cut_offs: tuple[int, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class Difference:
    """Two training conventions of one method, judged by one tool: the paired t-test over queries.

    `difference` is the mean of `better` less that of `worse`; `p_value` is corrected by Holm's
    procedure over all differences that are reported together.
    """

    method: str
    better: str
    worse: str
    difference: float
    p_value: float


def curves(path: str | Path, question: Question) -> list[Curve]:
    """Every model trained under a named convention, under every tool, at the cut-offs found.

    A method that was trained under one convention only, without naming it in its label, counts as
    trained by the definition.
    """
    family = question.measure.partition("@")[0]
    means = [one for one in stored_means(path) if one.name.dataset == question.dataset]
    names = {one.measure for one in means if one.measure.startswith(f"{family}@")}
    found = []
    for tool in dict.fromkeys(one.tool for one in means):
        measures = sorted(names, key=lambda name: int(name.partition("@")[2]))
        columns = [_by_model(path, replace(question, measure=m, tool=tool)) for m in measures]
        for method, trained in columns[0] if columns else ():
            values = [column[method, trained] for column in columns]
            found.append(
                Curve(
                    method, trained, tool,
                    tuple(int(name.partition("@")[2]) for name in measures),
                    tuple(float(one.mean()) for one in values),
                    tuple(float(one.std(ddof=1) / np.sqrt(len(one))) for one in values),
                )
            )  # fmt: skip
    return found


def differences(path: str | Path, question: Question) -> list[Difference]:
    """Every pair of training conventions of every method, the most certain difference first."""
    models = _by_model(path, question)
    methods = dict.fromkeys(method for method, _ in models)
    pairs = [
        (method, one, other)
        for method in methods
        for one, other in combinations([t for m, t in models if m == method], 2)
    ]
    raw = [t_test(models[m, one] - models[m, other]) for m, one, other in pairs]
    corrected = holm([result.p_value for result in raw]) if raw else np.zeros(0)
    found = []
    for (method, one, other), p_value in zip(pairs, corrected.tolist(), strict=True):
        gap = float(models[method, one].mean() - models[method, other].mean())
        better, worse = (one, other) if gap >= 0 else (other, one)
        found.append(Difference(method, better, worse, abs(gap), p_value))
    return sorted(found, key=lambda one: (one.p_value, -one.difference))


def findings(path: str | Path, question: Question, level: float = 0.05) -> list[str]:
    """Sentences: per method the best convention to train under, and whether that is significant."""
    sentences = []
    found = differences(path, question)
    models = _by_model(path, question)
    for method in dict.fromkeys(one.method for one in found):
        means = {t: float(values.mean()) for (m, t), values in models.items() if m == method}
        best = max(means, key=lambda tool: (means[tool], tool))
        figures = ", ".join(f"{tool} {mean:.4f}" for tool, mean in means.items())
        beaten = [one for one in found if one.method == method and one.better == best]
        judged = "; ".join(
            f"over {one.worse} by {one.difference:.4f} ({'' if one.p_value < level else 'not '}"
            f"significant, p = {one.p_value:.3g})"
            for one in beaten
        )
        sentences.append(
            f"{method}: trained under {figures} ({question.measure} by {question.tool}); "
            + (f"best is {best}, {judged}." if any(one.difference for one in beaten) else
               "all conventions give the same model.")
        )  # fmt: skip
    return sentences


def _by_model(path: str | Path, question: Question) -> dict[tuple[str, str], NDArray[np.float64]]:
    """The values of all queries of all folds, by method and training convention.

    A query without a figure counts as 0, as in the mean of the tool that leaves it out.
    """
    stored = values_by_method(path, question.measure, question.tool, question.dataset)
    found = {}
    for name, values in stored.items():
        match = _TRAINED.fullmatch(name)
        model = (match["method"], match["tool"]) if match else (name, DEFINITION)
        found[model] = np.nan_to_num(values)
    return found
