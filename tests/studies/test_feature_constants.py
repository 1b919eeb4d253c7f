"""Constants chosen on validation queries, against features computed again with each value."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest
from studies.feature_constants import main, tune_constants

import rankwise as rw
from rankwise.collection import build_features, open_metadata
from rankwise.errors import RankwiseError
from tests.cli.whole_program import rankwise
from tests.collection.built import make_build

GRIDS = {
    "k1": [0.5, 1.2], "b": [0.1, 0.75], "k3": [0.0, 7.0], "mu": [5.0, 50.0], "lambda_": [0.1, 0.5],
    "delta": [0.3, 0.5], "sitemap_rate": [0.3, 0.9], "hyperlink_rate": [0.3, 0.85],
}  # fmt: skip


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_build(tmp_path_factory.mktemp("made"))


def test_figures_are_those_of_the_features_with_these_constants(build: Path, tmp_path) -> None:
    found = tune_constants(build / "Meta", fold=2, grids=GRIDS)
    by_name = {one.constant: one for one in found.constants}
    assert set(by_name) == set(GRIDS)
    for constant, feature in (("k1", "bm25"), ("mu", "lmir-dir"), ("delta", "lmir-abs")):
        chosen = {name: one.chosen for name, one in by_name.items() if one.feature == feature}
        output = tmp_path / constant
        opened = open_metadata(build / "Meta", constants=chosen)
        build_features(opened, output)
        place = opened.features.column_names.index(f"{feature} of whole")
        part = rw.read(output / "Feature-null" / "Fold2" / "validationset.txt")
        column = part.features[:, place]
        scores = np.where(np.isnan(column), np.nanmin(column) - 1, column)
        figure = rw.evaluate(part, scores, "MAP")["MAP"].mean
        # Features are written with six decimals, which may tie documents that differ.
        assert by_name[constant].figure == pytest.approx(figure, abs=0.02)
        assert part.n_queries == found.queries


def test_no_value_tried_is_better_than_the_chosen_one(build: Path) -> None:
    whole = tune_constants(build / "Meta", grids=GRIDS)
    for one in whole.constants:
        assert one.figure >= one.figure_before
        assert one.chosen in {*GRIDS[one.constant], one.before}
    for value in GRIDS["mu"]:
        alone = tune_constants(build / "Meta", grids={**GRIDS, "mu": [value]})
        figures = {one.constant: one.figure for one in alone.constants}
        assert figures["mu"] <= next(o.figure for o in whole.constants if o.constant == "mu")


def test_what_the_build_has_wins_ties(build: Path) -> None:
    same = {name: [value, value] for name, value in (("mu", 50.0), ("delta", 0.5))}
    found = {one.constant: one for one in tune_constants(build / "Meta", grids=same).constants}
    assert (found["mu"].chosen, found["mu"].before) == (50.0, 50.0)
    assert found["mu"].figure == found["mu"].figure_before


def test_the_same_is_chosen_again(build: Path) -> None:
    assert tune_constants(build / "Meta") == tune_constants(build / "Meta")


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [
        ({"fold": 6}, "a fold must be from 1 to 5"),
        ({"stream": "nowhere"}, "must have the stream 'nowhere'"),
        ({"grids": {"k9": [1.0]}}, "a constant is one of k1"),
        ({"grids": {"mu": []}}, "a value of mu"),
        ({"grids": {"lambda_": [2.0]}}, "lambda must be above 0 and at most 1"),
    ],
)
def test_wrong_choices_are_refused(build: Path, choices: dict, sentence: str) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        tune_constants(build / "Meta", **choices)


def test_features_are_written_with_the_chosen_constants(
    build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = ("--values", "k1=0.5,1.5", "--values", "lambda=0.2,0.6")
    main([str(build / "Meta"), "--fold", "2", *values, "-o", str(tmp_path / "one")])
    assert "3 validation queries of fold 2, whole" in capsys.readouterr().out
    grids = {"k1": [0.5, 1.5], "lambda_": [0.2, 0.6]}
    chosen = tune_constants(build / "Meta", fold=2, grids=grids).chosen
    build_features(open_metadata(build / "Meta", constants=chosen), tmp_path / "two")
    one, two = (
        (tmp_path / name / "Feature-null" / "Fold1" / "testset.txt").read_bytes()
        for name in ("one", "two")
    )
    assert one == two


def test_the_command_that_is_named_writes_what_an_output_folder_gets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "made of words").mkdir()
    meta = make_build(tmp_path / "made of words") / "Meta"
    values = ("--values", "k1=0.5,3", "--values", "mu=5,10", "--values", "lambda=0.1,0.9")
    main([str(meta), *values])
    words = shlex.split(capsys.readouterr().out.split("with these: ")[1])
    assert words[:5] == ["rankwise", "build", "features", "--from-metadata", str(meta)]
    here, there = tmp_path / "here", tmp_path / "there"
    ended = rankwise(*(str(here) if word == "OUT" else word for word in words[1:]))
    assert ended.code == 0, ended.err
    main([str(meta), *values, "-o", str(there)])
    assert "rankwise build features" not in capsys.readouterr().out
    files = sorted(path.relative_to(here) for path in here.rglob("*.txt"))
    assert files
    assert [(here / name).read_bytes() for name in files] == [
        (there / name).read_bytes() for name in files
    ]
