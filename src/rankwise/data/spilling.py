"""What is too large for memory, in a file on disk that has no name and that nobody else sees."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO, cast

from rankwise.errors import RankwiseError


@contextlib.contextmanager
def spilling(what: str) -> Iterator[None]:
    """A full disk, while a file without a name is written, as one sentence."""
    try:
        yield
    except OSError as error:
        import tempfile

        raise RankwiseError(
            f"cannot write {what} to {tempfile.gettempdir()}: {error.strerror or error}; make room "
            "there, or set TMPDIR to another disk"
        ) from error


def open_spill() -> BinaryIO:
    """A new file in the temporary folder, gone as soon as nobody holds it."""
    import tempfile

    # Whoever asked for it keeps it open.
    return cast("BinaryIO", tempfile.TemporaryFile())
