"""The readers of tables: results in every format, Parquet with a data set, stores."""

from __future__ import annotations

import io
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.formats import arrow_tables as data_parquet
from rankwise.data.formats import packed as data_packed
from rankwise.data.reading import read
from rankwise.data.text import TextColumn
from rankwise.errors import GuessRemark
from rankwise.results import result_files as results_parquet
from rankwise.results.result_files import WideLayout, format_csv, format_json_lines, format_tsv
from rankwise.results.result_reading import read_results
from rankwise.results.result_table import ResultTable
from rankwise.results.store.store import Store
from tests.fuzz.mutators import BINARY, STRUCTURED, flip_bits
from tests.fuzz.reader import Reader

WIDE_SEEDS = (
    b'method,OHSUMED,MQ2008\nListNet,0.4457,0.4775\nRankSVM,0.4334,n/a\n"a, b",-,0.1\n',
    b"\xef\xbb\xbfmethod,LETOR 3.0 TD2004\r\nAdaRank-MAP,0.2189\r\nFRank,\r\n",
)


def made_table() -> ResultTable:
    """A few results, with all columns filled somewhere."""
    return ResultTable.from_columns(
        collection=["LETOR 3.0", "LETOR 4.0", "LETOR 3.0"],
        dataset=["OHSUMED", "MQ2008", "OHSUMED"],
        method=["ListNet", "RankSVM", "Größer, besser"],
        measure=["NDCG@10", "MAP", "NDCG@10"],
        value=[0.441, 0.2325, 1 / 3],
        version=["MIN", None, "MIN"],
        fold=["1", None, "1"],
        tool=["letor3", None, None],
        source=["somebody (2007)", None, 'two, "quoted"'],
        note=[None, "a note", None],
    )


def _long_seeds() -> tuple[bytes, ...]:
    return tuple(form(made_table()).encode() for form in (format_csv, format_csv))


def _result_parquet() -> tuple[bytes, ...]:
    content = io.BytesIO()
    results_parquet.write_parquet(made_table(), content)
    return (content.getvalue(),)


def _data_parquet() -> tuple[bytes, ...]:
    """A data set, another table with its columns, and one with dates for queries."""
    import pyarrow
    import pyarrow.parquet

    dataset = Dataset.from_arrays(
        np.array([[0.5, np.nan], [1.0, 2.0], [0.0, -3.5]]), [1.0, 0.0, 2.0], qid=["a", "a", "b"]
    )
    with tempfile.TemporaryDirectory() as folder:
        data_parquet.write_arrow_table(dataset, Path(folder) / "d.parquet")
        written = (Path(folder) / "d.parquet").read_bytes()
    columns = {
        "label": pyarrow.array([0, 2], pyarrow.int8()),
        "qid": pyarrow.array(["1", "2"]).dictionary_encode(),
        "f": pyarrow.array([1.5, None], pyarrow.float32()),
    }
    dates = {**columns, "qid": pyarrow.array([10**9, 10**8], pyarrow.timestamp("s"))}
    return (written, *(_parquet_bytes(one) for one in (columns, dates)))


def _parquet_bytes(columns: dict[str, object]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), content)
    return content.getvalue()


def _data_texts(separator: bytes) -> Callable[[], tuple[bytes, ...]]:
    rows = (
        b"qid,label,document,bm25,price\na,1,d1,0.5,\na,0,d2,1e3,NA\nb,2,d1,-3.5,7\n",
        b',search_id,query text,relevance,f\n0,s1,"red, ""new""\nshoes",2,1\n1,s2,tea,0,2\n',
    )
    return lambda: tuple(text.replace(b",", separator) for text in rows)


def _data_feather() -> tuple[bytes, ...]:
    import pyarrow.feather

    columns = {"label": [1.0, 0.0], "qid": ["a", "b"], "f": [0.5, None], "text": ["x", "y"]}
    made = []
    for compression in ("uncompressed", "lz4", "zstd"):
        content = io.BytesIO()
        pyarrow.feather.write_feather(pyarrow.table(columns), content, compression=compression)
        made.append(content.getvalue())
    return tuple(made)


