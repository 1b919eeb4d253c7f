"""evaluate, explain, identify and measures on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.measures.convention_commands import explain, identify, measures
from rankwise.cli.measures.evaluate_command import evaluate
from rankwise.errors import RankwiseError
from rankwise.measures.families.registry import FAMILIES
from rankwise.measures.tools.registry import TOOLS

DATA = """\
2 qid:1 1:0.1 #docid = a
0 qid:1 1:0.2 #docid = b
1 qid:1 1:0.3 #docid = c
0 qid:2 1:0.4 #docid = d
0 qid:2 1:0.5 #docid = e
"""


def run(command: click.Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def loaded(command: click.Command, *arguments: object) -> Any:
    result = run(command, *arguments, "--format", "json")
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    data, scores = tmp_path / "test.txt", tmp_path / "mine.scores"
    data.write_text(DATA)
    scores.write_text("1\n1\n3\n2\n1\n")
    return data, scores


def test_json_has_one_object_per_tool_and_score_file(files: tuple[Path, Path]) -> None:
    data, scores = files
    found = loaded(evaluate, data, scores, "-m", "NDCG@1", "-m", "MAP", "--tool", "letor4")
    assert found == [
        {
            "tool": "letor4",
            "scores": str(scores),
            "measures": {"NDCG@1": {"mean": 1 / 6}, "MAP": {"mean": 1 / 2}},
        }
    ]


def test_per_query_figures(files: tuple[Path, Path]) -> None:
    found = loaded(evaluate, *files, "-m", "P@1", "--per-query")
    assert found[0]["measures"]["P@1"] == {"mean": 1 / 2, "per_query": {"1": 1, "2": 0}}


def test_all_tools_go_on_when_one_refuses(files: tuple[Path, Path]) -> None:
    found = loaded(evaluate, *files, "-m", "MAP", "--tool", "all")
    assert [entry["tool"] for entry in found] == list(TOOLS)
    by_tool = {entry["tool"]: entry for entry in found}
    assert by_tool["xgboost"]["error"] == "xgboost: map takes only labels 0 and 1"
    assert "measures" not in by_tool["xgboost"]
    assert by_tool["yahoo"]["error"].startswith("yahoo does not compute AP")
    assert by_tool["letor3"]["measures"]["MAP"]["mean"] == 1 / 2


def test_several_score_files_share_a_table(files: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.scores"
    other.write_text("5\n4\n3\n2\n1\n")
    result = run(evaluate, *files, other, "-m", "P@1", "-m", "NDCG@3")
    assert "mine.scores" in result.stdout and "other.scores" in result.stdout
    assert result.stdout.count("NDCG@3") == 1
    both = loaded(evaluate, *files, other, "-m", "P@1")
    assert [entry["scores"] for entry in both] == [str(files[1]), str(other)]


def test_expected_ties_come_with_their_range(files: tuple[Path, Path]) -> None:
    """Label 1 is on top, then 2 and 0 tie: NDCG@2 is 1 + g / log2 3 over its ideal, half each."""
    found = loaded(evaluate, *files, "-m", "P@2", "--ties", "expected")
    assert found[0]["measures"]["P@2"] == {"mean": 3 / 8, "range": [1 / 4, 1 / 2]}


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("csv", "definition,mine.scores,P@1,all,0.5"),
        ("markdown", "| P@1 | 0.5000 |"),
        ("latex", r"P@1 & 0.5000 \\"),
    ],
)
def test_other_formats(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, form: str, line: str
) -> None:
    monkeypatch.chdir(files[0].parent)
    result = run(evaluate, "test.txt", "mine.scores", "-m", "P@1", "--format", form)
    assert line in result.stdout.splitlines()


def test_the_tools_own_layout(files: tuple[Path, Path]) -> None:
    result = run(evaluate, *files, "--tool", "yahoo", "--format", "tool")
    assert result.stdout.startswith("rmse: ") and result.stdout.count("\n") == 1
    with pytest.raises(RankwiseError, match="leave out measures"):
        raise_from(run(evaluate, *files, "-m", "P@1", "--tool", "letor4", "--format", "tool"))
    with pytest.raises(RankwiseError, match="ranx has no layout of its own"):
        raise_from(run(evaluate, *files, "--tool", "ranx", "--format", "tool"))


def test_layouts_that_a_tool_refuses_get_its_figures_and_a_note(tmp_path: Path) -> None:
    data, scores = tmp_path / "test.txt", tmp_path / "s"
    data.write_text(DATA.replace("\n", "\r\n"), newline="")
    scores.write_text("1\n1\n3\n2\n1\n")
    result = run(evaluate, data, scores, "--tool", "letor3", "-m", "MAP")
    assert "carriage returns at the ends of lines" in result.stderr
    assert "0.5000" in result.stdout
    other = run(evaluate, data, scores, "--tool", "letor4", "-m", "MAP")
    assert "LETOR 3.0 comments" in other.stderr


def test_queries_that_come_back_are_the_tools_matter(tmp_path: Path) -> None:
    data, scores = tmp_path / "test.txt", tmp_path / "s"
    data.write_text("1 qid:1 1:1\n0 qid:2 1:1\n1 qid:1 1:1\n")
    scores.write_text("1\n2\n3\n")
    assert loaded(evaluate, data, scores, "-m", "P@2", "--tool", "letor4", "--per-query")[0][
        "measures"
    ]["P@2"]["per_query"] == {"1": 1, "2": 0}
    with pytest.raises(RankwiseError, match="the rows of a query must stand together"):
        raise_from(run(evaluate, data, scores, "-m", "P@2"))
    both = loaded(evaluate, data, scores, "-m", "P@2", "--tool", "all")
    assert "must stand together" in both[0]["error"] and "measures" in both[1]


def test_trec_input(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 2 tag\n1 Q0 a 2 1 tag\n3 Q0 a 1 1 tag\n")
    arguments = ["--trec", tmp_path / "qrels", tmp_path / "run", "--tool", "trec_eval"]
    result = run(evaluate, *arguments, "-m", "map", "--format", "tool")
    assert result.stdout == "map                   \tall\t0.5000\n"
    assert "1 queries of the judgements are not in the run and are left out" in result.stderr
    assert "1 queries of the run are not in the judgements and are left out" in result.stderr
    complete = run(evaluate, *arguments, "-m", "map", "--format", "tool", "--complete")
    assert complete.stdout == "map                   \tall\t0.2500\n"
    official = run(evaluate, *arguments, "--format", "tool")
    assert official.stdout.startswith("runid                 \tall\ttag\n")


@pytest.mark.parametrize(
    ("scores", "options", "sentence"),
    [
        ("1\n2\n", [], "found 2 scores for 5 rows"),
        ("1\n2\n3\nx\n5\n", [], "expected one score, a number, found 'x'"),
        ("1\n2\n3\nnan\n5\n", [], "nan='last', 'first' or 'zero'"),
        ("1\n2\n3\n4\n5\n", ["-m", "NDGC@5"], "did you mean 'NDCG@5'"),
        ("1\n2\n3\n4\n5\n", ["--tool", "leto4"], "did you mean 'letor4'"),
    ],
)
def test_bad_input_is_one_sentence(
    files: tuple[Path, Path], scores: str, options: list[str], sentence: str
) -> None:
    files[1].write_text(scores)
    result = run(evaluate, *files, *options)
    assert isinstance(result.exception, RankwiseError)
    assert sentence in str(result.exception) and "\n" not in str(result.exception)


def test_chosen_rules_for_scores_are_said(files: tuple[Path, Path]) -> None:
    files[1].write_text("1\n2\n3\nnan\n5\n6\n")
    result = run(evaluate, *files, "-m", "P@1", "--reading", "surplus", "--nan", "last")
    assert "1 surplus scores are ignored" in result.stderr
    assert "1 scores are NaN and go last" in result.stderr


def test_explain(files: tuple[Path, Path]) -> None:
    (found,) = loaded(explain, *files, "-m", "NDCG@10", "--tool", "ranklib,yahoo")
    assert found["difference"] == found["parts"]["empty queries"] == 1 / 2
    assert found["movers"][0]["query"] == "2"
    text = run(explain, *files, "--tool", "definition,letor4,yahoo").stdout
    assert text.count("due to") == 6 and "short queries" in text
    with pytest.raises(RankwiseError, match="at least two tools"):
        raise_from(run(explain, *files, "--tool", "yahoo"))


def test_identify(files: tuple[Path, Path]) -> None:
    value = loaded(evaluate, *files, "-m", "NDCG@3", "--tool", "yahoo")[0]["measures"]["NDCG@3"]
    found = loaded(identify, *files, "-m", "NDCG@3", "--value", f"{value['mean']:.4f}")
    assert "yahoo" in {entry["tool"] for entry in found["tools"]}
    assert "NDCG(empty=1)@3" in {entry["measure"] for entry in found["conventions"]}
    nothing = run(identify, *files, "-m", "NDCG@3", "--value", "0.9999")
    assert nothing.exit_code == 1 and "no tool and no convention" in nothing.stderr


def test_identify_finds_figures_over_queries_that_the_run_lacks(tmp_path: Path) -> None:
    qrels, lists = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 1\n")
    lists.write_text("1 Q0 b 1 2 me\n1 Q0 a 2 1 me\n2 Q0 a 1 1 me\n")
    asked = (qrels, lists, "-m", "MAP", "--trec")
    complete = loaded(evaluate, *asked, "--tool", "trec_eval", "--complete")
    assert complete[0]["measures"]["MAP"]["mean"] == 0.5
    found = loaded(identify, *asked, "--value", "0.5000")
    assert {"trec_eval"} <= {one["tool"] for one in found["tools"] if one["complete"]}
    shown = run(identify, *asked, "--value", "0.5000").stdout
    assert "trec_eval --complete" in shown
    over_two = loaded(identify, *asked, "--value", "0.7500")["tools"]
    assert not any(one["complete"] for one in over_two if one["tool"] == "trec_eval")
    asked_for = loaded(identify, *asked, "--complete", "--value", "0.5000")["tools"]
    assert asked_for and not any(one["complete"] for one in asked_for)


def test_csv_of_evaluate_runs_no_formula(tmp_path: Path) -> None:
    data, scores = tmp_path / "test.txt", tmp_path / "=1+1"
    data.write_text("1 qid:=2+2 1:0.1\n0 qid:=2+2 1:0.2\n")
    scores.write_text("1\n2\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        words = (data, "=1+1", "-m", "MAP", "--format", "csv", "--per-query")
        lines = run(evaluate, *words).stdout.splitlines()
    assert lines[1:] == ["definition,'=1+1,MAP,'=2+2,0.5", "definition,'=1+1,MAP,all,0.5"]


def test_latex_of_evaluate_escapes_what_latex_obeys(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[0].parent)
    files[1].rename("a\\b~c^d")
    text = run(evaluate, "test.txt", "a\\b~c^d", "-m", "P@1", "--format", "latex").stdout
    assert r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d" in text


def test_measures_lists_all() -> None:
    found = loaded(measures)
    assert [entry["name"] for entry in found["measures"]] == [family.name for family in FAMILIES]
    assert [entry["name"] for entry in found["tools"]] == list(TOOLS)
    assert "trec_eval-9" in run(measures).stdout


def raise_from(result: Result) -> None:
    assert result.exception is not None
    raise result.exception
