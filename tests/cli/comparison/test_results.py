"""`rankwise results`: check, convert, merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.comparison.result_commands import results
from rankwise.errors import RankwiseError
from rankwise.results import read_results

HEADER = "collection,dataset,method,measure,value,fold"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(results, [str(argument) for argument in arguments])


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join([HEADER, *lines, ""]))
    return path


def test_check_names_every_problem_and_exits_1(tmp_path: Path) -> None:
    good = table(tmp_path / "good.csv", "C,X,A,MAP,.5,")
    bad = table(tmp_path / "bad.csv", "C,X,A,MAP,5,", "C,X,B,MAP,inf,")
    assert run("check", good).exit_code == 0
    result = run("check", good, bad)
    assert result.exit_code == 1
    assert [line.split(": ")[0] for line in result.stdout.splitlines()] == [f"{bad}:2", f"{bad}:3"]


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "parquet"])
def test_convert_keeps_the_results(tmp_path: Path, ending: str) -> None:
    source = table(tmp_path / "in.csv", "C,X,A,MAP,.5,1", "C,Y,A,MAP,.25,")
    target = tmp_path / f"out.{ending}"
    assert run("convert", source, target).exit_code == 0
    assert read_results(target) == read_results(source)


def test_convert_a_wide_table(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("method,TD2003,TD2004\nA,.1,.2\n")
    options = ("--wide", "ndcg@10", "--collection", "LETOR 3.0", "--study", "a paper")
    assert run("convert", tmp_path / "wide.csv", tmp_path / "long.csv", *options).exit_code == 0
    long = read_results(tmp_path / "long.csv")
    assert long.datasets() == ["LETOR 3.0 TD2003", "LETOR 3.0 TD2004"]
    assert set(long.measure) == {"NDCG@10"}
    assert set(long.source) == {"a paper"}


def test_merge_refuses_a_conflict_and_names_the_files(tmp_path: Path) -> None:
    one, two = (table(tmp_path / f"{n}.csv", f"C,X,A,MAP,.{n},") for n in (1, 2))
    out = tmp_path / "out.csv"
    result = run("merge", one, two, "--output", out)
    assert isinstance(result.exception, RankwiseError)
    assert f"0.1 ({one}, row 1) and 0.2 ({two}, row 1)" in str(result.exception)
    assert not out.exists()
    assert run("merge", one, two, "--output", out, "--conflicts", "mean").exit_code == 0
    assert read_results(out).value.tolist() == pytest.approx([0.15])


def test_merge_may_average_folds(tmp_path: Path) -> None:
    one = table(tmp_path / "1.csv", "C,X,A,MAP,.1,1")
    two = table(tmp_path / "2.csv", "C,X,A,MAP,.3,2")
    assert run("merge", one, two, "--output", tmp_path / "o.csv", "--average-folds").exit_code == 0
    assert read_results(tmp_path / "o.csv").value.tolist() == pytest.approx([0.2])
