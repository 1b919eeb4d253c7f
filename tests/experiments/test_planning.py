from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import rankwise as rw
from rankwise.data.catalog.entries import CatalogEntry
from rankwise.data.folds import find_folds
from rankwise.data.sources import from_folder, from_home
from rankwise.errors import RankwiseError
from rankwise.experiments.configuration import (
    configure,
    list_shipped_configurations,
    read_configuration,
)
from rankwise.experiments.planning import expand
from rankwise.experiments.resources import TaskLimits, parse_memory
from rankwise.rankers.registry import ranker_names
from rankwise.results.store.schema import digest_generation
from tests.experiments.running import HERE, planned


def test_tasks_are_folds_times_rankers_times_seeds(folds: Path) -> None:
    plan = planned(folds, "OneFeature", {"name": "linear-regression"}, seeds=[0, 1])
    names = {(task.name.fold, task.name.method, task.seed) for task in plan.tasks}
    assert names == {
        (fold, method, seed)
        for fold in range(1, 6)
        for method in ("one-feature", "linear-regression")
        for seed in (0, 1)
    }
    assert [len(task.combinations) for task in plan.tasks[:3]] == [4, 4, 1]


def test_only_methods_that_draw_random_numbers_are_repeated(folds: Path) -> None:
    forest = {"name": "random-forest", "trials": 1}
    around = {"name": "nearest-queries", "set": {"of": "random-forest"}, "trials": 1}
    fixed = {"name": "nearest-queries", "label": "around a ridge", "trials": 1}
    some = {"name": "mart", "set": {"feature_fraction": 0.5}, "trials": 1}
    every = {"name": "mart", "label": "with all features", "trials": 1}
    plan = planned(folds, {"name": "ridge-regression"}, forest, around, fixed, some, every,
                   folds=[1], seeds=[5, 7], repeated="random")  # fmt: skip
    assert [(task.name.method, task.seed) for task in plan.tasks] == [
        ("ridge-regression", 5), ("random-forest", 5), ("random-forest", 7),
        ("nearest-queries", 5), ("nearest-queries", 7), ("around a ridge", 5),
        ("mart", 5), ("mart", 7), ("with all features", 5)]  # fmt: skip


def test_the_dense_table_gives_every_ranker_the_same_budget() -> None:
    """Every registered ranker is in it, but for the one that needs classes of queries."""
    content = read_configuration("dense")
    named = [name.strip() for one in content["rankers"] for name in one["name"].split(",")]
    assert sorted(named) == sorted(set(ranker_names()) - {"per-class"})
    assert all(1 <= one["trials"] <= 3 for one in content["rankers"])


def test_keys_follow_content_not_names_or_places(folds: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(folds, moved)
    before = [task.key for task in planned(folds, "OneFeature").tasks]
    labelled = {"name": f"{HERE}:OneFeature", "label": "another name"}
    assert [task.key for task in planned(moved, labelled).tasks] == before
    with find_folds(moved)[0].train.open("ab") as stream:
        stream.write(b"0 qid:999999 1:0.5\n")
    after = [task.key for task in planned(moved, "OneFeature").tasks]
    assert after[0] != before[0]
    assert after[1:] == before[1:]


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": [1]},
        {"measures": ["MAP"]},
        {"tools": ["letor4"]},
        {"selection": {"measure": "NDCG@5"}},
        {"selection": {"tool": "letor4"}},
    ],
)
def test_every_input_changes_the_key(folds: Path, change: dict[str, object]) -> None:
    before = planned(folds, "OneFeature", folds=[1]).tasks[0]
    assert planned(folds, "OneFeature", folds=[1], **change).tasks[0].key != before.key
    fixed = {"name": f"{HERE}:OneFeature", "set": {"feature": 1}}
    assert planned(folds, fixed, folds=[1]).tasks[0].key != before.key


