"""The sitemap of a corpus, read off its URLs: which page stands above which.

A page's parent is the page of the nearest folder above it that the corpus has, as LETOR's
sitemap was made "by analyzing URLs … according to some heuristic rules" (Qin, Liu, Xu and Li
2010, section 3.4.3). `a.org/x/y.html` stands below `a.org/x/`, else below `a.org/`; a page named
like its folder (`a.org/x` or `a.org/x.html`) stands for the folder too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.collection.corpora.urls import LONGEST_URL, split_url

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
    return np.array([_strip_scheme(url).count("/") for url in urls], np.int64)


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


def _strip_scheme(url: str) -> str:
    return url.partition("://")[2] if "://" in url else url
