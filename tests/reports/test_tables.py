from __future__ import annotations

import csv
import io
import re

from rankwise.comparison.method_ranking import Comparison, compare_table
from rankwise.comparison.resampling import resample_datasets
from rankwise.reports.comparison_tables import make_measures_table, make_ranking_table
from rankwise.results.result_table import ResultTable
from rankwise.sanitize import plain_cell
from rankwise.tables.table import Estimate, Table, format_csv, format_latex, format_markdown

from .conftest import HOSTILE

ROW = Table(("a", "b", "c"), ("A", "B", "C"), (("x", 0.123456, None), ("y", 1.0, True)))


def test_csv_gives_numbers_in_full_and_reads_back(made: Comparison) -> None:
    read = list(csv.DictReader(io.StringIO(format_csv(make_ranking_table(made)))))
    assert [row["method"] for row in read] == [plain_cell(row.method) for row in made.rows]
    assert [float(row["nwn"]) for row in read] == [row.nwn for row in made.rows]
    assert [row["pareto"] == "true" for row in read] == [row.pareto for row in made.rows]


def test_names_in_csv_are_no_formulas_and_numbers_stay_numbers() -> None:
    marked = Estimate(-0.25, 0.5, "-")
    rows = (("=1+1", -0.5, marked, "-0.5"), ("@SUM(A1)", 2, Estimate(0.5, None, "+"), "+1+1"))
    table = Table(("name", "value", "-x()", "text"), ("", "", "", ""), rows)
    assert format_csv(table).splitlines() == [
        "name,value,'-x(),'-x() margin,'-x() mark,text",
        "'=1+1,-0.5,-0.25,0.5,-,-0.5",
        "'@SUM(A1),2,0.5,,+,'+1+1",
    ]


def test_people_see_four_decimals_and_nothing_for_nothing() -> None:
    assert r"x & 0.1235 &  \\" in format_latex(ROW)
    assert "| y | 1.0000 | yes |" in format_markdown(ROW)


def test_numbers_stand_right_and_texts_left() -> None:
    table = Table(("a", "b"), ("A", "B"), (("x", 1), ("y", None)))
    assert r"\begin{tabular}{lr}" in format_latex(table)
    assert "|:---|---:|" in format_markdown(table)


def test_latex_names_are_text() -> None:
    table = Table(("a",), ("A",), ((r"$x_1^2$ \input{a} 50% & #~<>|",),))
    assert (
        r"\$x\_1\textasciicircum{}2\$ \textbackslash{}input\{a\} 50\% \& "
        r"\#\textasciitilde{}\textless{}\textgreater{}\textbar{} \\"
    ) in format_latex(table)


def test_markdown_names_are_text(made: Comparison) -> None:
    text = format_markdown(make_ranking_table(made))
    columns = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines()}
    assert columns == {len(make_ranking_table(made).keys) + 1}
    assert not re.search(r"(?<!\\)[<>`]", text)
    assert len(text.splitlines()) == 2 + len(made.rows)


def test_every_hostile_name_stays_on_its_line(made: Comparison) -> None:
    assert len(format_latex(make_ranking_table(made)).splitlines()) == len(made.rows) + 6
    read = list(csv.DictReader(io.StringIO(format_csv(make_ranking_table(made)), newline="")))
    assert {plain_cell(name) for name in HOSTILE} < {row["method"] for row in read}


def test_one_measure_is_ranked_with_the_front_against_data_sets() -> None:
    # Y has more data sets than the methods of d1 but fewer rivals, so only one front has it.
    values = {"d1": "a9 b8 c7", "d2": "Y6 Z5", "d3": "Y4 Z5"}
    rows = [
        {"collection": "", "dataset": d, "method": m, "measure": "MAP", "value": int(v) / 10}
        for d, results in values.items()
        for m, v in results.split()
    ]
    comparison = compare_table(ResultTable.from_rows(rows))
    table = make_ranking_table(comparison)
    assert "Data sets" in table.titles
    pareto = {row[1] for row in table.rows if row[table.keys.index("pareto")]}
    assert pareto == {"a", "Y", "Z"}
    assert set(comparison.front()) == {"a"}


def test_bootstrap_adds_intervals(made: Comparison) -> None:
    found = resample_datasets(made, 10)
    table = make_ranking_table(made, found)
    assert table.keys[-4:] == ("nwn_lower", "nwn_upper", "front_share", "warning")
    assert [row[-2] for row in table.rows] == [one.front_share for one in found.intervals]
    assert [row[-1] for row in table.rows] == [one.warning for one in found.intervals]


def test_the_table_of_measures_has_the_layout_of_table_b6(tax: Comparison) -> None:
    table = make_measures_table(tax)
    rows = {row[0]: dict(zip(table.keys, row, strict=True)) for row in table.rows}
    listnet = rows["ListNet"]
    assert round(float(listnet["NDCG@3 nwn"] or 0), 4) == 0.4480
    assert listnet["NDCG@3 datasets"] == 12
    assert (listnet["wn"], listnet["iwn"]) == (461, 931)
    assert rows["ADMM"]["MAP nwn"] is None
