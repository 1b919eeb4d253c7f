from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.comparison.compare_command import compare
from rankwise.comparison.method_ranking import compare_table as compare_table
from rankwise.errors import RankwiseError
from rankwise.results import read_results
from rankwise.results.benchmark_runs import write_dense
from rankwise.results.published.published_tables import read_shipped, read_shipped_rows
from tests.literature.made_dense import make_dense

HEADER = "collection,dataset,method,measure,value,source\n"
VALUES = {"d1": (0.9, 0.5, 0.1), "d2": (0.8, 0.5, 0.5), "d3": (0.3, 0.4, 0.1)}
KEYS = ["method", "wn", "iwn", "nwn", "datasets", "pareto", "rank2"]


def rows(measure: str = "MAP", names: str = "ABC", shift: float = 0.0) -> str:
    return "".join(
        f"Made,{dataset},{method},{measure},{value + shift},Study {dataset}\n"
        for dataset, values in VALUES.items()
        for method, value in zip(names, values, strict=True)
    )


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text(HEADER + rows("MAP") + rows("NDCG@10", shift=0.05))
    return str(path)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(compare, arguments)
    if isinstance(result.exception, RankwiseError):
        raise result.exception
    return result


def objects(*arguments: str) -> list[dict[str, Any]]:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    return list(json.loads(result.stdout))


def test_json_is_a_list_of_objects_with_these_keys(table: str) -> None:
    found = objects(table, "--ideal", "observed")
    assert [list(one) for one in found] == [KEYS] * 3
    # A wins 2 + 2 + 1 in each measure, B 1 + 0 + 2 (level with C on d2), C nothing.
    assert [(one["method"], one["wn"], one["iwn"]) for one in found] == [
        ("A", 10, 12),
        ("B", 6, 12),
        ("C", 0, 12),
    ]
    assert found[0]["nwn"] == 10 / 12
    assert found[0]["datasets"] == 3
    assert [one["pareto"] for one in found] == [True, False, False]
    assert [one["rank2"] for one in found] == [False, True, False]


def test_one_measure_is_chosen_in_any_spelling(table: str) -> None:
    (best, *_) = objects(table, "--measure", "ndcg @ 10")
    assert (best["method"], best["wn"], best["datasets"]) == ("A", 5, 3)


def test_a_measure_that_is_not_there_is_named(table: str) -> None:
    with pytest.raises(RankwiseError, match=r"'NDCG@5'; it has MAP, NDCG@10"):
        run(table, "--measure", "NDCG@5")


def test_the_rules_reach_the_comparison(tmp_path: Path) -> None:
    path = tmp_path / "tied.csv"
    path.write_text(HEADER + "M,d,A,MAP,0.5,s\nM,d,B,MAP,0.5,s\nM,d,C,MAP,0.1,s\n")
    assert [one["iwn"] for one in objects(str(path))] == [1, 1, 1]
    assert [one["iwn"] for one in objects(str(path), "--ideal", "definition")] == [2, 2, 2]
    strict = objects(str(path), "--dominance", "strict")
    assert [one["pareto"] for one in strict] == [True, True, True]


def test_the_table_names_the_fronts(table: str) -> None:
    text = run(table).stdout
    assert "Pareto front: A\n" in text
    assert "Rank-2 front: B\n" in text
    assert "0.8333" in text


@pytest.mark.parametrize(
    "output_format, start",
    [("csv", "rank,method,nwn"), ("latex", r"\begin{tabular}"), ("markdown", "| \\# | Method |")],
)
def test_other_formats_are_printed(table: str, output_format: str, start: str) -> None:
    assert run(table, "--format", output_format).stdout.startswith(start)


def test_bootstrap_adds_its_keys_and_is_repeatable(table: str) -> None:
    first = objects(table, "--bootstrap", "20", "--seed", "7")
    assert list(first[0]) == [*KEYS, "nwn_lower", "nwn_upper", "front_share", "warning"]
    assert first == objects(table, "--bootstrap", "20", "--seed", "7")