def _data_packed() -> tuple[bytes, ...]:
    """Bare data, and data with everything that they may have."""
    bare = Dataset.from_arrays(np.full((40, 20), 0.5), np.arange(40) % 2, group=[20, 20])
    full = Dataset.from_arrays(
        [[0.5], [1.0], [2.0]], [1.0, 0.0, 2.0], qid=["a", "a", "b"], document_ids=["d", "e", "f"]
    )
    full = replace(
        full,
        comments=TextColumn.from_texts(["x", "", "é"]),
        feature_names=("bm25",),
        weights=np.ones(3),
        query_classes=TextColumn.from_texts(["1", "2"]),
        query_features=np.zeros((2, 1)),
    )
    made = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.rwd"
        for dataset, float32 in ((bare, False), (bare, True), (full, False)):
            data_packed.write_packed(dataset, path, float32=float32)
            made.append(path.read_bytes())
    return tuple(made)


def _read_packed(path: Path, rng: Random) -> object:
    """Packed data, and everything in them."""
    dataset = read(path, repeated_queries=rng.choice(("error", "merge", "separate")))
    return dataset.features, list(dataset.query_ids), list(dataset.comments or ())


def _read_data(path: Path, rng: Random) -> object:
    """A table as data; what was guessed need not be said here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuessRemark)
        return read(
            path,
            features=rng.choice((None, None, ["f"])),
            repeated_queries=rng.choice(("error", "merge")),
            needs_labels=rng.random() < 0.5,
        )


def _store_seeds() -> tuple[bytes, ...]:
    from tests.results.test_store import NAME, outcome

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.sqlite"
        with Store.open(path) as store:
            for fold in range(3):
                store.add(f"key{fold}", replace(NAME, fold=fold), {"seed": 0}, outcome(fold / 4))
        return (path.read_bytes(),)


def _read_store(path: Path, rng: Random) -> None:
    """Everything that commands ask of a store."""
    try:
        with Store.read(path) as store, store.snapshot():
            store.table(all_tools=rng.random() < 0.5)
            store.explain_left_out()
            for task in store.tasks(superseded=True):
                store.tried(task.number)
            store.tuned_parameters()
            store.per_query("MAP", "letor3")
            store.garbage()
    finally:
        for log in path.parent.glob(f"{path.name}-*"):
            log.unlink()


def _wide(path: Path, rng: Random) -> None:
    read_results(path, wide=WideLayout("NDCG@10", rows=rng.choice(("method", "dataset"))))


def _read(path: Path, rng: Random) -> object:
    return read_results(path)


def _seeds(*found: bytes) -> Callable[[], tuple[bytes, ...]]:
    return lambda: found


TABLE_READERS = {
    "tables-csv": Reader(_long_seeds, _read, STRUCTURED, ".csv"),
    "tables-tsv": Reader(lambda: (format_tsv(made_table()).encode(),), _read, STRUCTURED, ".tsv"),
    "tables-jsonl": Reader(
        lambda: (format_json_lines(made_table()).encode(),), _read, STRUCTURED, ".jsonl"
    ),
    "tables-wide": Reader(_seeds(*WIDE_SEEDS), _wide, STRUCTURED, ".csv"),
    "tables-parquet": Reader(_result_parquet, _read, BINARY, ".parquet"),
    "data-parquet": Reader(_data_parquet, _read_data, BINARY, ".parquet"),
    "data-feather": Reader(_data_feather, _read_data, BINARY, ".feather"),
    # A file of another length is refused, whatever was done to it: more often, it keeps its own.
    "data-packed": Reader(
        _data_packed, _read_packed, (flip_bits, flip_bits, flip_bits, *BINARY), ".rwd"
    ),
    "data-csv": Reader(_data_texts(b","), _read_data, STRUCTURED, ".csv"),
    "data-tsv": Reader(_data_texts(b"\t"), _read_data, STRUCTURED, ".tsv"),
    "stores": Reader(_store_seeds, _read_store, BINARY, ".sqlite"),
}
