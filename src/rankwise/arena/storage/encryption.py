"""Encryption: what tells of labels is sealed at rest, under a key in a file of its own.

AES-256 in Galois/counter mode by the `cryptography` library; a nonce of 96 random bits stands
before each sealed text. A context says what is sealed, so that a sealed text in the place of
another is refused.
"""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from pathlib import Path

from rankwise.errors import MissingExtra, RankwiseError
from rankwise.files import readable, writing_failure

KEY_BYTES = 32
NONCE_BYTES = 12


class Seal:
    """A key that seals and opens."""

    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise MissingExtra("sealing labels", "arena") from error
        self._cipher = AESGCM(key)

    def close(self, content: bytes, context: str) -> bytes:
        """The content, encrypted."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, content, context.encode())

    def open(self, sealed: bytes, context: str) -> bytes:
        """What was sealed; refused where the key is another or a bit was changed."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(
                sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], context.encode()
            )
        except (InvalidTag, ValueError) as error:
            raise RankwiseError(
                f"the sealed {context} must open with the arena's key, found that it does not: the "
                "key file is another arena's, or the database was changed; restore both from the "
                "same backup"
            ) from error


def make_key(path: Path) -> Seal:
    """Write a new key that only its owner may read; an existing file is never replaced."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise writing_failure(path, error) from error
    key = secrets.token_bytes(KEY_BYTES)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(key.hex().encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise writing_failure(path, error) from error
    return Seal(key)


def read_key(path: Path) -> Seal:
    """The key in a file that nobody else may read."""
    with readable(path) as stream:
        text = stream.read(4 * KEY_BYTES)
        mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
    if mode & 0o077 and os.name == "posix":
        raise RankwiseError(
            f"{path} must be readable by its owner alone, found the permissions {mode:04o}; "
            f"run: chmod 600 {shlex.quote(str(path))}"
        )
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise RankwiseError(f"{path} must hold a key of {KEY_BYTES} bytes in hexadecimal digits")
    return Seal(key)
