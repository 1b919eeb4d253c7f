"""Every family of measures from `bench` to the report, under its own name and in its own range.

One experiment with all families at once is run, stored, shown, exported, compared, placed and
reported; each family is then looked for at every stage. Families that nothing computes (they are
only known from publications) enter with the table.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankwise as rw
from rankwise.cli.comparison.result_commands import STORE_COMMANDS
from rankwise.cli.experiments.bench_command import bench
from rankwise.comparison import Comparison, compare
from rankwise.data.folds import compose_folds, cut_into_parts, find_folds, read_fold, write_folds
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset
from rankwise.measures.evaluation import evaluate
from rankwise.measures.families.family import Family
from rankwise.measures.families.registry import FAMILIES
from rankwise.measures.measure import family_of, lower_is_better, result_name
from rankwise.rankers.linear.best_feature import BestFeature
from rankwise.reports.comparison_report import Report, make_report, write_report
from rankwise.reports.page.content import make_page_data
from rankwise.results import ResultTable, TableError, read_results, stack_results, write_results
from tests.experiments.running import tasks_here
from tests.stores import reading

COMMANDS: dict[str | None, Any] = {command.name: command for command in STORE_COMMANDS}
FOLDS = (1, 2)
EVERY = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
COMPUTED = pytest.mark.parametrize(
    "family", [one for one in FAMILIES if one.compute], ids=lambda family: family.name
)
METHODS = ("best-feature", "ridge-regression")


def asked(family: Family) -> str:
    """What a user writes: a cut-off where the family may have one."""
    return family.name if family.cutoff == "none" else f"{family.name}@10"


def named(family: Family) -> str:
    """What tables call it: the family's own name, or that of its mean over queries."""
    return asked(family).replace(family.name, family.mean_name or family.name, 1)


@dataclass(frozen=True)
class Stages:
    """The experiment, and what became of it at each stage."""

    folds: Path
    store: Path
    shown: dict[str, Any]
    table: ResultTable
    comparison: Comparison
    report: Report
    folder: Path

    def value(self, method: str, measure: str) -> float:
        """The mean over folds in the table that was written and read."""
        own = self.table.where(method=method, measure=measure).value
        return float(own.mean())


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    home = tmp_path_factory.mktemp("every")
    dataset = normalize(make_dataset(15, seed=5), "query-level")
    write_folds(compose_folds(cut_into_parts(dataset)), home / "tiny")
    store = home / "results.sqlite"
    measures = ",".join(asked(family) for family in FAMILIES if family.compute)
    with tasks_here():
        invoke(bench, "--data", home / "tiny", "--ranker", ",".join(METHODS),
               "--measure", measures, "--fold", ",".join(map(str, FOLDS)),
               "--tool", "definition", "--jobs", 1, "--store", store)  # fmt: skip
    (shown,) = json.loads(invoke(COMMANDS["show"], store, "--format", "json"))
    invoke(COMMANDS["export"], store, home / "exported.csv")
    both = stack_results([read_results(home / "exported.csv"), published()])
    write_results(both, home / "results.csv")
    table = read_results(home / "results.csv")
    comparison = compare(table, ideal="definition")
    report = make_report(comparison, "Every measure")
    write_report(report, home / "report", formats=())
    return Stages(home / "tiny", store, shown, table, comparison, report, home / "report")


def invoke(command: Any, *words: object) -> str:
    result = CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def published() -> ResultTable:
    """Made-up values of the families that nothing computes, on a data set of their own."""
    return ResultTable.from_rows(
        {"collection": "Published", "dataset": "d", "method": method, "value": value,
         "measure": named(family)}
        for family in FAMILIES
        if family.compute is None
        for method, value in zip(METHODS, (0.25, 0.75), strict=True)
    )  # fmt: skip


@COMPUTED
def test_the_store_holds_what_the_evaluation_of_the_model_gives(
    stages: Stages, family: Family
) -> None:
    stored = {
        one.name.fold: one.value
        for one in reading(stages.store).values()
        if (one.name.method, one.measure) == (METHODS[0], named(family))
    }
    assert sorted(stored) == list(FOLDS)
    for files in find_folds(stages.folds):
        if files.number in stored:
            fold = read_fold(files)
            scores = BestFeature().fit(fold.train, fold.validation).score(fold.test)
            expected = evaluate(fold.test, scores, asked(family), "definition")[asked(family)].mean
            assert stored[files.number] == expected


