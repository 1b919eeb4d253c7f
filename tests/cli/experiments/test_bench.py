from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.comparison.compare_command import compare
from rankwise.cli.comparison.result_commands import STORE_COMMANDS
from rankwise.cli.experiments.bench_command import _format_progress, bench
from rankwise.cli.measures.significance_command import significance
from rankwise.comparison.significance_tests import t_test
from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.experiments.configuration import read_configuration
from rankwise.experiments.planning import configure_experiment
from rankwise.experiments.running.runner import RunProgress
from rankwise.results import read_results
from tests.cli.data.test_files import rankwise
from tests.experiments.running import tasks_here
from tests.stores import reading

COMMANDS = {command.name: command for command in STORE_COMMANDS}


@pytest.fixture(scope="module")
def folds(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("bench") / "tiny"
    write_folds(compose_folds(cut_into_parts(normalize(make_dataset(15), "query-level"))), folder)
    return folder


@pytest.fixture(scope="module")
def done(folds: Path) -> Path:
    """The folder of a finished run of two methods on two folds."""
    with tasks_here():
        result = invoke(bench, "--data", folds, "--ranker", "linear-regression,best-feature",
                        "--fold", "1,2", "--tool", "own,letor4", "--jobs", 1,
                        "--output", folds.parent / "out")  # fmt: skip
    assert result.exit_code == 0, result.output
    return folds.parent / "out"


def invoke(command: Any, *words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)


def test_the_plan_is_shown_before_anything_runs(folds: Path, tmp_path: Path) -> None:
    words = ("--data", folds, "--ranker", "ridge-regression", "--dry-run",
             "--store", tmp_path / "s.sqlite")  # fmt: skip
    facts = json.loads(invoke(bench, *words, "--format", "json").stdout)
    assert (facts["tasks"], facts["to_do"], facts["seconds"]) == (5, 5, None)
    assert facts["trainings"] == 5 * 6
    assert "5 tasks: 0 done" in invoke(bench, *words).stdout
    assert not (tmp_path / "s.sqlite").exists()
    invoke(bench, "--data", folds, "--ranker", "best-feature", "--dry-run",
           "--output", tmp_path / "new")  # fmt: skip
    assert not (tmp_path / "new").exists()


def test_a_run_ends_with_a_table_and_its_files(done: Path) -> None:
    table = read_results(done / "results.csv")
    assert sorted(table.methods()) == ["best-feature", "linear-regression"]
    assert sorted(set(table.tool)) == ["definition", "letor4"]
    assert "### tiny: means over folds" in (done / "tables.md").read_text()
    assert not list(done.glob(".*-folds"))


@tasks_here()
def test_data_sets_with_tools_of_their_own_run_together(folds: Path, tmp_path: Path) -> None:
    places = [tmp_path / "letor3" / "OHSUMED", tmp_path / "letor4" / "MQ2008"]
    for place in places:
        shutil.copytree(folds, place)
    result = invoke(bench, "--data", places[0], "--data", places[1], "--ranker", "best-feature",
                    "--fold", "1", "--jobs", 1, "--output", tmp_path / "out")  # fmt: skip
    assert result.exit_code == 0, result.output
    table = read_results(tmp_path / "out" / "results.csv")
    assert sorted(set(zip(table.dataset, table.tool, strict=True))) == [
        ("MQ2008", "definition"), ("MQ2008", "letor4"), ("OHSUMED", "definition"),
        ("OHSUMED", "letor3")]  # fmt: skip
    for tool in ("letor3", "letor4", "definition"):
        assert f"by the tool {tool}" in result.output
    # Which tool chose is said on the terminal and in the tables.
    pages = (result.output, (tmp_path / "out" / "tables.md").read_text())
    assert all(f"by the tool {tool} chose on validation" in page
               for tool in ("letor3", "letor4") for page in pages)  # fmt: skip


@tasks_here()
def test_versions_of_a_data_set_run_together(folds: Path, tmp_path: Path) -> None:
    places = [tmp_path / "letor3" / "OHSUMED" / version for version in ("MIN", "QueryLevelNorm")]
    for place in places:
        shutil.copytree(folds, place)
    (places[0] / "Fold1" / "test.txt").write_text("1 qid:1 1:1\n0 qid:1 1:0\n")
    words = ("--data", places[0], "--data", places[1], "--fold", "1", "--jobs", 1,
             "--ranker", "best-feature,linear-regression", "-o", tmp_path / "out")  # fmt: skip
    planned = invoke(bench, *words, "--dry-run").stdout
    assert all(f"OHSUMED/{place.name}" in planned for place in places)
    result = invoke(bench, *words)
    assert result.exit_code == 0, result.output
    assert "best-feature on OHSUMED/MIN, fold 1" in result.stderr
    assert "### Winning numbers in MAP" in (tmp_path / "out" / "tables.md").read_text()


def test_the_same_command_again_runs_nothing_and_knows_the_time(folds: Path, done: Path) -> None:
    words = ("--data", folds, "--ranker", "linear-regression,best-feature", "--fold", "1,2,3",
             "--tool", "own,letor4", "--store", done / "results.sqlite")  # fmt: skip
    facts = json.loads(invoke(bench, *words, "--dry-run", "--format", "json").stdout)
    assert (facts["done"], facts["to_do"]) == (4, 2)
    assert facts["seconds"] > 0


def test_results_list_show_and_export(done: Path, tmp_path: Path) -> None:
    store = done / "results.sqlite"
    tasks = json.loads(invoke(COMMANDS["list"], store, "--format", "json").stdout)
    assert len(tasks) == 4
    assert "linear-regression" in invoke(COMMANDS["list"], store).stdout
    assert "NDCG@10" in invoke(COMMANDS["show"], store).stdout
    summaries = json.loads(
        invoke(COMMANDS["show"], store, "--all-tools", "--format", "json").stdout
    )
    assert [one["tool"] for one in summaries] == ["definition", "letor4"]
    whole = json.loads(invoke(COMMANDS["show"], store, "--task", tasks[0]["key"][:12]).stdout)
    assert whole["environment"]["python"]
    assert invoke(COMMANDS["export"], store, tmp_path / "t.csv").exit_code == 0
    assert len(read_results(tmp_path / "t.csv")) == 4 * 5


def test_results_show_can_be_narrowed_to_some_measures(done: Path) -> None:
    store = done / "results.sqlite"
    words = (store, "-m", "NDCG@10", "-m", "MAP", "--format", "json")
    (summary,) = json.loads(invoke(COMMANDS["show"], *words).stdout)
    assert summary["measures"] == ["NDCG@10", "MAP"]
    with pytest.raises(RankwiseError, match="has no P@7; it has MAP, NDCG@1"):
        invoke(COMMANDS["show"], store, "-m", "P@7")


def test_a_store_is_a_table_of_results_for_compare(done: Path) -> None:
    found = json.loads(invoke(compare, done / "results.sqlite", "--format", "json").stdout)
    assert {row["method"] for row in found} == {"best-feature", "linear-regression"}


def test_methods_of_a_store_are_tested_against_each_other(done: Path) -> None:
    store = done / "results.sqlite"
    words = (store, "best-feature", "-m", "MAP", "--format", "json")
    (row,) = json.loads(invoke(significance, *words).stdout)
    means = {
        task.name: task.value for task in reading(store).values()
        if (task.tool, task.measure) == ("definition", "MAP")
    }  # fmt: skip
    values = reading(store).per_query("MAP", "definition")
    assert means.keys() == values.keys()
    by_method = {
        method: np.concatenate([v for n, (_, v) in values.items() if n.method == method])
        for method in ("best-feature", "linear-regression")
    }
    differences = by_method["linear-regression"] - by_method["best-feature"]
    assert row["difference"] == pytest.approx(differences.mean())
    assert row["p_value"] == pytest.approx(t_test(differences).p_value)
    with pytest.raises(RankwiseError, match="has no method 'x'; it has linear-regression, best"):
        invoke(significance, store, "x", "-m", "MAP")
    with pytest.raises(RankwiseError, match="a script prints the figures of score files"):
        invoke(significance, store, "--format", "tool")


@tasks_here()
def test_what_is_kept_is_asked_for_said_and_listed(folds: Path, tmp_path: Path) -> None:
    words = ("--data", folds, "--ranker", "best-feature", "--fold", 1, "--jobs", 1,
             "--store", tmp_path / "s.sqlite")  # fmt: skip
    assert "kept:" not in invoke(bench, *words).stderr
    listed = invoke(COMMANDS["kept"], tmp_path / "s.sqlite")
    assert "keeps no models or scores: rankwise bench --keep models,scores" in listed.stderr
    plan = invoke(bench, *words, "--keep", "models", "--dry-run").stdout
    assert "1 tasks: 0 done, 0 failed, 1 to do" in plan
    assert "1 of these are done, but are run again for what is to be kept of them" in plan
    run = invoke(bench, *words, "--keep", "models,scores")
    assert f"kept: 1 models, 2 score lists; see: rankwise results kept {tmp_path}" in run.stderr
    task = reading(tmp_path / "s.sqlite").tasks()[0]
    shown = json.loads(invoke(COMMANDS["show"], tmp_path / "s.sqlite", "--task", task.key).stdout)
    assert list(shown["kept"]) == ["model", "test scores", "validation scores"]
    with pytest.raises(RankwiseError, match="among models and scores, found"):
        invoke(bench, *words, "--keep", "model")


def test_results_diff_and_gc(done: Path) -> None:
    store = done / "results.sqlite"
    same = invoke(COMMANDS["diff"], store, store)
    assert (same.exit_code, same.stdout) == (0, "")
    assert "0 tasks would be removed" in invoke(COMMANDS["gc"], store, "--dry-run").output
    assert "0 tasks removed" in invoke(COMMANDS["gc"], store).output


def test_a_failed_task_gives_exit_code_1_and_its_reason(folds: Path, tmp_path: Path) -> None:
    result = invoke(bench, "--data", folds, "--ranker", "tests.experiments.trial_rankers:Faulty",
                    "--fold", "1", "--jobs", 1, "--store", tmp_path / "s.sqlite")  # fmt: skip
    assert result.exit_code == 1
    assert "a defect" in result.stderr
    assert "--retry" in result.stderr


def test_exit_codes_reach_the_shell(folds: Path, done: Path, tmp_path: Path) -> None:
    failing = rankwise("bench", "--data", folds, "--ranker", "best-feature,ridge-regression",
                       "--fold", 1, "--time-limit", 1e-9, "--jobs", 1, "--quiet",
                       "--store", tmp_path / "s.sqlite")  # fmt: skip
    assert failing.returncode == 1, failing.stderr
    store = done / "results.sqlite"
    assert rankwise("results", "diff", store, store).returncode == 0
    assert rankwise("results", "diff", store, tmp_path / "s.sqlite").returncode == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--ranker", "listnet"), "needs data"),
        (("--data", ".", "--ranker", "listnet", "--fold", "one"), "whole numbers"),
        (("--data", "nowhere", "--ranker", "listnet"), "nowhere"),
        (("nothing.toml",), r"nothing\.toml"),
    ],
)
def test_mistakes_are_sentences(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        invoke(bench, *words)


def test_flags_replace_what_a_file_says(folds: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('limits = 600\n[[rankers]]\nname = "best-feature"\nmeasure = "NDCG@5"\n')
    with pytest.raises(RankwiseError, match="limits must be a table, found 600"):
        configure_experiment(file, data=folds, select=None, time_limit=5.0)
    file.write_text('[[rankers]]\nname = "best-feature"\nmeasure = "NDCG@5"\n')
    found = configure_experiment(file, data=folds, select="MAP", time_limit=5.0)
    assert (found.rankers[0].measure, found.limits.seconds) == ("MAP", 5.0)


def test_a_shipped_experiment_is_found_beside_a_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apple-to-apple").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_configuration("apple-to-apple")["name"] == "apple-to-apple"


@tasks_here()
def test_combinations_that_cannot_be_trained_are_said(folds: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[[rankers]]\nname = "tests.experiments.trial_rankers:Refusing"\n')
    result = invoke(bench, file, "--data", folds, "--fold", "1", "--jobs", 1, "--quiet",
                    "--store", tmp_path / "s.sqlite")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "refusing: 1 combinations left out of the choice: feature 0 must be 2" in result.stderr


@pytest.mark.parametrize("quiet", [False, True])
def test_lost_workers_are_said(folds: Path, tmp_path: Path, quiet: bool) -> None:
    file, counter = tmp_path / "mine.toml", tmp_path / "count"
    file.write_text(
        '[[rankers]]\nname = "tests.experiments.trial_rankers:Mortal"\n'
        f"set = {{ deaths = 2, counter = {str(counter)!r}, feature = 0 }}\n"
    )
    result = invoke(bench, file, "--data", folds, "--fold", "1", "--jobs", 1,
                    "--store", tmp_path / "s.sqlite", *["--quiet"] * quiet)  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "workers lost: 2, tasks begun again: 2\n" in result.stderr
    assert ("workers lost: 1, tasks begun again: 1\n" in result.stderr) is not quiet


def test_the_live_view_counts_lost_workers() -> None:
    progress = RunProgress(9, 2, done=3)
    assert _format_progress(progress)[0].startswith("3 of 9 done, 0 running, 0 failed")
    progress.lost_workers, progress.begun_again["a task"] = 1, 1
    assert _format_progress(progress)[0].endswith("; workers lost: 1, tasks begun again: 1")


def test_a_configuration_file_is_read_from_its_own_folder(folds: Path) -> None:
    config = folds.parent / "mine.toml"
    config.write_text('folds = [1]\n[[data]]\npath = "tiny"\n[[rankers]]\nname = "ranksvm"\n')
    facts = json.loads(invoke(bench, config, "--dry-run", "--format", "json").stdout)
    assert (facts["name"], facts["tasks"]) == ("mine", 1)


def test_engine_flags_that_do_not_fit_are_refused(folds: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="choose engine='dask'"):
        invoke(bench, "--data", folds, "--ranker", "listnet", "--scheduler", "tcp://x:1",
               "--store", tmp_path / "s.sqlite")  # fmt: skip
