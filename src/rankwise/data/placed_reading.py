"""Bytes of an open file from any place of it, from any thread."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError


class PlacedReader:
    """A file that is read at places; it never loads more than it is asked for."""

    def __init__(self, path: str | Path, stream: BinaryIO) -> None:
        self.path = path
        self.stream = stream
        self._turn = threading.Lock()

    @property
    def size(self) -> int:
        """How many bytes the file has now."""
        return os.fstat(self.stream.fileno()).st_size

    def fill(self, room: NDArray[np.uint8], position: int) -> None:
        """Fill `room` with the bytes from a position of the file on."""
        filled = 0
        while filled < len(room):
            got = self._read_at(position + filled, room.data[filled:])
            if got == 0:
                raise RankwiseError(f"{self.path}: the file became shorter while it was read")
            filled += got

    def _read_at(self, position: int, room: memoryview) -> int:
        """Read from a position; where the system cannot (Windows), threads take turns."""
        if hasattr(os, "preadv"):
            return os.preadv(self.stream.fileno(), [room], position)
        with self._turn:
            self.stream.seek(position)
            return int(self.stream.readinto(room))  # type: ignore[attr-defined]
