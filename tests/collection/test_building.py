"""Whole builds: what they write, that features come again from metadata, kill and resume."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from rankwise.cli.data.build_commands import build
from rankwise.collection import document_sampling
from rankwise.collection.build_folder import prepare_folder, round_as_printed
from rankwise.collection.building import Settings, build_dataset, index_corpus
from rankwise.collection.corpora.corpus import Corpus
from rankwise.collection.corpora.document import Document, Findings, Link
from rankwise.collection.corpora.judgements import Judgements
from rankwise.collection.corpora.query_files import CorpusQuery
from rankwise.collection.data_card import DataCard, read_data_card, write_data_card
from rankwise.collection.demo_collection import make_demo_collection
from rankwise.collection.document_sampling import Sampling
from rankwise.collection.features.definition import Evidence
from rankwise.collection.features.feature_sets import compute_dataset, make_feature_set
from rankwise.collection.index import indexing as index_building
from rankwise.collection.judged_queries import select_judged_queries
from rankwise.collection.metadata import read_collection, read_queries
from rankwise.collection.related_documents import read_similarity
from rankwise.data.folds import read_folds
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from tests.collection.corpus_made import PLAIN, WORDS, made_corpus
from tests.data.fold_problems import fold_problems

DOCUMENTS = made_corpus(80)
STREAMS = ("body", "anchor", "title")
SETTINGS = Settings(analysis=PLAIN, sampling=Sampling("top", 20), similarity=True)
QUERIES = [
    CorpusQuery(str(n), f"{WORDS[n]} {WORDS[n + 1]}", ("even", "odd")[n % 2]) for n in range(1, 13)
]
LABELS = {str(n): {f"d{n}": 1, f"d{n * 3}": 2, "gone": 1} for n in range(1, 13)} | {"99": {"d1": 1}}


def corpus() -> Corpus:
    return Corpus("made", "tests", "made", STREAMS, "made", lambda: iter(DOCUMENTS))


def built(
    home: Path, settings: Settings = SETTINGS, queries: list[CorpusQuery] = QUERIES
) -> DataCard:
    findings = Findings(strict=settings.strict)
    folder = prepare_folder(home)
    index = index_corpus(corpus(), folder, settings, findings, lambda done: None)
    asked = [*queries, CorpusQuery("empty", "?!"), CorpusQuery("unjudged", "w1")]
    labels = LABELS | {"empty": {"d1": 1}}
    ready = select_judged_queries(index, asked, Judgements(labels, "trec", "as-is"), findings)
    card = DataCard("made", {"corpus": {"origin": "tests"}}, findings)
    return build_dataset(index, ready, folder, settings, card, lambda done: None)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    built(folder)
    return folder


def digests(home: Path) -> dict[str, str]:
    return dict(read_data_card(home)["files"])


def test_everything_is_there(home: Path) -> None:
    assert sorted(path.name for path in home.iterdir()) == [
        "Feature-min", "Feature-null", "Meta", "QueryLevelNorm", "Relations", "build.txt",
        "data-card.json", "data-card.md", "index", "queries.tsv",
    ]  # fmt: skip
    folds = read_folds(home / "QueryLevelNorm")
    assert len(folds) == 5 and fold_problems(folds) == []
    assert sum(fold.test.n_queries for fold in folds) == 12
    assert not np.isnan(folds[0].train.features).any()


def test_what_does_not_fit_is_said(home: Path) -> None:
    found = {kind: entry["count"] for kind, entry in read_data_card(home)["findings"].items()}
    assert found["judgement for a document that is not there, left out"] == 12
    assert found["judgements for a query that is not there, left out"] == 1
    assert found["query without words after stop words, left out"] == 1
    assert found["query without judgements, left out"] == 1


def test_the_card_says_what_was_built(home: Path) -> None:
    card = read_data_card(home)
    assert card["queries"] == 12
    assert card["analysis"] == PLAIN.as_record()
    assert len(card["features"]) == read(home / "Feature-min/ALL/made.txt").n_features
    assert card["sampling"]["relevant_judged"] == sum(len(LABELS[str(n)]) for n in range(1, 13))
    page = (home / "data-card.md").read_text(encoding="utf-8")
    assert all(feature["name"] in page for feature in card["features"])
    assert all(kind in page for kind in card["findings"])
    assert set(digests(home)) >= {"queries.tsv", "Meta/collectioninfo.xml"}


def test_query_classes_are_a_column(home: Path) -> None:
    rows = [
        line.split("\t") for line in (home / "queries.tsv").read_text(encoding="utf-8").splitlines()
    ]
    assert rows[0][:2] == ["query", "class"]
    assert [row[1] for row in rows[1:4]] == ["odd", "even", "odd"]


def test_text_in_the_table_of_queries_stays_in_its_cell(tmp_path: Path) -> None:
    odd = [replace(query, query_class="a\rb\tc\n") for query in QUERIES]
    built(tmp_path, queries=odd)
    lines = (tmp_path / "queries.tsv").read_bytes().split(b"\n")
    assert len(lines) == 1 + 12 + 1
    assert {line.split(b"\t")[1] for line in lines[1:-1]} == {b"a b c"}


def test_features_come_again_from_the_metadata_alone(home: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    built(plain, replace(SETTINGS, features="ohsumed"))
    statistics = read_collection(plain / "Meta")
    again = compute_dataset(
        statistics,
        read_queries(plain / "Meta", statistics),
        make_feature_set("ohsumed", statistics),
    )
    written = read(plain / "Feature-null/ALL/made.txt")
    np.testing.assert_array_equal(round_as_printed(again).features, written.features)
    assert written.document_ids == again.document_ids


def test_relations_name_documents(home: Path) -> None:
    ids = {document.id for document in DOCUMENTS}
    lines = (home / "Relations/hyperlinks.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "source\ttarget" and len(lines) > 10
    assert all(set(line.split("\t")) <= ids for line in lines[1:])
    names, matrix = read_similarity(home / "Relations/similarity/query-1.npz")
    assert set(names) <= ids and matrix.shape == (len(names), len(names))
    np.testing.assert_allclose(matrix, matrix.T)


def test_the_same_input_gives_the_same_bytes(home: Path, tmp_path: Path) -> None:
    built(tmp_path)
    assert digests(tmp_path) == digests(home)


def test_a_build_takes_the_place_of_one_before(home: Path, tmp_path: Path) -> None:
    built(tmp_path, replace(SETTINGS, similarity=False, sampling=Sampling("top", 5)))
    assert read_data_card(tmp_path)["rows"] == 12 * 5
    assert not (tmp_path / "Relations/similarity").exists()
    built(tmp_path)
    assert digests(tmp_path) == digests(home)


@pytest.mark.parametrize("texts", [[], ["w1"] * 3, ["nowhere"] * 6])
def test_too_few_queries_are_a_sentence_with_the_reasons(tmp_path: Path, texts: list[str]) -> None:
    folder, findings = prepare_folder(tmp_path), Findings()
    index = index_corpus(corpus(), folder, SETTINGS, findings, lambda done: None)
    queries = [CorpusQuery(str(number), text) for number, text in enumerate(texts, 1)]
    ready = select_judged_queries(index, queries, Judgements(LABELS, "trec", "as-is"), findings)
    card = DataCard("made", {}, findings)
    with pytest.raises(RankwiseError, match="at least 5 queries with documents") as caught:
        build_dataset(index, ready, folder, SETTINGS, card, lambda done: None)
    assert "judgements for a query that is not there" in str(caught.value)
    assert ("query without documents, left out: 6" in str(caught.value)) == (len(texts) == 6)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build.txt", "index"]


def test_a_build_that_fails_leaves_the_one_before_it_whole(home: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(home, tmp_path / "copy")
    before = content(copied)
    with pytest.raises(RankwiseError, match="at least 5"):
        built(copied, replace(SETTINGS, features="ohsumed"), queries=QUERIES[:2])
    assert content(copied) == before


def content(home: Path) -> dict[Path, bytes]:
    return {path.relative_to(home): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def test_streams_that_come_late_are_named_with_their_counts(tmp_path: Path) -> None:
    early = [Document(f"d{n}", {"body": "word", "year": "1984"}) for n in range(1000)]
    late = [Document(f"e{n}", {"body": "word", "late": "x", "blank": ""}) for n in range(299)]
    late.append(Document("f", {"body": "word"}, links=(Link("d1", "words"),)))
    found = Corpus("late", "tests", "made", (), "late", lambda: iter([*early, *late]))
    for findings in (Findings(), Findings()):
        index = index_corpus(found, tmp_path, SETTINGS, findings, lambda done: None)
        assert index.manifest.streams == ("body",)
        (kind,) = (kind for kind in findings.counts if "name it among the streams" in kind)
        assert findings.examples[kind] == [
            "anchor of 1 documents", "late of 299 documents", "year of 1,000 documents",
        ]  # fmt: skip
    asked = replace(SETTINGS, streams=("body",))
    chosen = Findings()
    index_corpus(found, tmp_path / "asked", asked, chosen, lambda done: None)
    assert not chosen.counts


def test_what_is_missing_of_the_web_features_is_on_the_card(tmp_path: Path) -> None:
    card = built(tmp_path, replace(SETTINGS, features="gov"))
    url, title = card.facts["left_out"].items()
    assert url[0].startswith("the stream url,") and len(url[1]) == 8
    assert title[0].startswith("the stream extracted title,") and len(title[1]) == 4
    assert len(card.facts["features"]) + 8 + 4 == 64
    assert "- left out: tf of url, " in (tmp_path / "data-card.md").read_text(encoding="utf-8")
    assert built(tmp_path).facts["left_out"] == {}


def test_only_evidence_that_features_look_at_is_gathered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[bool, bool]] = []
    original = document_sampling.gather_evidence

    def noting(*given: Any, places: bool) -> Evidence:
        asked.append((given[3] is not None, places))
        return original(*given, places=places)

    monkeypatch.setattr(document_sampling, "gather_evidence", noting)
    for name, needs in (
        ("ohsumed", (False, False)), ("gov", (True, False)), ("extended", (True, True))
    ):  # fmt: skip
        asked.clear()
        built(tmp_path / name, replace(SETTINGS, features=name))
        assert asked == [needs] * 12


def test_names_that_are_no_unicode_can_be_findings(tmp_path: Path) -> None:
    findings = Findings()
    findings.add("broken document, left out", "caf\udce9.txt:1: no id")
    card = replace(built(tmp_path / "built"), findings=findings)
    write_data_card(tmp_path, card)
    assert read_data_card(tmp_path)["findings"] == findings.as_record()


def test_streams_that_no_document_has_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="name its streams with streams"):
        index_corpus(
            corpus(), tmp_path, replace(SETTINGS, streams=("nothing",)), Findings(), lambda n: None
        )


DOCUMENTS_A_BATCH = 100
# A process that kills itself at the first file which it opens once a folder has something in it.
KILLED = f"""
import os, signal, sys
from rankwise.cli.data.build_commands import build
from rankwise.collection.index import indexing as building
building._DOCUMENTS_A_BATCH = {DOCUMENTS_A_BATCH}
folder, looking = os.environ["KILL_AT"], False

