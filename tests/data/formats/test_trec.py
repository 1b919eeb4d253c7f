from __future__ import annotations

import gzip
from pathlib import Path

import pytest

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
