"""`rankwise significance`: is one system better than another by more than luck?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np
from numpy.typing import NDArray

from rankwise.cli.measures.significance_output import as_csv, as_row, print_comparisons
from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, progress
from rankwise.comparison.significance import Procedure, compare_systems
from rankwise.comparison.significance.corrections import CORRECTIONS
from rankwise.comparison.significance.intervals import INTERVALS
from rankwise.comparison.significance.systems import FAMILIES, TESTS
from rankwise.errors import RankwiseError
from rankwise.results.store import is_store

if TYPE_CHECKING:
    from rankwise.measures.evaluation import Evaluation
    from rankwise.results.completeness import Rule
    from rankwise.results.store_systems import PairedValues

DEFAULT_MEASURE = "NDCG@10"
Rows = Mapping[str, NDArray[np.float64]]


@click.command()
@click.argument("data", type=click.Path(), metavar="DATA|STORE")
@click.argument("scores", nargs=-1, type=click.Path(), metavar="[A.scores B.scores...|METHOD...]")
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="A measure, as in evaluate; may be repeated.  [default: NDCG@10; with --format tool all "
    "that the script prints]",
)
@click.option(
    "--tool", default=None, help="Whose conventions compute the measures, as in evaluate."
)
@click.option("--test", type=click.Choice(list(TESTS)), default="t", show_default=True)
@click.option(
    "--correction",
    type=click.Choice(list(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for several comparisons.",
)
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="measure",
    show_default=True,
    help="What is corrected together: each measure's comparisons, or all of the run.",
)
@click.option("--all-pairs", is_flag=True, help="Compare every system with every other.")
@click.option(
    "--dataset", help="Which data set of a store, or NAME/VERSION; needed where it holds several."
)
@click.option("--interval", type=click.Choice(INTERVALS), default="t", show_default=True)
@click.option("--confidence", type=float, default=0.95, show_default=True)
@click.option("--level", type=float, default=0.05, show_default=True, help="Marked below this p.")
@click.option(
    "--samples",
    type=int,
    help="Resamples drawn.  [default: randomization 100000, bootstrap 10000]",
)
@click.option("--seed", type=int, default=0, show_default=True)
@format_option("table", "json", "csv", "tool")
def significance(
    data: str,
    scores: tuple[str, ...],
    measures: tuple[str, ...],
    tool: str | None,
    test: str,
    correction: str,
    family: str,
    all_pairs: bool,
    dataset: str | None,
    interval: str,
    confidence: float,
    level: float,
    samples: int | None,
    seed: int,
    output_format: str,
) -> None:
    """Test whether systems differ, from their scores for the documents of DATA.

    The first score file is the baseline; differences are the other system minus the baseline.
    Score files hold one score a line, in the order of DATA. DATA may also be the store of an
    experiment; the systems are then its methods, by name: all of them where only the baseline or
    none is named, and without a name the first method of the plan is the baseline. Methods that
    lack folds or seeds of the others are left out, and said.

    \b
    Examples:
      rankwise significance test.txt bm25.scores mine.scores
      rankwise significance test.txt a.scores b.scores c.scores --all-pairs -m MAP -m NDCG@5
      rankwise significance test.txt a.scores b.scores --test randomization --format json
      rankwise significance test.txt a.scores b.scores --tool letor3 --format tool
      rankwise significance results.sqlite ridge-regression -m MAP
    """
    procedure = Procedure(test, correction, family, interval, confidence, samples, seed)
    if not 0.0 < level < 1.0:
        raise RankwiseError(f"the level must lie between 0 and 1, found {level}")
    stored = is_store(data)
    if not stored and len(scores) < 2:
        raise RankwiseError(f"a comparison needs at least two score files, found {len(scores)}")
    if output_format == "tool":
        if stored:
            raise RankwiseError("--format tool is for score files, found the store of experiments")
        click.echo(_script_text(data, scores, measures, tool), nl=False)
        return
    wanted = measures or (DEFAULT_MEASURE,)
    if stored:
        chosen, figures = _stored_figures(data, scores, wanted, tool, dataset)
    else:
        chosen = tool or "definition"
        figures = _figures(data, scores, wanted, chosen)
    compared = compare_systems(figures, procedure, all_pairs=all_pairs)
    _note_absent(figures, chosen)
    if output_format == "table":
        print_comparisons(compared, chosen, procedure, level, all_pairs)
        return
    rows = [as_row(one, chosen, procedure, level) for one in compared]
    if output_format == "json":
        print_json(rows)
    else:
        click.echo(as_csv(rows), nl=False)


def _stored_figures(
    store: str,
    methods: Sequence[str],
    measures: Sequence[str],
    tool: str | None,
    dataset: str | None,
) -> tuple[str, dict[str, dict[str, NDArray[np.float64]]]]:
    """The tool, and figures per query of the methods of a store, the baseline first."""
    from rankwise.measures.tools.registry import find_tool
    from rankwise.results.completeness import said_by_measure
    from rankwise.results.store import Store

    named = methods if len(methods) > 1 else ()
    rule: Rule = "everyone" if named else "most"
    with Store.read(store) as opened, opened.snapshot():
        subject, own = opened.find_subject(dataset)
        chosen = tool or own
        for one in measures:
            _check_mean(one, find_tool(chosen).measure(one).average)
        _check_methods(store, methods, opened.methods(subject))
        found = {one: opened.paired(one, chosen, subject, named, rule) for one in measures}
        left_out = opened.explain_left_out(subject)
    said = said_by_measure({one: systems.sentences for one, systems in found.items()})
    for sentence in (*left_out, *said):
        note(sentence)
    return chosen, {one: _chosen(store, systems, methods) for one, systems in found.items()}


def _check_methods(store: str, methods: Sequence[str], there: Sequence[str]) -> None:
    for method in methods:
        if method not in there:
            raise RankwiseError(f"{store} has no method {method!r}; it has {', '.join(there)}")
        if methods.count(method) > 1:
            raise RankwiseError(f"each method must be named once, found {method!r} again")


def _chosen(
    store: str, systems: PairedValues, methods: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """The methods to compare: the baseline, which must be there, then the others that are."""
    if methods and methods[0] not in systems.values:
        lacking = systems.lacking.get(methods[0], "figures of this measure")
        raise RankwiseError(
            f"the baseline must have the folds of the others, but {methods[0]} lacks {lacking} in "
            f"{store}; finish the run, or name other methods"
        )
    if len(systems.values) < 2:
        raise RankwiseError(
            f"a comparison needs at least two methods with the same folds, {store} has one"
        )
    wanted = methods if len(methods) > 1 else (*methods, *systems.values)
    return {method: systems.values[method] for method in wanted if method in systems.values}


def _figures(
    data: str, scores: Sequence[str], measures: Sequence[str], tool: str
) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Figures per query by measure and system, in the order asked for."""
    evaluations = dict(zip(_names(scores), _evaluations(data, scores, measures, tool), strict=True))
    return {
        name: {system: one[name].values for system, one in evaluations.items()} for name in measures
    }


