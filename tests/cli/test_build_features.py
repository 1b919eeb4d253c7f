"""`rankwise build features`: from metadata to LETOR's folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.build_features import features_command
from rankwise.collection.metadata import write_metadata
from rankwise.data.reading import read
from rankwise.errors import RankwiseError

from ..collection.made import GOV_STREAMS, made_collection, made_query


def run(*arguments: object) -> Result:
    return CliRunner().invoke(features_command, [str(argument) for argument in arguments])


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    collection = made_collection()
    queries = [made_query(n, collection, query_id=str(n)) for n in range(1, 8)]
    write_metadata(tmp_path / "meta", collection, queries)
    return tmp_path / "meta"


def test_the_three_versions_are_written(meta: Path, tmp_path: Path) -> None:
    result = run("--from-metadata", meta, "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["features"] == 30
    assert facts["queries"] == 7
    assert facts["files"] == 47
    assert facts["parameters"] == {
        "k1": 1.2, "b": 0.75, "k3": 7.0, "mu": 50.0, "lambda": 0.5, "delta": 0.5,
    }  # fmt: skip
    assert read(tmp_path / "out" / "Feature-null" / "ALL" / "made.txt").n_documents == 49
    norm = read(tmp_path / "out" / "QueryLevelNorm" / "Fold1" / "train.txt").features
    assert norm.min() == 0.0
    assert norm.max() == 1.0


def test_parameters_are_taken_and_shown(meta: Path, tmp_path: Path) -> None:
    for name, arguments in (("one", ()), ("two", ("--k1", "3", "--lambda", "0.9"))):
        result = run("--from-metadata", meta, "-o", tmp_path / name, *arguments)
        assert result.exit_code == 0, result.output
    assert "k1 = 3" in result.stdout
    assert "lambda = 0.9" in result.stdout
    one, two = (read(tmp_path / n / "Feature-min" / "ALL" / "made.txt") for n in ("one", "two"))
    changed = (one.features != two.features).any(axis=0)
    assert {int(n) + 1 for n in changed.nonzero()[0]} == {11, 12, 14, 26, 27, 29}


def test_the_same_seed_gives_the_same_bytes(meta: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        run("--from-metadata", meta, "-o", tmp_path / name, "--seed", 5)
    part = Path("Feature-min") / "Fold2" / "trainingset.txt"
    assert (tmp_path / "one" / part).read_bytes() == (tmp_path / "two" / part).read_bytes()


def test_listing_writes_nothing(tmp_path: Path) -> None:
    collection = made_collection(GOV_STREAMS)
    write_metadata(tmp_path / "meta", collection, [made_query(1, collection)])
    result = run("--from-metadata", tmp_path / "meta", "--list", "--set", "gov", "--format", "json")
    listed = json.loads(result.stdout)
    assert len(listed) == 44
    assert listed[20] == {
        "number": 21,
        "feature": "bm25",
        "stream": "body",
        "category": "Q-D",
        "formula": listed[20]["formula"],
    }
    assert [path.name for path in tmp_path.iterdir()] == ["meta"]
    table = run("--from-metadata", tmp_path / "meta", "--list", "--set", "extended")
    assert "cover" in table.stdout


def test_a_folder_in_use_is_refused_before_anything_is_read(meta: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    result = run("--from-metadata", meta, "-o", tmp_path / "out")
    assert isinstance(result.exception, RankwiseError)
    assert "not an empty folder" in str(result.exception)


def test_without_a_target_it_says_what_to_do(meta: Path) -> None:
    result = run("--from-metadata", meta)
    assert result.exit_code == 2
    assert "say where to write the features" in result.output


def test_a_wrong_parameter_is_a_sentence(meta: Path, tmp_path: Path) -> None:
    result = run("--from-metadata", meta, "-o", tmp_path / "out", "--b", "2")
    assert str(result.exception) == "b must be at least 0 and at most 1, found 2.0"
    assert not (tmp_path / "out").exists()


def test_query_classes_become_the_last_feature(meta: Path, tmp_path: Path) -> None:
    names = ["homepage", "topic", "homepage", "named page", "topic", "topic", "homepage"]
    lines = [f"{number}\t{name}\n" for number, name in enumerate(names, 1)]
    (tmp_path / "classes.tsv").write_text("".join(lines))
    arguments = ("--from-metadata", meta, "-o", tmp_path / "out", "--format", "json")
    result = run(*arguments, "--query-classes", tmp_path / "classes.tsv")
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["query_classes"] == {
        "homepage": 1,
        "named page": 2,
        "topic": 3,
    }
    found = read(tmp_path / "out" / "Feature-null" / "ALL" / "made.txt")
    assert found.n_features == 31
    assert [query.features[:, -1].tolist() for query in found.queries()] == [
        [{"homepage": 1.0, "named page": 2.0, "topic": 3.0}[name]] * 7 for name in names
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\ta\n", "every query must have a class, found none for '2'"),
        ("1\ta\n1\tb\n", "classes.tsv:2: each query must have one class"),
        ("1 a\n", "classes.tsv:1: a line must hold"),
    ],
)
def test_wrong_query_classes_are_a_sentence(
    text: str, sentence: str, meta: Path, tmp_path: Path
) -> None:
    (tmp_path / "classes.tsv").write_text(text)
    result = run(
        "--from-metadata", meta, "-o", tmp_path / "out", "--query-classes", tmp_path / "classes.tsv"
    )
    assert sentence in str(result.exception)
    assert not (tmp_path / "out").exists()