def test_without_a_table_the_shipped_results_are_compared() -> None:
    result = run("--format", "json")
    expected = compare_table(read_shipped("tax2015_results")).rows
    assert [one["method"] for one in json.loads(result.stdout)] == [row.method for row in expected]
    assert "Tax, Bockting and Hiemstra (2015)" in result.stderr


def test_own_results_join_a_shipped_table_by_its_name(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(HEADER + "LETOR 3.0,OHSUMED,Mine,MAP,0.99,mine\n")
    found = {one["method"]: one for one in objects(str(own), "dearank_tables_2_to_5")}
    assert found["Mine"]["nwn"] == 1.0
    assert len(found) == len(read_shipped().methods()) + 1


def test_two_tables_that_disagree_are_refused_unless_a_rule_is_given(
    table: str, tmp_path: Path
) -> None:
    other = tmp_path / "other.csv"
    other.write_text(HEADER + "Made,d1,A,MAP,0.1,Other\nMade,d1,D,MAP,0.2,Other\n")
    with pytest.raises(RankwiseError, match=r"0\.9.*0\.1"):
        run(table, str(other))
    first = {one["method"]: one["wn"] for one in objects(table, str(other), "--conflicts", "first")}
    last = {one["method"]: one["wn"] for one in objects(table, str(other), "--conflicts", "last")}
    assert first["A"] > last["A"]


def test_figures_of_another_tool_are_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "tools.csv"
    lines = ["A,MAP,0.5,x", "A,MAP,0.7,y", "B,MAP,0.6,x"]
    header = "collection,dataset,method,measure,value,tool\n"
    path.write_text(header + "".join(f"M,d,{line}\n" for line in lines))
    assert [one["method"] for one in objects(str(path))] == ["B", "A"]
    said = "left out: MAP of A on M d: by y, the others by x"
    assert said in run(str(path)).stderr
    assert all(said in one["remarks"][0] for one in objects(str(path)))
    folder = tmp_path / "out"
    run(str(path), "--output", str(folder), "--figures", "none")
    assert said in (folder / "report.html").read_text("utf-8")


def test_methods_without_a_rival_are_named_beside(table: str, tmp_path: Path) -> None:
    lonely = tmp_path / "lonely.csv"
    lonely.write_text(HEADER + "Made,d9,[red]Alone,MAP,0.5,s\n")
    result = run(table, str(lonely))
    assert "[red]Alone" in result.stderr
    assert "Alone" not in result.stdout


def test_out_writes_tables_figures_and_page(table: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    result = run(table, "--output", str(folder), "--figures", "svg", "--title", "Mine & theirs")
    assert result.exit_code == 0
    assert "report.html" in result.stderr
    assert "Mine &amp; theirs" in (folder / "report.html").read_text("utf-8")
    ranking = list(csv.DictReader(io.StringIO((folder / "ranking.csv").read_text())))
    assert [row["method"] for row in ranking] == ["A", "B", "C"]
    drawn = {path.name for path in (folder / "figures").iterdir()}
    assert {"nwn-map.svg", "nwn-ndcg-10.svg", "nwn-across.svg", "heat-map.svg"} < drawn
    assert not any(name.startswith("tax2015") or name.endswith(".png") for name in drawn)


def test_without_a_table_out_draws_the_paper_s_figures_on_the_page(tmp_path: Path) -> None:
    run("--output", str(tmp_path), "--figures", "none")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert all(f"Figure {number} of Tax et al. (2015)" in page for number in range(1, 6))


def test_without_matplotlib_tables_and_page_are_still_written(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(table, "--output", str(tmp_path / "out"))
    assert result.exit_code == 0
    assert "the extra 'figures'; install them: pip install 'matplotlib" in result.stderr
    assert (tmp_path / "out/report.html").exists()
    assert (tmp_path / "out/ranking.tex").exists()


@pytest.mark.parametrize("formats", ["gif", "", "png,none"])
def test_figure_formats_are_checked_before_anything_is_read(formats: str) -> None:
    with pytest.raises(RankwiseError, match="--figures takes png, svg, pdf"):
        run("no-such-file.csv", "--figures", formats)


def test_a_file_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(RankwiseError, match=r"there is no table 'no-such-file\.csv'"):
        run("no-such-file.csv")


def test_without_a_table_all_numbers_of_table_b6_are_given() -> None:
    found = {one["method"]: one for one in objects()}
    printed = {
        row["method"]: (row["cross_wn"], row["cross_iwn"])
        for row in read_shipped_rows("tax2015_table_b6")
    }
    assert len(found) == 87
    assert {name: (one["wn"], one["iwn"]) for name, one in found.items()} == printed


def test_the_collected_file_gives_the_paper_s_fronts(shared: Path) -> None:
    path = shared / "literature/compiled/tax2015_results.csv"
    found = {one["method"]: one for one in objects(str(path), "--ideal", "observed")}
    assert list(found.values()) == objects()
    assert len(found) == len(read_results(path).methods()) == 87
    front = {name for name, one in found.items() if one["pareto"]}
    assert front == {
        "AdaRank-NDCG", "RankBoost", "AdaRank-MAP", "ListNet", "SmoothRank", "FenchelRank",
        "FSMRank", "LRUF", "LARF", "LambdaNeuralRank",
    }  # fmt: skip
    assert (found["ListNet"]["wn"], found["ListNet"]["iwn"]) == (461, 931)


def test_credible_says_what_is_left_out() -> None:
    result = run("--credible", "--format", "json")
    assert "left out: 99 of 1,050 results are marked" in result.stderr
    assert "feedback: 30 (learns from feedback on the queries that are scored)" in result.stderr
    assert not {"LRUF", "LARF"} & {one["method"] for one in json.loads(result.stdout)}


def test_parts_left_out_are_printed_as_table_4() -> None:
    found = objects("--leave-out", "measure")
    numbers = {(one["method"], one["left_out"] or "All"): one for one in found}
    for row in read_shipped_rows("tax2015_table_4"):
        one = numbers[row["method"], row["left_out"]]
        assert (one["iwn"], round(one["nwn"], 4)) == (row["iwn"], row["nwn"])
    text = run("--leave-out", "measure").stdout
    assert "with each measure left out" in text
    assert "without MAP:" in text


def test_bias_is_printed_and_one_table_at_a_time() -> None:
    text = run("--bias").stdout
    assert "NWN by the number of results" in text
    assert "its authors" in text
    with pytest.raises(RankwiseError, match="prints one table"):
        run("--bias", "--leave-out", "study", "--format", "csv")


def test_own_results_stand_beside_those_of_others_in_columns_of_numbers(tmp_path: Path) -> None:
    own, other = "Cao et al. (2007)", "official LETOR 3.0 baseline"  # ListNet's paper, and no one's
    path = tmp_path / "t.csv"
    path.write_text(
        f"{HEADER}C,d1,ListNet,MAP,0.9,{own}\nC,d1,B,MAP,0.1,{other}\n"
        f"C,d2,ListNet,MAP,0.1,{other}\nC,d2,B,MAP,0.9,{other}\n"
    )
    lines = run(str(path), "--bias").stdout.splitlines()
    (heading,) = (line for line in lines if "NWN own" in line)
    (row,) = (line for line in lines if line.split()[:1] == ["ListNet"])
    assert row.split() == ["ListNet", "1", "1.0000", "1", "0.0000", "1.0000"]
    titles = ["Own", "NWN own", "Others", "NWN others", "Gain"]
    ends = [re.search(rf"(?<=  ){title}(?=  |$)", heading.rstrip()).end() for title in titles]  # type: ignore[union-attr]
    assert [found.end() for found in re.finditer(r"[\d.]+", row)] == ends


def test_methods_are_ranked_by_another_estimator() -> None:
    found = json.loads(run("--by", "scaled-mixed-model", "--format", "json").stdout)
    rows = found["rows"]
    assert [one["rank"] for one in rows[:2]] == [1, 2]
    assert rows[0]["lower"] <= rows[0]["score"] <= rows[0]["upper"]
    assert len(rows) == 87
    assert "prediction errors" in " ".join(found["remarks"])
    printed = run("--by", "bradley-terry")
    assert "Bradley-Terry" in printed.stdout and "NWN" not in printed.stdout
    assert "one data set: no interval" in printed.stderr
    assert run("--by", "mean-rank", "--format", "csv").stdout.startswith("rank,method,score,lower")
    with pytest.raises(RankwiseError, match="lets every result count alike"):
        run("--by", "mean-rank", "--weights", "datasets")


def test_one_table_is_printed(table: str) -> None:
    with pytest.raises(RankwiseError, match="prints one table"):
        run(table, "--leave-out", "measure", "--bias", "--format", "csv")


@pytest.fixture
def dense(tmp_path: Path) -> str:
    """The folder of a made-up dense table."""
    write_dense(make_dense(), tmp_path / "dense")
    return str(tmp_path / "dense")


def test_a_dense_table_is_compared_by_its_folder(dense: str) -> None:
    found = json.loads(run(dense, "-m", "MAP", "--format", "json").stdout)
    assert found[0]["method"] == "LambdaMART"
    assert {one["datasets"] for one in found} == {4}


@pytest.mark.parametrize("words", [(), ("--methods", "ListNet,RankBoost,AdaRank-MAP")])
def test_printed_figures_of_all_methods_are_of_reports_of_all_methods(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    run(*words, "-o", str(tmp_path), "--figures", "none")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert ("tax2015-figure-1" in page) == (not words)


def test_results_are_chosen_and_weighed() -> None:
    chosen = ("--collection", "LETOR 4.0", "--dataset", "MQ2008", "--methods", "ListNet,RankBoost")
    assert {one["method"] for one in objects(*chosen)} == {"ListNet", "RankBoost"}
    plain, weighed = objects(), objects("--weights", "datasets")
    assert {one["method"]: one["iwn"] for one in plain} == {
        one["method"]: one["iwn"] for one in weighed
    }
    assert plain != weighed


def test_a_fresh_process_loads_no_compiler() -> None:
    code = (
        "import sys; from click.testing import CliRunner; "
        "from rankwise.cli.comparison.compare_command import compare; "
        "r = CliRunner().invoke(compare, ['--credible', '--leave-out', 'study', '--bias']); "
        "print(r.exit_code, {'scipy', 'numba', 'pandas', 'matplotlib'} & set(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert answer.stdout.decode().strip() == "0 set()"


@pytest.fixture
def one_dataset(tmp_path: Path) -> str:
    path = tmp_path / "one.csv"
    path.write_text(HEADER + "".join(line for line in rows().splitlines(True) if ",d1," in line))
    return str(path)


def test_one_data_set_has_no_probability_of_the_front(one_dataset: str, tmp_path: Path) -> None:
    """Terminal, JSON and page say the same."""
    found = objects(one_dataset, "--bootstrap", "50")
    assert {(one["front_share"], one["nwn_lower"], one["warning"]) for one in found} == {
        (None, None, "one data set")
    }
    folder = tmp_path / "report"
    printed = run(one_dataset, "--bootstrap", "50", "--figures", "none", "-o", str(folder))
    assert printed.stdout.count("1.0000") == 1  # the best NWN, and no probability
    sentence = "here is one data set, and nothing to draw anew"
    assert sentence in printed.stderr
    page = (folder / "report.html").read_text()
    assert sentence in page and "one data set" in page


def test_few_results_are_warned_of_on_terminal_in_json_and_page(table: str, tmp_path: Path) -> None:
    found = objects(table, "--bootstrap", "20")
    assert {one["warning"] for one in found} == {"few results"}
    folder = tmp_path / "report"
    printed = run(table, "--bootstrap", "20", "--figures", "none", "-o", str(folder))
    assert printed.stdout.split().count("few") == 3
    sentence = "too few methods and data sets"
    assert sentence in printed.stderr
    page = (folder / "report.html").read_text()
    assert sentence in page and "few results" in page


def test_percentiles_can_be_asked_for(table: str) -> None:
    spread, percentile = (
        objects(table, "--bootstrap", "200", "--interval", kind)
        for kind in ("spread", "percentile")
    )
    assert {one["warning"] for one in percentile} == {"few data sets"}
    wider = [
        one["nwn_upper"] - one["nwn_lower"] >= other["nwn_upper"] - other["nwn_lower"]
        for one, other in zip(spread, percentile, strict=True)
    ]
    assert all(wider)
