"""The shipped figures: as many as the papers print, and the same."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from rankwise import results
from rankwise.errors import RankwiseError
from rankwise.results import (
    REASONS,
    SHIPPED,
    ShippedTable,
    read_shipped,
    read_shipped_rows,
)
from rankwise.results.result_validation import find_problems

FIGURES = Path(results.__file__).parent / "published/figures"


def test_dearank_tables_are_dense_within_each_collection() -> None:
    table = read_shipped()
    assert len(table) == 7 * 16 * 11 + 2 * 9 * 11
    for collection, datasets, methods in (("LETOR 3.0", 7, 16), ("LETOR 4.0", 2, 9)):
        part = table.where(collection=collection)
        assert len(part.datasets()) == datasets
        assert len(part.methods()) == methods
        assert len(part) == datasets * methods * 11
    assert find_problems(table) == []


def test_single_cells_of_the_papers() -> None:
    def value(name: str, **cell: str) -> float:
        return float(read_shipped(name).where(**cell).value.item())

    cell = {"dataset": "HP2003", "method": "Ridge Regression", "measure": "NDCG@2"}
    assert value("dearank_tables_2_to_5", **cell) == 0.787
    cell = {"dataset": "HP2003", "method": "DEARank-I-MAP", "measure": "NDCG@2"}
    assert value("dearank_table_8", **cell) == 0.8
    assert read_shipped_rows("tax2015_table_b6")[0] == {
        "method": "AdaRank-MAP",
        "ndcg3_nwn": 0.3529,
        "ndcg3_ds": 12,
        "ndcg5_nwn": 0.3884,
        "ndcg5_ds": 12,
        "ndcg10_nwn": 0.3648,
        "ndcg10_ds": 13,
        "map_nwn": 0.3206,
        "map_ds": 12,
        "cross_wn": 334,
        "cross_iwn": 940,
        "cross_nwn": 0.3553,
    }
    assert read_shipped_rows("tax2015_table_b6")[2]["ndcg3_nwn"] is None
    assert read_shipped_rows("tax2015_table_4")[0] == {
        "method": "ListNet",
        "left_out": "All",
        "nwn": 0.4952,
        "iwn": 931,
    }


def test_tables_a5_and_b6_hold_the_same_87_methods() -> None:
    methods = [row["method"] for row in read_shipped_rows("tax2015_table_a5")]
    assert len(set(methods)) == 87
    assert sorted(methods) == sorted(row["method"] for row in read_shipped_rows("tax2015_table_b6"))


def test_cross_nwn_of_table_b6_is_wn_over_iwn_but_for_the_misprint() -> None:
    wrong = {
        row["method"]
        for row in read_shipped_rows("tax2015_table_b6")
        if abs(row["cross_wn"] / row["cross_iwn"] - row["cross_nwn"]) > 0.000_1
    }
    assert wrong == {"MHR"}
    (entry,) = [table for table in SHIPPED if table.name == "tax2015_table_b6"]
    assert "MHR (.5714 for 17/41 = .4146)" in entry.remarks[0]


FROM_THE_TEXT = {
    "tax2015_table_2", "tax2015_table_3", "tax2015_excluded_studies", "dearank_table_8_changes",
}  # fmt: skip
GATHERED = {"published_results", "modern_results"}
OWN = {"rankwise_dense", "rankwise_dense_runs", "rankwise_dense_data"}
COPIED = [entry for entry in SHIPPED if entry.name not in {*FROM_THE_TEXT, *GATHERED, *OWN}]


@pytest.mark.parametrize("entry", COPIED, ids=lambda entry: entry.name)
def test_every_shipped_table_is_the_printed_one(entry: ShippedTable, shared: Path) -> None:
    folder = "compiled" if entry.name == "tax2015_results" else "from-papers"
    printed = shared / "literature" / folder / f"{entry.name}.csv"
    # The compilation was made when the column was called metric; all else is the same.
    expected = printed.read_bytes().replace(b",metric,", b",measure,", 1)
    assert (FIGURES / f"{entry.name}.csv").read_bytes() == expected
    assert read_shipped_rows(entry.name)


def test_the_published_results_are_the_collected_ones(shared: Path) -> None:
    with (shared / "literature/compiled/published_results.csv").open(encoding="utf-8") as stream:
        collected = list(csv.DictReader(stream))
    with (FIGURES / "published_results.csv").open(encoding="utf-8") as stream:
        shipped = list(csv.DictReader(stream))
    assert len(shipped) == len(collected) == 3261
    for ours, theirs in zip(shipped, collected, strict=True):
        for column in ("collection", "dataset", "method", "value"):
            assert ours[column] == theirs[column]
        assert ours["measure"] == theirs["metric"]
        # Sources are named by the label of their citation; remarks are in our own words.
        assert _years(ours["source"]) <= _years(theirs["source"]) | {"2020", "2021"}


def _years(source: str) -> set[str]:
    return set(re.findall(r"\d{4}[a-c]?", source))


def test_the_1050_results_are_the_first_of_the_published_ones() -> None:
    survey, wider = read_shipped("tax2015_results"), read_shipped("published_results")
    assert (len(survey), len(survey.methods()), len(survey.datasets())) == (1050, 87, 19)
    first = wider.take(np.arange(len(wider)) < len(survey))
    for column in ("collection", "dataset", "method", "measure", "value", "source"):
        assert getattr(first, column).tolist() == getattr(survey, column).tolist(), column


def test_every_result_but_one_names_its_source() -> None:
    for name in ("tax2015_results", "published_results"):
        table = read_shipped(name)
        nameless = [row for row in table.rows() if not row["source"]]
        assert [(row["method"], row["dataset"], row["measure"]) for row in nameless] == [
            ("AdaRank-MAP", "Yahoo set 1", "NDCG@10")
        ]


def test_search_counts_and_excluded_studies_are_those_of_the_text(shared: Path) -> None:
    text = (shared / "papers/cross-benchmark.txt").read_text("utf-8")
    start = text.index("Benchmark\tPaper")
    tables = text[start : text.index("Table 3: Google")]
    for row in read_shipped_rows("tax2015_table_2"):
        assert re.search(rf"\b{row['forward_references']}\b", tables)
    for row in read_shipped_rows("tax2015_table_3"):
        assert f'"{row["search_query"]}"\t{row["results"]}\n' in tables
    rows = read_shipped_rows("tax2015_excluded_studies")
    listed = text[text.index("1. A different evaluation") : text.index("# 3. A Methodology")]
    found = re.findall(r"[(;]\s*([^;()]+?),\s+(\d{4}[a-z]?)(?=[;)])", " ".join(listed.split()))
    assert {f"{authors} ({year})" for authors, year in found} == {row["study"] for row in rows}
    assert {(row["reason"], row["kind"]) for row in rows} == {
        (number, kind) for kind, number in REASONS.items()
    }


def test_the_changes_of_table_8_are_those_of_the_text(shared: Path) -> None:
    text = (shared / "papers/dearank.txt").read_text("utf-8")
    printed = re.findall(r"^P\. C\. \(%\)\t(.*)$", text, re.MULTILINE)
    rows = read_shipped_rows("dearank_table_8_changes")
    assert [float(cell) for line in printed for cell in line.split("\t")] == [
        row["printed_change"] for row in rows
    ]
    assert list(dict.fromkeys(row["dataset"] for row in rows)) == [
        "HP2003", "NP2003", "TD2003", "OHSUMED", "MQ2008",
    ]  # fmt: skip


def test_every_shipped_file_is_listed() -> None:
    assert {file.stem for file in FIGURES.glob("*.csv")} == {entry.name for entry in SHIPPED}


def test_a_table_that_is_not_shipped_gets_the_nearest_name() -> None:
    with pytest.raises(RankwiseError, match="did you mean tax2015_table_b6"):
        read_shipped_rows("tax2015_table_b7")
    with pytest.raises(RankwiseError, match="holds no results of methods on data sets"):
        read_shipped("tax2015_table_b6")


def test_figures_beyond_letor_name_fold_tool_and_convention() -> None:
    table = read_shipped("modern_results")
    assert set(table.collection) == {"MSLR", "Yahoo LTRC", "Istella"}
    for row in table.rows():
        # A convention is named by the measure, or by a tool whose it is.
        assert "(" in row["measure"] or row["tool"] in ("gdeval", "tf-ranking")
        assert row["source"] and row["note"]

    def value(method: str, measure: str, **where: str) -> list[float]:
        chosen = table.where(method=method, measure=measure, dataset="MSLR-WEB30K", **where)
        return chosen.value.tolist()

    assert value("LightGBM", "NDCG(empty=1)@5", fold="1") == [0.510007]
    assert value("LambdaMART (LightGBM)", "NDCG(empty=skip)@5", fold="1") == [0.4966]
    assert value("LambdaRank (LightGBM)", "NDCG@10", tool="gdeval") == [0.5046]
    whole = value("allRank self-attention, NDCGLoss 2++", "NDCG(empty=1)@5")
    assert whole == [0.5265]


def test_conventions_and_splits_beyond_letor_are_not_compared_with_each_other() -> None:
    from rankwise.comparison import compare

    comparison = compare("modern_results")
    cells = {}
    for row in comparison.table.take(comparison.cells.row).rows():
        place = row["dataset"], row["measure"]
        cells.setdefault(place, set()).add((row.get("version"), row.get("tool") == "gdeval"))
    assert all(len(kinds) == 1 for kinds in cells.values())
    assert any("fold 1 alone" in remark for remark in comparison.remarks)
