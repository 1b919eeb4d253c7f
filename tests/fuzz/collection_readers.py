"""The readers of the builder: corpora of every format, queries, judgements, metadata, relations."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from random import Random

import numpy as np

from rankwise.collection import metadata
from rankwise.collection.build_input import read_categories
from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.corpora.document import Broken
from rankwise.collection.corpora.judgements import read_judgements
from rankwise.collection.corpora.query_files import read_queries
from rankwise.collection.data_card import read_data_card
from rankwise.collection.features.feature_files import read_query_classes
from rankwise.collection.related_documents import (
    NEIGHBOURS_FOLDER,
    read_hyperlinks,
    read_neighbours,
    read_similarity,
    read_sitemap,
)
from rankwise.data.dataset import Dataset
from rankwise.data.document_relations import read_relation
from rankwise.errors import RankwiseError
from tests.collection.made import made_collection, made_query
from tests.fuzz.mutators import BINARY, STRUCTURED
from tests.fuzz.reader import Reader

PAGE = (
    b"<html><head><title>A page &amp; more</title><meta charset=utf-8></head><body><h1>Heading</h1>"
    b"<p>Some words <a href='other.html#x'>a link</a> and <a href=\"http://h/p?q=1\">another</a>"
    b"<script>no()</script><style>p {}</style><!-- nothing --></p></body></html>\n"
)
CORPUS_SEEDS = {
    "jsonl": (
        b'{"id": "d1", "title": "First words", "body": "the body of it", "url": "http://h/1"}\n'
        b'{"id": "d2", "title": "Second", "links": [{"target": "d1", "text": "first"}]}\n'
        b'{"id": 3, "text": ["several", "texts"], "category": "red"}\n',
        b'{"id": "x", "contents": "a single document"}\n',
    ),
    "smart": (
        b".I 1\n.T\nexperimental investigation\n.A\nbrenckman,m.\n.B\nj. ae. scs. 25\n.W\n"
        b"the boundary layer\nin simple shear flow .\n.X\n1\t5\t2\n2\t5\t2\n"
        b".I 2\n.T\nanother\n.W\nx\n",
    ),
    "ohsumed": (
        b".I 1\n.U\n87049087\n.S\nAm J Emerg Med\n.M\nAdult; Human.\n.T\nRefibrillation managed by "
        b"EMT-Ds\n.P\nJOURNAL ARTICLE.\n.W\nSome patients converted.\n.A\nStults KR.\n",
    ),
    "time": (
        b"*TEXT 017 01/04/63 PAGE 020\n\n THE ALLIES AFTER NASSAU\n\n IN DECEMBER 1960\n\n"
        b"*TEXT 020 01/04/63 PAGE 021\n\n BIG FOUR\n*STOP\n",
    ),
    "npl": (
        b"1\ncompact memories have flexible capacities\nis described\n   /\n2\nan electronic "
        b"analogue computer\n   /\n",
    ),
    "trec": (
        b"<DOC>\n<DOCNO> FT911-3 </DOCNO>\n<HEADLINE>A head</HEADLINE>\n<TEXT>\nSome text "
        b"&amp; more\n</TEXT>\n</DOC>\n<DOC>\n<DOCNO>FT911-4</DOCNO>\n<TEXT>other</TEXT>\n</DOC>\n",
        b"<DOC><DOCNO>GX000-1</DOCNO><DOCHDR>http://h/a\nHTTP/1.0 200 OK\n</DOCHDR>"
        + PAGE
        + b"</DOC>\n",
    ),
    "warc": tuple(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: "
        b"http://h/a.html\r\nContent-Type: application/http; msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(body), body)
        for body in (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + PAGE,
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(PAGE, mtime=0),
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\n0\r\n\r\n",
        )
    ),
    "html": (PAGE, b"<TITLE>x</title>text <b>bold<a href=//h>\xe9</A>" + PAGE[:60]),
}
QUERY_SEEDS = (
    b"d1\tred\nd2\tgreen\n",
    b"1\twhat is it\tclass a\n2\tanother one\tclass b\n",
    b".I 1\n.W\nwhat similarity laws must be obeyed\n.I 2\n.W\nstructural problems\n",
    b"<top>\n<num> Number: 301\n<title> International crime\n<desc> Description:\nIdentify it\n"
    b"<narr> Narrative:\nA document\n</top>\n<top>\n<num>302\n<title>polio\n</top>\n",
    b"*FIND      1\n\n KENNEDY ADMINISTRATION\n PRESSURE\n\n*FIND      2\n\n EFFORTS\n*STOP\n",
    b"1\nMEASUREMENT OF DIELECTRIC CONSTANT\n/\n2\nMATHEMATICAL ANALYSIS\n/\n",
)
JUDGEMENT_SEEDS = (
    b"1 0 d1 1\n1 0 d2 0\n2 0 d1 -1\n",
    b"1 184 2\n1 29 2\n2 12 3\n",
    b"01 1410 0 0\n01 1572 0 0\n02 2434 0 0\n",
    b"     1     28\t0\t0.000000\n     1     35\t0\t0.000000\n",
    b"1  268 288 304\n\n2  326 334\n",
    b"1\n 1239 1502\n 4462\n/\n2\n 1613\n/\n",
)
CARD_SEED = (
    b'{"format": "rankwise data card", "name": "made", "feature_set": "ohsumed", "sampling": '
    b'{"method": "top", "depth": 10, "stream": "title"}, "features": [{"name": "BM25 of '
    b'title"}], "folds": "seed 0", '
    b'"parameters": {"k1": 1.2}, "documents": 12, "queries": 3}'
)


def _read_corpus(name: str, path: Path, rng: Random) -> None:
    """Every document; what is broken is told in a sentence, as an error is."""
    chosen = name if rng.random() < 0.8 else "auto"
    found = list(open_corpus(path, chosen).documents())
    wrong = next((one for one in found if isinstance(one, Broken)), None)
    if wrong is not None:
        raise RankwiseError(str(wrong))


def _corpus_reader(name: str) -> Reader:
    return Reader(
        lambda: CORPUS_SEEDS[name],
        lambda path, rng: _read_corpus(name, path, rng),
        STRUCTURED,
        ".html" if name == "html" else "",
    )


def _queries(path: Path, rng: Random) -> object:
    chance = rng.random()
    if chance < 0.2:
        return read_query_classes(path)
    if chance < 0.3:
        return read_categories(path)
    return read_queries(path, field=rng.choice(("title", "desc", "title+narr")))


def _judgements(path: Path, rng: Random) -> object:
    return read_judgements(path, rule=rng.choice((None, "as-is", "binary", "cleverdon")))


def _collection_seeds() -> tuple[bytes, ...]:
    return (metadata.format_collection(made_collection()).encode(),)


def _query_seeds() -> tuple[bytes, ...]:
    made = made_query(0, made_collection(), n_documents=3)
    return (metadata.format_query(made).encode(),)


def _neighbours(path: Path, rng: Random) -> object:
    folder = path.parent / NEIGHBOURS_FOLDER
    folder.mkdir(exist_ok=True)
    path.replace(folder / metadata.make_query_file_name("1"))
    query = made_query(0, made_collection(), n_documents=3)
    return read_neighbours(path.parent, made_collection(), query, ["d0", "d1", "d2", "d3"])


def _read_collection(path: Path, rng: Random) -> object:
    path.replace(path.with_name(metadata.COLLECTION_FILE))
    return metadata.read_collection(path.parent)


def _similarity_seeds() -> tuple[bytes, ...]:
    content = io.BytesIO()
    ids = np.frombuffer(b"d1\nd2\nd3", np.uint8)
    similarity = np.eye(3, dtype=np.float32)
    np.savez(content, allow_pickle=False, document_ids=ids, similarity=similarity)
    return (content.getvalue(),)


def _pairs(path: Path, rng: Random) -> object:
    read = read_hyperlinks if b"target" in path.read_bytes() else read_sitemap
    return list(read(path))


def _card(path: Path, rng: Random) -> object:
    path.replace(path.with_name("data-card.json"))
    return read_data_card(path.parent)


def _related_rows() -> Dataset:
    return Dataset.from_arrays(
        np.zeros((4, 1)), np.zeros(4), ["1", "1", "2", "2"], document_ids=["d1", "d2", "d2", "d1"]
    )


COLLECTION_READERS = {
    **{f"corpus-{name}": _corpus_reader(name) for name in CORPUS_SEEDS},
    "queries": Reader(lambda: QUERY_SEEDS, _queries, STRUCTURED),
    "judgements": Reader(lambda: JUDGEMENT_SEEDS, _judgements),
    "metadata-collection": Reader(_collection_seeds, _read_collection, STRUCTURED),
    "metadata-query": Reader(
        _query_seeds, lambda path, rng: metadata.read_query(path, made_collection()), STRUCTURED
    ),
    "metadata-neighbours": Reader(_query_seeds, _neighbours, STRUCTURED),
    "relations": Reader(
        lambda: (b"source\ttarget\nd1\td2\nd2\td3\n", b"parent\tchild\nd1\td2\n"),
        _pairs,
        STRUCTURED,
    ),
    "relation-lines": Reader(
        lambda: (b"d1\td2\t0.5\n", b"1 d1 d2 0.5\n2 d2 d1 1\n", b"source\ttarget\nd1\td2\n"),
        lambda path, rng: read_relation(path, _related_rows()),
        STRUCTURED,
    ),
    "relation-matrix": Reader(
        _similarity_seeds,
        lambda path, rng: read_relation(path.replace(path.with_name("1.npz")), _related_rows()),
        BINARY,
    ),
    "similarity": Reader(_similarity_seeds, lambda path, rng: read_similarity(path), BINARY),
    "data-card": Reader(lambda: (CARD_SEED,), _card, STRUCTURED),
}
