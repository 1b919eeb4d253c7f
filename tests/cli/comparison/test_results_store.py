"""What commands make of a store: one generation, whole methods, versions apart."""

from __future__ import annotations

import json
import shlex
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.comparison.compare_command import compare
from rankwise.cli.comparison.result_commands import STORE_COMMANDS
from rankwise.cli.measures.significance_command import significance
from rankwise.errors import RankwiseError
from rankwise.reports.bench_report import write_tables
from rankwise.results.store.database_file import DamagedStore
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from tests.stores import reading

COMMANDS = {command.name: command for command in STORE_COMMANDS}
NAME = TaskName("LETOR 3.0", "OHSUMED", "MIN", 1, "a", "ranker", 0, "letor3")
LACKING = "c is left out on OHSUMED: it lacks fold 2"


def invoke(command: Any, *words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], catch_exceptions=False)


def add(path: Path, name: TaskName, level: float, code: str = "") -> None:
    values = np.linspace(level, level + 0.1, 4) + 0.01 * np.cos(np.arange(4) * (1 + level))
    figure = StoredValue("test", "letor3", "MAP", float(values.mean()), tuple("wxyz"), values)
    outcome = TaskOutcome("done", facts={"rounds": 3}, values=(figure,))
    with Store.open(path) as store:
        store.add(f"{name!r} {code}", name, {"fold": name.fold, "code": code}, outcome)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Methods a and b on two folds, c on the first only."""
    path = tmp_path / "s.sqlite"
    for fold in (1, 2):
        for method, level in (("a", 0.2), ("b", 0.4)):
            add(path, replace(NAME, fold=fold, method=method), level)
    add(path, replace(NAME, method="c"), 0.9)
    return path


def test_folds_of_other_code_are_left_aside_and_said(store: Path, tmp_path: Path) -> None:
    add(store, replace(NAME, method="a"), 0.7, "new")
    said = "a on OHSUMED: left aside 1 fold (2) of other code"
    shown = invoke(COMMANDS["show"], store, "--format", "json")
    assert said in shown.stderr
    folds = {row["method"]: row["folds"] for row in json.loads(shown.stdout)[0]["rows"]}
    assert folds == {"a": 1, "b": 2, "c": 1}
    assert said in invoke(COMMANDS["export"], store, tmp_path / "t.csv").stderr
    add(store, replace(NAME, method="d"), 0.1)
    add(store, replace(NAME, method="d", fold=2), 0.1)
    assert said in invoke(compare, store).stderr
    assert said in invoke(significance, store, "-m", "MAP").stderr
    for method in ("a", "d"):
        add(store, replace(NAME, dataset="other", method=method), 0.3)
    elsewhere = invoke(significance, store, "-m", "MAP", "--dataset", "other")
    assert elsewhere.exit_code == 0
    assert "left aside" not in elsewhere.stderr


def test_methods_that_lack_folds_do_not_stop_the_others(store: Path) -> None:
    compared = invoke(compare, store, "--format", "json")
    assert {row["method"] for row in json.loads(compared.stdout)} == {"a", "b"}
    assert LACKING in compared.stderr
    words = (store, "-m", "MAP", "--format", "json")
    for methods in ((), ("a",)):
        tested = invoke(significance, *words, *methods)
        (row,) = json.loads(tested.stdout)
        assert (row["baseline"], row["system"], row["queries"]) == ("a", "b", 8)
        assert LACKING in tested.stderr
    assert "left out" not in invoke(significance, *words, "a", "b").stderr
    with pytest.raises(RankwiseError, match=r"the baseline must have .* but c lacks fold 2"):
        invoke(significance, *words, "c")
    # Of those that are named, what they all have is compared.
    tested = invoke(significance, *words, "a", "b", "c")
    found = [(row["system"], row["queries"]) for row in json.loads(tested.stdout)]
    assert found == [("b", 4), ("c", 4)]
    assert "fold 2 of OHSUMED is left aside: not all have it" in tested.stderr
    with pytest.raises(RankwiseError, match="has no method 'd'; it has a, b, c"):
        invoke(significance, *words, "a", "d")
    with pytest.raises(RankwiseError, match="must be named once, found 'a' again"):
        invoke(significance, *words, "a", "a")


def test_tables_say_who_is_left_out_of_the_winning_numbers(store: Path, tmp_path: Path) -> None:
    write_tables(reading(store).values(), tmp_path)
    text = (tmp_path / "tables.md").read_text()
    assert "| b | 1 | 1 |" in text
    assert f"In the winning numbers {LACKING}.\n" in text


def test_what_another_tool_lacks_is_not_said_of_the_winning_numbers(
    store: Path, tmp_path: Path
) -> None:
    """They are of each data set's own tool: d has all folds by that, and one by the definition."""
    for fold in (1, 2):
        add(store, replace(NAME, method="d", fold=fold), 0.3)
    values = list(reading(store).values())
    values += [
        one._replace(tool="definition")
        for one in values
        if one.name.method != "d" or one.name.fold == 1
    ]
    write_tables(values, tmp_path)
    (said,) = (
        line for line in (tmp_path / "tables.md").read_text().splitlines()
        if line.startswith("In the winning numbers")
    )  # fmt: skip
    assert said == f"In the winning numbers {LACKING}."


