"""One process at a time: a lock that ends with its holder, however that ends.

The lock is an exclusive transaction on a small SQLite file: the operating system releases it when
the process is gone, kill -9 included, on every system that SQLite runs on.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from rankwise.errors import RankwiseError


@contextlib.contextmanager
def exclusively(
    path: str | Path,
    busy: str,
    patience_seconds: float = 0.0,
    *,
    what: str | Path | None = None,
) -> Iterator[None]:
    """Hold the lock file `path`; where another process has it, wait, then raise `busy`.

    `what` is what the lock guards, which messages name.
    """
    folder, guarded = Path(path).parent, what or path
    refused = f"cannot write {guarded}: its folder {folder} may not be written"
    try:
        connection = sqlite3.connect(path, timeout=patience_seconds, isolation_level=None)
    except sqlite3.OperationalError as error:
        raise RankwiseError(f"{refused} ({error})") from error
    with contextlib.closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            locked = "locked" in str(error)
            raise RankwiseError(busy if locked else f"{refused} ({error})") from error
        yield
