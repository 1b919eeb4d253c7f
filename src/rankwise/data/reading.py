"""Read a data set from a file, whatever its layout, or from a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from rankwise.data.dataset import Dataset
from rankwise.data.feature_names import find_build_names
from rankwise.data.formats.letor import RepeatedQueries, read_letor
from rankwise.data.formats.packed import read_packed
from rankwise.data.formats.packed_layout import is_packed
from rankwise.data.joining import concatenate, equally_wide
from rankwise.data.locating import locate
from rankwise.data.table_columns import TableColumns
from rankwise.data.table_file import TEXT_TABLES, find_columns, find_ending, is_table
from rankwise.errors import RankwiseError
from rankwise.files import is_folder

if TYPE_CHECKING:
    import pandas
    import polars

    from rankwise.data.formats.table import DataTable


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
        zero_based, n_features, threads: of LETOR text, see `rankwise.data.formats.letor`.
        repeated_queries: what to do with a query that comes back later: `merge` brings its rows
            together; of LETOR text also `separate`.
        relations: files or folders of relations between the documents, by their ids; see
            `rankwise.data.formats.relation_files`.
        query_column, label_column, document_column: of a table. What is not named is found by the
            names that are usual, and a `GuessRemark` says what was guessed.
        features: the columns that are features, in this order; else all others with numbers.
        weight_column: what each row counts in training; a number a query is one for all its rows.
        qid: of a frame without such a column, a query id per row.
        group: of a frame without such a column, how many rows each query has.
        needs_labels: False takes tables without labels, which are then 0, to score them.
    """
    from rankwise.data.formats.frame_tables import is_frame

    if relations:
        from rankwise.data.formats.relation_files import attach_relations

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
    from rankwise.data.formats.table import make_dataset_of

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
        from rankwise.data.formats.frame_tables import FrameTable

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
