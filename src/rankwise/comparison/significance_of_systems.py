"""Is one system better than another by more than luck? From scores, or from a store.

With what LETOR's and MSLR's own scripts print of the difference between two systems.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.query_values import (
    Values,
    check_mean,
    has_query_values,
    read_query_values,
    stored_values,
)
from rankwise.comparison.scored_systems import pair_systems
from rankwise.comparison.significance_tests import (
    Procedure,
    SystemComparison,
    compare_systems,
    letor_report,
    mslr_report,
)
from rankwise.data.catalog.home import locate
from rankwise.data.reading import read
from rankwise.data.scores.evaluation_input import JudgedFiles
from rankwise.data.shared_queries import QueryPrints, number_queries
from rankwise.errors import Advice, RankwiseError
from rankwise.files import is_file
from rankwise.measures.evaluation import Evaluation, evaluate
from rankwise.measures.measure import measure_list
from rankwise.progress import Stage, silent_stage
from rankwise.results.store.store import is_store
from rankwise.results.store.stored_values import describe_copies
from rankwise.tables.notebook import Rows, SmallInterval, Tabular, shortened

DEFAULT_MEASURE = "NDCG@10"
Systems = Mapping[str, Any] | Sequence[str | Path]


@dataclass(frozen=True, eq=False)
class Significance(Tabular):
    """Systems compared: by which tool's measures, how, and what came out.

    `remarks` tell which methods, folds and queries were left out, and what the intervals are of;
    each comparison has its own `warnings`.
    """

    tool: str
    procedure: Procedure
    level: float
    all_pairs: bool
    comparisons: tuple[SystemComparison, ...]
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        found = ", ".join(
            f"{one.system} {one.difference:+.4f} in {one.measure} (p = {one.adjusted_p_value:.4f})"
            for one in self.comparisons
        )
        against = "" if self.all_pairs else f" against {self.comparisons[0].baseline}"
        return shortened(f"Significance by {self.procedure.test}{against}: {found}")

    def records(self) -> list[dict[str, Any]]:
        """One flat record a comparison; what is not known is None, warnings are one text.

        An infinite statistic stays one; JSON, which has no infinity, shows it as `"inf"`.
        """
        return [self._record(one) for one in self.comparisons]

    def _record(self, one: SystemComparison) -> dict[str, Any]:
        record = {
            "measure": one.measure,
            "tool": self.tool,
            "baseline": one.baseline,
            "system": one.system,
            "queries": one.queries,
            "baseline_mean": one.baseline_mean,
            "system_mean": one.system_mean,
            "difference": one.difference,
            "interval": one.interval.kind,
            "confidence": one.interval.confidence,
            "low": one.interval.low,
            "high": one.interval.high,
            "interval_adjusted": False,
            "cohen_d": one.effect.cohen_d,
            "hedges_g": one.effect.hedges_g,
            "rank_biserial": one.effect.rank_biserial,
            "wins": one.effect.wins,
            "ties": one.effect.ties,
            "losses": one.effect.losses,
            "test": one.result.test,
            "method": one.result.method,
            "statistic": one.result.statistic,
            "p_value": one.result.p_value,
            "correction": self.procedure.correction,
            "adjusted_p_value": one.adjusted_p_value,
            "significant": one.significant(self.level),
            "warnings": "; ".join(one.warnings) or None,
        }
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in record.items()
        }

    def _table(self) -> Rows:
        records = self.records()
        return tuple(records[0]), [tuple(one.values()) for one in records]

    def _shown(self) -> Rows:
        titles = ("measure", "baseline", "system", "difference", "low", "high", "adjusted_p_value")
        found = self.records()
        ends = [abs(one[end]) for one in found for end in ("low", "high") if one[end] is not None]
        reach = max((end for end in ends if math.isfinite(end)), default=0.0)
        rows = [
            [
                *(one[title] for title in titles),
                None
                if one["low"] is None
                else SmallInterval(one["difference"], one["low"], one["high"], reach),
            ]
            for one in found
        ]
        return (*titles, "interval around 0"), rows


def significance(
    data: Any,
    systems: Systems = (),
    measures: str | Iterable[str] = DEFAULT_MEASURE,
    tool: str | None = None,
    *,
    dataset: str | None = None,
    all_pairs: bool = False,
    level: float = 0.05,
    trec: bool = False,
    stage: Stage = silent_stage,
    **how: Any,
) -> Significance:
    """Test whether systems differ.

    Args:
        data: a data set or its file, which the systems score; a folder of folds, whose test queries
            are taken together; values per query as `evaluate --per-query --format csv` writes them,
            in a file or a frame; or the store of an experiment.
        systems: scores, or their files, by the name of the system, or files alone; the first is the
            baseline. Of folds, patterns such as `fold{fold}.scores`. Of a store the names of
            methods: all where only the baseline or none is named.
        measures: what is compared.
        tool: whose conventions compute it; by default the definition, or the store's own.
        dataset: which data set of a store, where it holds several.
        all_pairs: compare every system with every other.
        trec: that data are qrels and systems runs; a judged query that a run lacks is a list
            without documents.
        level: below which p-value a difference counts as significant.
        stage: is told how far it is.
        how: the further keywords are those of `Procedure`: test, correction, family, interval,
            confidence, samples, seed.
    """
    procedure = Procedure(**how)
    if not 0.0 < level < 1.0:
        raise RankwiseError(f"the level must lie between 0 and 1, found {level}")
    wanted = [str(measure) for measure in measure_list(measures) or ()]
    if isinstance(data, str | Path) and is_store(data):
        _refuse_others("a store", trec=trec)
        named = [str(one) for one in systems]
        chosen, values, remarks = stored_values(data, named, wanted, tool, dataset)
    elif has_query_values(data):
        _refuse_others("values per query", dataset=dataset, trec=trec)
        named = [str(one) for one in systems]
        chosen, values = read_query_values(data, named, wanted, tool)
        remarks = []
    elif isinstance(data, str | Path) and not trec and not is_file(locate(data)):
        _refuse_others("a folder of folds", dataset=dataset)
        source, folds = pair_systems(data, _refuse_few(_named(systems)))
        chosen, remarks = tool or source.tool, []
        prints, parts = list[QueryPrints](), list[Values]()
        for path, scored in folds:
            part = read(path)
            prints.append(QueryPrints.of(part))
            parts.append(_values_of(evaluate_systems(part, scored, wanted, chosen, stage), wanted))
        numbers = number_queries(prints)
        values = _join_folds(parts, numbers)
        copies = len(numbers) - len(np.unique(numbers))
        remarks += describe_copies(copies, len(numbers))
    else:
        _refuse_others("scores of a data set", dataset=dataset)
        chosen = tool or "definition"
        found = evaluate_systems(data, systems, wanted, chosen, stage, trec=trec)
        remarks = list(dict.fromkeys(said for one in found.values() for said in one.remarks))
        values = _values_of(found, wanted)
    compared = compare_systems(values, procedure, all_pairs=all_pairs)
    remarks += [*_absent(values, chosen), *_describe_intervals(compared, procedure)]
    return Significance(chosen, procedure, level, all_pairs, tuple(compared), tuple(remarks))


def _values_of(found: Mapping[str, Evaluation], measures: Sequence[str]) -> Values:
    return {name: {system: one[name].values for system, one in found.items()} for name in measures}


def _join_folds(folds: Sequence[Values], numbers: NDArray[np.int64]) -> Values:
    """The values of the queries of all folds, one fold after another; the same query once."""
    counts = np.bincount(numbers)
    return {
        measure: {
            system: np.bincount(numbers, np.concatenate([fold[measure][system] for fold in folds]))
            / counts
            for system in systems
        }
        for measure, systems in folds[0].items()
    }


def evaluate_systems(
    data: Any,
    systems: Systems,
    measures: Sequence[str] | None,
    tool: str,
    stage: Stage = silent_stage,
    *,
    trec: bool = False,
) -> dict[str, Evaluation]:
    """Evaluate the scores of systems by measures that paired tests can compare."""
    scored = _refuse_few(_named(systems))
    judgements, odd = data, list[str]()
    if trec:
        judgements = JudgedFiles(data, trec=True, missing_queries="zero", say=odd.append)
    elif isinstance(data, str | Path):
        judgements = read(data)
    advance = stage("evaluating", len(scored))
    found: dict[str, Evaluation] = {}
    for name, scores in scored.items():
        one = evaluate(judgements, scores, measures, tool)
        found[name] = replace(one, remarks=(*one.remarks, *odd))
        advance(len(found))
    _check_testable(next(iter(found.values())))
    return found


def _refuse_few(scored: dict[str, Any]) -> dict[str, Any]:
    if len(scored) < 2:
        raise RankwiseError(f"a comparison needs at least two score files, found {len(scored)}")
    return scored


def _refuse_others(what: str, *, dataset: str | None = None, trec: bool = False) -> None:
    """Refuse what has no meaning for data of this kind, rather than leave it aside."""
    if dataset is not None:
        raise RankwiseError(
            f"only of a store a data set is chosen, found {what}", Advice("leave out {}", "dataset")
        )
    if trec:
        raise RankwiseError(f"only qrels have runs, found {what}", Advice("leave out {}", "trec"))


def _check_testable(evaluation: Evaluation) -> None:
    for reason in evaluation.refused.values():
        raise RankwiseError(reason)
    for name, result in evaluation.results.items():
        check_mean(name, result.measure.average)


def _named(systems: Systems) -> dict[str, Any]:
    """File names where they tell the systems apart, else paths, numbered where one comes back."""
    if isinstance(systems, Mapping):
        return dict(systems)
    if isinstance(systems, str | Path):
        systems = [systems]
    short = [Path(path).name for path in systems]
    names = short if len(set(short)) == len(short) else [str(path) for path in systems]
    seen: Counter[str] = Counter()
    for place, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[place] = f"{name} ({seen[name]})"
    return dict(zip(names, map(Path, systems), strict=True))


def _absent(values: Mapping[str, Mapping[str, NDArray[np.float64]]], tool: str) -> list[str]:
    """Queries that have no value of their own, in words."""
    said = []
    for measure, systems in values.items():
        first = next(iter(systems.values()))
        absent = int(np.isnan(first).sum())
        if absent:
            said.append(
                f"{measure}: {absent} of {len(first)} queries have no figure of their own "
                f"with {tool} and are left out"
            )
    return said


def _describe_intervals(compared: Sequence[SystemComparison], procedure: Procedure) -> list[str]:
    """A sentence where p-values are adjusted for several comparisons and intervals are not."""
    families = Counter("" if procedure.family == "run" else one.measure for one in compared)
    if procedure.correction == "none" or max(families.values()) < 2:
        return []
    return [
        f"each {100 * procedure.confidence:g} % interval is of its comparison alone: p-values are "
        f"adjusted for {max(families.values())} comparisons, intervals are not"
    ]


def print_as_script(
    data: Any,
    scores: Sequence[str | Path],
    measures: Sequence[str] = (),
    tool: str | None = None,
    stage: Stage = silent_stage,
) -> str:
    """What the script of `letor3`, or of `mslr`, prints for two systems, A and B.

    `measures` are those of LETOR's script where none are named; MSLR's tests one.
    """
    if isinstance(data, str | Path) and is_store(data):
        raise RankwiseError(
            "a script prints the figures of score files, found the store of experiments"
        )
    chosen = tool or "letor3"
    if chosen not in ("letor3", "mslr"):
        raise RankwiseError(f"the scripts of letor3 and mslr are known, found the tool {chosen!r}")
    if len(scores) != 2:
        raise RankwiseError(f"a script compares two score files, found {len(scores)}")
    if chosen == "mslr" and len(measures) != 1:
        raise RankwiseError(
            f"the MSLR script tests one measure, found {len(measures)}",
            Advice("name one with {}", "measures"),
        )
    a, b = evaluate_systems(data, scores, measures or None, chosen, stage).values()
    if chosen == "mslr":
        return mslr_report(a[measures[0]].values, b[measures[0]].values)
    return letor_report(_by_script_name(a), _by_script_name(b), *map(str, scores))


def _by_script_name(evaluation: Evaluation) -> Mapping[str, NDArray[np.float64]]:
    found = {}
    for result in evaluation.results.values():
        measure = result.measure
        name = "MAP" if measure.family == "AP" else measure.family
        found[name if measure.cutoff is None else f"{name}@{measure.cutoff}"] = result.values
    return found
