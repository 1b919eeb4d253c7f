"""From text to index words: how it is cut, which words are left out, how words are stemmed.

Each choice has a name, so that a data set can say how its words were made.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rankwise.arguments import check_choice
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.files import read_bounded

TOKENIZERS = {
    "words": "runs of letters and digits, in lower case; everything else divides words",
    "letters": "runs of letters, in lower case; digits divide words too",
    "blanks": "what stands between blanks, in lower case, for text that is already cut",
}
STEMMERS = {
    "porter": "Porter's first algorithm (1980), which LETOR's words show",
    "english": "Porter's second algorithm, Snowball's English stemmer",
    "none": "words as they are",
}
STOP_WORDS = {
    "english": "articles, pronouns, prepositions, conjunctions and auxiliary verbs of English",
    "none": "no word is left out",
}
LONGEST_WORD = 64
_MOST_REMEMBERED = 500_000
_PATTERNS = {"words": r"[^\W_]+", "letters": r"[^\W\d_]+", "blanks": r"\S+"}


@dataclass(frozen=True)
class Analysis:
    """How text becomes words, the same for documents and queries.

    Attributes:
        tokenizer: a key of `TOKENIZERS`.
        stop_words: a key of `STOP_WORDS`, or `file` for words of the user's own.
        stemmer: a key of `STEMMERS`.
        own_stop_words: the words that `file` stands for, before stemming.

    Words of more than 64 characters are left out: they are encodings, not language.
    """

    tokenizer: str = "words"
    stop_words: str = "english"
    stemmer: str = "porter"
    own_stop_words: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        check_choice("the tokenizer", self.tokenizer, TOKENIZERS)
        check_choice("the stop words", self.stop_words, (*STOP_WORDS, "file"))
        check_choice("the stemmer", self.stemmer, STEMMERS)

    def words(self, text: str) -> list[str]:
        """The index words of `text`, in order; repeated words stay repeated."""
        return Analyser(self).words(text)

    def as_record(self) -> dict[str, object]:
        """The choices as they are written into an index and a data card."""
        record: dict[str, object] = {
            "tokenizer": self.tokenizer,
            "stop_words": self.stop_words,
            "stemmer": self.stemmer,
        }
        if self.own_stop_words:
            record["own_stop_words"] = sorted(self.own_stop_words)
        return record

    @classmethod
    def from_record(cls, record: dict[str, object]) -> Analysis:
        """The choices that `as_record` wrote."""
        own = record.get("own_stop_words", [])
        return cls(
            str(record["tokenizer"]),
            str(record["stop_words"]),
            str(record["stemmer"]),
            frozenset(map(str, own if isinstance(own, list) else [])),
        )


class Analyser:
    """An analysis at work: it remembers what became of each word it has seen."""

    def __init__(self, analysis: Analysis) -> None:
        self.cut = re.compile(_PATTERNS[analysis.tokenizer]).findall
        self._stops = _stop_words(analysis)
        self._stem = find_stemmer(analysis.stemmer)
        self._known: dict[str, str] = {}

    def words(self, text: str) -> list[str]:
        """The index words of `text`, in order."""
        return [word for raw in self.cut(text.lower()) if (word := self.index_word(raw))]

    def index_word(self, raw: str) -> str:
        """What becomes of one cut word; empty where it is left out."""
        if raw not in self._known:
            left_out = raw in self._stops or len(raw) > LONGEST_WORD
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[raw] = "" if left_out else self._stem(raw)
        return self._known[raw]


def find_stemmer(name: str) -> Callable[[str], str]:
    """The stemmer `name` as a function of one word in lower case."""
    if name == "none":
        return str
    try:
        library = importlib.import_module("snowballstemmer")
    except ImportError as error:
        raise MissingExtra(f"the {name} stemmer", "collection") from error
    stem: Callable[[str], str] = library.stemmer(name).stemWord
    return stem


def read_stop_words(path: str | Path) -> frozenset[str]:
    """The words of a file, separated by blanks or line ends, in lower case."""
    text = read_bounded(path, 1 << 24, "list of stop words").decode("utf-8", "replace")
    words = frozenset(text.lower().split())
    if not words:
        raise RankwiseError(f"{path} must hold stop words, one or more a line, found none")
    return words


def _stop_words(analysis: Analysis) -> frozenset[str]:
    if analysis.stop_words == "file":
        return analysis.own_stop_words
    return ENGLISH_STOP_WORDS if analysis.stop_words == "english" else frozenset()


def _read_words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# Single letters are what the tokenizer leaves of "it's", "don't" and "we'd".
ENGLISH_STOP_WORDS = _read_words(
    [
        "a an the this that these those",
        "i me my mine myself we us our ours ourselves you your yours yourself yourselves",
        "he him his himself she her hers herself it its itself",
        "they them their theirs themselves one who whom whose which what",
        "am is are was were be been being do does did doing done have has had having",
        "can could may might must shall should will would ought cannot",
        "of at by for with without about against between into through during before after",
        "above below to from up down in out on off over under onto upon within among per via",
        "and or but nor if then else because as until while although though since unless whether",
        "not no only own same so than too very such both each few more most other some any all",
        "again further once here there when where why how now just also ever never yet",
        "s t d ll m re ve don didn doesn isn aren wasn weren hasn haven hadn won wouldn couldn",
    ]
)
