"""The character set of a page: its byte order mark, else the server, else the page itself."""

from __future__ import annotations

import codecs
import re

# Python knows many more codecs; some are no text (hex, punycode), some are slow or always fail.
_KNOWN = re.compile(
    r"ascii|utf-8(-sig)?|utf-16(-[lb]e)?|iso8859-\d+|cp\d{3,4}|koi8-[rtu]|mac-\w+|tis-620|"
    r"gb2312|gbk|gb18030|hz|big5(hkscs)?|euc_(jp|kr)|shift_jis\w*|iso2022_(jp|kr)\w*|johab"
)
_NAMED = re.compile(rb"charset\s{0,20}=\s{0,20}[\"']?\s{0,20}([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_LOOKED_AT = 2048
_UNKNOWN = "\ufffd"
_MOST_UNKNOWN = 0.01
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
          (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip


def decode_page(content: bytes, charset: str = "") -> str:
    """The text of a page in the character set that it is said to have, else UTF-8, else Latin-1.

    `charset` is what the server said; a byte order mark at the beginning counts before it, and what
    the page says of itself after it. A page that can say so in ASCII is not in UTF-16: UTF-8 is
    meant (WHATWG Encoding Standard). Names that are unknown or no text are passed over. Where no
    reading fits every byte, the first named one counts in which fewer than 1 % of the characters
    are unknown: a page that was cut, or has a damaged byte, is still in its character set.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    named = [name for name in (_find_codec(charset), _find_own_name(content)) if name]
    for name in (*named, "utf-8"):
        try:
            return content.decode(name)
        except UnicodeError:
            continue
    # Latin-1 has the characters that a page in ASCII should not.
    nearly = (_decode_nearly(content, name) for name in named if name != "ascii")
    return next((text for text in nearly if text), "") or content.decode("latin-1")


def _decode_nearly(content: bytes, name: str) -> str:
    """The text with its bad bytes as U+FFFD, empty where there are too many of them."""
    try:
        text = content.decode(name, "replace")
    except UnicodeError:
        return ""
    return text if text.count(_UNKNOWN) < _MOST_UNKNOWN * len(text) else ""


def _find_own_name(content: bytes) -> str:
    found = _NAMED.search(content[:_LOOKED_AT])
    name = _find_codec(found[1].decode("ascii")) if found else ""
    return "utf-8" if name.startswith("utf-16") else name


def _find_codec(name: str) -> str:
    """Python's name of a character set; empty where it has none or it is no text."""
    try:
        found = codecs.lookup(name).name if name.isascii() else ""
    except (LookupError, ValueError):
        return ""
    return found if _KNOWN.fullmatch(found) else ""
