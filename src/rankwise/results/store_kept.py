"""Models and scores that a store keeps of its tasks, where an experiment asked for them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import cast

from rankwise.errors import Advice, RankwiseError
from rankwise.results.store_connection import DamagedStore
from rankwise.results.store_records import KeptItem, KeptName
from rankwise.results.store_rows import TaskRow, find_current
from rankwise.results.store_tasks import TaskReading

MOST_BYTES = 1 << 29
"""No model file is read that is larger."""


class KeptReading(TaskReading):
    """What a store tells of kept models and scores."""

    def kept(self, *, superseded: bool = False) -> list[KeptItem]:
        """What is kept of the tasks that count; of `superseded` ones too where asked for.

        In the order in which tasks were asked for: which of two ended first is chance.
        """
        with self.snapshot():
            rows = self._read_rows()
            current = find_current(rows)
            chosen = [row for row in rows if superseded or row.number in current]
            return self._list_kept(chosen)

    def kept_of(self, key: str) -> dict[KeptName, int]:
        """The names and sizes of what is kept of one task."""
        with self.snapshot():
            rows = [row for row in self._read_rows() if row.key == key]
            return {item.what: item.size for item in self._list_kept(rows)}

    def read_kept(self, key: str, what: KeptName) -> bytes:
        """A kept model, or kept scores, as `TaskOutcome` has them."""
        with self.snapshot():
            rows = [row for row in self._read_rows() if row.key == key]
            if not rows:
                raise RankwiseError(f"{self.path} has no task of the key {key[:80]!r}")
            there = {item[1]: item for item in self._read_kept(rows)[rows[0].number]}
            if what not in there:
                raise _explain_absence(self, rows[0], what, list(there))
            number, _, size, _ = there[what]
            packed = self._read_shared("kept", number)
        return self._unpack(packed, size, what)

    def _list_kept(self, rows: Sequence[TaskRow]) -> list[KeptItem]:
        found = self._read_kept(rows)
        return [
            KeptItem(row.key, row.name, cast(KeptName, what), size)
            for row in sorted(rows, key=lambda row: (row.turn, row.number))
            for _, what, size, _ in found[row.number]
        ]

    def _unpack(self, packed: bytes, size: int, what: str) -> bytes:
        """What was packed; no more than its size, as stores come from anywhere."""
        if not 0 <= size <= MOST_BYTES:
            raise DamagedStore(self.path, f"a kept {what} of {size} bytes", removable=False)
        unpacking = zlib.decompressobj()
        try:
            content = unpacking.decompress(packed, size + 1)
        except zlib.error as error:
            raise DamagedStore(self.path, f"a kept {what} cannot be unpacked ({error})") from error
        if len(content) != size:
            raise DamagedStore(self.path, f"a kept {what} is not {size} bytes long")
        return content


def _explain_absence(
    store: KeptReading, row: TaskRow, what: str, there: Sequence[str]
) -> RankwiseError:
    found = " and ".join(there) or "nothing"
    asked = "models" if what == "model" else "scores"
    return RankwiseError(
        f"{store.path} must keep the {what} of {row.name}, found {found} of it",
        Advice("run the same experiment with {}", "keep", asked),
    )
