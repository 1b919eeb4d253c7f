"""The study of the first stage: a cut is a build at that depth, and lost documents count."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.first_stage import compare_depths, evaluate_stages, main

import rankwise as rw
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, compose_fold, find_folds, read_fold
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from studies import first_stage
from tests.collection.built import make_build

pytest.importorskip("snowballstemmer")

DEEP, SHALLOW, N_QUERIES = 15, 6, 10


def built(folder: Path, depth: int, linked: bool = False, **choices: Any) -> Path:
    """Titles rarely have a query word, so that many of their features are NULL."""
    rng = np.random.default_rng(5)
    documents = [
        {
            "id": f"d{n}",
            "title": f"word{n % 9} other",
            "body": " ".join(f"word{w}" for w in rng.zipf(1.4, 15) % 40),
            **({"links": [f"d{(7 * n) % 50}"]} if linked else {}),
        }
        for n in range(50)
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    queries = "".join(f"{n}\tword{n} word{n + 9}\n" for n in range(N_QUERIES))
    (folder / "queries.tsv").write_text(queries)
    judged = [f"{n} 0 d{d} {int(n > 0)}\n" for n in range(N_QUERIES) for d in range(n, 50, 9)]
    (folder / "qrels").write_text("".join(judged))
    rw.build(
        folder / "corpus.jsonl", folder / f"at{depth}", queries=folder / "queries.tsv",
        qrels=folder / "qrels", jobs=1, stemmer="none", depth=depth, **choices,
    )  # fmt: skip
    return folder / f"at{depth}"


@pytest.fixture(scope="module")
def shallow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build that all tests read."""
    return built(tmp_path_factory.mktemp("shallow"), SHALLOW)


@pytest.fixture
def own_copy(shallow: Path, tmp_path: Path) -> Path:
    """The same build, which a test may damage."""
    return shutil.copytree(shallow, tmp_path / shallow.name)


def test_a_cut_is_what_a_build_at_that_depth_is(tmp_path: Path, shallow: Path) -> None:
    deep = built(tmp_path, DEEP)
    rows = read(shallow / "Feature-null" / "ALL" / "corpus.txt")
    assert np.isnan(rows.features).any()
    [cut] = compare_depths(deep, [SHALLOW]).figures
    [own] = compare_depths(shallow, [SHALLOW]).figures
    assert cut == own
    relevant = sum(len(range(n, 50, 9)) for n in range(1, N_QUERIES))  # query 0 has none
    assert cut.recall == np.count_nonzero(rows.labels) / relevant


@pytest.mark.parametrize("choices", [{}, {"seed": 3}])
def test_the_folds_are_those_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choices: dict[str, int]
) -> None:
    seen: list[list[str]] = []

    def noted(parts: list[Dataset], number: int) -> Fold:
        fold = compose_fold(parts, number)
        seen.append(list(fold.test.query_ids))
        return fold

    monkeypatch.setattr(first_stage, "compose_fold", noted)
    home = built(tmp_path, DEEP, **choices)
    compare_depths(home, [SHALLOW])
    folds = find_folds(home / "QueryLevelNorm")
    assert seen == [list(read_fold(fold).test.query_ids) for fold in folds]
    # Without a seed folds are runs of queries, of which LETOR tests the last one first.
    assert (seen[0] == ["8", "9"]) is (not choices)


def test_a_damaged_table_of_queries_is_named_with_its_line(own_copy: Path) -> None:
    table = own_copy / "queries.tsv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    for damage, place, sentence in (
        (["query\tclass\n", *lines[1:]], 1, "the first line must name the columns query, relevant"),
        ([*lines[:2], "1\t\n"], 3, "a line must hold the 7 columns"),
        ([*lines[:1], "1\t\tw\t6\t1\tmany\tw\n"], 2, "must be a whole number, found 'many'"),
    ):
        table.write_text("".join(damage))
        with pytest.raises(RankwiseError) as refused:
            compare_depths(own_copy, [SHALLOW])
        assert sentence in str(refused.value)
        assert f"queries.tsv:{place}:" in str(refused.value)


