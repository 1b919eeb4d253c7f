"""`rankwise build features`: from metadata to LETOR's folders."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.data.build_commands import build, features_command
from rankwise.collection import from_metadata
from rankwise.collection.build_folder import lock_folder, make_workshop
from rankwise.collection.features.definition import FEATURES
from rankwise.collection.metadata import (
    list_query_files,
    read_collection,
    read_queries,
)
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.files import make_folder
from tests.collection.made import GOV_STREAMS, made_collection, made_query, write_metadata


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


@pytest.mark.parametrize("left", [(), (".building",), (".building", "Feature-null")])
def test_what_a_killed_run_left_does_not_block_the_folder(
    meta: Path, tmp_path: Path, left: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    for name in left:
        (out / name).mkdir(parents=True)
        (out / name / "half").touch()
    with lock_folder(make_folder(out)):
        pass
    assert run("--from-metadata", meta, "-o", out).exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        ".build-lock", "Feature-min", "Feature-null", "QueryLevelNorm", "build.txt",
        "data-card.json",
    ]  # fmt: skip
    assert not (out / "Feature-null" / "half").exists()


def test_a_run_that_is_at_work_in_the_folder_is_left_alone(meta: Path, tmp_path: Path) -> None:
    with lock_folder(make_folder(tmp_path / "out")), make_workshop(tmp_path / "out") as work:
        (work / "theirs").touch()
        refused = run("--from-metadata", meta, "-o", tmp_path / "out")
        assert "another build is at work in" in str(refused.exception)
        assert (work / "theirs").exists()


def test_what_another_run_wrote_meanwhile_stays(
    meta: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--from-metadata", meta, "-o", tmp_path / "out")
    card = tmp_path / "out/data-card.json"
    computed = from_metadata.compute_dataset

    def overtaken(*given: Any) -> Dataset:
        monkeypatch.setattr(from_metadata, "compute_dataset", computed)
        assert run(*arguments, "--k1", 0.1).exit_code == 0
        return computed(*given)

    monkeypatch.setattr(from_metadata, "compute_dataset", overtaken)
    refused = run(*arguments)
    assert "not an empty folder" in str(refused.exception)
    assert json.loads(card.read_text(encoding="utf-8"))["parameters"]["k1"] == 0.1


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
    # Editors put a byte order mark first, and people leave lines blank.
    (tmp_path / "classes.tsv").write_text("\ufeff" + "\n".join(lines) + "\n\n")
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


def test_zeros_in_front_lose_no_class(meta: Path, tmp_path: Path) -> None:
    (tmp_path / "classes").write_text("".join(f"{n:03d}\tc{n}\n" for n in range(1, 8)))
    arguments = ("--from-metadata", meta, "--query-classes", tmp_path / "classes")
    assert run(*arguments, "-o", tmp_path / "out").exit_code == 0
    found = read(tmp_path / "out" / "Feature-null" / "ALL" / "made.txt")
    assert [query.features[0, -1] for query in found.queries()] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\ta\n", "every query must have a class, found none for '2'"),
        ("1\ta\n1\tb\n", "classes.tsv:2: each query must have one class"),
        ("1\ta\n01\tb\n", "found 'a' and 'b' for '1', which is also called '01'"),
        ("1 a\n", "classes.tsv:1: a line must hold"),
        ("1\ta\tsome text\n", "the 2 columns query, class, divided by tabs, found 3"),
        ("query\tclass\twords\n1\ta\n", "classes.tsv:2: a line must hold the 3 columns"),
        ("query\tclass\twords\n1\t\tw\n", "classes.tsv:2: every query must have a class"),
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


OWN = '''
"""Two features of ours."""
from rankwise.collection.features.definition import Parameters, StreamView, feature


@feature("squared-length", "|d|²", "D")
def squared_length(view: StreamView, parameters: Parameters):
    return view.lengths**2


@feature("documents", "number of documents", "Q", of_stream=False)
def documents(view: StreamView, parameters: Parameters):
    return 0 * view.lengths + len(view.lengths)
'''


def test_a_file_of_own_features_comes_last_and_is_recorded(meta: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(OWN)
    for name in ("one", "two"):
        arguments = ("--from-metadata", meta, "-o", tmp_path / name, "--format", "json")
        result = run(*arguments, "--feature-file", own)
        assert result.exit_code == 0, result.exception
    digest = hashlib.blake2b(OWN.encode(), digest_size=16).hexdigest()
    assert json.loads(result.stdout)["feature_files"] == [{"origin": str(own), "digest": digest}]
    card = json.loads((tmp_path / "two" / "data-card.json").read_text(encoding="utf-8"))
    assert card["feature_files"] == [{"origin": str(own), "digest": digest}]
    assert [entry["name"] for entry in card["features"][-3:]] == [
        "squared-length of title", "squared-length of body", "documents",
    ]  # fmt: skip
    found = read(tmp_path / "two" / "Feature-null" / "ALL" / "made.txt")
    assert found.n_features == 33
    collection = read_collection(meta)
    lengths = np.concatenate([q.lengths for q in read_queries(meta, collection)])
    assert np.array_equal(found.features[:, 30:32], lengths.astype(float) ** 2)
    assert set(found.features[:, 32]) == {7.0}
    assert "squared-length" not in FEATURES


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x = 1\n", "must have functions under @feature(…), found none"),
        ("def x(:\n", "own.py:1: the file must be Python"),
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        (OWN.replace('"D"', '"Z"'), "must be one of Q, D, Q-D, found 'Z'"),
        (OWN.replace("squared-length", "bm25"), "a feature name must be new, found 'bm25' twice"),
        (OWN.replace("view.lengths**2", "view.lengths[1:]"), "one value for each of the 7"),
    ],
)
def test_a_wrong_feature_file_is_a_sentence(
    text: str, sentence: str, meta: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(text)
    result = run(
        "--from-metadata", meta, "-o", tmp_path / "out", "--feature-file", tmp_path / "own.py"
    )
    assert isinstance(result.exception, RankwiseError)
    assert sentence in str(result.exception)
    assert not (tmp_path / "out").exists()
    assert "squared-length" not in FEATURES and "documents" not in FEATURES


def test_two_files_with_one_name_are_a_sentence(meta: Path, tmp_path: Path) -> None:
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text(OWN)
    files = ("--feature-file", tmp_path / "one.py", "--feature-file", tmp_path / "two.py")
    result = run("--from-metadata", meta, "-o", tmp_path / "out", *files)
    assert "two.py: a feature name must be new, found 'squared-length'" in str(result.exception)
    assert "squared-length" not in FEATURES


def test_classes_are_shown_with_their_numbers(meta: Path, tmp_path: Path) -> None:
    rows = "".join(f"{n}\t{'topic' if n % 2 else 'item'}\tw{n}\tsome text\n" for n in range(1, 8))
    (tmp_path / "table.tsv").write_text("query\tclass\twords\ttext\n" + rows)
    arguments = ("--from-metadata", meta, "-o", tmp_path / "out")
    result = run(*arguments, "--query-classes", tmp_path / "table.tsv")
    assert result.exit_code == 0, result.exception
    assert "item = 1, topic = 2" in result.stdout


@pytest.fixture(scope="module")
def web_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("snowballstemmer")
    folder = tmp_path_factory.mktemp("web")
    rng = np.random.default_rng(1)
    documents = [
        {
            "id": f"d{n}",
            "url": f"http://h/{'a/' * (n % 4)}{n}.html" if n % 4 else f"http://h{n % 8}/",
            "body": " ".join(f"word{w}" for w in rng.integers(0, 9, 12)),
            "links": [f"d{t}" for t in rng.integers(0, 30, 3)] if n % 5 else [],
            "category": "even" if n % 2 else "odd",
        }
        for n in range(40)
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    order = (10, 9, 2, 1, 30, 4, 3)
    (folder / "q.tsv").write_text("".join(f"{n}\tword{n % 9} word{n % 7}\n" for n in order))
    (folder / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in order))
    arguments = [folder / "corpus.jsonl", "--queries", folder / "q.tsv", "--qrels",
                 folder / "qrels", "--jobs", 1, "--stemmer", "none", "--features", "gov",
                 "--k1", 0.9, "--seed", 4, "--depth", 6, "-o", folder / "built"]  # fmt: skip
    result = CliRunner().invoke(build, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return folder / "built"


def test_metadata_of_a_web_give_its_links_again(web_build: Path, tmp_path: Path) -> None:
    result = run("--from-metadata", web_build / "Meta", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.exception
    before, after = (
        json.loads((home / "data-card.json").read_text(encoding="utf-8"))
        for home in (web_build, tmp_path / "out")
    )
    names = [entry["name"] for entry in before["features"]]
    left = ["hostrank", "topical-pagerank", "topical-hits-authority", "topical-hits-hub",
            "url-slashes", "url-length"]  # fmt: skip
    assert [entry["name"] for entry in after["features"]] == [n for n in names if n not in left]
    assert sorted(name for some in after["left_out"].values() for name in some) == sorted(left)
    assert "left out: hostrank, url-slashes, url-length; they need URLs" in result.stderr
    assert after["parameters"] == before["parameters"]
    kept = [n for n, name in enumerate(names) if name not in left]
    for path in ("Feature-null/ALL/corpus.txt", "QueryLevelNorm/Fold1/test.txt"):
        one, other = read(web_build / path), read(tmp_path / "out" / path)
        assert list(one.query_ids) == list(other.query_ids)
        np.testing.assert_allclose(one.features[:, kept], other.features, rtol=0, atol=1e-6)
    assert "pagerank" in [names[n] for n in kept]


def test_without_relations_it_says_that_links_are_missing(web_build: Path, tmp_path: Path) -> None:
    shutil.copytree(web_build / "Meta", tmp_path / "Meta")
    result = run("--from-metadata", tmp_path / "Meta", "--set", "gov", "--list")
    assert "hits-hub, pagerank, in-links" in result.stderr
    assert "they need links: Relations/hyperlinks.tsv" in result.stderr
    (tmp_path / "Relations").mkdir()
    for name in ("hyperlinks.tsv", "sitemap.tsv"):
        (tmp_path / "Relations" / name).write_text("d1\td2\n")
    result = run("--from-metadata", tmp_path / "Meta", "--list")
    assert "hyperlinks.tsv:1: a line must hold source and target" in str(result.exception)


def test_queries_stand_in_the_order_of_the_build(web_build: Path, tmp_path: Path) -> None:
    found = [path.stem for path in list_query_files(web_build / "Meta")]
    assert found == [f"query-{n}" for n in (10, 9, 2, 1, 30, 4, 3)]
    shutil.copytree(web_build / "Meta", tmp_path / "Meta")
    alone = [path.stem for path in list_query_files(tmp_path / "Meta")]
    assert alone == [f"query-{n}" for n in (1, 2, 3, 4, 9, 10, 30)]


def test_classes_are_the_same_in_all_versions(meta: Path, tmp_path: Path) -> None:
    names = ["homepage", "topic", "homepage", "named page", "topic", "topic", "homepage"]
    lines = [f"{number}\t{name}\n" for number, name in enumerate(names, 1)]
    (tmp_path / "classes.tsv").write_text("".join(lines))
    arguments = ("--from-metadata", meta, "-o", tmp_path / "out")
    assert run(*arguments, "--query-classes", tmp_path / "classes.tsv").exit_code == 0
    numbers = {"homepage": 1.0, "named page": 2.0, "topic": 3.0}
    wanted = dict(enumerate(names, 1))
    for path in (tmp_path / "out").glob("*/*/*.txt"):
        found = read(path)
        assert found.query_classes is not None
        for query, name in zip(found.queries(), found.query_classes, strict=True):
            assert name == wanted[int(query.id)]
            assert set(query.features[:, -1].tolist()) == {numbers[name]}
