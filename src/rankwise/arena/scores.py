"""Scores as an arena keeps them: one number a row of the hidden test parts, in one form.

Equal scores are equal bytes: -0 is 0, and a document that a run does not retrieve is NaN in one
pattern of bits. The digest is the SHA-256 of these bytes.
"""

from __future__ import annotations

import hashlib
import zlib

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def encode_scores(scores: Scores) -> bytes:
    """The scores as little-endian doubles."""
    settled = np.where(np.isnan(scores), np.nan, scores + 0.0)
    return settled.astype("<f8").tobytes()


def decode_scores(content: bytes) -> Scores:
    """What `encode_scores` gave."""
    return np.frombuffer(content, dtype="<f8").astype(np.float64)


def digest_scores(content: bytes) -> str:
    """The SHA-256 of encoded scores."""
    return hashlib.sha256(content).hexdigest()


def pack_scores(content: bytes) -> bytes:
    """Encoded scores as the database keeps them."""
    return zlib.compress(content, 6)


def unpack_scores(packed: bytes) -> bytes:
    """What `pack_scores` was given; damage is an empty answer, which no digest fits."""
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return b""
