"""`rankwise literature`: list, show, cite, check."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.comparison.literature_commands import literature
from rankwise.errors import RankwiseError
from rankwise.results import SHIPPED, read_shipped

HEADER = "collection,dataset,method,measure,value,source"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(literature, list(arguments))


def printed(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert isinstance(result.exception, RankwiseError)
    return str(result.exception)


def test_list_names_every_table_with_its_counts_and_source() -> None:
    listed = {entry["name"]: entry for entry in json.loads(printed("list", "--format", "json"))}
    assert list(listed) == [table.name for table in SHIPPED]
    assert listed["dearank_tables_2_to_5"]["rows"] == 1430
    assert listed["dearank_tables_2_to_5"]["source"] == "Jiang and Lin (2014)"
    assert listed["tax2015_table_b6"]["methods"] == 87
    table = printed("list")
    assert all(name in table for name in listed)


def test_show_filters_by_method_data_set_and_metric() -> None:
    asked = ["--method", "ListNet", "--dataset", "TD2003", "--measure", "map", "--format", "json"]
    (row,) = json.loads(printed("show", "dearank_tables_2_to_5", *asked))
    assert (row["method"], row["dataset"], row["value"]) == ("ListNet", "TD2003", 0.275)


def test_show_as_csv_is_the_whole_table_and_nothing_else() -> None:
    rows = list(
        csv.DictReader(io.StringIO(printed("show", "dearank_tables_2_to_5", "--format", "csv")))
    )
    assert [float(row["value"]) for row in rows] == read_shipped().value.tolist()


def test_show_as_table_fits_and_says_what_is_misprinted() -> None:
    result = run("show", "tax2015_table_b6", "--method", "MHR")
    assert "0.75/1" in result.stdout
    assert "0.5714" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert "17/41 = .4146" in result.stderr


def test_show_says_what_it_cannot_find() -> None:
    assert "did you mean dearank_table_8?" in refused("show", "dearank_table_9")
    assert "has no column dataset" in refused("show", "tax2015_table_b6", "--dataset", "TD2003")
    assert "no row of" in refused("show", "tax2015_table_b6", "--method", "nobody")
    assert "there is no measure" in refused("show", "dearank_table_8", "--measure", "fame")


def test_cite_a_method_as_text_with_the_sources_of_its_results() -> None:
    text = printed("cite", "LambdaMART")
    assert text.startswith("Burges, C. J. C. (2010). From RankNet to LambdaRank to LambdaMART")
    assert "Its published results are from:\nAsadi, N. and Lin, J. (2013)." in text


def test_cite_a_table_as_bibtex() -> None:
    text = printed("cite", "tax2015_table_b6", "--format", "bibtex")
    assert text.startswith("@article{Tax2015,")


def test_cite_a_method_without_a_paper_gives_its_sources() -> None:
    text = printed("cite", "Best Single Feature")
    assert "No paper that proposed it is named." in text
    assert "Gomes, G." in text


def test_cite_a_table_names_its_paper_and_no_further_sources() -> None:
    text = printed("cite", "tax2015_table_b6")
    assert text.startswith("Tax, N.")
    assert len(text.splitlines()) == 1


def test_cite_suggests_the_nearest_method() -> None:
    assert "did you mean 'ListNet'?" in refused("cite", "ListNett")


def test_check_names_file_and_line_of_what_it_finds(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    lines = [f"C,X,m{n},MAP,0.40{n}1,study" for n in range(6)]
    path.write_text("\n".join([HEADER, *lines, "C,X,far,MAP,0.9001,study", ""]))
    found = json.loads(printed("check", str(path), "--format", "json", "--kind", "far off"))
    (finding,) = found
    assert finding["rows"] == [f"{path}:8"]
    assert finding["reason"] is None
    assert "robust z +" in finding["sentence"]
    table = printed("check", str(path))
    assert "t.csv:8" in table
    assert "2 findings in 7 results" in table


def test_check_takes_shipped_tables_beside_files(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\nLETOR 3.0,TD2003,ListNet,MAP,0.299,mine\n")
    found = json.loads(printed("check", "dearank_tables_2_to_5", str(path), "--format", "json"))
    assert [(finding["kind"], finding["reason"], finding["rows"]) for finding in found] == [
        ("baseline higher", 6, [f"{path}:2"])
    ]


def test_check_tells_problems_of_the_file_beside_the_findings(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\nC,X,A,MAP,nan,mine\nC,X,A,NDGC@3,0.5,mine\n")
    result = run("check", str(path))
    assert result.exit_code == 0
    assert f"{path}:2: a value must be finite" in result.stderr
    assert f"{path}:3: there is no measure 'NDGC@3'; did you mean 'NDCG@3'?" in result.stderr


def test_names_from_a_file_never_become_markup(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{HEADER}\nC,X,[red]A[/red],ERR,0.5,[bold]study[/bold]\n")
    assert "[bold]study[/bold]" in printed("check", str(path))


def test_check_refuses_an_unknown_kind(tmp_path: Path) -> None:
    assert "no finding is of the kind 'odd'" in refused("check", "dearank_table_8", "--kind", "odd")


@pytest.mark.parametrize("command", ["list", "show", "cite", "check"])
def test_every_command_has_examples(command: str) -> None:
    assert f"rankwise literature {command}" in printed(command, "--help")
