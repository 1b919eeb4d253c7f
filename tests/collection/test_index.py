"""The index against literal counts; resumed, damaged, parallel, on Dask."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rankwise.collection.corpora.document import Broken, Document, Findings
from rankwise.collection.document_sampling import compute_similarity
from rankwise.collection.index import indexing
from rankwise.collection.index.index import DATA, FORMAT, MANIFEST, Index
from rankwise.collection.index.indexing import IndexingWorkers, IndexPlan, build_index
from rankwise.collection.index.segments import read_segment
from rankwise.collection.link_evidence import Web, gather_evidence
from rankwise.collection.statistics import check_query
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import UNFINISHED_ENDING
from tests.collection.corpus_made import PLAIN, WORDS, counted, made_corpus, words_by_stream
from tests.collection.made import words_in

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
        documents, frequencies = index.postings(place, index.find_term_number(word))
        expected = {n: count[word] for n, count in enumerate(counts) if count[word]}
        assert dict(zip(documents.tolist(), frequencies.tolist(), strict=True)) == expected
        assert documents.tolist() == sorted(documents.tolist())


@pytest.mark.parametrize("stream", ["title", "body", "anchor", "whole"])
def test_words_come_back_in_the_order_of_the_text(index: Index, stream: str) -> None:
    for number, text in enumerate(words_by_stream(DOCUMENTS)[stream]):
        assert words_in(index, number, stream) == text


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
    evidence = gather_evidence(index, words, documents, None, places=True)
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
    said = index.manifest.findings["link to a page that is not in the corpus"]
    named = [f"{d.id}: {k.target!r}" for d in DOCUMENTS for k in d.links if k.target not in ids]
    assert said == {"count": lost, "first": named[:5]}


def test_web_evidence_has_every_column_and_rows_of_the_query(index: Index) -> None:
    from rankwise.collection.features.web_features import WEB_COLUMNS

    web, documents = Web(index), np.array([4, 9, 2, 31])
    evidence = gather_evidence(index, ["w1"], documents, web, places=False)
    assert set(evidence.columns) == set(WEB_COLUMNS)
    assert evidence.columns["in-links"].tolist() == web.graph.in_links[documents].tolist()
    near = web.graph.neighbourhood(documents).tolist()
    assert evidence.parents is not None and evidence.parents.tolist() == [-1] * len(near)
    assert evidence.neighbours is not None
    assert list(evidence.neighbours.document_ids) == [f"d{number}" for number in near[4:]]


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
    np.testing.assert_allclose(compute_similarity(index, documents, place), expected, atol=1e-6)


def test_the_number_of_processes_does_not_change_a_byte(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_DOCUMENTS_A_BATCH", 7)
    parallel = build_index(DOCUMENTS, tmp_path / "two", PLAN, engine=IndexingWorkers(processes=2))
    assert digests(parallel) == digests(index)


def test_a_killed_build_goes_on_with_its_segments(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "_DOCUMENTS_A_BATCH", 10)

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
    original = indexing.write_segment

    def counting(*work):
        written.append(work[3])
        return original(*work)

    monkeypatch.setattr(indexing, "write_segment", counting)
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


def damaged_tokens(home: Path) -> None:
    path = home / DATA / "tokens.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")


def missing_terms(home: Path) -> None:
    (home / DATA / "terms.data.npy").unlink()


def another_format(home: Path) -> None:
    record = json.loads((home / MANIFEST).read_text())
    (home / MANIFEST).write_text(json.dumps({**record, "format": FORMAT - 1}))


def garbage(home: Path) -> None:
    (home / MANIFEST).write_bytes(b"\xff\xfe{")


def garbage_files(home: Path) -> None:
    record = json.loads((home / MANIFEST).read_text())
    (home / MANIFEST).write_text(json.dumps({**record, "files": ["x"]}))


@pytest.mark.parametrize(
    "damage", [damaged_tokens, missing_terms, another_format, garbage, garbage_files]
)
def test_an_index_that_cannot_be_used_is_built_again_and_said(
    index: Index, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    home = tmp_path / "index"
    shutil.copytree(index.folder, home)
    damage(home)
    findings = Findings()
    again = build_index(DOCUMENTS, home, PLAN, findings=findings)
    assert digests(again) == digests(index)
    assert findings.counts["index that could not be used, built again"] == 1
    reused = Findings()
    build_index([], home, PLAN, findings=reused)
    assert set(reused.counts) == {"link to a page that is not in the corpus"}


def test_a_build_that_fails_leaves_the_index_before_it_whole(index: Index, tmp_path: Path) -> None:
    home = tmp_path / "index"
    shutil.copytree(index.folder, home)
    other = IndexPlan("made", PLAN.streams, analysis=PLAIN, source="other")
    broken = [DOCUMENTS[0], Broken("file:2", "no id")]
    with pytest.raises(RankwiseError, match="no id"):
        build_index(broken, home, other, findings=Findings(strict=True))
    assert digests(Index.open(home, verify=True)) == digests(index)


def test_manifests_that_were_never_finished_are_removed(index: Index, tmp_path: Path) -> None:
    home = tmp_path / "index"
    shutil.copytree(index.folder, home)
    (home / f".{MANIFEST}.abcd1234{UNFINISHED_ENDING}").write_text("{")
    build_index(DOCUMENTS, home, PLAN)
    assert sorted(path.name for path in home.iterdir()) == [DATA, MANIFEST]


@pytest.mark.parametrize("content", ["", "[]", "{}", f'{{"format": {FORMAT}}}', '{"format": 99}'])
def test_a_broken_manifest_is_a_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(RankwiseError, match="build it again") as caught:
        Index.open(tmp_path)
    assert isinstance(caught.value, FormatError) or "format" in str(caught.value)


@pytest.mark.parametrize("streams", [(), ("a", "a"), ("whole",)])
def test_streams_must_make_sense(streams: tuple[str, ...]) -> None:
    with pytest.raises(RankwiseError, match="each once"):
        IndexPlan("x", streams)


def test_stream_names_never_meet_on_disk(tmp_path: Path) -> None:
    plan = IndexPlan("x", ("a b", "a_b", "A/b", "../x"), analysis=PLAIN)
    document = Document("d", {"a b": "one", "a_b": "two two", "A/b": "", "../x": "x x x"})
    index = build_index([document], tmp_path, plan)
    assert [int(index.lengths(n)[0]) for n in range(5)] == [1, 2, 0, 3, 6]


def test_long_stream_names_have_files_of_their_own(tmp_path: Path) -> None:
    names = ("ü" * 300, "ü" * 299 + "a", "x" * 90)
    document = Document("d", {names[0]: "one", names[1]: "two two", names[2]: "x x x"})
    index = build_index([document], tmp_path, IndexPlan("x", names, analysis=PLAIN))
    assert [int(index.lengths(n)[0]) for n in range(4)] == [1, 2, 3, 6]


ORPHANS = """
import sys, time
from pathlib import Path
from rankwise.collection.corpora.document import Document
from rankwise.collection.index.indexing import IndexingWorkers, IndexPlan, build_index
from rankwise.collection.index import indexing as building
building._DOCUMENTS_A_BATCH = 10
def documents(folder):
    for number in range(10**9):
        yield Document(f"d{number}", {"t": "word " * 2000})
