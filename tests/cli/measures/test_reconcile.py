"""What `rankwise reconcile` prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankwise.cli.measures.convention_commands import reconcile
from rankwise.data.reading import write
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from tests.cli.command import run

LIGHTGBM = ("--value", ".5100", "-m", "NDCG@5", "--from", "lightgbm")
WEB30K = ("--dataset", "web30k", "--fold", "1")


def test_the_figure_its_print_and_what_was_published_beside() -> None:
    result = run(reconcile, *LIGHTGBM, *WEB30K, "--to", "empty=skip")
    assert result.exit_code == 0
    assert "NDCG@5 .5100 by lightgbm" in result.stdout
    assert "empty=skip   0.4949   0.494809 to 0.494912   converted" in result.stdout
    assert "6,306 queries, 189 of them without a relevant document" in result.stderr
    assert "published by empty=skip: LambdaMART (LightGBM) 0.4966, Qin et al. (2021)" in (
        result.stderr
    )


def test_targets_are_tools_and_fields_with_commas_between() -> None:
    words = ("--to", "definition,empty=skip,gain=exponential", "--to", "yahoo")
    found = run(reconcile, *LIGHTGBM, *WEB30K, *words).stdout.splitlines()
    names = [line.split()[0] for line in found if "converted" in line]
    assert names == ["definition", "empty=skip,gain=exponential", "yahoo"]


def test_what_is_missing_is_printed_and_ends_with_1() -> None:
    result = run(reconcile, *LIGHTGBM, *WEB30K, "--to", "trec_eval")
    assert result.exit_code == 1
    assert "ties (input" in result.stdout


def test_data_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "test.txt"
    write(make_dataset(8, seed=1), path)
    result = run(reconcile, path, *LIGHTGBM, "--to", "definition")
    assert result.exit_code == 0
    assert "8 queries, " in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--value", "0.5"), "give value, or give source, or give data and scores"),
        ((*LIGHTGBM, "--dataset", "web30k"), "found those of fold 1; name such a fold"),
        ((*LIGHTGBM, *WEB30K, "--queries", "5", "--empty", "1"), "give one of --dataset and"),
        ((*LIGHTGBM, "--queries", "5"), "how many are empty must be given together"),
        ((*LIGHTGBM, "--trec"), "name the qrels"),
        (("--value", "x", "--from", "yahoo", "--to", "mslr"), "printed figure such as"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(words: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        run(reconcile, *words)