def _evaluations(
    data: str, scores: Sequence[str], measures: Sequence[str] | None, tool: str
) -> list[Evaluation]:
    from rankwise.data.reading import read
    from rankwise.evaluation import evaluate

    dataset = read(data)
    found = []
    with progress("evaluating", len(scores)) as advance:
        for path in scores:
            found.append(evaluate(dataset, Path(path), measures, tool))
            advance(len(found))
    _check_testable(found[0])
    return found


def _check_testable(evaluation: Evaluation) -> None:
    for reason in evaluation.refused.values():
        raise RankwiseError(reason)
    for name, result in evaluation.results.items():
        _check_mean(name, result.measure.average)


def _check_mean(measure: str, average: str | None) -> None:
    if average != "mean":
        raise RankwiseError(
            f"a paired test needs a measure that is the mean of its figures per query, "
            f"but {measure} is a {average} figure; choose another with -m"
        )


def _names(scores: Sequence[str]) -> list[str]:
    """File names where they tell the systems apart, else paths, numbered where one comes back."""
    short = [Path(path).name for path in scores]
    names = short if len(set(short)) == len(short) else list(scores)
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[place] = f"{name} ({seen[name]})"
    return names


def _note_absent(figures: Mapping[str, Rows], tool: str) -> None:
    for measure, systems in figures.items():
        values = next(iter(systems.values()))
        absent = int(np.isnan(values).sum())
        if absent:
            note(
                f"{measure}: {absent} of {len(values)} queries have no figure of their own "
                f"with {tool} and are left out"
            )


def _script_text(
    data: str, scores: Sequence[str], measures: Sequence[str], tool: str | None
) -> str:
    """What LETOR's or MSLR's script prints for the first system (A) against the second (B)."""
    from rankwise.comparison.significance import letor_report, mslr_report

    chosen = tool or "letor3"
    if chosen not in ("letor3", "mslr"):
        raise RankwiseError(
            f"--format tool exists for --tool letor3 and --tool mslr, found '{chosen}'"
        )
    if len(scores) != 2:
        raise RankwiseError(f"--format tool compares two score files, found {len(scores)}")
    if chosen == "mslr" and len(measures) != 1:
        raise RankwiseError(
            f"the MSLR script tests one measure; name one with -m, found {len(measures)}"
        )
    a, b = _evaluations(data, scores, measures or None, chosen)
    if chosen == "mslr":
        return mslr_report(a[measures[0]].values, b[measures[0]].values)
    return letor_report(_by_script_name(a), _by_script_name(b), *scores)


def _by_script_name(evaluation: Evaluation) -> Rows:
    found = {}
    for result in evaluation.results.values():
        measure = result.measure
        name = "MAP" if measure.family == "AP" else measure.family
        found[name if measure.cutoff is None else f"{name}@{measure.cutoff}"] = result.values
    return found
