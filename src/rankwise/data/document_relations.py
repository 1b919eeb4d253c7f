"""Relations between the documents of a query: similarities, hyperlinks, the sitemap.

They are read from files, by the ids of documents, for the rows of a data set:

    FILE.tsv     two ids a line, source and target, divided by a tab or blanks, and perhaps a weight
                 from 0; with four columns the first is the query in which they are related. A first
                 line of names (`source target`, `parent child`), as a build writes it, is no pair
    QUERY.npz    the similarity matrix of a query, as a build writes it; a folder has one a query

A relation is called as its file or folder. Documents that the data do not have are passed over: the
files are of whole collections, the rows a sample of them.
"""

from __future__ import annotations

import math
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from rankwise.data.catalog.home import locate
from rankwise.data.feature_matrix import as_features
from rankwise.errors import FormatError, RankwiseError
from rankwise.files import is_folder, readable

if TYPE_CHECKING:
    from rankwise.data.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Relation:
    """A weighted relation between documents of the same query.

    Row i is related to the documents at `places[offsets[i]:offsets[i + 1]]` of its query, 0 being
    the query's first row, so that a choice of queries needs no new numbers. A symmetric relation
    holds both directions.

    Attributes:
        name: what it is called: `similarity`, `hyperlinks`, `sitemap` …
        offsets: (documents + 1,) int64, from 0 to the number of related pairs.
        places: (pairs,) int64, where in its query the related document stands.
        weights: (pairs,) float64, how strongly; 1 for links.
    """

    name: str
    offsets: NDArray[np.int64]
    places: NDArray[np.int64]
    weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name, dtype in (("offsets", np.int64), ("places", np.int64), ("weights", np.float64)):
            view: NDArray[Any] = np.asarray(getattr(self, name), dtype=dtype).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    def take(self, rows: slice | NDArray[np.int64]) -> Relation:
        """The relation of the chosen rows, which must be whole queries."""
        if isinstance(rows, slice):
            numbers = np.arange(len(self.offsets) - 1, dtype=np.int64)[rows]
        else:
            numbers = rows
        counts = np.diff(self.offsets)[numbers]
        offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)
        pairs = np.repeat(self.offsets[numbers], counts) + within
        return Relation(self.name, offsets, self.places[pairs], self.weights[pairs])

    def related_rows(self, query_offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """For every pair the row of the related document in the whole data set."""
        first = np.repeat(query_offsets[:-1], np.diff(query_offsets))
        return np.repeat(first, np.diff(self.offsets)) + self.places

    def equals(self, other: Relation) -> bool:
        """Whether both relate the same documents with the same weights under one name."""
        return (
            self.name == other.name
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.places, other.places)
            and np.array_equal(self.weights, other.weights, equal_nan=True)
        )


def check_relation(relation: Relation, query_offsets: NDArray[np.int64]) -> None:
    """Refuse a relation that is not one between documents of the same query."""
    documents, offsets = int(query_offsets[-1]), relation.offsets
    pairs = len(relation.places)
    if (
        len(offsets) != documents + 1
        or offsets[0] != 0
        or offsets[-1] != pairs
        or np.any(np.diff(offsets) < 0)
        or len(relation.weights) != pairs
    ):
        raise RankwiseError(
            f"relation {relation.name!r} must have offsets that rise from 0 to its number of pairs "
            f"({pairs}), one more than the {documents} documents, and a weight per pair"
        )
    lengths = np.repeat(np.diff(query_offsets), np.diff(query_offsets))
    if np.any(relation.places < 0) or np.any(
        relation.places >= np.repeat(lengths, np.diff(offsets))
    ):
        raise RankwiseError(
            f"relation {relation.name!r} must relate documents of the same query, found a place "
            "outside its query"
        )
    if not np.isfinite(relation.weights).all():
        raise RankwiseError(f"the weights of relation {relation.name!r} must be finite numbers")


def join_relations(
    parts: Sequence[tuple[tuple[Relation, ...], int]],
) -> tuple[Relation, ...]:
    """The relations of data sets one after the other, each with its number of documents.

    Where a part lacks a relation that another has, its documents are not related by it.
    """
    names = dict.fromkeys(relation.name for held, _ in parts for relation in held)
    return tuple(_join_one(name, parts) for name in names)


def _join_one(name: str, parts: Sequence[tuple[tuple[Relation, ...], int]]) -> Relation:
    found = [
        next(
            (relation for relation in held if relation.name == name),
            _make_empty_relation(name, documents),
        )
        for held, documents in parts
    ]
    counts = np.concatenate([np.diff(relation.offsets) for relation in found])
    return Relation(
        name,
        np.append(0, np.cumsum(counts)),
        np.concatenate([relation.places for relation in found]),
        np.concatenate([relation.weights for relation in found]),
    )


