"""Submitting to an arena elsewhere, by its HTTP API."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from rankwise.arena.participation import ArenaEntry, Declaration, Submission
from rankwise.errors import Advice, RankwiseError
from rankwise.files import readable

SECONDS = 600
LARGEST_ANSWER = 1 << 24
_HERE = ("localhost", "127.0.0.1", "::1")


class _NoRedirects(HTTPRedirectHandler):
    """A token must not follow a server's wish to another place."""

    def redirect_request(self, *arguments: Any, **named: Any) -> None:
        return None


def read_files(paths: Sequence[str | Path]) -> dict[str, bytes]:
    """The contents of files by name; folds in different folders are told apart by these."""
    named: dict[str, bytes] = {}
    given = [Path(path) for path in paths]
    names = [path.name for path in given]
    for path in given:
        alone = names.count(path.name) == 1
        with readable(path) as stream:
            named[path.name if alone else f"{path.parent.name}-{path.name}"] = stream.read()
    return named


def send_submission(address: str, task: str, submission: Submission, *, token: str) -> ArenaEntry:
    """Submit to the arena at an address, such as `https://arena.example.org`; the entry.

    The same submission may be sent again as often as one likes: it is the same entry.
    """
    url = _join(address, f"api/tasks/{quote(task, safe='')}/entries")
    fields = {
        "declaration": json.dumps(asdict(submission.declaration)),
        "layout": submission.layout,
        "alias": submission.alias,
        "embargo_days": str(submission.embargo_days),
    }
    boundary = f"rankwise-{secrets.token_hex(16)}"
    request = Request(url, _encode(fields, submission.files, boundary), method="POST")
    request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
    request.add_header("Authorization", f"Bearer {token.strip()}")
    request.add_header("Accept", "application/json")
    return _entry(url, _ask(request))


def _join(address: str, path: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RankwiseError(
            f"an arena must have an address as https://arena.example.org, found {address!r}"
        )
    if parts.scheme == "http" and parts.hostname not in _HERE:
        raise RankwiseError(
            f"a token must travel encrypted: the address must begin with https://, found "
            f"{address!r}",
            Advice("only an arena on this machine may be http://"),
        )
    return f"{address.rstrip('/')}/{path}"


def _encode(fields: Mapping[str, str], files: Mapping[str, bytes], boundary: str) -> bytes:
    """`multipart/form-data`, RFC 7578."""
    pieces: list[bytes] = []
    for name, value in fields.items():
        pieces.append(_head(boundary, f'name="{name}"') + value.encode())
    for name, content in files.items():
        plain = name.encode("ascii", "replace").decode().translate(_UNQUOTED)
        pieces.append(_head(boundary, f'name="file"; filename="{plain}"') + content)
    return b"\r\n".join([*pieces, f"--{boundary}--\r\n".encode()])


_UNQUOTED = {ord(mark): "_" for mark in '"\\\r\n'}


def _head(boundary: str, names: str) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {names}\r\n\r\n".encode()


def _ask(request: Request) -> Any:
    try:
        with build_opener(_NoRedirects).open(request, timeout=SECONDS) as answer:
            return json.loads(answer.read(LARGEST_ANSWER))
    except HTTPError as error:
        raise RankwiseError(_sentence(request.full_url, error)) from error
    except (URLError, OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise RankwiseError(
            f"{request.full_url} must answer, found: {reason}; the same command may be given again"
        ) from error
    except ValueError as error:
        raise RankwiseError(f"{request.full_url} must answer in JSON, as an arena does") from error


def _sentence(url: str, error: HTTPError) -> str:
    """What the arena says, or what the status means where no arena answered."""
    try:
        return str(json.loads(error.read(LARGEST_ANSWER))["error"]["message"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"{url} must take the submission, found the answer {error.code} {error.reason}"


def _entry(url: str, content: Any) -> ArenaEntry:
    try:
        value = content["value"]
        facts = {
            **content,
            "declaration": Declaration.from_facts(content["declaration"]),
            "value": float("nan") if value is None else float(value),
        }
        return ArenaEntry(**facts)
    except (KeyError, TypeError, ValueError) as error:
        raise RankwiseError(f"{url} must answer with an entry, as an arena does") from error
