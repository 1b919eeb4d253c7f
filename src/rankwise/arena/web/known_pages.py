"""Pages that are the same for many: kept whole and compressed, with a mark to ask after."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response


@dataclass(frozen=True)
class KnownPage:
    """A page as it is sent: as it is, or compressed to those who take that."""

    body: bytes
    compressed: bytes
    mark: str

    def answer(self, request: Request) -> Response:
        """The page, or that the browser has it already."""
        headers = {
            "etag": self.mark,
            "cache-control": "no-cache",
            "vary": "Cookie, Authorization, Accept-Encoding",
        }
        if request.headers.get("if-none-match") == self.mark:
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
            return HTMLResponse(self.compressed, headers=headers)
        return HTMLResponse(self.body, headers=headers)


def make_known(page: str) -> KnownPage:
    """A page to be kept."""
    body = page.encode("utf-8")
    mark = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return KnownPage(body, gzip.compress(body, 6, mtime=0), mark)
