"""Text from outside: nothing is obeyed by a terminal, nothing fills the screen."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import FormatError, RankwiseError
from rankwise.sanitize import (
    LONGEST_SENTENCE,
    bounded,
    brief,
    plain_cell,
    visible,
    visible_json,
    without_formula,
)

OBEYED = ("\x1b[31m", "\x07", "\x9b2J", "\r", "\x00", "\x7f", "\u202e", "\u2066", "\udcff")


@pytest.mark.parametrize("mark", OBEYED)
def test_what_a_terminal_obeys_is_spelled_out(mark: str) -> None:
    shown = visible(f"a{mark}b")
    assert mark not in shown and shown.startswith("a\\") and shown.endswith("b")
    assert visible(shown) == shown


def test_cells_run_nothing_and_numbers_stay() -> None:
    for text in ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "-cmd|' /C calc'!A0", "=-0.5"):
        assert plain_cell(text) == without_formula(text) == f"'{text}"
    for value in ("-0.5", "+3", "-1e-5", "-inf", "+", "-", "", "a=b", "nan", -0.5, None, True):
        assert plain_cell(value) is value
    assert without_formula("-0.5") == "'-0.5" and without_formula("a=b") == "a=b"


def test_what_is_shown_stays() -> None:
    text = "Größe\t日本語 e\u0301\r\nnext line\n"
    assert visible(text) == text


@given(st.text(), st.text())
def test_texts_that_differ_are_shown_differently(one: str, other: str) -> None:
    plain = "\\" not in one + other
    assert (visible(one) == visible(other)) == (one == other) or not plain


@given(st.text())
def test_a_json_document_reads_as_before(text: str) -> None:
    document = visible_json(json.dumps([text], ensure_ascii=False))
    assert json.loads(document) == [text]
    assert visible(document) == document


@pytest.mark.parametrize(
    "value",
    ["x" * 5000, [1] * 5000, 10**6000, {"a": 10**6000}, b"\xff" * 999],
    ids=["text", "list", "number", "table", "bytes"],
)
def test_a_value_is_repeated_in_80_characters(value: object) -> None:
    assert len(brief(value)) <= 80


@pytest.mark.parametrize(
    "value", ["x" * 5000, "a b " * 2000, "it's " * 2000, "\x1b" * 500, "y" * 300 + "/" + "z" * 300]
)
@pytest.mark.parametrize("form", ["{!r}", "'{}'", "{}"])
def test_no_message_repeats_its_input_at_length(value: str, form: str) -> None:
    message = str(RankwiseError(f"it must hold, found {form.format(value)}; do this"))
    assert len(message) <= LONGEST_SENTENCE
    if " " not in value:
        assert value[:100] not in message


def test_short_values_and_paths_stay_whole() -> None:
    sentence = (
        "the tool's users' name must be 'a' or 'b', found 'c' in " + "/folder" * 20 + "/f.txt"
    )
    assert bounded(sentence) == sentence


def test_a_message_is_one_line_and_names_its_place() -> None:
    error = FormatError("found\n\x1b[2Jit", "a\x1bb", 3)
    assert str(error) == "a\\x1bb:3: found\\n\\x1b[2Jit"
    assert error.what == "found\\n\\x1b[2Jit"
