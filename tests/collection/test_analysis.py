"""Words from text: named choices, recorded, the same for documents and queries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.analysis import (
    ENGLISH_STOP_WORDS,
    LONGEST_WORD,
    Analysis,
    read_stop_words,
)
from rankwise.errors import MissingExtra, RankwiseError

PLAIN = Analysis(stemmer="none", stop_words="none")


def test_tokenizers_cut_as_they_say() -> None:
    text = "It's a Boundary-layer (No. 2) flow_rate"
    assert PLAIN.words(text) == ["it", "s", "a", "boundary", "layer", "no", "2", "flow", "rate"]
    letters = Analysis("letters", "none", "none")
    assert "2" not in letters.words(text)
    blanks = Analysis("blanks", "none", "none")
    assert blanks.words(text)[3:5] == ["(no.", "2)"]


def test_stop_words_go_before_stemming() -> None:
    analysis = Analysis(stemmer="none")
    assert analysis.words("the flow of the air is not steady") == ["flow", "air", "steady"]
    own = Analysis(stemmer="none", stop_words="file", own_stop_words=frozenset({"air"}))
    assert own.words("the air") == ["the"]
    assert all(word == word.lower() for word in ENGLISH_STOP_WORDS)


def test_words_of_letor_are_porters() -> None:
    pytest.importorskip("snowballstemmer")
    words = Analysis().words("kidneys delayed therapies diagnosis replacement")
    assert words == ["kidnei", "delai", "therapi", "diagnosi", "replac"]


def test_endless_words_are_left_out() -> None:
    assert PLAIN.words("a" * LONGEST_WORD + " " + "b" * (LONGEST_WORD + 1)) == ["a" * LONGEST_WORD]


@pytest.mark.parametrize("field", ["tokenizer", "stop_words", "stemmer"])
def test_unknown_choices_are_sentences(field: str) -> None:
    with pytest.raises(RankwiseError, match="must be one of"):
        Analysis(**{field: "other"})


def test_the_choices_survive_their_record() -> None:
    analysis = Analysis("letters", "file", "none", frozenset({"x", "y"}))
    assert Analysis.from_record(analysis.as_record()) == analysis


def test_a_missing_stemmer_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(MissingExtra, match="the extra 'collection'; install them: pip install"):
        Analysis().words("words")


def test_stop_words_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("The\nof and\n")
    assert read_stop_words(path) == {"the", "of", "and"}
    path.write_text("\n")
    with pytest.raises(RankwiseError, match="found none"):
        read_stop_words(path)


@given(st.text(max_size=200))
def test_words_are_never_empty_and_do_not_depend_on_case(text: str) -> None:
    words = PLAIN.words(text)
    assert all(words)
    assert PLAIN.words(text.lower()) == words
