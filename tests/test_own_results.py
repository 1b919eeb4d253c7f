"""A method that is known by its scores only goes straight into a comparison."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankwise as rw
from rankwise.cli.main import main
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from tests.experiments.running import tasks_here

MEASURES = ("NDCG@3", "NDCG@5", "NDCG@10", "MAP")


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def ask(*words: object) -> Any:
    return json.loads(run(*words, "--format", "json").stdout)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five folds of made-up data in a folder that is called as a known data set is."""
    home = tmp_path_factory.mktemp("home") / "MQ2008"
    dataset = rw.normalize(make_dataset(25, seed=3), "query-level")
    rw.write_folds(rw.split_folds(dataset), home)
    for fold in rw.read_folds(home):
        for name, feature in (("mine", 2), ("other", 1)):
            path = home.parent / f"{name}{fold.number}.scores"
            rw.data.write_scores(fold.test.features[:, feature], path)
    return home


def pattern(folds: Path, name: str = "mine") -> str:
    return str(folds.parent / f"{name}{{fold}}.scores")


def test_folds_are_evaluated_by_the_tool_of_the_data_set(folds: Path) -> None:
    table = rw.tabulate_scores(folds, pattern(folds), "mine")
    assert table.datasets() == ["LETOR 4.0 MQ2008"]
    assert (set(table.tool), set(table.fold), table.measures()) == (
        {"letor4"}, set("12345"), list(MEASURES),
    )  # fmt: skip
    for fold in rw.read_folds(folds):
        found = rw.evaluate(fold.test, fold.test.features[:, 2], MEASURES, "letor4").means()
        there = table.where(fold=str(fold.number))
        assert dict(zip(there.measure, there.value, strict=True)) == pytest.approx(found, abs=1e-6)


def test_scores_by_fold_may_be_arrays(folds: Path) -> None:
    scores = {fold.number: fold.test.features[:, 2] for fold in rw.read_folds(folds)}
    by_file = rw.tabulate_scores(folds, pattern(folds), "mine")
    by_fold = rw.tabulate_scores(folds, scores, "mine")
    in_order = rw.tabulate_scores(folds, list(scores.values()), "mine")
    assert by_fold == in_order
    assert by_fold.value == pytest.approx(by_file.value, abs=1e-6)


def test_a_single_part_is_named_by_its_path_or_by_word(folds: Path) -> None:
    file, scores = folds / "Fold2" / "test.txt", pattern(folds).replace("{fold}", "2")
    of_file = rw.tabulate_scores(file, scores, "mine", "MAP")
    assert (of_file.fold[0], of_file.tool[0]) == ("2", "letor4")
    test = rw.read(file)
    named = rw.tabulate_scores(test, test.features[:, 2], "x", "MAP", dataset="web10k")
    assert (named.datasets(), named.tool[0]) == (["MSLR MSLR-WEB10K"], "mslr")
    unknown = rw.tabulate_scores(test, test.features[:, 2], "x", "MAP", dataset="my own")
    assert (unknown.datasets(), unknown.tool[0]) == (["my own"], "definition")
    with pytest.raises(RankwiseError, match="must be named, found no name; as in dataset"):
        rw.tabulate_scores(test, test.features[:, 2])


def test_runs_and_qrels_are_tabulated(tmp_path: Path) -> None:
    qrels, found = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    found.write_text("1 Q0 a 1 0.9 x\n1 Q0 b 2 0.5 x\n2 Q0 c 1 0.1 x\n")
    table = rw.tabulate_scores(qrels, found, "x", "MAP", trec=True, dataset="Mine")
    assert (table.datasets(), table.value.tolist()) == (["Mine"], [1.0])


def test_bad_patterns_and_missing_files_are_sentences(folds: Path) -> None:
    with pytest.raises(RankwiseError, match=r"write \{fold\} where the number"):
        rw.tabulate_scores(folds, "mine.scores")
    with pytest.raises(RankwiseError, match=r"fold 1 needs the score file absent1\.scores"):
        rw.tabulate_scores(folds, "absent{fold}.scores")
    with pytest.raises(RankwiseError, match="of the 5 folds of MQ2008"):
        rw.tabulate_scores(folds, [np.zeros(3)])
    with pytest.raises(RankwiseError, match="no such file or folder"):
        rw.tabulate_scores("nowhere", "mine{fold}.scores")