def _make_empty_relation(name: str, documents: int) -> Relation:
    return Relation(name, np.zeros(documents + 1, np.int64), np.empty(0, np.int64), np.empty(0))


RELATIONS = "Relations"
"""The folder of a build, or of an installed data set, that holds its relations."""
_HEADERS = (("source", "target"), ("parent", "child"))
_MOST_DOCUMENTS = 20_000
_MOST_BYTES_OF_IDS = 1 << 24
_HEADER_BYTES = 1 << 12

Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]
"""Rows of the data, the places in their queries that they are related to, and the weights."""


def attach_relations(dataset: Dataset, paths: Sequence[str | Path]) -> Dataset:
    """The data with the relations of files or folders, each under the name of its own."""
    found = tuple(read_relation(path, dataset) for path in paths)
    names = [one.name for one in (*dataset.relations, *found)]
    for name in names:
        if names.count(name) > 1:
            raise RankwiseError(f"each relation must have a name of its own, found {name!r} twice")
    relations = (*dataset.relations, *found)
    return replace(dataset, features=as_features(dataset.stored), relations=relations)


def read_relation(path: str | Path, dataset: Dataset) -> Relation:
    """The relation of a file or folder between the documents of each query of the data."""
    where = Path(path)
    homes = _find_homes(dataset, where)
    if is_folder(where):
        pairs = list(_pairs_of_folder(where, dataset, homes))
    elif where.suffix == ".npz":
        pairs = [_pairs_of_matrix(where, dataset, homes)]
    else:
        pairs = [_pairs_of_lines(where, dataset, homes)]
    return _make_relation(where.name.partition(".")[0], pairs, dataset)


def find_relation_files(folder: Path) -> tuple[Path, ...]:
    """What stands in `Relations` of the folder, or of the one above; nothing where neither is."""
    for home in (folder / RELATIONS, folder.parent / RELATIONS):
        if is_folder(home):
            return tuple(_list_relations(home))
    return ()


def _list_relations(home: Path) -> Iterator[Path]:
    """Files of pairs, also of the folders in it, as LETOR's are laid out; folders of matrices."""
    for one in sorted(home.iterdir()):
        if is_folder(one) and not one.name.startswith("."):
            inside = sorted(one.iterdir())
            is_of_matrices = any(path.suffix == ".npz" for path in inside)
            yield from [one] if is_of_matrices else filter(_is_list_of_pairs, inside)
        elif _is_list_of_pairs(one):
            yield one


def _is_list_of_pairs(path: Path) -> bool:
    is_named = path.suffix in (".tsv", ".txt") and not path.name.startswith(".")
    return is_named and not is_folder(path)


def find_relations_beside(path: str | Path) -> tuple[Path, ...]:
    """The relations of the build, or the installed data set, that a file of rows belongs to."""
    for folder in Path(locate(path)).absolute().parents[:2]:
        found = find_relation_files(folder)
        if found:
            return found
    return ()


def read_similarity(path: str | Path) -> tuple[list[str], NDArray[np.float32]]:
    """The document ids and the matrix that `rankwise.collection.related_documents` wrote."""
    with readable(path) as stream:
        try:
            with np.load(stream, allow_pickle=False) as arrays:
                # A matrix of zeros shrinks to a thousandth: sizes are looked at before unpacking.
                sizes = {one.filename: one.file_size for one in arrays.zip.infolist()}
                _check_size(path, sizes["document_ids.npy"], _MOST_BYTES_OF_IDS)
                ids = arrays["document_ids"].tobytes().decode("utf-8", "surrogateescape")
                names = ids.split("\n")
                count = min(len(names), _MOST_DOCUMENTS)
                _check_size(path, sizes["similarity.npy"], 8 * count * count + _HEADER_BYTES)
                return names, arrays["similarity"]
        # What damaged archives of numpy raise; another kind of file is a ValueError.
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, SyntaxError,
                tokenize.TokenError, NotImplementedError, AttributeError,
                OSError) as error:  # fmt: skip
            raise FormatError("the file must be a similarity matrix of a build", path) from error


def _check_size(path: str | Path, size: int, most: int) -> None:
    if size > most:
        raise FormatError(
            f"a similarity matrix of at most {_MOST_DOCUMENTS} documents and its ids must fit into "
            f"what their number needs, {most:,} bytes, found an array of {size:,}",
            path,
        )


def _find_homes(dataset: Dataset, path: Path) -> dict[str, dict[int, int]]:
    """For each document id its place in every query that has it."""
    if dataset.document_ids is None:
        raise RankwiseError(
            f"{path}: relations go by the ids of documents, found data without them; a row names "
            "its document behind #: #docid = ID"
        )
    homes: dict[str, dict[int, int]] = {}
    starts = dataset.query_offsets[dataset.query_of_rows].tolist()
    queries = dataset.query_of_rows.tolist()
    for row, document in enumerate(dataset.document_ids):
        homes.setdefault(document, {})[queries[row]] = row - starts[row]
    return homes


