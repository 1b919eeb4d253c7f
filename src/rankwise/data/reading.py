"""Read a data set from a file, whatever its layout."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor import RepeatedQueries, read_letor
from rankwise.data.joining import concatenate, equally_wide


def read(
    path: str | Path,
    *,
    zero_based: bool = False,
    repeated_queries: RepeatedQueries = "error",
    n_features: int | None = None,
    threads: int | None = None,
    relations: Sequence[str | Path] = (),
) -> Dataset:
    """Read LETOR text (plain, gzip, bzip2 or zstd) or, by the ending `.parquet`, Parquet.

    `relations` are files or folders of relations between the documents, by their ids; see
    `rankwise.data.formats.relation_files`. See `rankwise.data.formats.letor.read_letor` for the
    other options, which concern text only.
    """
    if relations:
        from rankwise.data.formats.relation_files import attach_relations

        bare = read(path, zero_based=zero_based, repeated_queries=repeated_queries,
                    n_features=n_features, threads=threads)  # fmt: skip
        return attach_relations(bare, relations)
    if not is_letor_text(path):
        from rankwise.data.formats.parquet import read_parquet

        return read_parquet(path)
    return read_letor(
        path,
        zero_based=zero_based,
        repeated_queries=repeated_queries,
        n_features=n_features,
        threads=threads,
    )


def is_letor_text(path: str | Path) -> bool:
    """Whether `read` takes the file for text: it takes everything for text that is not Parquet."""
    return Path(path).suffix.lower() != ".parquet"


def read_all(paths: Sequence[str | Path], *, zero_based: bool = False) -> Dataset:
    """Read several files as one data set, as wide as the widest of them."""
    parts = [read(path, zero_based=zero_based) for path in paths]
    return parts[0] if len(parts) == 1 else concatenate(equally_wide(parts))
