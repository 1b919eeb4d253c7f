"""Results: short in a terminal, a table in a notebook with names as text, and data frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.tables.notebook import MOST_CHARACTERS, MOST_ROWS, html_table, shortened

NAME = "<b>&amp"
ESCAPED = "&lt;b&gt;&amp;amp"


@pytest.fixture(scope="module")
def data() -> rw.Dataset:
    made = rw.normalize(make_dataset(12, seed=2), "query-level")
    names = [f"{NAME}{number}" for number in range(made.n_features)]
    return replace(made, feature_names=tuple(names))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = ["collection,dataset,method,measure,value\n"]
    values = iter(range(1, 100))
    for dataset in ("A", "B", "C"):
        lines += [f"made,{dataset},{name},MAP,0.{next(values)}\n" for name in (NAME, "x", "y")]
    path: Path = tmp_path_factory.mktemp("results") / "table.csv"
    path.write_text("".join(lines))
    return path


def make_evaluation(data: rw.Dataset, table: Path) -> Any:
    return rw.evaluate(data, data.features[:, 0], [f"NDCG@{n}" for n in range(1, 60)])


def make_significance(data: rw.Dataset, table: Path) -> Any:
    systems = {f"{NAME}{n}": data.features[:, n] for n in range(5)}
    return rw.significance(data, systems, "MAP")


RESULTS: dict[str, Callable[[rw.Dataset, Path], Any]] = {
    "dataset": lambda data, table: data,
    "description": lambda data, table: rw.describe(data),
    "evaluation": make_evaluation,
    "measure": lambda data, table: make_evaluation(data, table)["NDCG@3"],
    "explanation": lambda data, table: rw.explain(
        data, data.features[:, 0], "NDCG@10", "letor4", "yahoo"
    ),
    "significance": make_significance,
    "model": lambda data, table: rw.fit("ridge-regression", data),
    "ranker": lambda data, table: rw.describe_ranker("lambdamart"),
    "results": lambda data, table: rw.read_results(table),
    "comparison": lambda data, table: rw.compare(table),
    "placements": lambda data, table: rw.place(table),
    "features": lambda data, table: rw.weigh_features([rw.data.Fold(1, data, data, data)]),
}
# What shows a name that comes from outside.
WITH_NAMES = ("description", "significance", "model", "results", "comparison", "placements")
every_result = pytest.mark.parametrize("kind", RESULTS)


@every_result
def test_a_terminal_shows_one_short_line(kind: str, data: rw.Dataset, table: Path) -> None:
    shown = repr(RESULTS[kind](data, table))
    assert 0 < len(shown) <= MOST_CHARACTERS
    assert "\n" not in shown


@every_result
def test_a_notebook_shows_a_table(kind: str, data: rw.Dataset, table: Path) -> None:
    page = RESULTS[kind](data, table)._repr_html_()
    assert page.startswith("<table>")
    assert page.count("<tr>") <= MOST_ROWS + 1
    assert NAME not in page
    assert (ESCAPED in page) >= (kind in WITH_NAMES)


@every_result
def test_a_frame_has_everything(kind: str, data: rw.Dataset, table: Path) -> None:
    frame = RESULTS[kind](data, table).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) > 0


def test_the_frame_of_an_evaluation_is_in_long_form(data: rw.Dataset) -> None:
    found = rw.evaluate(data, data.features[:, 0], "MAP,P@1")
    frame = found.to_frame()
    assert list(frame.columns) == ["tool", "measure", "query", "value"]
    means = frame[frame["query"] == "all"].set_index("measure")["value"].to_dict()
    assert means == found.means()
    values = found["MAP"].to_frame()["value"]
    assert np.array_equal(values.to_numpy(), list(found["MAP"].per_query.values()))


def test_long_tables_are_cut_and_counted() -> None:
    page = html_table("many", ["n"], ([n] for n in range(MOST_ROWS + 5)))
    assert page.count("<tr>") == MOST_ROWS + 1
    assert "and 5 more rows" in page


@pytest.mark.parametrize(
    ("cell", "shown"),
    [(None, "<td></td>"), (True, "<td>True</td>"), (0.5, ">0.5000<"), (1234, ">1,234<")],
)
def test_cells(cell: object, shown: str) -> None:
    assert shown in html_table("", ["x"], [[cell]])


def test_texts_are_shortened_to_one_line() -> None:
    assert shortened("a\n b") == "a b"
    assert shortened("x" * 300) == "x" * (MOST_CHARACTERS - 1) + "…"
