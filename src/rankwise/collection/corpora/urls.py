"""URLs in the one form in which links find their documents, and what can be read off them."""

from __future__ import annotations

import re
from urllib.parse import unquote, urljoin, urlsplit

_INDEX_PAGES = frozenset(
    ("index.html", "index.htm", "default.html", "default.htm", "index.php", "default.asp")
)
_DIVIDERS = re.compile(r"[^\w]+|_")


def normalized(url: str) -> str:
    """A URL without scheme, fragment and the name of an index page; the host in lower case.

    `http://A.org/x/index.html#top` and `https://a.org/x/` are the same page. What cannot be read
    as a URL stays as it is.
    """
    host, path, query = url_parts(url)
    return f"{host}{path}?{query}" if query else f"{host}{path}"


def url_parts(url: str) -> tuple[str, str, str]:
    """Host (lower case), path (with a leading slash, no index page) and query of a URL."""
    try:
        parts = urlsplit(url.strip() if "//" in url else f"//{url.strip()}")
    except ValueError:
        return "", url, ""
    folder, _, page = parts.path.rpartition("/")
    path = f"{folder}/" if page.lower() in _INDEX_PAGES else parts.path
    return parts.netloc.lower(), path or "/", parts.query


def resolved(base: str, reference: str) -> str:
    """Where a reference on the page `base` leads; empty for none, scripts, mail and broken ones."""
    if not reference.strip():
        return ""
    try:
        target = urljoin(base, reference.strip())
        scheme = urlsplit(target).scheme
    except ValueError:
        return ""
    return target if scheme in ("http", "https") else ""


def url_words(url: str) -> str:
    """The words of a URL as text: everything but letters and digits divides them."""
    host, path, query = url_parts(url)
    return " ".join(part for part in _DIVIDERS.split(unquote(f"{host} {path} {query}")) if part)
