from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankwise.tables.displayed_names import LONGEST, make_file_name, shown


@given(st.text())
def test_a_shown_name_is_one_printable_line_of_bounded_length(name: str) -> None:
    line = shown(name)
    assert 1 <= len(line) <= LONGEST
    assert len(line.splitlines()) == 1
    line.encode("utf-8")


def test_a_name_without_tricks_is_shown_as_it_is() -> None:
    assert shown("RankELM (pairwise) Жü") == "RankELM (pairwise) Жü"


def test_text_direction_and_surrogates_are_taken_out() -> None:
    assert shown("a\u202eb\ud800c\x07\n d") == "a b c d"
    assert shown("\u2028") == "(no name)"


def test_a_long_name_is_cut_with_an_ellipsis() -> None:
    assert shown("x" * 41) == "x" * 39 + "…"


def test_a_file_name_cannot_leave_its_folder() -> None:
    assert make_file_name("NDCG@10") == "ndcg-10"
    assert make_file_name("../../etc/passwd") == "etc-passwd"
    assert make_file_name("..") == "unnamed"
