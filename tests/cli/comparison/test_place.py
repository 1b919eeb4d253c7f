from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.comparison.place_command import _verdict_row, place
from rankwise.comparison.paired_comparisons import RivalVerdict
from rankwise.errors import RankwiseError
from rankwise.results.benchmark_runs import write_dense
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from tests.literature.made_dense import make_dense

HEADER = "collection,dataset,method,measure,value\n"
TABLE = HEADER + "".join(
    f"Made,{dataset},{method},{measure},{value}\n"
    for measure in ("MAP", "NDCG@10")
    for dataset, values in {
        "d1": (0.9, 0.5, 0.1),
        "d2": (0.2, 0.8, 0.5),
        "d3": (0.3, 0.4, 0.1),
    }.items()
    for method, value in zip("ABC", values, strict=True)
)
MINE = HEADER + "Made,d1,Mine,MAP,0.6\nMade,d2,Mine,MAP,0.6\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The user's file and a table to be placed in."""
    own, table = tmp_path / "mine.csv", tmp_path / "table.csv"
    own.write_text(MINE)
    table.write_text(TABLE)
    return str(own), str(table)


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(place, arguments, catch_exceptions=True)
    if isinstance(result.exception, RankwiseError):
        raise result.exception
    return result


def test_the_place_is_told_with_neighbours_and_data_sets(files: tuple[str, str]) -> None:
    own, table = files
    result = run(own, "--table", table, "--measure", "MAP")
    assert result.exit_code == 0
    # Mine wins 2 of 3 on d1 and on d2; B wins 1 + 3 + 2 of 3 + 3 + 2 and is above it on both axes.
    assert "Mine: rank 2 of 4, NWN 0.6667" in result.stdout
    assert "won 4 of 6 on 2 data sets; dominated by one method only" in result.stdout
    assert "head to head" in result.stdout
    assert "Made d3" in result.stdout


def test_a_store_is_placed_without_what_is_incomplete_and_by_version(
    tmp_path: Path, files: tuple[str, str]
) -> None:
    store = tmp_path / "results.sqlite"
    runs = [("Mine", "QueryLevelNorm", 1, 0.5), ("Mine", "QueryLevelNorm", 2, 0.7),
            ("Mine", "MIN", 1, 0.99), ("Half", "QueryLevelNorm", 1, 0.99),
            ("Third", "QueryLevelNorm", 1, 0.99)]  # fmt: skip
    with Store.open(store) as opened:
        for number, (method, version, fold, value) in enumerate(runs):
            name = TaskName("Made", "d1", version, fold, method, method, 0, "definition")
            figure = StoredValue("test", "definition", "MAP", value)
            opened.add(str(number), name, {}, TaskOutcome("done", values=(figure,)))
    result = run(str(store), "--table", files[1], "--measure", "MAP", "--format", "json")
    [found] = json.loads(result.stdout)
    assert (found["method"], found["wn"], found["iwn"]) == ("Mine", 2, 3)  # .6, not .99, on d1
    assert "Half is left out on d1/QueryLevelNorm: it lacks fold 2" in result.stderr


def test_json_holds_the_same_facts(files: tuple[str, str]) -> None:
    own, table = files
    [found] = json.loads(run(own, "--table", table, "--format", "json").stdout)
    assert (found["method"], found["wn"], found["iwn"], found["ranked"]) == ("Mine", 4, 6, 4)
    assert found["gains"][0] | {"half_width": None} == {
        "dataset": "Made d3", "measures": ["MAP"], "comparisons": 3, "half_width": None,
    }  # fmt: skip
    assert {near["method"] for near in found["neighbours"]} == {"A", "B", "C"}


def test_a_measure_and_a_seed_can_be_chosen(files: tuple[str, str]) -> None:
    own, table = files
    chosen = ("--measure", "map", "--bootstrap", "50", "--seed", "3", "--format", "json")
    first, second = (run(own, "--table", table, *chosen).stdout for _ in range(2))
    assert first == second
    assert json.loads(first)[0]["datasets"] == 2


def test_one_method_of_a_file_can_be_chosen(files: tuple[str, str], tmp_path: Path) -> None:
    both = tmp_path / "both.csv"
    both.write_text(MINE + "Made,d1,A,MAP,0.2\n")
    with pytest.raises(RankwiseError, match="already has a method called A"):
        run(str(both), "--table", files[1])
    found = json.loads(
        run(str(both), "--table", files[1], "--method", "Mine", "--format", "json").stdout
    )
    assert [one["method"] for one in found] == ["Mine"]
    with pytest.raises(RankwiseError, match="has no method called Yours; the methods in it: Mine"):
        run(str(both), "--table", files[1], "--method", "Yours")


