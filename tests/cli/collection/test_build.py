"""`rankwise build` as users call it: real collections, JSON, sentences instead of tracebacks."""

from __future__ import annotations

import hashlib
import json
import sysconfig
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.data.build_commands import build
from rankwise.collection import demo_collection
from rankwise.collection.data_card import read_data_card
from rankwise.data.folds import read_folds
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from tests.data.fold_problems import fold_problems

pytest.importorskip("snowballstemmer")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def cranfield(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home, folder = tmp_path_factory.mktemp("cranfield"), shared / "data/collections/cranfield"
    done = run(
        folder / "cran.all.1400", "--queries", folder / "cran.qry", "--qrels", folder / "cranqrel",
        "--labels", "cleverdon", "--depth", 50, "--features", "ohsumed", "--jobs", 1,
        "--format", "json", "-o", home,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    shown = json.loads(done.stdout)
    assert shown["queries"] == 225
    assert shown["streams"] == ["title", "abstract", "whole"]
    assert sum(shown["labels"].values()) == shown["rows"] == 225 * 50
    assert shown["relevant"]["judged"] == 1612 > shown["relevant"]["sampled"]
    return home


def test_cranfield_in_one_command(cranfield: Path) -> None:
    card = read_data_card(cranfield)
    assert card["documents_in_corpus"] == 1400
    assert card["rows"] == 225 * 50
    assert len(card["features"]) == 45
    assert set(card["labels"]) == {"0", "1", "2", "3", "4"}
    folds = read_folds(cranfield / "QueryLevelNorm")
    assert len(folds) == 5 and fold_problems(folds) == []
    assert [fold.test.n_queries for fold in folds] == [45] * 5


def test_cacm_in_one_command_with_its_citations(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data/collections/cacm"
    done = run(
        folder / "cacm.all", "--queries", folder / "query.text", "--qrels", folder / "qrels.text",
        "--depth", 30, "--stop-words", folder / "common_words", "--jobs", 1, "-o", tmp_path,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "query without judgements, left out: 12" in done.stderr
    card = read_data_card(tmp_path)
    assert card["links"] == 5440 and card["queries"] == 52
    assert any(feature["name"] == "pagerank" for feature in card["features"])
    assert len(read_folds(tmp_path / "QueryLevelNorm")) == 5


def test_features_from_the_metadata_of_a_build(cranfield: Path, tmp_path: Path) -> None:
    done = run("features", "--from-metadata", cranfield / "Meta", "-o", tmp_path / "again")
    assert done.exit_code == 0, done.output
    for version in ("Feature-null", "Feature-min"):
        name = f"{version}/ALL/cran.all.1400.txt"
        assert (tmp_path / "again" / name).read_bytes() == (cranfield / name).read_bytes()


def small_input(folder: Path) -> list[object]:
    documents = [{"id": f"d{n}", "body": f"word{n % 6} other{n % 4}"} for n in range(30)]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (folder / "queries.tsv").write_text("".join(f"{n}\tword{n}\n" for n in range(6)))
    (folder / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in range(6)))
    return [
        folder / "corpus.jsonl", "--queries", folder / "queries.tsv", "--qrels", folder / "qrels",
        "--jobs", 1, "--stemmer", "none",
    ]  # fmt: skip


@pytest.mark.parametrize("preset", ["gov", "ohsumed"])
def test_presets_are_letors_choices(tmp_path: Path, preset: str) -> None:
    done = run(*small_input(tmp_path), "--preset", preset, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    card = read_data_card(tmp_path / "out")
    assert card["feature_set"] == preset
    assert card["sampling"]["method"] == {"gov": "top", "ohsumed": "judged"}[preset]
    assert (tmp_path / "out/Relations/similarity").exists() == (preset == "ohsumed")


def test_constants_reach_the_features(tmp_path: Path) -> None:
    run(*small_input(tmp_path), "--k1", 0.9, "--mu", 7, "-o", tmp_path / "out")
    parameters = read_data_card(tmp_path / "out")["parameters"]
    assert (parameters["k1"], parameters["mu"]) == (0.9, 7.0)


def test_own_features_and_query_classes_are_columns_and_on_the_card(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from rankwise.collection.features.definition import feature\n"
        "@feature('squared-length', '|d|²', 'D')\n"
        "def squared_length(view, parameters):\n"
        "    return view.lengths**2\n"
    )
    (tmp_path / "classes").write_text("".join(f"{n}\t{'ab'[n % 2]}\n" for n in range(6)))
    done = run(
        *small_input(tmp_path), "--features", "ohsumed", "--feature-file", tmp_path / "own.py",
        "--query-classes", tmp_path / "classes", "-o", tmp_path / "out",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    card = read_data_card(tmp_path / "out")
    names = [feature["name"] for feature in card["features"]]
    assert names[-2:] == ["squared-length of body", "query-class"]
    assert card["query_classes"] == {"a": 1, "b": 2}
    assert card["feature_files"][0]["origin"] == str(tmp_path / "own.py")
    page = (tmp_path / "out/data-card.md").read_text(encoding="utf-8")
    assert f"feature files: {tmp_path / 'own.py'} (" in page and "a = 1, b = 2" in page
    rows = read(tmp_path / "out/Feature-min/ALL/corpus.txt")
    assert set(rows.features[:, -2].tolist()) == {4.0}


def test_broken_documents_are_named_or_stop_the_build(tmp_path: Path) -> None:
    arguments = small_input(tmp_path)
    with (tmp_path / "corpus.jsonl").open("a") as stream:
        stream.write("{broken\n")
    done = run(*arguments, "-o", tmp_path / "out")
    assert done.exit_code == 0 and "corpus.jsonl:31" in done.stderr
    stopped = run(*arguments, "--strict", "-o", tmp_path / "strict")
    assert isinstance(stopped.exception, RankwiseError)


def test_strict_stops_also_where_the_index_is_reused(tmp_path: Path) -> None:
    arguments = small_input(tmp_path)
    with (tmp_path / "corpus.jsonl").open("a") as stream:
        stream.write("{broken\n")
    assert run(*arguments, "-o", tmp_path / "out").exit_code == 0
    stopped = run(*arguments, "--strict", "-o", tmp_path / "out")
    assert "corpus.jsonl:31" in str(stopped.exception)
    assert (tmp_path / "out/data-card.json").exists()


def test_a_damaged_index_is_built_again_by_the_same_command(tmp_path: Path) -> None:
    arguments = small_input(tmp_path)
    assert run(*arguments, "-o", tmp_path / "out").exit_code == 0
    before = read_data_card(tmp_path / "out")
    damaged = tmp_path / "out/index/data/tokens.npy"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\x7f")
    done = run(*arguments, "-o", tmp_path / "out")
    assert done.exit_code == 0 and "built again" in done.stderr
    assert read_data_card(tmp_path / "out")["files"] == before["files"]


def test_the_same_file_in_another_format_is_indexed_anew(tmp_path: Path) -> None:
    arguments = small_input(tmp_path)
    records = "".join(f".I {n}\n.U\nd{n}\n.T\nword{n % 6} other\n" for n in range(30))
    (tmp_path / "corpus.jsonl").write_text(records)
    for name, known in (("smart", 0), ("ohsumed", 6)):
        done = run(*arguments, "--corpus-format", name, "--lost-judgements", 1, "-o",
                   tmp_path / "out")  # fmt: skip
        assert done.exit_code == 0, done.output
        lost = read_data_card(tmp_path / "out")["findings"].get(
            "judgement for a document that is not there, left out", {"count": 0}
        )
        assert lost["count"] == 6 - known


def test_a_missing_topic_leaves_judgements_where_they_are(tmp_path: Path) -> None:
    """Queries 1, 2, 3, 5, 6, 7 with judgements for 1 to 6: query 5 keeps the judgements of 5."""
    arguments = small_input(tmp_path)
    kept = (1, 2, 3, 5, 6, 7)
    (tmp_path / "queries.tsv").write_text("".join(f"{n}\tword{n % 6}\n" for n in kept))
    (tmp_path / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in range(1, 7)))
    done = run(*arguments, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "judgements for a query that is not there, left out: 1 (query 4)" in done.stderr
    rows = (tmp_path / "out/queries.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == ["1", "2", "3", "5", "6"]
    relevant = [row for row in (tmp_path / "out/Feature-min/ALL/corpus.txt").open()
                if row.startswith("1 qid:5 ")]  # fmt: skip
    assert len(relevant) == 1 and "d5" in relevant[0]


def test_places_are_taken_where_they_are_asked_for_or_asked_about(tmp_path: Path) -> None:
    arguments = small_input(tmp_path)
    (tmp_path / "queries.tsv").write_text("".join(f"{n * n}\tword{n % 6}\n" for n in range(1, 7)))
    (tmp_path / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in range(1, 7)))
    assert "query_numbers='file' or 'place'" in str(run(*arguments, "-o", tmp_path / "x").exception)
    done = run(*arguments, "--query-numbers", "place", "-o", tmp_path / "out")
    assert done.exit_code == 0 and "query 36 is now 6" in done.stderr
    assert read_data_card(tmp_path / "out")["queries"] == 6


@pytest.mark.parametrize("identifier", ["q" * 300, "a#b"])
def test_bad_query_ids_are_found_before_anything_is_made(tmp_path: Path, identifier: str) -> None:
    arguments = small_input(tmp_path)
    with (tmp_path / "queries.tsv").open("a") as stream:
        stream.write(f"{identifier}\tword1\n")
    refused = run(*arguments, "-o", tmp_path / "out")
    assert isinstance(refused.exception, RankwiseError) and "query id" in str(refused.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        (("--feature-file", "nope.py"), "cannot read nope.py"),
        (("--query-classes", "CLASSES"), "every query must have a class, found none for '3'"),
        (("--sampling", "judged", "--depth", 1), "leave out depth"),
        (("--preset", "ohsumed", "--depth", 1), "leave out depth"),
    ],
)
def test_what_needs_no_corpus_is_found_before_anything_is_made(
    tmp_path: Path, choices: tuple[object, ...], sentence: str
) -> None:
    classes = tmp_path / "classes"
    classes.write_text("".join(f"{n}\ta\n" for n in range(6) if n != 3))
    given = [classes if choice == "CLASSES" else choice for choice in choices]
    refused = run(*small_input(tmp_path), *given, "-o", tmp_path / "out")
    assert refused.exit_code != 0 and sentence in refused.output + str(refused.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["tsv", "trec"])
def test_the_card_names_queries_and_judgements_by_their_content(tmp_path: Path, kind: str) -> None:
    arguments = small_input(tmp_path)
    topics = "".join(f"<top><num>{n}<title>word{n}</top>\n" for n in range(6))
    if kind == "trec":
        (tmp_path / "queries.tsv").write_text(topics)
    done = run(*arguments, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    card = read_data_card(tmp_path / "out")
    origin = card["queries_from"]
    assert (origin["format"], origin.get("field")) == (kind, "title" if kind == "trec" else None)
    for part, name in (("queries_from", "queries.tsv"), ("judgements_from", "qrels")):
        assert card[part]["sha256"] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    with (tmp_path / "corpus.jsonl").open("a") as stream:
        stream.write('{"id": "more", "body": "word1"}\n')
    assert run(*arguments, "-o", tmp_path / "out").exit_code == 0
    assert read_data_card(tmp_path / "out")["index_digest"] != card["index_digest"]


def test_web_features_that_a_corpus_cannot_have_are_said(tmp_path: Path) -> None:
    done = run(*small_input(tmp_path), "--preset", "gov", "-o", tmp_path / "out")
    assert "pagerank, hostrank, " in done.stderr
    assert "they need links or URLs, which the corpus does not have" in done.stderr
    assert "tf of title, " in done.stderr and "whole" not in done.stderr


def test_the_demo_refuses_what_it_would_not_read(tmp_path: Path) -> None:
    for given in (["corpus.jsonl"], ["--queries", "q"], ["--name", "x"], ["--labels", "binary"]):
        done = run("corpus", *given, "--demo", "-o", tmp_path / "out")
        assert done.exit_code == 2 and "leave out" in done.output, given
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert "--queries FILE" in run("corpus.jsonl", "-o", tmp_path / "x").output
    arguments = small_input(tmp_path)
    missing = run(tmp_path / "nothing", *arguments[1:], "-o", tmp_path / "y")
    assert isinstance(missing.exception, RankwiseError)


def test_three_columns_beside_a_smart_corpus_must_be_explained(tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text(".I 1\n.T\nflow\n")
    (tmp_path / "queries").write_text(".I 1\n.W\nflow\n")
    (tmp_path / "qrels").write_text("1 1 2\n")
    done = run(
        tmp_path / "corpus", "--queries", tmp_path / "queries", "--qrels", tmp_path / "qrels",
        "-o", tmp_path / "out",
    )  # fmt: skip
    assert "labels='as-is'" in str(done.exception)


@pytest.fixture(scope="module")
def made() -> demo_collection.DemoCollection:
    part = Path(sysconfig.get_paths()["stdlib"]) / "email"
    return demo_collection.make_demo_collection(20, library=part)


@pytest.fixture
def small_demo(made: demo_collection.DemoCollection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_collection, "make_demo_collection", lambda n_queries, seed: made)


@pytest.mark.usefixtures("small_demo")
@pytest.mark.parametrize(
    ("choices", "method", "depth"),
    [
        (("--preset", "gov"), "top", 200),
        (("--preset", "ohsumed"), "judged", None),
        (("--preset", "ohsumed", "--sampling", "pool"), "pool", 200),
        (("--sampling", "judged"), "judged", None),
        (("--depth", 7), "top", 7),
    ],
)
def test_the_demo_has_a_depth_of_its_own_where_the_sampling_has_one(
    tmp_path: Path, choices: tuple[object, ...], method: str, depth: int | None
) -> None:
    done = run("--demo", *choices, "--jobs", 1, "-o", tmp_path)
    assert done.exit_code == 0, done.output
    sampling = read_data_card(tmp_path)["sampling"]
    assert (sampling["method"], sampling["depth"]) == (method, depth)


@pytest.mark.usefixtures("small_demo")
def test_the_demo_builds_a_web_of_pages(tmp_path: Path) -> None:
    done = run("--demo", "--jobs", 1, "-o", tmp_path)
    assert done.exit_code == 0, done.output
    card = read_data_card(tmp_path)
    assert card["feature_set"] == "gov" and card["sampling"]["depth"] == 200
    assert len(card["features"]) == 60 and card["links"] > 100
    lines = (tmp_path / "queries.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert {line.split("\t")[1] for line in lines} == {"known item", "topic"}


def test_help_names_every_format_and_choice() -> None:
    text = run("corpus", "--help").output
    for name in ("jsonl", "smart", "warc", "judged", "extended", "cleverdon", "porter"):
        assert name in text
    assert "--labels cleverdon -o cranfield" in text
    assert "features" in run("--help").output


def test_queries_judgements_and_output_in_the_corpus_folder_are_no_documents(
    tmp_path: Path,
) -> None:
    docs = "".join(f".I {n:03d}\n.T\nwing {n}\n.W\nx\n" for n in range(1, 9))
    (tmp_path / "docs.all").write_text(docs)
    asked = "".join(f".I {100 + n}\n.W\nwing {n}\n" for n in range(1, 7))
    (tmp_path / "queries.qry").write_text(asked)
    (tmp_path / "rel").write_text("".join(f"{100 + n} {n}\n" for n in range(1, 7)))
    for _ in range(2):
        done = run(
            tmp_path, "--queries", tmp_path / "queries.qry", "--qrels", tmp_path / "rel",
            "--jobs", 1, "--format", "json", "-o", tmp_path / "out",
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        shown = json.loads(done.stdout)
        assert (shown["documents"], shown["findings"]) == (8, {})
        assert shown["relevant"] == {"sampled": 6, "judged": 6}


def test_features_written_into_the_corpus_folder_are_no_documents(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    arguments = [tmp_path / "corpus", *small_input(tmp_path / "corpus")[1:], "-o", tmp_path / "out"]
    assert run(*arguments).exit_code == 0
    before = read_data_card(tmp_path / "out")
    again = ("--from-metadata", tmp_path / "out/Meta", "-o", tmp_path / "corpus/again")
    assert run("features", *again).exit_code == 0
    assert run(*arguments).exit_code == 0
    assert read_data_card(tmp_path / "out") == before
    refused = run(*arguments[:-1], tmp_path / "corpus/again")
    assert "it holds other files" in str(refused.exception)


def test_the_table_of_a_build_has_all_classes_that_it_needs(tmp_path: Path) -> None:
    arguments = small_input(tmp_path)
    (tmp_path / "queries.tsv").write_text(
        "".join(f"00{n}\tword{n}\t{'ab'[n % 2]}\n" for n in range(6)) + "006\tthe of\ta\n"
    )
    (tmp_path / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in range(7)))
    assert run(*arguments, "-o", tmp_path / "out").exit_code == 0
    table = tmp_path / "table.tsv"
    written = (tmp_path / "out/queries.tsv").read_text(encoding="utf-8")
    # Also without the zeros that the queries have.
    for text in (written, written.replace("\n00", "\n")):
        table.write_text(text)
        done = run(*arguments, "--query-classes", table, "-o", tmp_path / "out")
        assert done.exit_code == 0, done.exception
        rows = read(tmp_path / "out/Feature-null/ALL/corpus.txt")
        assert [query.features[0, -1] for query in rows.queries()] == [1, 2, 1, 2, 1, 2]