def test_other_code_gives_other_keys(folds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = planned(folds, "OneFeature", folds=[1]).tasks[0].key
    monkeypatch.setattr("rankwise.experiments.planning.digest_code", lambda *names: "another")
    assert planned(folds, "OneFeature", folds=[1]).tasks[0].key != before


def test_training_conventions_become_methods_of_their_own(folds: Path) -> None:
    entry = {"name": "adarank-ndcg", "set": {"measure": "NDCG@10"}, "measure": "NDCG@10",
             "tools": ["yahoo", "letor4"]}  # fmt: skip
    plan = planned(folds, entry, folds=[1])
    assert [task.name.method for task in plan.tasks] == [
        "adarank-ndcg (yahoo)", "adarank-ndcg (letor4)"]  # fmt: skip
    assert [task.selection.tool for task in plan.tasks] == ["yahoo", "letor4"]
    assert all(one["tool"] == "yahoo" for one in plan.tasks[0].combinations)


def test_without_a_validation_part_the_same_is_tried(folds: Path, tmp_path: Path) -> None:
    """Each combination is trained on all but one of five parts, the best on all: 4 x 5 + 1."""
    single = tmp_path / "single"
    shutil.copytree(folds / "Fold1", single)
    (single / "vali.txt").unlink()
    (bare,), validated = planned(single, "OneFeature").tasks, planned(folds, "OneFeature").tasks[0]
    assert bare.combinations == validated.combinations
    assert bare.key != validated.key
    assert digest_generation(bare.inputs) == digest_generation(validated.inputs)
    assert (bare.trainings, validated.trainings) == (21, 4)
    one = {"name": f"{HERE}:OneFeature", "grid": {"feature": [2]}}
    assert planned(single, one).tasks[0].trainings == 1


def test_over_a_cluster_several_combinations_need_a_validation_part(
    folds: Path, tmp_path: Path
) -> None:
    single = tmp_path / "single"
    shutil.copytree(folds / "Fold1", single)
    (single / "vali.txt").unlink()
    several = {"name": "lambdamart", "spread": True, "set": {"lambdas": "lightgbm"}}
    with pytest.raises(RankwiseError, match=r"over a cluster needs a validation part"):
        planned(single, several)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"rankers": []}, "needs rankers"),
        ({"data": []}, "needs data"),
        ({"folds": [7]}, "must have fold 7, found 1, 2, 3, 4, 5"),
        ({"measures": ["NDGC@5"]}, "NDGC@5"),
        ({"measures": ["MAP"], "tools": ["own", "yahoo"]}, "evaluated by yahoo: yahoo does not"),
        ({"selection": {"measure": "MAP", "tool": "yahoo"}}, "by MAP: yahoo does not compute AP"),
        ({"seed": [1]}, "did you mean 'seeds'"),
        ({"seeds": [-1]}, "whole numbers from 0 up"),
        ({"repeated": "some"}, "repeated must be all or random, found 'some'"),
        ({"rankers": [{"name": "listnets"}]}, "did you mean 'listnet'"),
        ({"rankers": [{"name": "nowhere:Nothing"}]}, "cannot be imported"),
        ({"rankers": [{"name": "pathlib:Path"}]}, "must be a subclass"),
        ({"rankers": [{"name": "all", "label": "x"}]}, "cannot stand for"),
        ({"rankers": {"name": "all"}}, r"written as \[\[rankers\]\]"),
        ({"data": [{}]}, "either a path or a home name"),
        ({"limits": {"seconds": "ten"}}, "must be a number"),
        ({"limits": {"memory": "much"}}, "500 MB or 2 GB"),
        ({"limits": {"seconds": float("nan")}}, "and finite"),
        ({"limits": 600}, "limits must be a table"),
        ({"seeds": [2**63]}, "up to 2.63 - 1"),
        ({"rankers": [{"name": "ridge-regression", "draws": 0}]}, "one whole number from 1 up"),
        ({"rankers": [{"name": "ridge-regression", "draws": [2, 3]}]}, "one whole number"),
        ({"rankers": [{"name": "ridge-regression", "label": ""}]}, "a label must be a name"),
        (
            {
                "rankers": [
                    {
                        "name": "ridge-regression",
                        "draws": 2,
                        "draw": {"regularization": {"low": 1, "high": float("inf")}},
                    }
                ]
            },
            "high must be a number, and finite",
        ),
        (
            {
                "rankers": [
                    {
                        "name": "ridge-regression",
                        "draws": 2,
                        "draw": {"regularization": {"low": 1, "high": 2, "logarithmic": "no"}},
                    }
                ]
            },
            "logarithmic must be true or false",
        ),
        (
            {
                "rankers": [
                    {
                        "name": "ridge-regression",
                        "set": {"regularization": 1.0},
                        "grid": {"regularization": [1.0, 2.0]},
                    }
                ]
            },
            "regularization must be given once, by set, grid or draw",
        ),
        (
            {"rankers": [{"name": "best-feature", "grid": {"tool": ["yahoo"]}}]},
            "the convention is not tuned",
        ),
    ],
)
def test_what_is_wrong_with_an_experiment_is_said_first(
    folds: Path, content: dict[str, object], sentence: str
) -> None:
    whole = {"data": [{"path": str(folds)}], "rankers": [{"name": "linear-regression"}]}
    with pytest.raises(RankwiseError, match=sentence):
        expand(configure({**whole, **content}))


def test_a_task_stands_once_and_names_tell_tasks_apart(folds: Path) -> None:
    with pytest.raises(RankwiseError, match="every task must stand once"):
        planned(folds, "OneFeature", "OneFeature")
    with pytest.raises(RankwiseError, match="give one of the rankers a label"):
        planned(folds, "OneFeature", {"name": f"{HERE}:OneFeature", "set": {"feature": 1}})


