"""What a file seems to be by its first line, for those who named two files in the wrong order."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from rankwise.data.formats.compression import open_source
from rankwise.data.formats.scores import is_number
from rankwise.errors import Advice, RankwiseError

Layout = Literal["LETOR rows", "scores", "qrels", "a run"]
_FIRST_BYTES = 1 << 12


def seems(path: str | Path) -> Layout | None:
    """The layout of the first line that is no comment; None where it is another one."""
    try:
        with open_source(path) as source:
            content = source.read(0, min(_FIRST_BYTES, source.size - 1)).tobytes()
    except RankwiseError:
        return None
    lines = (line.partition(b"#")[0].split() for line in content.splitlines())
    words = next((found for found in lines if found), [])
    if len(words) == 1 and is_number(words[0]):
        return "scores"
    if len(words) >= 2 and b":" in words[1] and is_number(words[0]):
        return "LETOR rows"
    if len(words) == 4 and is_number(words[3]):
        return "qrels"
    return "a run" if len(words) == 6 and is_number(words[4]) else None


def advise_on_files(data: str | Path, scores: str | Path, trec: bool) -> tuple[Advice, ...]:
    """What may be meant where one of the two files cannot be read."""
    first, second = seems(data), seems(scores)
    if (first, second) in (("scores", "LETOR rows"), ("a run", "qrels")):
        return (Advice(f"{data} seems to hold {first} and {scores} {second}: name them the other "
                       "way round"),)  # fmt: skip
    if second == "LETOR rows" and not trec:
        return (Advice(f"{scores} seems to hold LETOR rows: name a file of scores"),)
    if not trec and "qrels" in (first, second):
        return (Advice("{} reads qrels and runs", "trec", True),)
    if trec and "LETOR rows" in (first, second):
        return (Advice("without {} LETOR rows and scores are read", "trec"),)
    return ()