if __name__ == "__main__":
    plan = IndexPlan("x", ("t",))
    build_index(documents(sys.argv[1]), sys.argv[1], plan, engine=IndexingWorkers(2))
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_workers_end_when_their_build_is_killed(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ORPHANS)
    process = subprocess.Popen([sys.executable, tmp_path / "program.py", tmp_path / "index"])
    while process.poll() is None and len(list(tmp_path.glob("index/segments/*.npz"))) < 4:
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    assert len(children) >= 2
    for _ in range(6000):
        if not any(map(_is_running, children)):
            return
        time.sleep(0.1)
    pytest.fail(f"the workers {children} go on without their build")


def _is_running(process: str) -> bool:
    """A process that has ended but that nobody asked about has an empty command line."""
    try:
        return bool(Path(f"/proc/{process}/cmdline").read_bytes())
    except OSError:
        return False


def test_segments_hold_only_what_they_say(tmp_path: Path) -> None:
    path = indexing.write_segment(DOCUMENTS[:3], PLAIN, PLAN.all_streams, str(tmp_path / "s.npz"))
    segment = read_segment(path)
    assert segment.n_documents == 3 and len(segment.boundaries) == 3 * 3 + 1


def test_dask_gives_the_same_index(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(indexing, "_DOCUMENTS_A_BATCH", 20)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        engine = IndexingWorkers(dask=cluster.scheduler_address)
        built = build_index(DOCUMENTS, tmp_path, PLAN, engine=engine)
    assert digests(built) == digests(index)
