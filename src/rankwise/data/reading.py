"""Read a data set from a file or a frame, write it, and convert files from layout to layout.

What is read is told by the file, whatever its layout; what is written by the ending of its name.
Files of any size become packed data or another text where both layouts allow it: chunk by chunk,
the features never in memory together. Names of features come from a file, one a line, or from the
card of the build that made the data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import open_source
from rankwise.data.formats.letor_chunks import Extent, LetorFile
from rankwise.data.formats.letor_reader import RepeatedQueries, read_letor, read_source
from rankwise.data.formats.letor_writer import NumberStyle, write_letor
from rankwise.data.formats.packed import PACKED, is_packed, packed_writer, read_packed, refuse_wide
from rankwise.data.joining import concatenate, equally_wide
from rankwise.data.sparse_features import ALWAYS_MADE, LARGEST_EXPANSION
from rankwise.data.table_columns import (
    ARROW_TABLES,
    COMPRESSED_ENDINGS,
    TEXT_TABLES,
    TableColumns,
    find_columns,
    find_ending,
    is_table,
)
from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.files import is_file, is_folder, readable, resolve

if TYPE_CHECKING:
    import pandas
    import polars

    from rankwise.data.formats.data_table import DataTable


def read(
    path: str | Path | pandas.DataFrame | polars.DataFrame,
    *,
    zero_based: bool = False,
    repeated_queries: RepeatedQueries = "error",
    n_features: int | None = None,
    threads: int | None = None,
    relations: Sequence[str | Path] = (),
    query_column: str | None = None,
    label_column: str | None = None,
    document_column: str | None = None,
    features: Sequence[str] | None = None,
    weight_column: str | None = None,
    qid: ArrayLike | None = None,
    group: ArrayLike | None = None,
    needs_labels: bool = True,
) -> Dataset:
    """Read a table (CSV, TSV, Parquet, Feather, by its ending), a frame, or else LETOR text.

    Packed data (`.rwd`) are opened: their features stay in the file. LETOR text in the folder of a
    build has the names of its data card.

    Args:
        path: a file, a frame of pandas or polars, or a file of a data set in the data home by its
            name (`MQ2008/Fold1/test.txt`). Text may be plain, gzip, bzip2 or zstd.
        zero_based, n_features, threads: of LETOR text, see `rankwise.data.formats.letor_reader`.
        repeated_queries: what to do with a query that comes back later: `merge` brings its rows
            together; of LETOR text also `separate`.
        relations: files or folders of relations between the documents, by their ids; see
            `rankwise.data.document_relations`.
        query_column, label_column, document_column: of a table. What is not named is found by the
            names that are usual, and a `GuessRemark` says what was guessed.
        features: the columns that are features, in this order; else all others with numbers.
        weight_column: what each row counts in training; a number a query is one for all its rows.
        qid: of a frame without such a column, a query id per row.
        group: of a frame without such a column, how many rows each query has.
        needs_labels: False takes tables without labels, which are then 0, to score them.
    """
    from rankwise.data.formats.data_table import is_frame

    if relations:
        from rankwise.data.document_relations import attach_relations

        bare = read(path, zero_based=zero_based, repeated_queries=repeated_queries,
                    n_features=n_features, threads=threads, query_column=query_column,
                    label_column=label_column, document_column=document_column,
                    features=features, weight_column=weight_column, qid=qid, group=group,
                    needs_labels=needs_labels)  # fmt: skip
        return attach_relations(bare, relations)
    chosen = None if features is None else tuple(features)
    columns = TableColumns(query_column, label_column, document_column, chosen, weight_column)
    if isinstance(path, str | Path):
        if qid is not None or group is not None:
            raise RankwiseError("qid and group are for frames; a file has its queries in a column")
        path = _find_file(path)
        columns = columns if any(columns.named()) else find_columns(path)
        if is_packed(path):
            refuse_columns(path, columns)
            packed = read_packed(path, repeated_queries=repeated_queries)
            return packed if n_features is None else packed.widened(n_features)
        if is_letor_text(path):
            refuse_columns(path, columns)
            rows = read_letor(
                path,
                zero_based=zero_based,
                repeated_queries=repeated_queries,
                n_features=n_features,
                threads=threads,
            )
            names = find_build_names(path, rows.n_features)
            return rows if names is None else rows.with_feature_names(names)
    elif not is_frame(path):
        raise RankwiseError(
            f"data are read from a file or a frame of pandas or polars, found {type(path).__name__}"
        )
    from rankwise.data.formats.data_table import make_dataset_of

    return make_dataset_of(
        _open_table(path, columns),
        columns,
        qid=qid,
        group=group,
        merge=repeated_queries == "merge",
        needs_labels=needs_labels,
    )


def _find_file(path: str | Path) -> str | Path:
    """The file of a path or of a name in the data home; a name of a whole data set is refused."""
    found = locate(path)
    if found is not path and is_folder(found):
        raise RankwiseError(
            f"one file of a data set is read, found the name {path}, which stands for the folder "
            f"{found}; name a file of it, as in {path}/Fold1/test.txt"
        )
    return found


def _open_table(
    path: str | Path | pandas.DataFrame | polars.DataFrame, columns: TableColumns
) -> DataTable:
    if not isinstance(path, str | Path):
        from rankwise.data.formats.data_table import FrameTable

        return FrameTable(path)
    if find_ending(path) in TEXT_TABLES:
        from rankwise.data.formats.text_tables import TextTable

        return TextTable(path)
    from rankwise.data.formats.arrow_tables import ArrowTable

    return ArrowTable(path, columns)


def is_letor_text(path: str | Path) -> bool:
    """Whether `read` takes the file for LETOR text: everything that is no table nor packed data."""
    return not is_table(path) and not is_packed(path)


def refuse_columns(path: str | Path, columns: TableColumns) -> None:
    """Refuse columns that were named for a file which has none."""
    named = next(columns.named(), None)
    if named is not None:
        raise RankwiseError(
            f"{path}: columns are named of tables (.csv, .tsv, .parquet, .feather), and "
            f"{'packed data have' if is_packed(path) else 'LETOR text has'} none, found "
            f"{named[1]!r}"
        )


def read_all(paths: Sequence[str | Path], *, zero_based: bool = False) -> Dataset:
    """Read several files as one data set, as wide as the widest of them."""
    parts = [read(path, zero_based=zero_based) for path in paths]
    return parts[0] if len(parts) == 1 else concatenate(equally_wide(parts))


_OTHER_FORMATS = (
    ".7z", ".arff", ".avro", ".h5", ".hdf5", ".html", ".json", ".jsonl", ".lz4", ".lzma", ".npy",
    ".npz", ".orc", ".pickle", ".pkl", ".pq", ".rar", ".sqlite", ".tar", ".tgz", ".xlsx", ".xml",
    ".zip",
)  # fmt: skip
"""Endings that promise what is not written; those of LETOR text are anybody's choice."""


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    numbers: NumberStyle = "shortest",
    zero_based: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
    float32: bool = False,
) -> None:
    """Write the layout that the file's name ends with, as `read` reads it.

    Tables are `.csv`, `.tsv`, `.parquet` and `.feather`, packed data `.rwd`; every other ending,
    but for those of other formats, is LETOR text. Text is compressed by .gz, .bz2, .xz, .zst. See
    `rankwise.data.formats.letor_writer.write_letor` for the options, which concern text only, and
    `rankwise.data.formats.packed.write_packed` for `float32`, which concerns packed data only.
    """
    if is_packed(path):
        from rankwise.data.formats.packed import write_packed

        return write_packed(dataset, path, float32=float32)
    if float32:
        raise RankwiseError(
            f"single precision is for packed data ({PACKED}), found {Path(path).name}",
            Advice("leave out {}", "float32"),
        )
    ending = find_ending(path)
    if ending in TEXT_TABLES:
        from rankwise.data.formats.text_tables import write_text_table

        return write_text_table(dataset, path, TEXT_TABLES[ending])
    if ending in ARROW_TABLES:
        from rankwise.data.formats.arrow_tables import write_arrow_table

        return write_arrow_table(dataset, path)
    _refuse_other_formats(Path(path))
    return write_letor(dataset, path, numbers=numbers, zero_based=zero_based, side_file=side_file)