def test_data_sets_of_one_name_are_told_to_be_named(folds: Path, tmp_path: Path) -> None:
    other = tmp_path / folds.name
    shutil.copytree(folds, other)
    with (other / "Fold1" / "test.txt").open("a") as stream:
        stream.write("1 qid:77 1:1\n")
    data = [{"path": str(folds)}, {"path": str(other)}]
    with pytest.raises(RankwiseError, match="give one of the data sets another name"):
        expand(configure({"data": data, "rankers": [{"name": "best-feature"}]}))


def test_an_unknown_experiment_names_those_that_are_shipped() -> None:
    with pytest.raises(
        RankwiseError, match="shipped are apple-to-apple, apple-to-apple-quick, dense, letor"
    ):
        read_configuration("letor-baseline")


def test_names_and_tool_are_read_off_a_path(folds: Path, tmp_path: Path) -> None:
    place = tmp_path / "letor3" / "OHSUMED" / "QueryLevelNorm"
    shutil.copytree(folds, place)
    source = from_folder(place)
    assert (source.collection, source.dataset, source.version, source.tool) == (
        "LETOR 3.0", "OHSUMED", "QueryLevelNorm", "letor3")  # fmt: skip
    unknown = from_folder(folds)
    assert (unknown.collection, unknown.dataset, unknown.tool) == ("", "small", "definition")
    assert replace(source, dataset="x").folds() == source.folds()


def test_data_sets_of_the_home_go_by_their_titles(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"letor4/mq2008": ["QueryLevelNorm", "MIN"], "letor3/ohsumed": ["MIN"]}

    def installed(entry: CatalogEntry) -> list[Any]:
        versions = there.get(entry.name, [])
        return [SimpleNamespace(folder=Path(entry.name), version=one) for one in versions]

    monkeypatch.setattr("rankwise.data.catalog.home.list_installed", installed)
    for name in ("letor4/mq2008", "MQ2008", "mq2008"):
        [source] = from_home(name)
        assert (source.collection, source.dataset, source.version, source.tool) == (
            "LETOR 4.0", "MQ2008", "QueryLevelNorm", "letor4")  # fmt: skip
    [named] = from_home("MQ2008", collection="mine", dataset="old", version="MIN", tool="mslr")
    assert (named.collection, named.dataset, named.version, named.tool) == (
        "mine", "old", "MIN", "mslr")  # fmt: skip
    assert [one.dataset for one in from_home("letor*", version="MIN")] == ["OHSUMED", "MQ2008"]
    with pytest.raises(RankwiseError, match="in the version 'NULL', found QueryLevelNorm, MIN"):
        from_home("MQ2008", version="NULL")
    with pytest.raises(RankwiseError, match="get it with 'rankwise data fetch letor4/mq2007'"):
        from_home("MQ2007")
    assert [one.dataset for one in from_home("letor[34]/*")] == ["OHSUMED", "MQ2008"]
    there["letor4/mq2008"], there["letor2/ohsumed"] = [], ["MIN"]
    with pytest.raises(RankwiseError, match="one data set, found letor2/ohsumed and letor3/ohsume"):
        from_home("OHSUMED")


def test_memory_is_read_with_units() -> None:
    assert [parse_memory(text) for text in ("2 GB", "500mb", "1.5g", "7")] == [
        2 * 10**9, 500 * 10**6, 1_500_000_000, 7]  # fmt: skip
    for wrong in (0, -1.0, math.nan, math.inf):
        with pytest.raises(RankwiseError, match="above 0"):
            TaskLimits(seconds=wrong)
    with pytest.raises(RankwiseError, match="must be written as 500 MB"):
        parse_memory("9" * 400 + " GB")


@pytest.mark.parametrize("name", list_shipped_configurations())
def test_shipped_experiments_can_be_planned(name: str, folds: Path, tmp_path: Path) -> None:
    content = {**read_configuration(name), "data": [{"path": str(folds)}], "folds": [1]}
    for number, transfer in enumerate(content.get("transfer", [])):
        source = shutil.copytree(folds, tmp_path / f"source{number}")
        transfer.update(source={"path": str(source)}, target={"path": str(folds)})
    assert rw.plan(content).plan.tasks


def test_the_experiments_of_the_papers_are_shipped() -> None:
    shipped = set(list_shipped_configurations())
    assert shipped >= {"apple-to-apple", "apple-to-apple-quick", "letor-baselines"}


def test_a_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("measures = [")
    with pytest.raises(RankwiseError, match=r"wrong\.toml must be TOML"):
        read_configuration(path)


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "a\u202eb", "n" * 1001])
def test_names_that_no_table_can_hold_are_refused_before_anything_runs(
    name: str, folds: Path
) -> None:
    with pytest.raises(RankwiseError, match=r'a label must be printable .*: label = "…"'):
        planned(folds, {"name": f"{HERE}:OneFeature", "label": name})
    for key in ("collection", "dataset", "version"):
        data = [{"path": str(folds), key: name}]
        with pytest.raises(RankwiseError, match=rf"the {key} of \[\[data\]\] must be printable"):
            planned(folds, "OneFeature", data=data)
