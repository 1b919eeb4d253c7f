"""Arrow's threads are given nothing of Python's, which they would miss when it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.data.formats.arrow_tables import load_for_arrow

arrow = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("content", [b"", b"PAR1", bytes(range(256)) * 300])
def test_a_file_is_read_whole_and_no_longer_needed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(content)
    with path.open("rb") as stream:
        source = load_for_arrow(stream)
    # A Python file could not be read any more, and a buffer of Python's would have a parent.
    assert source.read() == content
    assert isinstance(source, arrow.BufferReader)
