"""What difference the convention makes that a method is trained under, and whether it is luck.

    rankwise bench apple-to-apple --store apple.sqlite
    python studies/training_conventions.py apple-to-apple --store apple.sqlite -o apple [--data D]

The store must hold the tasks of the experiment, a TOML file or the name of a shipped one, with
`--data` where `bench` had it. Each data set on which a ranker was trained under several conventions
gets `findings.md` and Figures 1 and 2 of the paper, in a folder of its own where there are several.
The page is docs/experiments/apple-to-apple.md.

After Busa-Fekete, Szarvas, Élteto and Kégl (2012), "An apple-to-apple comparison of
learning-to-rank algorithms in terms of Normalized Discounted Cumulative Gain": models trained
towards NDCG@10 as several tools compute it, each evaluated by all of these tools.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray

import rankwise as rw
from rankwise.comparison.significance_tests import holm, t_test
from rankwise.data.sources import DEFINITION
from rankwise.errors import RankwiseError
from rankwise.experiments import ExperimentPlan, Task
from rankwise.files import make_folder, plain_name, write_text, written_whole
from rankwise.measures.measure import result_name
from rankwise.rankers.registry import find_ranker, make_ranker
from rankwise.reports.drawing.style import SETTINGS, new_drawing
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import PairedSystems
from rankwise.results.task_records import Subject

Model = tuple[str, str]
"""A method, and the convention that it was trained under."""


@dataclass(frozen=True)
class Question:
    """On which data set which models are compared, by which measure under which tool.

    `models` tells by the labels of a plan what was trained under which convention. `chosen_only`
    are the methods whose training knows no measure: a convention only chose among their models.
    """

    subject: Subject
    measure: str
    tool: str
    models: Mapping[str, Model]
    chosen_only: frozenset[str] = frozenset()


def find_questions(plan: ExperimentPlan) -> list[Question]:
    """One for each data set on which some ranker is trained under several conventions.

    The measure is the one that chooses parameters; the definition judges where it is among the
    tools that evaluate, else the first of them.
    """
    subjects: dict[Subject, list[Task]] = {}
    for task in plan.tasks:
        subjects.setdefault(Subject.of(task.name), []).append(task)
    found = (_make_question(subject, tasks) for subject, tasks in subjects.items())
    return [one for one in found if one is not None]


def _make_question(subject: Subject, tasks: Sequence[Task]) -> Question | None:
    trained: dict[str, set[str]] = {}
    for task in tasks:
        trained.setdefault(task.ranker, set()).add(task.selection.tool)
    several = [
        task
        for task in tasks
        if len(trained[task.ranker]) > 1 and task.selection.measure in task.measures
    ]
    if not several:
        return None
    tools = several[0].tools
    judge = DEFINITION if DEFINITION in tools else tools[0]
    models = _name_models(tasks)
    chosen_only = {models[task.name.method][0] for task in tasks if not _trains_under_tool(task)}
    return Question(subject, several[0].selection.measure, judge, models, frozenset(chosen_only))


def _trains_under_tool(task: Task) -> bool:
    """Whether the training of some combination follows the convention, not only the choice."""
    ranker = find_ranker(task.ranker)
    return any(make_ranker(ranker, **one).trains_under_tool() for one in task.combinations)


def _name_models(tasks: Sequence[Task]) -> dict[str, Model]:
    """By label; `x (letor4)` is the method x, and a plain label x beside it is 'x', another one."""
    found: dict[str, Model] = {}
    for label, tool in dict.fromkeys((task.name.method, task.selection.tool) for task in tasks):
        model = label.removesuffix(f" ({tool})"), tool
        found[label] = (f"'{label}'", tool) if model in found.values() else model
    return found


@dataclass(frozen=True)
class Curve:
    """A model under one tool: its mean at every cut-off and the standard error over queries.

    Of one that is `chosen_only` no convention shaped the training.
    """

    method: str
    trained: str
    evaluated: str
    cut_offs: tuple[int, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]
    chosen_only: bool = False


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


def compute_curves(store: Store, question: Question) -> list[Curve]:
    """Every model under every tool, at the cut-offs of the measure that it was evaluated at."""
    family = result_name(question.measure).partition("@")[0]
    means = [one for one in store.values() if Subject.of(one.name) == question.subject]
    found = []
    for tool in dict.fromkeys(one.tool for one in means):
        names = {one.measure for one in means if one.tool == tool}
        cut_offs = sorted(int(n.partition("@")[2]) for n in names if n.startswith(f"{family}@"))
        columns = {
            cut_off: _read_models(
                store, replace(question, measure=f"{family}@{cut_off}", tool=tool)
            )
            for cut_off in cut_offs
        }
        for method, trained in dict.fromkeys(model for one in columns.values() for model in one):
            own = {
                k: one[method, trained] for k, one in columns.items() if (method, trained) in one
            }
            found.append(
                Curve(
                    method, trained, tool,
                    tuple(own),
                    tuple(float(values.mean()) for values in own.values()),
                    tuple(float(v.std(ddof=1) / np.sqrt(len(v))) for v in own.values()),
                    method in question.chosen_only,
                )
            )  # fmt: skip
    return found


def compare_conventions(store: Store, question: Question) -> list[Difference]:
    """Every pair of training conventions of every method, the most certain difference first."""
    models = _read_models(store, question)
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


def explain_conventions(store: Store, question: Question, level: float = 0.05) -> list[str]:
    """Sentences: per method the best convention to train under, and whether that is significant.

    Means that are equal in the digits printed share the place. At last come the models that lack
    folds or seeds, and are left out.
    """
    sentences = []
    found = compare_conventions(store, question)
    models = _read_models(store, question)
    for method in dict.fromkeys(one.method for one in found):
        means = {t: float(values.mean()) for (m, t), values in models.items() if m == method}
        printed = {tool: f"{mean:.4f}" for tool, mean in means.items()}
        highest = printed[max(means, key=means.__getitem__)]
        best = [tool for tool in means if printed[tool] == highest]
        beaten = [
            one
            for one in found
            if one.method == method and one.better in best and one.worse not in best
        ]
        figures = ", ".join(f"{tool} {mean}" for tool, mean in printed.items())
        sentences.append(
            f"{method}: {_describe_training(method, question)} {figures} "
            f"({question.measure} by {question.tool}); "
            + (f"{_describe_best(best, beaten, level)}." if beaten else
               f"all conventions {_describe_equal([models[method, tool] for tool in means])}.")
        )  # fmt: skip
    return sentences + _pair(store, question).sentences


def _describe_training(method: str, question: Question) -> str:
    """Models that no convention shaped are not said to be trained under one."""
    if method in question.chosen_only:
        return "its training knows no convention; chosen under"
    return "trained under"


def _describe_best(best: Sequence[str], beaten: Sequence[Difference], level: float) -> str:
    """`best is a, over b by …`, or `best are a and b: a over c by …; b over c by …`."""
    over = []
    for one in beaten:
        gap = f"{one.difference:.4f}" if one.difference >= 0.00005 else "less than 0.0001"
        over.append(
            f"over {one.worse} by {gap} ({'' if one.p_value < level else 'not '}significant, "
            f"p = {one.p_value:.3g})"
        )
    if len(best) == 1:
        return f"best is {best[0]}, {'; '.join(over)}"
    judged = (f"{one.better} {words}" for one, words in zip(beaten, over, strict=True))
    return f"best are {' and '.join(best)}: {'; '.join(judged)}"


def _describe_equal(values: Sequence[NDArray[np.float64]]) -> str:
    same = all(np.array_equal(values[0], other) for other in values[1:])
    return "rank every query equally well" if same else "reach the same mean"


def _read_models(store: Store, question: Question) -> dict[Model, NDArray[np.float64]]:
    """The values of all queries of all folds, by method and training convention.

    A query without a figure counts as 0, as in the mean of the tool that leaves it out.
    """
    stored = _pair(store, question).values
    return {question.models[label]: np.nan_to_num(values) for label, values in stored.items()}


def _pair(store: Store, question: Question) -> PairedSystems:
    return store.paired(question.measure, question.tool, question.subject, question.models)


# Blue, black and red as in the paper, in Okabe and Ito's shades; dashes tell them apart in grey.
_STYLES = {"yahoo": ("#0072B2", "-"), DEFINITION: ("#1a1a1a", "--"), "letor4": ("#D55E00", ":")}
_OTHERS = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#0072B2", "#D55E00", "#1a1a1a")


def write_convention_figures(curves: Sequence[Curve], folder: Path) -> list[Path]:
    """`figure-1` and `figure-2` as SVG and PNG; the paths written.

    Figure 1 has a row for each method that was trained under several conventions and a column for
    each evaluating tool, and says of which a convention only chose the model; Figure 2 shows all
    methods trained by the definition, where there are any.
    """
    with matplotlib.rc_context(SETTINGS):
        drawings = {"figure-1": _by_training(curves)}
        if any(curve.trained == DEFINITION for curve in curves):
            drawings["figure-2"] = _by_method(curves)
        return [
            _save(drawing, folder / f"{name}.{ending}")
            for name, drawing in drawings.items()
            for ending in ("svg", "png")
        ]


def _by_training(curves: Sequence[Curve]) -> Any:
    trained: dict[str, set[str]] = {}
    for curve in curves:
        trained.setdefault(curve.method, set()).add(curve.trained)
    methods = [method for method, tools in trained.items() if len(tools) > 1]
    drawing, axes, tools = _panels(curves, len(methods))
    for row, method in enumerate(methods):
        for column, tool in enumerate(tools):
            chosen = [one for one in curves if (one.method, one.evaluated) == (method, tool)]
            for curve in chosen:
                _draw(axes[row][column], curve, curve.trained, *_STYLES.get(
                    curve.trained, (_OTHERS[0], "-.")))  # fmt: skip
            shaped = " (chosen only)" if any(one.chosen_only for one in chosen) else ""
            axes[row][column].set_title(f"{method}{shaped}, evaluated by {tool}", fontsize=7)
    _finish(drawing, axes, "trained under")
    return drawing


def _by_method(curves: Sequence[Curve]) -> Any:
    chosen = [curve for curve in curves if curve.trained == DEFINITION]
    methods = list(dict.fromkeys(curve.method for curve in chosen))
    drawing, axes, tools = _panels(curves, 1)
    for curve in chosen:
        axis = axes[0][tools.index(curve.evaluated)]
        _draw(axis, curve, curve.method, _OTHERS[methods.index(curve.method) % len(_OTHERS)], "-")
        axis.set_title(f"trained by the definition, evaluated by {curve.evaluated}", fontsize=7)
    _finish(drawing, axes, "method")
    return drawing


def _panels(curves: Sequence[Curve], rows: int) -> tuple[Any, Any, list[str]]:
    tools = list(dict.fromkeys(curve.evaluated for curve in curves))
    drawing = new_drawing(3.0 * max(1, len(tools)), 2.3 * max(1, rows))
    axes = drawing.subplots(max(1, rows), max(1, len(tools)), squeeze=False)
    return drawing, axes, tools


def _draw(axis: Any, curve: Curve, label: str, colour: str, line: str) -> None:
    axis.errorbar(curve.cut_offs, curve.means, yerr=curve.errors, label=label, color=colour,
                  linestyle=line, linewidth=1.0, elinewidth=0.4, capsize=1.5)  # fmt: skip


def _finish(drawing: Any, axes: Any, title: str) -> None:
    for axis in axes.flat:
        axis.set_xlabel("cut-off")
        axis.set_ylabel("NDCG")
    axes[0][0].legend(title=title, title_fontsize=6.5)
    drawing.tight_layout()


def _save(drawing: Any, path: Path) -> Path:
    stream = io.BytesIO()
    ending = path.suffix[1:]
    metadata = {"Date": None} if ending == "svg" else {}
    drawing.savefig(stream, format=ending, metadata=metadata, dpi=200)
    with written_whole(path) as target:
        target.write(stream.getvalue())
    return path


def write_conventions(store: Store, question: Question, folder: Path) -> list[str]:
    """Training conventions compared, as `findings.md` and the paper's figures; the sentences."""
    sentences = explain_conventions(store, question)
    write_text(folder / "findings.md", "".join(f"- {sentence}\n" for sentence in sentences))
    curves = compute_curves(store, question)
    if curves:
        write_convention_figures(curves, folder)
    return sentences


def main(argv: Sequence[str] | None = None) -> None:
    """Compare the training conventions of an experiment that was run."""
    parser = argparse.ArgumentParser(description="Compare the conventions of an experiment.")
    parser.add_argument("experiment", help="a TOML file, or the name of a shipped experiment")
    parser.add_argument("--store", type=Path, default=Path("results.sqlite"))
    parser.add_argument("--data", action="append", help="as `bench` had it")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    given = parser.parse_args(argv)
    choices = {} if given.data is None else {"data": given.data}
    questions = find_questions(rw.plan(given.experiment, **choices).plan)
    if not questions:
        raise RankwiseError(f"{given.experiment} trains no ranker under several conventions")
    with Store.read(given.store) as store:
        for question in questions:
            name = plain_name("-".join(filter(None, question.subject)))
            folder = make_folder(given.output / name if len(questions) > 1 else given.output)
            for sentence in write_conventions(store, question, folder):
                print(sentence)


if __name__ == "__main__":
    main()
