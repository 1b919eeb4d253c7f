"""`rankwise significance`, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.measures.significance_command import significance
from rankwise.comparison.significance_tests import t_test
from rankwise.data.reading import read
from rankwise.errors import RankwiseError

QUERIES = 12
DOCUMENTS = 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve queries of three documents, the second relevant; the last query has but one."""
    rows = [f"{int(d == 1)} qid:{q} 1:{d}\n" for q in range(QUERIES - 1) for d in range(DOCUMENTS)]
    (tmp_path / "data.txt").write_text("".join([*rows, f"1 qid:{QUERIES} 1:0\n"]))
    good = [float(d == 1) for q in range(QUERIES - 1) for d in range(DOCUMENTS)]
    save(tmp_path / "good.scores", [*good, 0.0])
    save(tmp_path / "bad.scores", [*(-score for score in good), 0.0])
    swapped = np.reshape(good, (-1, DOCUMENTS)).copy()
    swapped[3:] *= -1
    save(tmp_path / "mixed.scores", [*swapped.ravel(), 0.0])
    return tmp_path


def save(path: Path, scores: list[float]) -> None:
    path.write_text("".join(f"{score}\n" for score in scores))


def run(folder: Path, *arguments: str) -> Result:
    paths = [str(folder / a) if a.endswith((".scores", ".txt")) else a for a in arguments]
    return CliRunner().invoke(significance, paths)


