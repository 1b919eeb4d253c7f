"""Builds that would give a data set of something else: they stop, or leave out and say so."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankwise as rw
from rankwise.cli.main import main
from rankwise.collection.build_folder import prepare_folder
from rankwise.collection.building import Settings, build_dataset, index_corpus
from rankwise.collection.corpora.corpus import Corpus
from rankwise.collection.corpora.document import Document, Findings, Link
from rankwise.collection.corpora.judgements import Judgements
from rankwise.collection.corpora.query_files import CorpusQuery, read_queries
from rankwise.collection.data_card import DataCard
from rankwise.collection.document_sampling import Sampling
from rankwise.collection.judged_queries import select_judged_queries
from rankwise.data.folds import find_folds
from rankwise.data.reading import read
from rankwise.data.sources import from_folder
from rankwise.errors import RankwiseError
from tests.cli.command import run
from tests.collection.corpus_made import PLAIN

WORDS = ("lift", "drag", "wing", "heat", "flow", "shock", "plate", "nose", "wave", "gas")
QUICK = {"stemmer": "none", "stop_words": "none", "jobs": 1, "features": "ohsumed"}


def _files(folder: Path, lost: int = 0) -> tuple[Path, Path, Path]:
    """Ten documents, ten queries, two judgements each; `lost` of twenty are for other documents."""
    corpus, queries, qrels = (folder / name for name in ("corpus.jsonl", "queries.tsv", "qrels"))
    texts = [f"{word} {WORDS[(n + 1) % 10]} of a body" for n, word in enumerate(WORDS)]
    documents = [{"id": f"d{n}", "text": text} for n, text in enumerate(texts)]
    corpus.write_text("".join(json.dumps(one) + "\n" for one in documents))
    queries.write_text("".join(f"{n}\t{word}\n" for n, word in enumerate(WORDS)))
    judged = [(n, f"d{(n + step) % 10}") for n in range(10) for step in (0, 5)]
    rows = [(n, "gone" + name if place < lost else name) for place, (n, name) in enumerate(judged)]
    qrels.write_text("".join(f"{n} 0 {name} 1\n" for n, name in rows))
    return corpus, queries, qrels


@pytest.mark.parametrize("lost", [4, 5, 20])
def test_a_build_stops_where_more_than_a_share_of_the_judgements_is_lost(
    lost: int, tmp_path: Path
) -> None:
    """Four of twenty are the fifth that may be."""
    corpus, queries, qrels = _files(tmp_path, lost)
    given = (corpus, tmp_path / "built")
    if lost == 4:
        built = rw.build(*given, queries=queries, qrels=qrels, **QUICK)
        kind = "judgement for a document that is not there, left out"
        assert built.card.findings.counts[kind] == lost
        return
    sentence = rf"{lost} of 20 judgements \({lost / 20:.0%}\) would be lost, at most 20% may be: "
    with pytest.raises(RankwiseError, match=sentence + ".*not there.*say lost_judgements=1"):
        rw.build(*given, queries=queries, qrels=qrels, **QUICK)
    assert not (tmp_path / "built" / "data-card.json").exists()


def test_those_who_know_may_lose_judgements(tmp_path: Path) -> None:
    corpus, queries, qrels = _files(tmp_path, 10)
    given = ("--queries", queries, "--qrels", qrels, "--stemmer", "none", "-o", tmp_path / "built")
    with pytest.raises(RankwiseError, match="would be lost"):
        run(main, "build", corpus, *given)
    with pytest.raises(RankwiseError, match="at most 40% may be"):
        run(main, "build", corpus, *given, "--lost-judgements", "0.4")
    assert run(main, "build", corpus, *given, "--lost-judgements", "0.5").exit_code == 0


def test_judgements_of_other_queries_stop_the_build_before_the_corpus_is_read(
    tmp_path: Path,
) -> None:
    corpus, queries, qrels = _files(tmp_path)
    queries.write_text("".join(f"{n}\t{word}\n" for n, word in enumerate(WORDS[:7])))
    corpus.write_text("no JSON\n")
    with pytest.raises(RankwiseError, match=r"6 of 20 .*judgements for a query that is not there"):
        rw.build(corpus, tmp_path / "built", queries=queries, qrels=qrels, corpus_format="jsonl",
                 **QUICK)  # fmt: skip


def _web(folder: Path, categories: tuple[str, ...]) -> Path:
    """A site of linked pages, whose categories come round and round."""
    documents = [
        Document(
            f"d{n}", {"body": f"{word} {WORDS[(n + 3) % 10]} body"}, f"http://a.org/{word}/{n}",
            (Link(f"d{(n * 3 + 1) % 10}", word), Link(f"d{(n + 1) % 10}", "next")),
            categories[n % len(categories)],
        )
        for n, word in enumerate(WORDS)
    ]  # fmt: skip
    settings = Settings(features="gov", analysis=PLAIN, sampling=Sampling("top", 10))
    corpus = Corpus("site", "tests", "made", (), "made", lambda: iter(documents))
    findings, home = Findings(), prepare_folder(folder)
    index = index_corpus(corpus, home, settings, findings, lambda done: None)
    queries = [CorpusQuery(str(n), f"{word} body") for n, word in enumerate(WORDS)]
    labels = {str(n): {f"d{n}": 1} for n in range(10)}
    ready = select_judged_queries(index, queries, Judgements(labels, "trec", "as-is"), findings)
    card = DataCard("site", {"corpus": {"origin": "tests"}}, findings)
    build_dataset(index, ready, home, settings, card, lambda done: None)
    return home


@pytest.mark.parametrize("categories", [("",), ("a",), ("a", ""), ("a", "b")])
def test_no_web_feature_comes_twice_under_another_name(
    categories: tuple[str, ...], tmp_path: Path
) -> None:
    home = _web(tmp_path, categories)
    card = json.loads((home / "data-card.json").read_text())
    names = [feature["name"] for feature in card["features"]]
    topical = ["topical-pagerank", "topical-hits-authority", "topical-hits-hub"]
    need = "documents of two categories at least, which the corpus lacks"
    if len(set(categories) - {""}) > 1:
        assert set(topical) <= set(names)
        assert need not in card["left_out"]
        return
    assert card["left_out"][need] == topical
    assert not set(topical) & set(names)
    features = read(home / "Feature-null" / "ALL" / "site.txt").features
    ranked = [names.index(name) for name in ("pagerank", "hits-authority", "hits-hub")]
    for column in ranked:
        same = [
            names[other]
            for other in range(len(names))
            if other != column and np.array_equal(features[:, column], features[:, other])
        ]
        assert same == []


def test_topics_without_the_part_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    topic = (
        "<top>\n<num> Number: {n}\n<title>{title}\n<desc> Description:\nlift of a wing\n</top>\n"
    )
    path.write_text("".join(topic.format(n=n, title="") for n in range(3)))
    sentence = (
        r"topics: topics must have a text in title, found none in 3 .*desc in 3; .*query_field"
    )
    with pytest.raises(RankwiseError, match=sentence):
        read_queries(path)
    assert {query.text for query in read_queries(path, field="desc")} == {"lift of a wing"}


def test_single_queries_without_a_text_are_counted_with_the_flag_that_helps(tmp_path: Path) -> None:
    corpus, _, qrels = _files(tmp_path)
    topics = tmp_path / "topics"
    topic = "<top>\n<num> Number: {n}\n<title> {title}\n<desc> Description:\nlift\n</top>\n"
    titles = ["", *WORDS[1:]]
    topics.write_text("".join(topic.format(n=n, title=title) for n, title in enumerate(titles)))
    built = rw.build(corpus, tmp_path / "built", queries=topics, qrels=qrels, **QUICK)
    kind = "query without a text, left out; of TREC topics other parts can be named"
    assert built.card.findings.as_record()[kind] == {"count": 1, "first": ["query 0"]}


def test_the_folder_of_a_build_is_told_from_one_of_folds(tmp_path: Path) -> None:
    corpus, queries, qrels = _files(tmp_path)
    home = tmp_path / "built"
    rw.build(corpus, home, queries=queries, qrels=qrels, **QUICK)
    names = ", ".join(str(home / one) for one in ("Feature-min", "Feature-null", "QueryLevelNorm"))
    with pytest.raises(RankwiseError) as raised:
        run(main, "bench", "--data", home, "--ranker", "ridge-regression", "--dry-run")
    assert str(raised.value).endswith(f"found them one folder down; name one of {names}")


def test_builds_are_called_by_their_names(tmp_path: Path) -> None:
    corpus, queries, qrels = _files(tmp_path)
    for name in ("one", "two"):
        home = tmp_path / name
        rw.build(corpus, home, queries=queries, qrels=qrels, name=f"build {name}", **QUICK)
        found = from_folder(home / "QueryLevelNorm")
        assert (found.dataset, found.version) == (f"build {name}", "QueryLevelNorm")
        assert from_folder(home / "Feature-min").version == "MIN"
        assert find_folds(home / "QueryLevelNorm")
        # Without its card it still has a folder.
        (home / "data-card.json").unlink()
        assert from_folder(home / "Feature-null").dataset == name
    assert from_folder(tmp_path).dataset == tmp_path.name


def test_ids_of_both_sides_are_shown(tmp_path: Path) -> None:
    corpus, queries, qrels = _files(tmp_path, 20)
    sentence = (
        r"the judgements name the documents 'goned0' and 'goned1', …, the corpus has 'd0' and "
        r"'d1', …\. Are corpus"
    )
    with pytest.raises(RankwiseError, match=sentence):
        rw.build(corpus, tmp_path / "built", queries=queries, qrels=qrels, **QUICK)
    rows = qrels.read_text().replace("goned", "d").splitlines()
    others = [f"q{row}" if number < 8 else row for number, row in enumerate(rows)]
    qrels.write_text("\n".join(others))
    sentence = (
        r"the judgements name the queries 'q0' and 'q1', …, the query file has '0' and '1', …"
    )
    with pytest.raises(RankwiseError, match=sentence):
        rw.build(corpus, tmp_path / "built", queries=queries, qrels=qrels, **QUICK)


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [("jobs", "at least 1 process, found 0"), ("depth", "depth must be at least 1, found 0")],
)
def test_zero_is_not_taken_for_the_default(choice: str, sentence: str, tmp_path: Path) -> None:
    corpus, queries, qrels = _files(tmp_path)
    with pytest.raises(RankwiseError, match=sentence):
        rw.build(corpus, tmp_path / "b", queries=queries, qrels=qrels, **{**QUICK, choice: 0})
    with pytest.raises(RankwiseError, match=sentence):
        rw.build(demo=True, output=tmp_path / "b", **{choice: 0})


@pytest.mark.parametrize(
    ("file", "name"),
    [("cf.jsonl", "cf"), ("cf.jsonl.gz", "cf"), ("cran.all.1400", "cran.all.1400")],
)
def test_a_data_set_is_called_as_its_corpus_without_endings(
    file: str, name: str, tmp_path: Path
) -> None:
    corpus, queries, qrels = _files(tmp_path)
    content = corpus.read_bytes()
    (tmp_path / file).write_bytes(gzip.compress(content) if file.endswith("gz") else content)
    built = rw.build(tmp_path / file, tmp_path / "b", queries=queries, qrels=qrels, **QUICK)
    assert built.card.name == name
    assert from_folder(tmp_path / "b" / "QueryLevelNorm").dataset == name


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"streams": ("text", "titel")}, r"found none in titel; its first documents have text"),
        ({"lost_judgments": 1.0}, r"no choice 'lost_judgments'; did you mean 'lost_judgements'\?"),
    ],
)
def test_misspelt_streams_and_choices_are_refused(
    choice: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    corpus, queries, qrels = _files(tmp_path)
    with pytest.raises(RankwiseError, match=sentence):
        rw.build(corpus, tmp_path / "b", queries=queries, qrels=qrels, **{**QUICK, **choice})
