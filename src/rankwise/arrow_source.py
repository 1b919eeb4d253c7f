"""Files for Arrow's threads: in memory that is Arrow's own.

Arrow reads with threads that outlive the call. One that still holds a Python file when the
interpreter ends asks for it then, and the whole process is aborted (exit code 134), its output
written and its answer lost. Memory of Arrow's own asks nobody.
"""

from __future__ import annotations

import os
from typing import Any, BinaryIO


def load_for_arrow(stream: BinaryIO) -> Any:
    """The bytes of an open file, as Arrow's readers take them."""
    import pyarrow

    buffer = pyarrow.allocate_buffer(os.fstat(stream.fileno()).st_size, resizable=True)
    read = stream.readinto(memoryview(buffer)) if buffer.size else 0  # type: ignore[attr-defined]
    if read < buffer.size:
        buffer.resize(read)
    return pyarrow.BufferReader(buffer)
