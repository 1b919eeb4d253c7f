"""The index against literal counts; resumed, damaged, parallel, on Dask."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection.corpora import Broken, Document, Findings, Link
from rankwise.collection.index import Engine, Index, IndexPlan, build_index, building
from rankwise.collection.index.evidence import Web, query_evidence
from rankwise.collection.index.layout import DATA, MANIFEST
from rankwise.collection.index.segments import read_segment
from rankwise.collection.index.similarity import similarity_matrix
from rankwise.collection.statistics import check_query
from rankwise.errors import FormatError, RankwiseError
from tests.collection.corpus_made import PLAIN, WORDS, counted, made_corpus, words_by_stream

PLAN = IndexPlan("made", ("title", "body", "anchor"), analysis=PLAIN, source="made")
DOCUMENTS = made_corpus()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return build_index(DOCUMENTS, tmp_path_factory.mktemp("index"), PLAN)


def digests(index: Index) -> dict[str, object]:
    return {name: facts["blake2b"] for name, facts in index.manifest.files.items()}


def test_streams_and_the_whole_are_views(index: Index) -> None:
    assert index.view_names == ("title", "body", "anchor", "whole")
    assert list(index.document_ids) == [document.id for document in DOCUMENTS]


@pytest.mark.parametrize("stream", ["title", "body", "anchor", "whole"])
def test_every_count_is_the_literal_one(index: Index, stream: str) -> None:
    place = index.place(stream)
    texts = words_by_stream(DOCUMENTS)[stream]
    counts = counted(texts)
    statistics = index.statistics.streams[place]
    assert statistics.total_terms == sum(map(len, texts))
    assert statistics.unique_terms == len({word for text in texts for word in text})
    assert index.lengths(place).tolist() == [len(text) for text in texts]
    assert index.unique_lengths(place).tolist() == [len(count) for count in counts]
    for word in [*WORDS, "unknown"]:
        documents, frequencies = index.postings(place, index.term_number(word))
        expected = {n: count[word] for n, count in enumerate(counts) if count[word]}
        assert dict(zip(documents.tolist(), frequencies.tolist(), strict=True)) == expected
        assert documents.tolist() == sorted(documents.tolist())


@pytest.mark.parametrize("stream", ["title", "body", "anchor", "whole"])
def test_words_come_back_in_the_order_of_the_text(index: Index, stream: str) -> None:
    place = index.place(stream)
    for number, text in enumerate(words_by_stream(DOCUMENTS)[stream]):
        assert [index.terms[int(t)] for t in index.words_of(number, place)] == text


def test_query_statistics_are_possible_and_literal(index: Index) -> None:
    documents = np.array([5, 3, 40])
    words = ["w1", "w2", "w1", "unknown"]
    query = index.query_statistics("q", words, documents, np.array([1, 0, 2]))
    check_query(index.statistics, query)
    texts = words_by_stream(DOCUMENTS)
    for place, stream in enumerate(index.view_names):
        for row, number in enumerate(documents):
            expected = [texts[stream][number].count(word) for word in words]
            assert query.term_frequencies[row, place].tolist() == expected
    assert query.document_ids == ("d5", "d3", "d40")
    assert query.stream_query_lengths[index.place("whole")] == 3


def test_places_of_words_are_literal(index: Index) -> None:
    documents, words = np.array([7, 0, 12]), ["w1", "unknown", "w1", "w3"]
    evidence = query_evidence(index, words, documents, None, places=True)
    assert evidence.word_places is not None
    for place, stream in enumerate(index.view_names):
        found = evidence.word_places[place]
        texts = words_by_stream(DOCUMENTS)[stream]
        for row, number in enumerate(documents):
            for position, word in enumerate(words):
                cell = row * len(words) + position
                places = found.places[found.offsets[cell] : found.offsets[cell + 1]]
                assert places.tolist() == [n for n, w in enumerate(texts[number]) if w == word]


def test_links_by_id_and_by_url_are_found(index: Index) -> None:
    ids = {d.id: n for n, d in enumerate(DOCUMENTS)} | {d.url: n for n, d in enumerate(DOCUMENTS)}
    expected = {
        (number, ids[link.target])
        for number, document in enumerate(DOCUMENTS)
        for link in document.links
        if ids.get(link.target, number) != number
    }
    graph = Web(index).graph
    found = set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    assert found == expected
    lost = sum(link.target not in ids for d in DOCUMENTS for link in d.links)
    assert lost > 0
    assert index.manifest.findings["link to a page that is not in the corpus"]["count"] == lost


def test_web_evidence_has_every_column_and_rows_of_the_query(index: Index) -> None:
    from rankwise.collection.features.web import WEB_COLUMNS

    web, documents = Web(index), np.array([4, 9, 2, 31])
    evidence = query_evidence(index, ["w1"], documents, web, places=False)
    assert set(evidence.columns) == set(WEB_COLUMNS)
    assert evidence.columns["in-links"].tolist() == web.graph.in_links[documents].tolist()
    assert web.topics.sum(axis=1) == pytest.approx(1)
    assert evidence.parents is not None and evidence.parents.tolist() == [-1, -1, -1, -1]


def test_similarity_is_the_literal_cosine(index: Index) -> None:
    documents, place = np.arange(12), index.place("body")
    texts = counted(words_by_stream(DOCUMENTS)["body"])
    df = {w: sum(w in text for text in texts) for w in WORDS}
    vectors = np.array(
        [
            [texts[d][w] * np.log(len(texts) / df[w]) if df[w] else 0.0 for w in WORDS]
            for d in documents
        ]
    )
    norms = np.linalg.norm(vectors, axis=1)
    norms[norms == 0] = 1
    expected = vectors @ vectors.T / norms[:, None] / norms[None, :]
    np.testing.assert_allclose(similarity_matrix(index, documents, place), expected, atol=1e-6)


def test_the_number_of_processes_does_not_change_a_byte(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_DOCUMENTS_A_BATCH", 7)
    parallel = build_index(DOCUMENTS, tmp_path / "two", PLAN, engine=Engine(processes=2))
    assert digests(parallel) == digests(index)


def test_a_killed_build_goes_on_with_its_segments(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "_DOCUMENTS_A_BATCH", 10)

    def cut_short():
        yield from DOCUMENTS[:35]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index(cut_short(), tmp_path, PLAN)
    assert not (tmp_path / MANIFEST).exists()
    finished = sorted((tmp_path / "segments").iterdir())
    assert len(finished) == 3
    finished[1].write_bytes(finished[1].read_bytes()[:-30])
    written = []
    original = building.write_segment

    def counting(*work):
        written.append(work[3])
        return original(*work)

    monkeypatch.setattr(building, "write_segment", counting)
    again = build_index(DOCUMENTS, tmp_path, PLAN)
    assert len(written) == 6 - 2
    assert digests(again) == digests(index)
    assert not (tmp_path / "segments").exists()


def test_a_build_killed_while_merging_starts_the_merge_again(index: Index, tmp_path: Path) -> None:
    shutil.copytree(index.folder, tmp_path / "index")
    (tmp_path / "index" / MANIFEST).unlink()
    (tmp_path / "index" / "merging").mkdir()
    (tmp_path / "index" / "merging" / "tokens.npy").write_bytes(b"half")
    assert digests(build_index(DOCUMENTS, tmp_path / "index", PLAN)) == digests(index)
    assert not (tmp_path / "index" / "merging").exists()


def test_a_finished_index_of_the_same_source_is_opened(index: Index) -> None:
    def never():
        raise RuntimeError("the documents were read again")
        yield

    assert digests(build_index(never(), index.folder, PLAN)) == digests(index)


def test_another_source_or_analysis_builds_anew(tmp_path: Path) -> None:
    build_index(DOCUMENTS[:20], tmp_path, PLAN)
    other = IndexPlan("made", PLAN.streams, analysis=PLAIN, source="other")
    assert build_index(DOCUMENTS, tmp_path, other).n_documents == len(DOCUMENTS)


def test_damage_is_found(index: Index, tmp_path: Path) -> None:
    shutil.copytree(index.folder, tmp_path / "index")
    path = tmp_path / "index" / DATA / "tokens.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    Index.open(tmp_path / "index")
    with pytest.raises(RankwiseError, match=r"tokens\.npy is damaged"):
        Index.open(tmp_path / "index", verify=True)
    path.write_bytes(content[:-4])
    with pytest.raises(RankwiseError, match="build the index again"):
        Index.open(tmp_path / "index")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', '{"format": 99}'])
def test_a_broken_manifest_is_a_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(RankwiseError, match="build it again") as caught:
        Index.open(tmp_path)
    assert isinstance(caught.value, FormatError) or "format" in str(caught.value)


def test_odd_documents_are_counted_or_stop_the_build(tmp_path: Path) -> None:
    found = [
        Document("a", {"t": "x"}),
        Broken("file:3", "no id"),
        Document("a", {"t": "again"}),
        Document(" ", {"t": "blank"}),
        Document("b\nc", {"t": "two lines"}),
        Document("\ud800", {"t": "surrogate"}),
    ]
    plan = IndexPlan("odd", ("t",), analysis=PLAIN)
    findings = Findings()
    index = build_index(found, tmp_path / "a", plan, findings=findings)
    assert index.n_documents == 1 and index.view_names == ("t",)
    assert sorted(findings.counts.values()) == [1, 1, 3]
    for strict_input in (found[:2], [found[0], found[2]], [found[3]]):
        with pytest.raises(RankwiseError):
            build_index(strict_input, tmp_path / "b", plan, findings=Findings(strict=True))
    with pytest.raises(RankwiseError, match="found none that is whole"):
        build_index(found[1:2], tmp_path / "c", plan)


def test_documents_without_any_word_are_indexed(tmp_path: Path) -> None:
    empty = [Document("a", {}), Document("b", {"t": ""}, links=(Link("a", ""),))]
    index = build_index(empty, tmp_path, IndexPlan("empty", ("t", "anchor"), analysis=PLAIN))
    assert index.lengths(0).tolist() == [0, 0] and index.term_number("x") == -1


@pytest.mark.parametrize("streams", [(), ("a", "a"), ("whole",)])
def test_streams_must_make_sense(streams: tuple[str, ...]) -> None:
    with pytest.raises(RankwiseError, match="each once"):
        IndexPlan("x", streams)


def test_stream_names_never_meet_on_disk(tmp_path: Path) -> None:
    plan = IndexPlan("x", ("a b", "a_b", "A/b", "../x"), analysis=PLAIN)
    document = Document("d", {"a b": "one", "a_b": "two two", "A/b": "", "../x": "x x x"})
    index = build_index([document], tmp_path, plan)
    assert [int(index.lengths(n)[0]) for n in range(5)] == [1, 2, 0, 3, 6]


def test_segments_hold_only_what_they_say(tmp_path: Path) -> None:
    path = building.write_segment(DOCUMENTS[:3], PLAIN, PLAN.all_streams, str(tmp_path / "s.npz"))
    segment = read_segment(path)
    assert segment.n_documents == 3 and len(segment.boundaries) == 3 * 3 + 1


def test_dask_gives_the_same_index(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(building, "_DOCUMENTS_A_BATCH", 20)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        engine = Engine(dask=cluster.scheduler_address)
        built = build_index(DOCUMENTS, tmp_path, PLAN, engine=engine)
    assert digests(built) == digests(index)