def look(event, arguments):
    global looking
    if event == "open" and not looking:
        looking = True
        if os.path.isdir(folder) and os.listdir(folder):
            os.kill(os.getpid(), signal.SIGKILL)
        looking = False

if __name__ == "__main__":
    sys.addaudithook(look)
    build(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def small_input(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of several segments, with queries and judgements, and its clean build."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "program.py").write_text(KILLED)
    rng = np.random.default_rng(1)
    with (folder / "corpus.jsonl").open("w") as stream:
        for number in range(600):
            words = " ".join(f"w{rank % 3000}" for rank in rng.zipf(1.2, 60).tolist())
            record = {"id": f"d{number}", "title": words[:30], "body": words}
            stream.write(json.dumps(record) + "\n")
    (folder / "queries.tsv").write_text("".join(f"{n}\tw{n} w{n + 7}\n" for n in range(2, 12)))
    (folder / "qrels").write_text("".join(f"{n} 0 d{n} 1\n" for n in range(2, 12)))
    build_here(folder, folder / "clean")
    return folder


def build_here(folder: Path, output: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_building, "_DOCUMENTS_A_BATCH", DOCUMENTS_A_BATCH)
        done = CliRunner().invoke(build, arguments(folder, output))
    assert done.exit_code == 0, done.output


def arguments(folder: Path, output: Path) -> list[str]:
    return [
        str(folder / "corpus.jsonl"),
        "--queries", str(folder / "queries.tsv"), "--qrels", str(folder / "qrels"),
        "--stemmer", "none", "--depth", "50", "--features", "ohsumed", "--jobs", "1",
        "-o", str(output),
    ]  # fmt: skip


@pytest.mark.parametrize("sign", ["index/segments", "index/merging", ".building"])
def test_a_build_killed_at_any_moment_goes_on(small_input: Path, tmp_path: Path, sign: str) -> None:
    """Kill -9 as soon as the stage shows on disk, then build again and compare every file."""
    output = tmp_path / "out"
    killed = subprocess.run(
        [sys.executable, small_input / "program.py", *arguments(small_input, output)],
        stdout=subprocess.DEVNULL, env=os.environ | {"KILL_AT": str(output / sign)},
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL
    assert any((output / sign).iterdir())
    assert not (output / "data-card.json").exists()
    build_here(small_input, output)
    assert digests(output) == digests(small_input / "clean")
    assert not (output / ".building").exists() and not (output / "index/merging").exists()


def test_the_demo_is_a_web_of_the_running_python(tmp_path: Path) -> None:
    library = tmp_path / "lib"
    (library / "shop").mkdir(parents=True)
    (library / "test").mkdir()
    (library / "test" / "hidden.py").write_text('"""Not part of the web at all."""')
    (library / "shop" / "__init__.py").write_text(
        '"""Sell things to people.\n\nSee shop.till for more."""\n'
    )
    (library / "shop" / "till.py").write_text(
        '"""Count the money received today."""\nimport shop\n'
        "class CashBox:\n"
        '    """Holds coins and notes.\n\n    Uses add_coin()."""\n'
        "    def add_coin(self):\n"
        '        """Put one coin into the box.\n\n        The coin stays."""\n'
        "    def undocumented(self): ...\n"
        "class SafeBox(CashBox):\n"
        '    """Holds coins behind a lock."""\n'
    )
    (library / "broken.py").write_text("def (")
    demo = make_demo_collection(4, library=library)
    documents = {d.id: d for d in demo.corpus.documents()}
    assert set(documents) == {
        "shop", "shop.till", "shop.till.CashBox", "shop.till.CashBox.add_coin",
        "shop.till.SafeBox",
    }  # fmt: skip
    box = documents["shop.till.CashBox"]
    assert box.url == "http://shop/till/CashBox" and box.streams["title"] == "Cash Box"
    assert "Holds coins" not in box.streams["body"]
    targets = {link.target for link in documents["shop.till.SafeBox"].links}
    assert targets == {"http://shop/till", "http://shop/till/CashBox"}
    assert "http://shop/till/CashBox/add_coin" in {link.target for link in box.links}
    texts = {query.text for query in demo.queries}
    assert "Put one coin into the box." in texts
    for query in demo.queries:
        assert max(demo.judgements.labels[query.id].values()) == 2
    assert make_demo_collection(4, library=library).queries == demo.queries


def test_the_demo_needs_sources(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="sources of Python"):
        make_demo_collection(library=tmp_path)