def test_place_takes_scores_by_one_command(folds: Path) -> None:
    words = ("place", "--data", folds, "--scores", pattern(folds), "--name", "mine")
    (found,) = ask(*words, "--bootstrap", 20)
    table = rw.tabulate_scores(folds, pattern(folds), "mine")
    (placed,) = rw.place(table, resamples=20)
    assert placed.place is not None
    assert (found["method"], found["rank"], found["nwn"]) == (
        "mine", placed.place.rank, placed.place.nwn,
    )  # fmt: skip
    share, remark = found["remarks"]
    assert share.startswith("the share of draws on the front is no probability")
    assert found["datasets"] == 4
    assert remark.startswith("1 method with results on one data set: no interval")
    wrong = run(*words, "--tool", "yahoo", "-m", "NDCG@10", code=1)
    assert "by yahoo, the others by the collection's script (letor3, letor4)" in wrong.stderr
    assert "mine has no place" in wrong.stdout


def test_compare_takes_scores_too(folds: Path) -> None:
    found = ask("compare", "--data", folds, "--scores", pattern(folds), "--name", "mine")
    assert len(found) == 88
    for words in (["compare", "--data", str(folds)], ["place", "mine.csv", "--name", "x"]):
        with pytest.raises(RankwiseError, match="give both --data and --scores"):
            main.main(words, standalone_mode=False)


def test_a_run_that_lacks_a_query_does_not_gain_by_it(tmp_path: Path) -> None:
    qrels, found = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n2 0 c 1\n")
    found.write_text("1 Q0 a 1 0.9 x\n")
    table = tmp_path / "table.csv"
    table.write_text("collection,dataset,method,measure,value\n,Mine,a,MAP,0.7\n,Mine,b,MAP,0.4\n")
    words = ("place", "--trec", "--data", qrels, "--scores", found, "--dataset", "Mine")
    (placed,) = ask(*words, "--table", table, "-m", "MAP", "--bootstrap", 5)
    assert (placed["wn"], placed["iwn"]) == (1, 2)


def test_evaluate_writes_rows_that_place_reads(folds: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    for fold in range(1, 6):
        file, scores = folds / f"Fold{fold}" / "test.txt", pattern(folds).format(fold=fold)
        words = ("--tool", "letor4", "-m", ",".join(MEASURES), "--name", "mine")
        printed = run("evaluate", file, scores, *words, "--format", "results").stdout.splitlines()
        lines += printed if not lines else printed[1:]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join(lines) + "\n")
    assert rw.read_results(path) == rw.tabulate_scores(folds, pattern(folds), "mine")
    (by_rows,) = ask("place", path, "--bootstrap", 5)
    words = ("place", "--data", folds, "--scores", pattern(folds), "--bootstrap", 5)
    assert [by_rows] == ask(*words)


def test_significance_of_folds_takes_their_queries_together(folds: Path) -> None:
    systems = [pattern(folds, "other"), pattern(folds)]
    (found,) = ask("significance", folds, *systems, "-m", "MAP")
    assert (found["tool"], found["queries"]) == ("letor4", 25)
    values = [
        rw.evaluate(fold.test, fold.test.features[:, feature], "MAP", "letor4")["MAP"].values
        for feature in (1, 2)
        for fold in rw.read_folds(folds)
    ]
    other, mine = np.concatenate(values[:5]), np.concatenate(values[5:])
    assert found["difference"] == pytest.approx((mine - other).mean(), abs=1e-4)
    assert rw.significance(folds, systems, "MAP").records() == [found]


