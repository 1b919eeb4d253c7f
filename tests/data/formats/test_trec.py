from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.formats.trec import read_qrels, read_run
from rankwise.errors import RankwiseError


def test_judgements_and_runs(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels"
    qrels.write_text("301 0 a 1\r\n301 0 b -1\n\n302\t0\ta\t2\n", newline="")
    assert read_qrels(qrels) == {"301": {"a": 1, "b": -1}, "302": {"a": 2}}
    run = tmp_path / "run.gz"
    run.write_bytes(gzip.compress(b"301 Q0 a 1 2.5 bm25\n301 Q0 c 2 -1e3 bm25\n"))
    found = read_run(run)
    assert found.scores == {"301": {"a": 2.5, "c": -1000}} and found.tag == "bm25"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 0 a\n", "qrels:1: expected 4 columns (query, iteration, document, label), found 3"),
        ("1 0 a 1\n1 0 a x\n", "qrels:2: a label must be a number, found 'x'"),
        ("1 0 a 1\n2 0 a 1\n1 0 a 0\n", "qrels:3: document 'a' must occur once in query '1'"),
        ("\n", "qrels: the file must hold judgements, found none"),
    ],
)
def test_wrong_judgements_get_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(text)
    with pytest.raises(RankwiseError) as caught:
        read_qrels(path)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 Q0 a 1 0.5\n", "run:1: expected 6 columns"),
        ("1 Q0 a 1 high t\n", "run:1: a score must be a number, found 'high'"),
        ("1 Q0 a 1 nan t\n", "run:1: a score must be a number, found 'nan'"),
        ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", "run:2: document 'a' must occur once in query '1'"),
    ],
)
def test_wrong_runs_get_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "run"
    path.write_text(text)
    with pytest.raises(RankwiseError) as caught:
        read_run(path)
    assert sentence in str(caught.value)


def test_queries_that_come_back_are_one(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n2 0 a 2\n1 0 b 3\n")
    assert read_qrels(path) == {"1": {"a": 1, "b": 3}, "2": {"a": 2}}
    assert list(read_qrels(path)) == ["1", "2"]


def test_the_first_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 1\n1 0 a 1\n1 0 b x\n")
    with pytest.raises(RankwiseError, match=r"qrels:2: document 'a' must occur once"):
        read_qrels(path)
    path.write_text("\n1 0 b x\n1 0 a 1\n1 0 a 1\n")
    with pytest.raises(RankwiseError, match=r"qrels:2: a label must be a number, found 'x'"):
        read_qrels(path)


@pytest.mark.parametrize("label", ["1_0", "nan", "٣", "0x1", "1e", "", "--1"])
def test_labels_that_are_no_numbers(tmp_path: Path, label: str) -> None:
    path = tmp_path / "qrels"
    path.write_text(f"1 0 a {label or 'q'}\n")
    with pytest.raises(RankwiseError, match="a label must be a number"):
        read_qrels(path)


def test_a_score_of_thousands_of_digits(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(f"1 Q0 a 1 {'1' * 5000} t\n1 Q0 b 2 0.{'1' * 5000} t\n")
    assert read_run(path).scores == {"1": {"a": float("inf"), "b": 1 / 9}}


def test_ids_that_are_not_unicode_survive(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"q\xff Q0 d\xe2\x80 1 2 \xc3\xa9\n")
    run = read_run(path)
    assert run.scores == {"q\udcff": {"d\udce2\udc80": 2.0}} and run.tag == "é"


LINES = st.lists(
    st.text(
        "ab1 \t\r\x0b\x1c\x1f\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000\u200b\xe9\U00102000",
        max_size=14,
    )
)


# Between the columns of a row, and within them, stand white space and what only looks like it.
SPACES = st.text(
    " \t\r\x0b\x1c\x1f\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000", min_size=1, max_size=3
)
WORDS = st.text("ab1\u200b\xe9\U00102000", min_size=1, max_size=3)
ROWS = st.tuples(
    SPACES, WORDS, SPACES, WORDS, SPACES, WORDS, SPACES, st.sampled_from(["0", "1", "11"])
)


@given(st.lists(st.one_of(ROWS.map("".join), ROWS.map("".join), LINES.map("".join)), max_size=6))
def test_lines_are_split_where_python_splits_them(lines: list[str]) -> None:
    import tempfile

    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.split()]
    expected: dict[str, dict[str, float]] = {}
    refused = None if rows else "the file must hold judgements, found none"
    for number, row in rows:
        if len(row) != 4:
            refused = f":{number}: expected 4 columns"
        elif row[3] not in {"0", *("1" * digits for digits in range(1, 15))}:
            refused = f":{number}: "
        elif row[2] in expected.setdefault(row[0], {}):
            refused = f":{number}: document"
        if refused:
            break
        expected[row[0]][row[2]] = float(row[3])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "qrels"
        path.write_bytes("\n".join(lines).encode())
        if refused is None:
            assert read_qrels(path) == expected
        else:
            with pytest.raises(RankwiseError) as error:
                read_qrels(path)
            assert refused in str(error.value)
