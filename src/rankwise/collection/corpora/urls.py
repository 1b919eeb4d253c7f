"""URLs in the one form in which links find their documents, and the sitemap read off them.

The sitemap says which page stands above which. A page's parent is the page of the nearest folder
above it that the corpus has, as LETOR's sitemap was made "by analyzing URLs … according to some
heuristic rules" (Qin, Liu, Xu and Li 2010, section 3.4.3). `a.org/x/y.html` stands below
`a.org/x/`, else below `a.org/`; a page named like its folder (`a.org/x` or `a.org/x.html`) stands
for the folder too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

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


_PAGE_ENDINGS = (".html", ".htm", ".php", ".asp", ".jsp")


def find_sitemap_parents(urls: Sequence[str]) -> NDArray[np.int64]:
    """The number of each page's parent, −1 where it has none (or no URL)."""
    homes: dict[tuple[str, str], int] = {}
    keys = [_make_folder_key(url) for url in urls]
    for number, key in enumerate(keys):
        if key is not None:
            homes.setdefault(key, number)
    return np.array([_find_parent(number, key, homes) for number, key in enumerate(keys)], np.int64)


def count_children(parents: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many pages stand directly below each page."""
    below = parents[parents >= 0]
    return np.bincount(below, minlength=len(parents)).astype(np.int64)


def number_hosts(urls: Sequence[str]) -> NDArray[np.int64]:
    """A number for each page's host; a page without URL is a host of its own."""
    names: dict[tuple[str, int], int] = {}
    numbers = []
    for place, url in enumerate(urls):
        key = (split_url(url)[0], -1) if url else ("", place)
        numbers.append(names.setdefault(key, len(names)))
    return np.array(numbers, np.int64)


def count_slashes(urls: Sequence[str]) -> NDArray[np.int64]:
    """Slashes of each URL, without those of `http://`."""
    return np.array([url.split("://", 1)[-1].count("/") for url in urls], np.int64)


def count_characters(urls: Sequence[str]) -> NDArray[np.int64]:
    """Characters of each URL."""
    return np.array([len(url) for url in urls], np.int64)


def _make_folder_key(url: str) -> tuple[str, str] | None:
    """Host and path of the folder that a page stands for, if it has a URL."""
    if not url or len(url) > LONGEST_URL:
        return None
    host, path, query = split_url(url)
    for ending in _PAGE_ENDINGS:
        path = path.removesuffix(ending)
    return host, path.rstrip("/") + (f"?{query}" if query else "")


def _find_parent(
    number: int, key: tuple[str, str] | None, homes: dict[tuple[str, str], int]
) -> int:
    if key is None:
        return -1
    host, path = key
    path = path.partition("?")[0] if "?" in path else path.rpartition("/")[0]
    while True:
        found = homes.get((host, path))
        if found is not None and found != number:
            return found
        if not path:
            return -1
        path = path.rpartition("/")[0]