def _refuse_other_formats(path: Path) -> None:
    """Refuse a name under which LETOR text would be taken for something else."""
    name = path.with_suffix("") if path.suffix.lower() in COMPRESSED_ENDINGS else path
    ending = name.suffix.lower()
    if ending in _OTHER_FORMATS or (name != path and ending in (*ARROW_TABLES, PACKED)):
        raise RankwiseError(
            f"{path}: data are written as a table (.csv, .tsv, .parquet, .feather), packed (.rwd) "
            "or as LETOR text (.txt and others), text compressed by .gz, .bz2, .xz or .zst, found "
            f"{path.name.removeprefix(name.stem)}; name another file"
        )


def convert(
    source: str | Path,
    target: str | Path,
    *,
    zero_based: bool = False,
    repeated_queries: Literal["error", "merge"] = "error",
    numbers: NumberStyle = "shortest",
    zero_based_out: bool = False,
    side_file: Literal[".query", ".group"] | None = None,
    float32: bool = False,
) -> Dataset:
    """Read `source`, write `target` in the layout that its name ends with, and return the data.

    LETOR text goes to packed data (`.rwd`) piece by piece, and packed data to text or packed data:
    there the features need not fit into memory. The options are those of `read` and `write`.
    """
    source = locate(source)
    unnamed = not any(find_columns(source).named())
    if is_packed(target) and is_letor_text(source) and unnamed and repeated_queries == "error":
        pack_letor(source, target, zero_based=zero_based, float32=float32)
        return read(target)
    dataset = read(source, zero_based=zero_based, repeated_queries=repeated_queries)
    write(
        dataset,
        target,
        numbers=numbers,
        zero_based=zero_based_out,
        side_file=side_file,
        float32=float32,
    )
    return dataset