def _pairs_of_lines(path: Path, dataset: Dataset, homes: dict[str, dict[int, int]]) -> Pairs:
    numbers = {query_id: number for number, query_id in enumerate(dataset.query_ids)}
    starts = dataset.query_offsets.tolist()
    found: list[tuple[int, int, float]] = []
    with readable(path) as stream:
        for line_number, line in enumerate(stream, 1):
            text = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            cells = text.split("\t") if "\t" in text else text.split()
            if not cells or (line_number == 1 and tuple(cells) in _HEADERS):
                continue
            weight = _read_weight(cells, path, line_number)
            source, target = cells[1:3] if len(cells) == 4 else cells[:2]
            of_source, of_target = homes.get(source, {}), homes.get(target, {})
            shared = of_source.keys() & of_target.keys()
            if len(cells) == 4:
                shared &= {numbers.get(cells[0], -1)}
            for query in sorted(shared):
                found.append((starts[query] + of_source[query], of_target[query], weight))
    rows, places, weights = zip(*found, strict=True) if found else ((), (), ())
    return np.array(rows, np.int64), np.array(places, np.int64), np.array(weights, np.float64)


def _read_weight(cells: list[str], path: Path, line_number: int) -> float:
    if not 2 <= len(cells) <= 4:
        raise FormatError(
            "a line must hold two ids of documents and perhaps a weight, or a query before them, "
            f"found {len(cells)} columns",
            path,
            line_number,
        )
    if len(cells) == 2:
        return 1.0
    try:
        weight = float(cells[-1])
    except ValueError:
        weight = math.nan
    if not 0.0 <= weight < math.inf:
        raise FormatError(
            f"a weight must be a number from 0, found {cells[-1][:40]!r}", path, line_number
        )
    return weight


def _pairs_of_folder(
    folder: Path, dataset: Dataset, homes: dict[str, dict[int, int]]
) -> Iterator[Pairs]:
    """Those of the matrices of the data's queries; others are not opened."""
    known = set(dataset.query_ids)
    files = [one for one in sorted(folder.iterdir()) if one.suffix == ".npz"]
    if not files:
        raise RankwiseError(f"{folder} must hold a file QUERY.npz for each query, found none")
    for path in files:
        if _query_of(path) in known:
            yield _pairs_of_matrix(path, dataset, homes)


def _query_of(path: Path) -> str:
    return unquote(path.stem.removeprefix("query-"))


def _pairs_of_matrix(path: Path, dataset: Dataset, homes: dict[str, dict[int, int]]) -> Pairs:
    names, matrix = read_similarity(path)
    if matrix.shape != (len(names), len(names)) or matrix.dtype.kind != "f":
        raise FormatError(
            f"a similarity matrix must have as many rows and columns as documents, {len(names)}, "
            f"found the shape {matrix.shape}",
            path,
        )
    if len(names) > _MOST_DOCUMENTS or not np.isfinite(matrix).all() or np.any(matrix < -1e-6):
        raise FormatError(
            f"similarities must be numbers from 0, of at most {_MOST_DOCUMENTS} documents", path
        )
    try:
        query = list(dataset.query_ids).index(_query_of(path))
    except ValueError:
        raise FormatError(
            f"the file must be called as a query of the data, found {_query_of(path)!r}", path
        ) from None
    places = np.array([homes.get(name, {}).get(query, -1) for name in names], np.int64)
    sources, targets = np.nonzero((matrix > 0) & (places >= 0) & (places >= 0)[:, None])
    rows = dataset.query_offsets[query] + places[sources]
    return rows, places[targets], matrix[sources, targets].astype(np.float64)


def _make_relation(name: str, parts: Sequence[Pairs], dataset: Dataset) -> Relation:
    """Pairs in the order of rows; one that comes twice has the weight that it had last."""
    empty: Pairs = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    rows, places, weights = (np.concatenate(one) for one in zip(empty, *parts, strict=True))
    firsts = dataset.query_offsets[:-1][dataset.query_of_rows[rows]]
    order = np.lexsort((places, rows))
    order = order[(rows - firsts != places)[order]]
    rows, places, weights = rows[order], places[order], weights[order]
    same = (np.diff(rows, append=-1) == 0) & (np.diff(places, append=-1) == 0)
    counts = np.bincount(rows[~same], minlength=dataset.n_documents)
    return Relation(name, np.append(0, np.cumsum(counts)), places[~same], weights[~same])
