"""Messages between the arena and the process that evaluates: JSON, then blobs of bytes.

Nothing of Python is pickled: what the other side sends can be wrong, but it runs no code here.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

_LENGTH = struct.Struct("<Q")
LARGEST = 1 << 31


class Frame(NamedTuple):
    """A message: facts, and blobs of bytes."""

    facts: dict[str, Any]
    blobs: list[bytes]


class BrokenFrame(Exception):
    """The other side has ended, or sent what is no message."""


def write_frame(stream: BinaryIO, facts: Mapping[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Send a message."""
    head = json.dumps({"facts": dict(facts), "blobs": [len(blob) for blob in blobs]}).encode()
    stream.write(_LENGTH.pack(len(head)))
    stream.write(head)
    for blob in blobs:
        stream.write(blob)
    stream.flush()


def read_frame(stream: BinaryIO) -> Frame:
    """Receive a message; `BrokenFrame` where there is none."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    try:
        head = json.loads(_exactly(stream, length))
        sizes = [int(size) for size in head["blobs"]]
        return Frame(dict(head["facts"]), [_exactly(stream, size) for size in sizes])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BrokenFrame(str(error)) from error


def _exactly(stream: BinaryIO, count: int) -> bytes:
    if not 0 <= count <= LARGEST:
        raise BrokenFrame(f"a message of {count} bytes")
    content = stream.read(count)
    if len(content) != count:
        raise BrokenFrame("the message ends early")
    return content