def test_significance_of_runs(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{q} 0 d{d} {int(d == q % 3)}\n" for q in range(6) for d in range(3)))
    runs = []
    for name, first in (("a", 0), ("b", 1)):
        path = tmp_path / f"{name}.run"
        path.write_text(
            "".join(
                f"{q} Q0 d{d} 1 {1.0 if d == first else 0.5 - d / 10} {name}\n"
                for q in range(6 - first)  # the second run lacks a query, which counts 0
                for d in range(3)
            )
        )
        runs.append(path)
    (found,) = ask("significance", "--trec", qrels, *runs, "-m", "MAP", "--tool", "trec_eval")
    assert found["queries"] == 6
    means = [
        rw.evaluate(qrels, run, "MAP", "trec_eval", trec=True, missing_queries="zero")["MAP"].mean
        for run in runs
    ]
    assert found["baseline_mean"] == pytest.approx(means[0])
    assert found["system_mean"] == pytest.approx(means[1])


@tasks_here()
def test_bench_keeps_a_scored_method_beside_trained_ones(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "results.sqlite"
    words = ("bench", "--data", folds, "--ranker", "best-feature", "-m", "MAP", "--jobs", 1)
    words += ("--store", store, "--quiet")
    run(*words, "--scores", f"mine={pattern(folds)}")
    table = rw.read_results(store)
    own = rw.tabulate_scores(folds, pattern(folds), "mine", "MAP")
    mine = table.where(method="mine")
    assert dict(zip(mine.fold, mine.value, strict=True)) == dict(
        zip(own.fold, own.value, strict=True)
    )
    assert {one["method"] for one in ask("compare", store)} == {"mine", "best-feature"}
    (tested,) = ask("significance", store, "best-feature", "-m", "MAP")
    assert (tested["system"], tested["queries"]) == ("mine", 25)
    again = rw.bench(
        data=folds, rankers=["best-feature"], measures=["MAP"], store=store, jobs=1,
        scored={"mine": pattern(folds)},
    )  # fmt: skip
    assert {value.name.method for value in again.values} == {"mine", "best-feature"}
    with pytest.raises(RankwiseError, match="already has a method called best-feature"):
        run(*words, "--scores", f"best-feature={pattern(folds)}")
    with pytest.raises(RankwiseError, match="found 'mine'"):
        run(*words, "--scores", "mine")


def test_significance_of_values_per_query(folds: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    file = folds / "Fold1" / "test.txt"
    scores = [pattern(folds, name).format(fold=1) for name in ("other", "mine")]
    words = ("-m", "MAP,NDCG@5", "--tool", "letor4")
    path = tmp_path / "values.csv"
    path.write_text(run("evaluate", file, *scores, *words, "--per-query", "--format", "csv").stdout)
    direct = rw.significance(file, scores, "MAP", "letor4").records()
    (by_file,) = ask("significance", path, "other1", "mine1", "-m", "MAP")
    (by_frame,) = rw.significance(pandas.read_csv(path), [], "MAP").records()
    for found in (by_file, by_frame):
        for key in ("tool", "queries", "baseline_mean", "system_mean", "p_value"):
            assert found[key] == pytest.approx(direct[0][key])
    both = path.read_text() + run(
        "evaluate", file, *scores, "-m", "MAP", "--tool", "yahoo,ranklib", "--per-query",
        "--format", "csv",
    ).stdout.partition("\n")[2]  # fmt: skip
    path.write_text(both)
    with pytest.raises(RankwiseError, match="must be of one tool, found letor4, ranklib"):
        rw.significance(path, [], "MAP")
    with pytest.raises(RankwiseError, match="one system called 'absent'"):
        rw.significance(path, ["absent", "mine1"], "MAP", "letor4")
    with pytest.raises(RankwiseError, match=r"must be of ERR@10, found those of MAP, NDCG@5"):
        rw.significance(path, [], "ERR@10", "letor4")
    path.write_text(both.replace(",0.", ",x0.", 1))
    with pytest.raises(RankwiseError, match="a value must be a number, found 'x0"):
        rw.significance(path, [], "MAP", "letor4")


def write_values(path: Path, *more: str) -> Path:
    """Values of two systems on three queries, as `evaluate --per-query --format csv` has them."""
    rows = [
        f"letor4,{system},MAP,{query},0.{place}{query}"
        for place, system in enumerate(("a", "b"), 1)
        for query in (1, 2, 3)
    ]
    path.write_text("\n".join(["tool,scores,measure,query,value", *rows, *more]) + "\n")
    return path


@pytest.mark.parametrize("value", ["0.11", "0.9"])
@pytest.mark.parametrize("query", ["1", "all"])
def test_of_two_values_of_a_query_none_is_taken(value: str, query: str, tmp_path: Path) -> None:
    again = f"letor4,a,MAP,{query},{value}"
    path = write_values(tmp_path / "v.csv", "letor4,a,MAP,all,0.5", again)
    with pytest.raises(RankwiseError, match=rf"v\.csv: a query must have one value.*'{query}'"):
        rw.significance(path, [], "MAP")


@pytest.mark.parametrize(
    "content",
    [
        'tool,scores,measure,query,value\na,"' + "x" * 200_000 + '",MAP,1,0.5\n',
        "tool,scores,measure,query,value,value\nletor4,a,MAP,1,0.5,0.6\n",
        '"a,tool,scores,measure,query,value,b"\nx\n',
        "tool,scores,measure,query,value\nletor4,a,MAP,1\n",
        "tool,scores,measure,query,value\n\xff,a,MAP,1,0.5\n",
    ],
    ids=["a long cell", "a column twice", "one quoted column", "a cell less", "no UTF-8"],
)
def test_values_per_query_that_cannot_be_read_are_a_sentence(content: str, tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text(content, "latin-1")
    with pytest.raises(RankwiseError, match=r"v\.csv"):
        rw.significance(path, [], "MAP")


def test_systems_are_paired_on_the_same_folds_only(folds: Path) -> None:
    """Scores of one fold would otherwise be judged by the labels of another."""
    scores = {fold.number: fold.test.features[:, 2] for fold in rw.read_folds(folds)}
    two, others = ({n: scores[n] for n in chosen} for chosen in ((1, 2), (2, 3)))
    found = rw.significance(folds, {"a": two, "b": two}, "MAP")
    assert found.comparisons[0].difference == 0.0
    with pytest.raises(RankwiseError, match="found folds 2, 3 for 'b' and folds 1, 2 for 'a'"):
        rw.significance(folds, {"a": two, "b": others}, "MAP")
    for wrong in ({**two, 9: two[1]}, {"x": two[1]}, {}):
        with pytest.raises(RankwiseError, match="must be of the folds 1, 2, 3, 4, 5, found"):
            rw.tabulate_scores(folds, wrong)


def test_what_says_nothing_to_a_test_is_refused(folds: Path, tmp_path: Path) -> None:
    file = folds / "Fold1" / "test.txt"
    scores = [pattern(folds, name).format(fold=1) for name in ("other", "mine")]
    values = write_values(tmp_path / "v.csv")
    with pytest.raises(RankwiseError, match="needs at least two score files, found 0"):
        rw.significance(folds)
    for data, systems in ((file, scores), (folds, [pattern(folds)] * 2), (values, [])):
        with pytest.raises(RankwiseError, match="only of a store a data set is chosen"):
            rw.significance(data, systems, "MAP", dataset="MQ2008")
    with pytest.raises(RankwiseError, match="only qrels have runs, found values per query"):
        rw.significance(values, [], "MAP", trec=True)


def test_queries_that_a_run_lacks_are_said_beside_its_test(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    (tmp_path / "one").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    (tmp_path / "two").write_text("1 Q0 b 1 2 t\n2 Q0 a 2 1 t\n3 Q0 a 1 1 t\n")
    words = (tmp_path / "qrels", tmp_path / "one", tmp_path / "two", "--trec", "-m", "MAP")
    said = run("significance", *words).stderr
    assert "1 queries of the judgements are not in the run and count as lists without" in said
    assert "1 queries of the run are not in the judgements and are left out (first: 3)" in said
