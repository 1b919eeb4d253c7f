"""The class of a query in the comments of its rows: `#docid = D7 query-class = home page`.

Comments are kept as they are by every scale, fold and format, and so is the class in them. It
stands last, since the name of a class may hold blanks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

_MARK = b"query-class = "
_CLASS = re.compile(rb"(?:^|\s)query-class =\s*(.*?)\s*$")


def classes_of_comments(
    comments: TextColumn | None, query_offsets: NDArray[np.int64], query_ids: Sequence[str]
) -> TextColumn | None:
    """The class of every query, where the comment of the first row names one.

    Then all rows must, and the rows of a query the same one.
    """
    if comments is None or not len(comments) or _MARK.rstrip() not in comments.encoded(0):
        return None
    found = [_class_of(comment) for comment in comments.encoded_texts()]
    firsts = [found[start] for start in query_offsets[:-1]]
    for number, name in enumerate(firsts):
        rows = set(found[query_offsets[number] : query_offsets[number + 1]])
        if not name or len(rows) > 1:
            shown = " and ".join(repr((one or b"").decode("utf-8", "replace")) for one in rows)
            raise RankwiseError(
                "the comments of all rows of a query must name one class, query-class = NAME, "
                f"found {shown} for query {query_ids[number]!r}"
            )
    return TextColumn.from_encoded([name or b"" for name in firsts])


def comments_with_classes(
    comments: TextColumn | None,
    document_ids: TextColumn | None,
    classes: TextColumn | None,
    query_lengths: NDArray[np.int64],
) -> TextColumn | None:
    """The comments, each with the class of its query at the end, where queries have classes.

    Rows without a comment but with a document id get `docid = ID` before it.
    """
    if classes is None:
        return comments
    for name in classes.encoded_texts():
        if not name.strip() or name != name.strip() or b"\n" in name or b"\r" in name:
            raise RankwiseError(
                "the class of a query must be a text without line breaks and without blanks at "
                f"its ends to be written, found {name.decode('utf-8', 'replace')!r}"
            )
    count = int(query_lengths.sum())
    if comments is not None:
        begins = [_CLASS.sub(b"", comment) for comment in comments.encoded_texts()]
    elif document_ids is not None:
        begins = [b"docid = " + text for text in document_ids.encoded_texts()]
    else:
        begins = [b""] * count
    names = np.repeat(np.arange(len(classes)), query_lengths).tolist()
    encoded = [_MARK + name for name in classes.encoded_texts()]
    return TextColumn.from_encoded(
        [
            begin + (b" " if begin and not begin.endswith(b" ") else b"") + encoded[name]
            for begin, name in zip(begins, names, strict=True)
        ]
    )


def _class_of(comment: bytes) -> bytes | None:
    found = _CLASS.search(comment)
    return None if found is None else found[1]