@COMPUTED
def test_the_store_is_shown_under_the_name(stages: Stages, family: Family) -> None:
    place = stages.shown["measures"].index(named(family))
    figures = {row["method"]: row["figures"][place] for row in stages.shown["rows"]}
    assert figures == {method: stages.value(method, named(family)) for method in METHODS}


@COMPUTED
def test_the_export_holds_every_value_exactly(stages: Stages, family: Family) -> None:
    stored = {
        (one.name.method, str(one.name.fold)): one.value
        for one in reading(stages.store).values()
        if one.measure == named(family)
    }
    own = stages.table.where(measure=named(family))
    cells = zip(own.method.tolist(), own.fold.tolist(), strict=True)
    assert dict(zip(cells, own.value.tolist(), strict=True)) == stored
    assert len(stored) == len(METHODS) * len(FOLDS)


@EVERY
def test_the_comparison_knows_the_direction(stages: Stages, family: Family) -> None:
    alone = compare(stages.table, measures=[asked(family)], ideal="definition")
    assert alone.measures == (named(family),)
    sign = -1 if family.lower_is_better else 1
    first, second = (sign * stages.value(method, named(family)) for method in METHODS)
    expected = {METHODS[0]: int(first > second), METHODS[1]: int(second > first)}
    assert {row.method: row.wn for row in alone.ranking} == expected
    together = stages.comparison.per_measure[named(family)]
    assert {row.method: row.wn for row in together} == expected


@EVERY
def test_a_method_is_placed_in_the_measure(stages: Stages, family: Family) -> None:
    own, others = (stages.table.where(method=method) for method in METHODS)
    found = rw.place(own, others, measures=[asked(family)], ideal="definition", resamples=5)
    place = found[METHODS[0]].place
    assert place is not None and place.iwn == 1
    assert found.comparison.measures == (named(family),)
    assert found[METHODS[0]].unmatched == ()


@EVERY
def test_the_report_shows_name_and_values(stages: Stages, family: Family) -> None:
    data = make_page_data(stages.report)
    number = data["measures"].index(named(family))
    (column,) = [one for one in data["columns"] if one["measure"] == number]
    methods = [data["methods"][code] for code in column["methods"]]
    assert dict(zip(methods, column["values"], strict=True)) == {
        method: stages.value(method, named(family)) for method in METHODS
    }
    with (stages.folder / "measures.csv").open(newline="") as stream:
        (header, *_) = csv.reader(stream)
    assert f"{named(family)} nwn" in header
    assert f'"{named(family)}"' in (stages.folder / "report.html").read_text()


def test_hits_and_success_stand_side_by_side(stages: Stages) -> None:
    both = [stages.shown["measures"].index(name) for name in ("Hits@10", "Success@10")]
    for row in stages.shown["rows"]:
        hits, success = (row["figures"][place] for place in both)
        assert hits > 1 >= success


@EVERY
def test_the_range_is_that_of_the_family(family: Family, tmp_path: Path) -> None:
    def written(value: float) -> Path:
        row = {"collection": "c", "dataset": "d", "method": "m", "measure": asked(family)}
        write_results(ResultTable.from_rows([{**row, "value": value}]), tmp_path / "t.csv")
        return tmp_path / "t.csv"

    low, high = family.range
    for inside in (low, high if high < float("inf") else 5.375):
        (name,) = read_results(written(inside)).measures()
        assert name == named(family)
    for outside in (low - 0.5, high + 0.5):
        if abs(outside) < float("inf"):
            with pytest.raises(TableError, match="must lie from"):
                read_results(written(outside))


def test_the_names_are_those_of_the_families() -> None:
    names = [named(family) for family in FAMILIES]
    assert len(set(names)) == len(FAMILIES)
    for family in FAMILIES:
        assert result_name(asked(family)) == named(family)
        assert family_of(named(family)) is family
        assert lower_is_better(named(family)) == family.lower_is_better
    assert family_of("Hits@10").range[1] > 5.375 > family_of("NDCG@10").range[1]
