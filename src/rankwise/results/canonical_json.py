"""JSON in one form, so that equal contents are equal texts and have equal digests."""

from __future__ import annotations

import json
from typing import Any


def dump_canonical(content: Any) -> str:
    """The content with its keys sorted and no blanks; what is no text is written as its code."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return replace_codes(text)


def replace_codes(text: str) -> str:
    """Names of files may hold bytes that are no text (lone surrogates); these become `\\udce9`."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