def records(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    result = run(folder, *arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, list)
    return found


def failure(folder: Path, *arguments: str) -> str:
    result = run(folder, *arguments)
    assert isinstance(result.exception, RankwiseError), result.output
    return str(result.exception)


def test_the_first_file_is_the_baseline(folder: Path) -> None:
    found = records(folder, "data.txt", "bad.scores", "good.scores", "mixed.scores", "-m", "P@1")
    assert [(one["baseline"], one["system"]) for one in found] == [
        ("bad.scores", "good.scores"),
        ("bad.scores", "mixed.scores"),
    ]
    best, mixed = found
    assert best["system_mean"] == 1.0
    assert best["baseline_mean"] == 1 / QUERIES
    assert (best["wins"], best["ties"], best["losses"]) == (QUERIES - 1, 1, 0)
    differences = [1.0] * 3 + [0.0] * (QUERIES - 3)
    assert mixed["difference"] == pytest.approx(3 / QUERIES)
    assert mixed["p_value"] == pytest.approx(t_test(differences).p_value)
    assert mixed["adjusted_p_value"] == pytest.approx(mixed["p_value"])
    assert best["adjusted_p_value"] == pytest.approx(2 * best["p_value"])


def test_all_pairs_and_measures_in_the_order_asked_for(folder: Path) -> None:
    scores = ("bad.scores", "good.scores", "mixed.scores")
    found = records(folder, "data.txt", *scores, "--all-pairs", "-m", "MAP", "-m", "P@1")
    assert [one["measure"] for one in found] == ["MAP"] * 3 + ["P@1"] * 3
    assert (found[2]["baseline"], found[2]["system"]) == ("good.scores", "mixed.scores")


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomization", "bootstrap", "letor"])
def test_every_test_finds_the_better_system(folder: Path, test: str) -> None:
    [one] = records(folder, "data.txt", "bad.scores", "good.scores", "--test", test)
    assert one["test"] == test
    assert one["significant"]
    assert one["p_value"] < 0.01


def test_the_sign_test_by_its_formula(folder: Path) -> None:
    [one] = records(folder, "data.txt", "bad.scores", "good.scores", "--test", "sign", "-m", "P@1")
    assert one["p_value"] == 2 * 0.5 ** (QUERIES - 1)


def test_letors_test_asks_whether_the_system_is_better(folder: Path) -> None:
    [one] = records(folder, "data.txt", "good.scores", "bad.scores", "--test", "letor")
    assert one["p_value"] > 0.99


def test_what_is_not_finite_is_null(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("0 qid:1 1:0\n1 qid:1 1:1\n")
    save(tmp_path / "a.scores", [1.0, 0.0])
    save(tmp_path / "b.scores", [0.0, 1.0])
    [one] = records(tmp_path, "data.txt", "a.scores", "b.scores", "--test", "sign", "-m", "P@1")
    assert (one["low"], one["high"], one["cohen_d"]) == (None, None, None)
    table = run(tmp_path, "data.txt", "a.scores", "b.scores", "--test", "sign", "-m", "P@1")
    assert "–" in table.stdout


def test_csv_holds_the_same_records(folder: Path) -> None:
    arguments = ("data.txt", "bad.scores", "good.scores", "mixed.scores", "--test", "sign")
    rows = list(csv.DictReader(io.StringIO(run(folder, *arguments, "--format", "csv").stdout)))
    expected = records(folder, *arguments)
    assert [list(row) for row in rows] == [list(one) for one in expected]
    assert [float(row["p_value"]) for row in rows] == [one["p_value"] for one in expected]


def test_names_of_systems_in_csv_are_no_formulas(folder: Path) -> None:
    shutil.copy(folder / "good.scores", folder / "=good.scores")
    arguments = ("data.txt", "bad.scores", "=good.scores", "--test", "sign", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(run(folder, *arguments).stdout)))
    assert {row["system"] for row in rows} == {"'=good.scores"}
    assert any(row["low"].startswith("-") or row["difference"] for row in rows)


def test_the_table_marks_what_is_significant(folder: Path) -> None:
    arguments = ("data.txt", "mixed.scores", "good.scores", "bad.scores", "-m", "P@1")
    lines = run(folder, *arguments, "--correction", "none").stdout.splitlines()
    better = next(line for line in lines if line.lstrip().startswith("good.scores"))
    assert "▲" in better
    assert f"{QUERIES - 4}/4/0" in better
    worse = next(line for line in lines if line.lstrip().startswith("bad.scores"))
    assert "▼" not in worse
    marked = run(folder, *arguments, "--correction", "none", "--level", "0.2").stdout
    assert "▼" in marked
    assert "P@1 (definition) against mixed.scores (0.3333), 12 queries" in marked


def test_queries_without_a_figure_are_left_out_and_counted(folder: Path) -> None:
    arguments = ("data.txt", "bad.scores", "good.scores", "-m", "P@3", "--tool", "letor3")
    result = run(folder, *arguments)
    assert f"1 of {QUERIES} queries have no figure of their own with letor3" in result.stderr
    [one] = records(folder, *arguments[:-1], "letor4")
    assert one["queries"] == QUERIES


def test_one_seed_one_output(folder: Path) -> None:
    arguments = (
        "data.txt",
        "bad.scores",
        "mixed.scores",
        "--test",
        "bootstrap",
        "--samples",
        "500",
    )
    same = [run(folder, *arguments, "--interval", "bca", "--seed", "3").stdout for _ in range(2)]
    assert same[0] == same[1]


def test_files_of_one_name_are_told_apart(folder: Path) -> None:
    (folder / "other").mkdir()
    save(folder / "other/good.scores", [0.0] * ((QUERIES - 1) * DOCUMENTS + 1))
    [one] = records(folder, "data.txt", "good.scores", "other/good.scores")
    assert one["baseline"] == str(folder / "good.scores")
    assert one["system"] == str(folder / "other/good.scores")
    [twice] = records(folder, "data.txt", "good.scores", "good.scores")
    assert twice["system"] == f"{folder / 'good.scores'} (2)"
    assert twice["p_value"] == 1.0


def test_names_are_never_markup(folder: Path) -> None:
    (folder / "good.scores").rename(folder / "[red]x.scores")
    result = run(folder, "data.txt", "bad.scores", "[red]x.scores")
    assert "[red]x.scores" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("data.txt", "good.scores"), "needs at least two score files, found 1"),
        (("data.txt", "good.scores", "absent.scores"), "there is no such file"),
        (("data.txt", "good.scores", "bad.scores", "-m", "NGCD@10"), "did you mean 'NDCG@10'?"),
        (("data.txt", "good.scores", "bad.scores", "-m", "RMSE"), "RMSE is a pooled figure"),
        (("data.txt", "good.scores", "bad.scores", "--tool", "letor5"), "there is no tool"),
        (("data.txt", "good.scores", "bad.scores", "--samples", "0"), "at least 1, found 0"),
        (("data.txt", "good.scores", "bad.scores", "--confidence", "95"), "between 0 and 1"),
        (("data.txt", "good.scores", "bad.scores", "--level", "5"), "between 0 and 1, found 5"),
        (
            ("data.txt", "good.scores", "bad.scores", "--tool", "letor3", "-m", "ERR@5"),
            "letor3 does not compute ERR",
        ),
        (
            ("data.txt", "good.scores", "bad.scores", "--tool", "letor3", "-m", "P@1", "-m", "ERR"),
            "letor3 does not compute ERR",
        ),
        (
            ("data.txt", "good.scores", "bad.scores", "--tool", "yahoo", "--format", "tool"),
            "the scripts of letor3 and mslr are known, found the tool 'yahoo'",
        ),
        (
            ("data.txt", "good.scores", "bad.scores", "mixed.scores", "--format", "tool"),
            "compares two score files, found 3",
        ),
        (
            ("data.txt", "good.scores", "bad.scores", "--tool", "mslr", "--format", "tool"),
            "tests one measure, found 0; name one with measures",
        ),
    ],
)
def test_what_cannot_be_done_is_said(
    folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in failure(folder, *arguments)


def test_scores_must_fit_the_data(folder: Path) -> None:
    save(folder / "short.scores", [1.0])
    assert "found 1 scores for 34 rows" in failure(
        folder, "data.txt", "good.scores", "short.scores"
    )


def test_one_query_is_too_few_for_the_t_test(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("0 qid:1 1:0\n1 qid:1 1:1\n")
    save(tmp_path / "a.scores", [1.0, 0.0])
    sentence = failure(tmp_path, "data.txt", "a.scores", "a.scores")
    assert "a paired t-test needs at least two queries, found 1" in sentence


@pytest.fixture(scope="module")
def ohsumed(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """OHSUMED's first test fold and score files of features 11 and 25."""
    data = shared / "data/letor3/OHSUMED/QueryLevelNorm/Fold1/test.txt"
    folder = tmp_path_factory.mktemp("ohsumed")
    features = read(data).features
    for feature in (11, 25):
        save(folder / f"f{feature}.scores", features[:, feature - 1].tolist())
    return folder, [str(data), "f11.scores", "f25.scores", "--format", "tool"]


def test_letors_own_layout_on_real_data(ohsumed: tuple[Path, list[str]], shared: Path) -> None:
    folder, arguments = ohsumed
    lines = run(folder, *arguments).stdout.splitlines()
    golden = json.loads(
        (shared / "golden/real/ttest-OHSUMED-Fold1-f11-vs-f25.json").read_text(encoding="utf-8")
    )
    expected = golden["expected"]["letor-3.0-ttest"]["rows"]
    a, b = folder / "f11.scores", folder / "f25.scores"
    assert lines[:4] == [
        f"t-test results for A: {a} and B: {b}",
        "",
        "",
        "Measure\tNumber of queries\tMean A\tMean B\tt-value\tp-value",
    ]
    assert [(line.split("\t")[0], line.split("\t")[5]) for line in lines[4:]] == [
        (name, row[4]) for name, row in expected.items()
    ]
    some = run(folder, *arguments, "-m", "ndcg@5", "-m", "map").stdout.splitlines()
    assert [line.split("\t")[0] for line in some[4:]] == ["map", "ndcg@5"]
    assert set(some[4:]) <= set(lines)


def test_the_mslr_scripts_layout_on_real_data(
    ohsumed: tuple[Path, list[str]], shared: Path
) -> None:
    folder, arguments = ohsumed
    text = run(folder, *arguments, "--tool", "mslr", "-m", "MeanNDCG").stdout
    golden = json.loads(
        (shared / "golden/real/ttest-OHSUMED-Fold1-f11-vs-f25.json").read_text(encoding="utf-8")
    )
    queries, first, second, t_value, p_value = golden["expected"]["mslr-ttest-py"]["rows"][
        "MeanNDCG"
    ]
    assert text == (
        f"Number of queries:    {queries}\n"
        f"Mean perf. measure 1: {first}\n"
        f"Mean perf. measure 2: {second}\n"
        f"t-statistic:          {t_value}\n"
        f"p-value:              {p_value}\n"
    )


def test_every_choice_is_in_the_documentation() -> None:
    text = (Path(__file__).parents[3] / "docs/significance.md").read_text(encoding="utf-8")
    for option in significance.params:
        for choice in getattr(option.type, "choices", ()):
            if option.name != "output_format":
                assert f"`{choice}`" in text or f"{option.opts[-1]} {choice}" in text, choice


def few_queries(folder: Path, queries: int, wins: int) -> tuple[str, str, str]:
    """Queries of two documents; the second system is right on `wins` more than the first."""
    rows = [f"{int(d == 1)} qid:{q} 1:{d}\n" for q in range(queries) for d in range(2)]
    (folder / "data.txt").write_text("".join(rows))
    save(folder / "a.scores", [1.0, 0.0] * queries)
    save(folder / "b.scores", [0.0, 1.0] * wins + [1.0, 0.0] * (queries - wins))
    return "data.txt", "a.scores", "b.scores"


@pytest.mark.parametrize("test", ["t", "bootstrap", "randomization", "sign", "wilcoxon"])
def test_two_queries_alike_are_not_significant(tmp_path: Path, test: str) -> None:
    arguments = (*few_queries(tmp_path, 2, 2), "-m", "P@1", "--test", test)
    [one] = records(tmp_path, *arguments)
    assert (one["p_value"], one["significant"], one["low"]) == (0.5, False, None)
    printed = run(tmp_path, *arguments).stdout
    assert "▲" not in printed and "<.0001" not in printed


def test_one_query_is_not_significant_by_the_bootstrap(tmp_path: Path) -> None:
    arguments = (*few_queries(tmp_path, 1, 1), "-m", "P@1", "--test", "bootstrap")
    [one] = records(tmp_path, *arguments)
    assert (one["p_value"], one["statistic"], one["cohen_d"]) == (1.0, "inf", None)
    assert "▲" not in run(tmp_path, *arguments).stdout


def test_an_infinite_statistic_is_not_missing(tmp_path: Path) -> None:
    arguments = (*few_queries(tmp_path, 12, 12), "-m", "P@1")
    [one] = records(tmp_path, *arguments)
    assert (one["statistic"], one["cohen_d"], one["p_value"]) == ("inf", "inf", 2 / 2**12)


def test_warnings_stand_on_the_terminal_in_json_and_in_csv(tmp_path: Path) -> None:
    arguments = (*few_queries(tmp_path, 12, 4), "-m", "P@1")
    [one] = records(tmp_path, *arguments)
    assert one["warnings"].startswith("only 4 of 12 queries differ; with fewer than 20 ")
    assert f"Warning: b.scores: {one['warnings']}." in run(tmp_path, *arguments).stdout
    [row] = csv.DictReader(io.StringIO(run(tmp_path, *arguments, "--format", "csv").stdout))
    assert row["warnings"] == one["warnings"]


def test_intervals_beside_adjusted_p_values_say_that_they_are_not(folder: Path) -> None:
    arguments = ("data.txt", "bad.scores", "good.scores", "mixed.scores", "-m", "P@1")
    assert all(one["interval_adjusted"] is False for one in records(folder, *arguments))
    assert "adjusted for 2 comparisons, intervals are not" in run(folder, *arguments).stderr
    for alone in ((*arguments, "--correction", "none"), arguments[:3]):
        assert "intervals are not" not in run(folder, *alone).stderr
