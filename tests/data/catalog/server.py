"""A small web server on loopback that resumes, breaks off and lies as it is told."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """One file at one address. `breaks` are the bytes sent in answer to the first requests."""

    content: bytes
    entity_tag: str | None = '"one"'
    modified: str | None = None
    honours_range: bool = True
    content_type: str = "application/zip"
    says_length: bool = True
    breaks: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    swapped: bytes | None = None
    requests: list[dict[str, str]] = field(default_factory=list)
    address: str = ""


@contextlib.contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serve `site` while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer(self, site)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    site.address = f"http://127.0.0.1:{server.server_port}/archive.zip"
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    site.requests.append(dict(handler.headers))
    status = site.statuses.pop(0) if site.statuses else 200
    if status != 200:
        handler.send_error(status)
        return
    start = range_start(handler, site)
    if start > len(site.content):
        handler.send_error(416)
        return
    send_headers(handler, site, start)
    sent = site.breaks.pop(0) if site.breaks else len(site.content)
    handler.wfile.write(site.content[start : start + sent])
    if start + sent < len(site.content) and site.swapped is not None:
        site.content, site.entity_tag = site.swapped, site.entity_tag and '"two"'


def range_start(handler: BaseHTTPRequestHandler, site: Site) -> int:
    asked = handler.headers.get("Range")
    guard = handler.headers.get("If-Range")
    if not asked or not site.honours_range or guard not in (None, site.entity_tag, site.modified):
        return 0
    return int(asked.removeprefix("bytes=").rstrip("-"))


def send_headers(handler: BaseHTTPRequestHandler, site: Site, start: int) -> None:
    whole = len(site.content)
    handler.send_response(206 if start else 200)
    handler.send_header("Content-Type", site.content_type)
    if start:
        handler.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
    if site.says_length:
        handler.send_header("Content-Length", str(whole - start))
    if site.entity_tag:
        handler.send_header("ETag", site.entity_tag)
    if site.modified:
        handler.send_header("Last-Modified", site.modified)
    handler.end_headers()
