"""URLs in the one form in which links find their documents, and what can be read off them."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urljoin, urlsplit

LONGEST_URL = 2000
"""Characters; what is longer is no URL. Browsers and search engines stop near this length too."""

_INDEX_PAGES = frozenset(
    ("index.html", "index.htm", "default.html", "default.htm", "index.php", "default.asp")
)
_DIVIDERS = re.compile(r"[^\w]+|_")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_RESERVED = "/:?#[]@!$&'()*+,;=%"


def normalize_url(url: str) -> str:
    """A URL without scheme, fragment, the name of an index page and a last slash.

    `http://A.org/x/index.html#top`, `https://a.org/x/` and `a.org/x` are the same page, and
    `a.org/my page` is `a.org/my%20page`. What cannot be read as a URL stays as it is.
    """
    host, path, query = split_url(url)
    page = f"{host}{path}".rstrip("/")
    return f"{page}?{query}" if query else page


def split_url(url: str) -> tuple[str, str, str]:
    """Host (lower case), path (with a leading slash, no index page) and query of a URL."""
    try:
        parts = urlsplit(url.strip() if "//" in url else f"//{url.strip()}")
    except ValueError:
        return "", url, ""
    folder, _, page = parts.path.rpartition("/")
    path = f"{folder}/" if page.lower() in _INDEX_PAGES else parts.path
    return parts.netloc.lower(), _escape_part(path) or "/", _escape_part(parts.query)


def bound_url(url: str) -> str:
    """The URL itself; nothing where it is longer than URLs are."""
    return url if len(url) <= LONGEST_URL else ""


def resolve_url(base: str, reference: str) -> str:
    """Where a reference on the page `base` leads; empty for none, scripts, mail and broken ones."""
    stripped = bound_url(reference.strip())
    if not stripped:
        return ""
    try:
        target = bound_url(urljoin(base, stripped))
        scheme = urlsplit(target).scheme
    except ValueError:
        return ""
    return target if scheme in ("http", "https") else ""


def extract_url_words(url: str) -> str:
    """The words of a URL as text: everything but letters and digits divides them."""
    host, path, query = split_url(url)
    return " ".join(part for part in _DIVIDERS.split(unquote(f"{host} {path} {query}")) if part)


def _escape_part(text: str) -> str:
    """The one spelling of a part: what needs no escape has none, what does has it."""
    if "%" in text:
        text = _ESCAPE.sub(_escape, text)
    return quote(text, safe=_RESERVED, errors="surrogatepass")


def _escape(found: re.Match[str]) -> str:
    mark = chr(int(found[1], 16))
    return mark if _UNRESERVED.fullmatch(mark) else found[0].upper()