def pack_letor(
    source: str | Path, target: str | Path, *, zero_based: bool = False, float32: bool = False
) -> None:
    """Write the rows of a LETOR file as packed data; a query that comes back is an error.

    The file is read twice: how many features there are is known at its end only.
    """
    with open_source(source) as text:
        extent = LetorFile(text, 0 if zero_based else 1, 0, None).measure()
        _refuse_sparse(source, extent, text.size)
        with packed_writer(target, extent.width, float32) as writer:
            rows = read_source(text, zero_based=zero_based, sink=writer)
            writer.finish(rows, find_build_names(source, extent.width))


def _refuse_sparse(path: str | Path, extent: Extent, size: int) -> None:
    """Refuse text that would fill a disk, since it writes nearly none of its cells."""
    refuse_wide(extent.width)
    needed = 8 * extent.rows * extent.width
    if needed > max(ALWAYS_MADE, LARGEST_EXPANSION * size):
        raise FormatError(
            f"packed data write every cell, which may take {LARGEST_EXPANSION} times the text, "
            f"found {extent.entries:,} written features in rows that would take "
            f"{needed / 2**30:.1f} GiB; leave such data in LETOR text, which is read sparse",
            path,
        )


CARD = "data-card.json"
_LARGEST_CARD = 1 << 26
_MOST_BYTES_OF_NAMES = 2**24


def read_feature_names(path: str | Path, n_features: int) -> tuple[str, ...]:
    """The names in a file: a line for each feature, in order."""
    with readable(path) as stream:
        content = stream.read(_MOST_BYTES_OF_NAMES).decode("utf-8", "replace")
    names = tuple(line.strip() for line in content.split("\n"))
    names = names[:-1] if names[-1:] == ("",) else names
    if len(names) != n_features or not all(names):
        raise RankwiseError(
            f"{path} must hold a name for each of the {n_features} features, one a line, found "
            f"{sum(map(bool, names))} names in {len(names)} lines"
        )
    return names


def read_card(folder: Path) -> dict[str, object]:
    """The card of the build in a folder; empty where there is none that can be read."""
    if not is_file(folder / CARD):
        return {}
    try:
        with readable(folder / CARD) as stream:
            card = json.loads(stream.read(_LARGEST_CARD))
    except (RankwiseError, ValueError, RecursionError):
        return {}
    return card if isinstance(card, dict) else {}


def find_build_names(path: str | Path, n_features: int) -> tuple[str, ...] | None:
    """The names of the features in a file of a build, which LETOR text has no room for.

    The file is two folders down, as in `QueryLevelNorm/Fold1/train.txt` and `Feature-min/ALL`. A
    card of another number of features is not that of the file, as where features were selected and
    written beside a build.
    """
    features = read_card(resolve(Path(path)).parent.parent.parent).get("features")
    if not isinstance(features, list) or len(features) != n_features:
        return None
    names = [entry.get("name") if isinstance(entry, dict) else None for entry in features]
    return tuple(map(str, names)) if all(names) and len(set(names)) == len(names) else None
