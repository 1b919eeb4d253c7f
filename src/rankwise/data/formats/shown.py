"""What a file holds, as a message shows it."""

from __future__ import annotations

LONGEST_SHOWN = 40


def shown(piece: bytes) -> str:
    """The piece in quotes, shortened and safe to print."""
    text = piece[: 4 * LONGEST_SHOWN].decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…")