def test_without_a_table_the_shipped_literature_is_taken(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(HEADER + "LETOR 3.0,TD2003,Mine,MAP,0.99\n")
    result = run(str(own))
    assert "the 87 methods of Tax, Bockting and Hiemstra (2015)" in result.stderr
    assert "Mine: rank 1 of 88" in result.stdout
    named = run(str(own), "--table", "dearank_tables_2_to_5")
    assert "Mine: rank 1 of 17" in named.stdout


def test_a_data_set_under_another_name_is_matched_or_pointed_out(
    files: tuple[str, str], tmp_path: Path
) -> None:
    own = tmp_path / "own.csv"
    own.write_text(MINE + "MADE,D-1,Mine,NDCG@10,0.5\n")
    assert "MADE D-1 is taken for Made d1" in run(str(own), "--table", files[1]).stderr
    own.write_text(MINE + "Mode,d1,Mine,NDCG@10,0.5\n")
    result = run(str(own), "--table", files[1])
    assert "no rival on Mode d1 in NDCG@10" in result.stderr
    assert "is it Made d1?" in result.stderr


def test_short_names_of_known_data_sets_are_matched(tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(HEADER + ",mq2008,Mine,MAP,0.4\n,ohsumed,Mine,MAP,0.4\n")
    result = run(str(own), "--bootstrap", "5")
    assert result.exit_code == 0
    assert "mq2008 is taken for LETOR 4.0 MQ2008" in result.stderr
    assert "ohsumed may be LETOR 2.0 OHSUMED or LETOR 3.0 OHSUMED" in result.stderr


def test_a_method_without_rivals_has_no_place_and_says_so(
    files: tuple[str, str], tmp_path: Path
) -> None:
    own = tmp_path / "own.csv"
    own.write_text(HEADER + "Made,d9,Mine,MAP,0.5\n")
    plain = run(str(own), "--table", files[1])
    assert "Mine has no place" in plain.stdout
    assert plain.exit_code == 1
    [found] = json.loads(run(str(own), "--table", files[1], "--format", "json").stdout)
    assert (found["rank"], found["nwn"], found["lower"]) == (None, None, None)


def test_names_are_text_and_never_markup(files: tuple[str, str], tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(HEADER + "Made,d1,[red]x[/red],MAP,0.5\n")
    result = run(str(own), "--table", files[1])
    assert "[red]x[/red]" in result.stdout


def test_help_has_examples() -> None:
    assert "rankwise place mine.csv" in run("--help").stdout


@pytest.mark.parametrize(("datasets", "warning"), [(1, "one data set"), (2, "few results")])
def test_what_rests_on_too_little_is_said_wherever_a_width_is(
    datasets: int, warning: str, files: tuple[str, str]
) -> None:
    """Beside the rank, beside its width, in sentences and in JSON."""
    own = Path(files[0])
    own.write_text("".join(MINE.splitlines(keepends=True)[: datasets + 1]))
    words = (str(own), "--table", files[1], "--bootstrap", "20")
    result = run(*words)
    assert " ".join(result.stdout.split()).count(f"; {warning})") == 2
    assert ("(no interval; one data set)" in result.stdout) == (datasets == 1)
    sentence = {1: "1 method with results on one data set: no interval", 2: "may cover less than"}
    assert sentence[datasets] in result.stderr
    (found,) = json.loads(run(*words, "--format", "json").stdout)
    assert found["warning"] == warning
    assert any(sentence[datasets] in remark for remark in found["remarks"])
    assert any("is no probability of being on the front" in one for one in found["remarks"])


def test_a_store_is_judged_among_the_methods_of_a_dense_table(tmp_path: Path) -> None:
    dense = make_dense()
    write_dense(dense, tmp_path / "dense")
    one = dense.queries[0]
    store = tmp_path / "results.sqlite"
    with Store.open(store) as opened:
        for fold in range(1, 6):
            chosen = one.folds == fold
            values = one.values["MAP"][one.methods.index("LambdaMART")][chosen] + 0.05
            ids = tuple(query for query, here in zip(one.queries, chosen, strict=True) if here)
            name = TaskName(*one.subject, fold, "mine", "mine", 0, "letor3")
            figures = tuple(
                StoredValue("test", tool, "MAP", float(values.mean()), ids, values)
                for tool in ("letor3", "definition")
            )
            inputs = {"data": {"test": str(fold)}}
            opened.add(str(fold), name, inputs, TaskOutcome("done", values=figures))
    words = (str(store), "--table", str(tmp_path / "dense"), "-m", "MAP", "--level", "0.01")
    [found] = json.loads(run(*words, "--format", "json").stdout)
    assert (found["rank"], found["verdicts"]["unit"], found["verdicts"]["level"]) == (
        1, "queries", 0.01
    )  # fmt: skip
    against = {each["rival"]: each["finding"] for each in found["verdicts"]["verdicts"]}
    assert len(against) == 8 and against["LambdaMART"] == "better"
    text = run(*words).stdout
    assert "mine is better than 8, not separable from 0 and worse than 0 of 8 rivals" in text
    assert "<0.0001" in text
    refused = run(*words[:-1], "1.5")
    assert refused.exit_code == 2


@pytest.mark.parametrize(("value", "printed"), [(7e-5, "<0.0001"), (1e-4, "0.0001")])
def test_small_p_values_are_printed_as_everywhere(value: float, printed: str) -> None:
    verdict = RivalVerdict("B", 1, 50, 0.1, 0.05, 0.15, value, value, "better")
    assert _verdict_row(verdict)[3] == printed