def test_a_table_that_lacks_a_query_is_a_sentence(own_copy: Path) -> None:
    lines = (own_copy / "queries.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (own_copy / "queries.tsv").write_text("".join([*lines[:4], *lines[5:]]))
    with pytest.raises(RankwiseError, match=r"queries\.tsv: every query must .* none for '3'"):
        compare_depths(own_copy, [SHALLOW])


def test_depths_past_the_build_are_said_or_refused(
    shallow: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["depths", str(shallow), "--depths", f"3,{SHALLOW + 1},100"])
    shown = capsys.readouterr()
    assert "relevant found" in shown.out
    assert "left out, past the 6 of the build: 7, 100" in shown.err
    assert "not again" not in shown.err
    with pytest.raises(RankwiseError, match="within the 6 of the build, found 100"):
        compare_depths(shallow, [100])


@pytest.mark.parametrize(
    ("stream", "streams", "place"),
    [
        ("whole", ("body", "extracted title"), 0),
        ("whole", ("title", "body", "whole", "extracted title"), 2),
        ("title", ("body", "title", "whole"), 1),
    ],
)
def test_the_baseline_is_what_the_sample_was_drawn_by(
    stream: str, streams: tuple[str, ...], place: int
) -> None:
    names = [f"{name} of {s}" for name in ("tf", "bm25") for s in streams]
    assert first_stage._baseline(names, stream) == len(streams) + place


@pytest.mark.parametrize("lost", ["features", "feature_set", "sampling", "depth", "stream"])
def test_a_card_that_lacks_a_part_is_a_sentence(own_copy: Path, lost: str) -> None:
    card = json.loads((own_copy / "data-card.json").read_text(encoding="utf-8"))
    del (card if lost in card else card["sampling"])[lost]
    (own_copy / "data-card.json").write_text(json.dumps(card))
    for read_card in (
        lambda: compare_depths(own_copy),
        lambda: rw.collection.open_metadata(own_copy / "Meta"),
    ):
        with pytest.raises(RankwiseError, match=r"data-card\.json: the file must be the data card"):
            read_card()


def test_a_build_of_judged_documents_is_refused(tmp_path: Path) -> None:
    home = make_build(tmp_path, sampling="judged", depth=None)
    with pytest.raises(RankwiseError, match="--sampling top"):
        compare_depths(home)


def test_what_flows_between_documents_is_named(tmp_path: Path) -> None:
    found = compare_depths(built(tmp_path, SHALLOW, linked=True), [3])
    [line] = [remark for remark in found.remarks if "not again" in remark]
    assert "term-propagation-uniform-out-link of whole" in line
    assert "hits-hub" in line and "in-links" not in line and ", pagerank" not in line


@pytest.fixture(scope="module")
def cranfield(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home, folder = tmp_path_factory.mktemp("cranfield"), shared / "data/collections/cranfield"
    rw.build(
        folder / "cran.all.1400", home, queries=folder / "cran.qry", qrels=folder / "cranqrel",
        labels="cleverdon", depth=50, features="ohsumed", jobs=1,
    )  # fmt: skip
    return home


def test_depths_answer_the_papers_question(cranfield: Path) -> None:
    shallow, deep = compare_depths(cranfield, [10, 50, 1000]).figures
    assert (shallow.depth, deep.depth) == (10, 50)
    assert shallow.recall < deep.recall
    assert shallow.baseline > deep.baseline
    assert shallow.baseline_of_all < deep.baseline_of_all
    # A learnt ranker beats BM25 on Cranfield's test folds.
    assert deep.learnt > deep.baseline
    assert deep.learnt_of_all > deep.baseline_of_all


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_build(tmp_path_factory.mktemp("made"))


def average_precision(relevant: np.ndarray, judged: int) -> float:
    """1/R Σ_i rel_i P@i, over all R that were judged relevant."""
    places = np.flatnonzero(relevant) + 1
    return float(np.sum(np.arange(1, len(places) + 1) / places)) / max(judged, 1)


def test_figures_of_retrieval_are_the_equations_over_all_judged(build: Path) -> None:
    found = evaluate_stages(build, "ridge-regression")
    (path,) = (build / "Feature-null" / "ALL").glob("*.txt")
    rows = rw.read(path)
    qrels = [line.split() for line in (build.parent / "qrels").read_text().splitlines()]
    judged = {q: sum(one[0] == q and int(one[3]) > 0 for one in qrels) for q in rows.query_ids}
    # Rows stand in the order of BM25.
    of_queries = [average_precision(query.labels > 0, judged[query.id]) for query in rows.queries()]
    recalls = [(query.labels > 0).sum() for query in rows.queries()]
    figures = {one.measure: one for one in found.figures}
    assert figures["MAP"].retrieved == pytest.approx(np.mean(of_queries), abs=1e-12)
    assert found.recall == pytest.approx(sum(recalls) / sum(judged.values()))
    share = [found / max(judged[q], 1) for found, q in zip(recalls, rows.query_ids, strict=True)]
    assert figures["MAP"].best == pytest.approx(np.mean(share))


def test_nothing_beats_a_perfect_second_stage(build: Path) -> None:
    found = evaluate_stages(build, measures="MAP,P@3,RR,Recall@5")
    assert (found.depth, found.queries) == (8, 15)
    for one in found.figures:
        assert 0 <= one.retrieved <= one.best <= 1
        assert 0 <= one.ranked <= one.best


def test_the_ranker_is_the_one_of_the_depths(build: Path) -> None:
    (depth,) = compare_depths(build, [8]).figures
    (figure,) = evaluate_stages(build, measures=["MAP"]).figures
    assert figure.ranked == pytest.approx(depth.learnt_of_all, abs=1e-12)
    assert figure.retrieved == pytest.approx(depth.baseline_of_all, abs=1e-12)


def test_measures_of_labels_are_refused(build: Path) -> None:
    with pytest.raises(RankwiseError, match="the labels of lost documents are not kept"):
        evaluate_stages(build, measures="NDCG@10")


def test_both_stages_are_printed(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["stages", str(build), "--measures", "MAP,P@3"])
    shown = capsys.readouterr().out
    assert "then ridge-regression" in shown and "P@3" in shown
    assert "among the 8 best by BM25" in shown
