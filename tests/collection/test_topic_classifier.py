"""Topics by naive Bayes against the literal equation, and topical features of such a corpus."""

from __future__ import annotations

import json
from collections import Counter
from math import log
from pathlib import Path

import numpy as np
import pytest

import rankwise as rw
from rankwise.collection.build_input import add_categories, read_categories
from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.index.index import Index
from rankwise.collection.link_evidence import classify_documents
from rankwise.errors import RankwiseError

TOPICS = ("red", "green", "blue")
TOPICAL = ("topical-pagerank", "topical-hits-authority", "topical-hits-hub")


def write_corpus(home: Path, given: int, n_documents: int = 45) -> tuple[Path, Path, Path]:
    """Documents of three topics, each with words of its own; only the first `given` have labels."""
    rng = np.random.default_rng(3)
    records, judged = [], []
    for n in range(n_documents):
        topic = n % 3
        own = [f"{TOPICS[topic]}{word}" for word in rng.integers(0, 6, 12)]
        body = " ".join([*own, *(f"word{word}" for word in rng.integers(0, 20, 12))])
        record = {"id": f"d{n}", "body": body, "url": f"http://h{n % 5}.org/{n}",
                  "links": [f"d{t}" for t in rng.integers(0, n_documents, 3)]}  # fmt: skip
        records.append(record | ({"category": TOPICS[topic]} if n < given else {}))
        judged += [f"{q} 0 d{n} {int((n + q) % 4 == 0)}\n" for q in range(10)]
    files = (home / "corpus.jsonl", home / "queries.tsv", home / "qrels")
    files[0].write_text("".join(json.dumps(one) + "\n" for one in records))
    files[1].write_text("".join(f"{q}\tword{q} {TOPICS[q % 3]}{q % 6}\n" for q in range(10)))
    files[2].write_text("".join(judged))
    return files


def build(home: Path, given: int, **choices: object) -> rw.collection.Build:
    home.mkdir(exist_ok=True)
    corpus, queries, qrels = write_corpus(home, given)
    return rw.build(
        corpus, home / "built", queries=queries, qrels=qrels, depth=10, jobs=1, stemmer="none",
        stop_words="none", **choices,
    )  # fmt: skip


def read_column(home: Path, built: rw.collection.Build, name: str) -> np.ndarray:
    (path,) = (home / "built" / "Feature-null" / "ALL").glob("*.txt")
    return rw.read(path).features[:, built.feature_names.index(name)]


def test_the_category_is_that_of_the_equation(tmp_path: Path) -> None:
    build(tmp_path, 20)
    index = Index.open(tmp_path / "built" / "index")
    texts = [
        json.loads(line)["body"].split() for line in (tmp_path / "corpus.jsonl").open()
    ]  # fmt: skip
    given = [TOPICS[n % 3] if n % 2 else "" for n in range(len(texts))]
    own = [index.document_ids[n] for n in range(index.n_documents)]
    assert own == [f"d{n}" for n in range(len(texts))]
    names = sorted(TOPICS)
    words = {name: Counter[str]() for name in names}
    sizes = Counter(name for name in given if name)
    for text, name in zip(texts, given, strict=True):
        if name:
            words[name].update(text)
    vocabulary = len(index.terms)

    def score(text: list[str], name: str) -> float:
        total = words[name].total() + vocabulary
        chances = (log((words[name][word] + 1) / total) for word in text)
        return log(sizes[name] / sizes.total()) + sum(chances)

    expected = [
        name or max(names, key=lambda one: score(text, one))
        for text, name in zip(texts, given, strict=True)
    ]
    assert classify_documents(index, given) == expected
    assert expected == [TOPICS[n % 3] for n in range(len(texts))]


def test_topical_features_of_classified_documents_are_those_of_given_ones(tmp_path: Path) -> None:
    whole = build(tmp_path / "whole", 45)
    some = build(tmp_path / "some", 18, classify=True)
    assert some.facts["findings"]["document given a category by its words"]["count"] == 27
    for name in TOPICAL:
        expected = read_column(tmp_path / "whole", whole, name)
        assert read_column(tmp_path / "some", some, name).tolist() == expected.tolist()
        assert expected.tolist() != read_column(
            tmp_path / "whole", whole, name.removeprefix("topical-")
        ).tolist()  # fmt: skip


def test_categories_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "categories.tsv"
    file.write_text("".join(f"d{n}\t{TOPICS[n % 3]}\n" for n in range(45)))
    whole = build(tmp_path / "whole", 45)
    named = build(tmp_path / "named", 0, categories=file)
    for name in TOPICAL:
        expected = read_column(tmp_path / "whole", whole, name)
        assert read_column(tmp_path / "named", named, name).tolist() == expected.tolist()
    corpus = open_corpus(tmp_path / "named" / "corpus.jsonl")
    assert add_categories(corpus, file).source != corpus.source


def test_without_categories_the_topical_features_are_left_out_and_named(tmp_path: Path) -> None:
    built = build(tmp_path, 0)
    assert not set(TOPICAL) & set(built.feature_names)
    (named,) = built.facts["left_out"].values()
    assert named == list(TOPICAL)


def test_without_urls_what_would_repeat_other_features_is_left_out(tmp_path: Path) -> None:
    corpus, queries, qrels = write_corpus(tmp_path, 45)
    records = [json.loads(line) for line in corpus.open()]
    corpus.write_text("".join(json.dumps(one | {"url": ""}) + "\n" for one in records))
    built = rw.build(corpus, tmp_path / "built", queries=queries, qrels=qrels, depth=10, jobs=1)
    repeating = {
        "hostrank",
        "sitemap-term-propagation of body",
        "sitemap-score-propagation of body",
    }
    assert not repeating & set(built.feature_names)
    assert "pagerank" in built.feature_names
    assert "hostrank" in built.facts["left_out"]["URLs, which the corpus does not have"]
    again = rw.collection.open_metadata(tmp_path / "built" / "Meta")
    assert not repeating & set(again.features.column_names)


def test_features_that_repeat_others_are_told(tmp_path: Path) -> None:
    corpus, queries, qrels = write_corpus(tmp_path, 45)
    records = [json.loads(line) for line in corpus.open()]
    pairs = {(one["id"], target) for one in records for target in one["links"]}
    both = {one["id"]: [] for one in records}
    for source, target in sorted(pairs):
        both[source].append(target)
        both[target].append(source)
    corpus.write_text(
        "".join(json.dumps(one | {"links": both[one["id"]]}) + "\n" for one in records)
    )
    built = rw.build(corpus, tmp_path / "built", queries=queries, qrels=qrels, depth=10, jobs=1)
    kind = "feature of links that repeats another in every query"
    told = built.facts["findings"][kind]["first"]
    assert "hits-hub repeats hits-authority" in told


@pytest.mark.parametrize("given", [0, 1, 45])
def test_a_classification_without_effect_is_refused(tmp_path: Path, given: int) -> None:
    with pytest.raises(RankwiseError, match="two categories at least and some without"):
        build(tmp_path, given, classify=True)


def test_rates_without_propagation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="hyperlink_rate must be of a feature"):
        build(tmp_path, 45, features="ohsumed", constants={"hyperlink_rate": 0.5})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must hold categories"),
        ("d1 red\n", "document id, tab and category"),
        ("d1\tred\nd1\tblue\n", "must have one category"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "categories"
    path.write_text(text)
    with pytest.raises(RankwiseError, match=sentence):
        read_categories(path)