def test_versions_are_told_apart(store: Path) -> None:
    for fold in (1, 2):
        for method, level in (("a", 0.3), ("b", 0.1)):
            add(store, replace(NAME, version="NULL", fold=fold, method=method), level)
    compared = {row["method"]: row for row in
                json.loads(invoke(compare, store, "--format", "json").stdout)}  # fmt: skip
    assert (compared["a"]["wn"], compared["a"]["datasets"]) == (1, 2)
    listed = invoke(COMMANDS["list"], store).stdout
    assert "OHSUMED/MIN 1" in listed and "OHSUMED/NULL 1" in listed
    other = store.with_name("other.sqlite")
    add(other, NAME, 0.2)
    differences = invoke(COMMANDS["diff"], store, other)
    assert "OHSUMED/NULL" in differences.stdout
    words = (store, other, "--format", "json")
    assert {row["version"] for row in json.loads(invoke(COMMANDS["diff"], *words).stdout)} == {
        "MIN", "NULL"}  # fmt: skip


def test_a_task_in_full_has_its_inputs_and_facts(store: Path) -> None:
    key = json.loads(invoke(COMMANDS["list"], store, "--format", "json").stdout)[0]["key"]
    whole = json.loads(invoke(COMMANDS["show"], store, "--task", key).stdout)
    assert whole["inputs"] == {"fold": 1, "code": ""}
    assert whole["facts"] == {"rounds": 3}


def damage(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE figures SET mean = mean + 0.25 WHERE number = 1")
        connection.commit()


def test_verify_says_what_is_damaged_and_how_to_go_on(store: Path) -> None:
    whole = invoke(COMMANDS["verify"], store)
    assert (whole.exit_code, whole.stdout) == (0, "")
    assert "5 tasks, 5 figures, 20 values of queries: nothing is damaged" in whole.stderr
    damage(store)
    found = invoke(COMMANDS["verify"], store)
    assert found.exit_code == 1
    assert "a on OHSUMED/MIN, fold 1, seed 0: its figures are not what was stored" in found.stdout
    assert f"'rankwise results gc {store} --damaged' removes the damaged tasks" in found.stderr


def test_commands_to_copy_name_paths_as_a_shell_reads_them(store: Path) -> None:
    odd = store.rename(store.parent / "my store's.sqlite")
    damage(odd)
    quoted = shlex.quote(str(odd))
    said = invoke(COMMANDS["verify"], odd).stderr
    assert f"'rankwise results gc {quoted} --damaged'" in said
    with pytest.raises(DamagedStore) as refused:
        invoke(COMMANDS["show"], odd)
    assert f"'rankwise results verify {quoted}'" in str(refused.value)
    assert f"'rankwise results gc {quoted} --damaged'" in str(refused.value)


def test_no_command_shows_a_damaged_figure(store: Path, tmp_path: Path) -> None:
    damage(store)
    commands = [
        (COMMANDS["show"], store), (COMMANDS["export"], store, tmp_path / "t.csv"),
        (COMMANDS["diff"], store, store), (compare, store), (significance, store, "a", "-m", "MAP"),
    ]  # fmt: skip
    for command, *words in commands:
        with pytest.raises(DamagedStore, match="a on OHSUMED/MIN, fold 1, seed 0 has other figur"):
            invoke(command, *words)
    assert not (tmp_path / "t.csv").exists()


def test_damaged_tasks_can_be_removed(store: Path) -> None:
    damage(store)
    foreseen = invoke(COMMANDS["gc"], store, "--damaged", "--dry-run")
    assert "1 damaged tasks would be removed" in foreseen.stderr
    assert len(invoke(COMMANDS["verify"], store).stdout.splitlines()) == 1
    assert "1 damaged tasks removed" in invoke(COMMANDS["gc"], store, "--damaged").stderr
    assert invoke(COMMANDS["verify"], store).exit_code == 0
    assert len(reading(store).tasks()) == 4
