"""`rankwise data normalize` and `rankwise data split`, run as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.data.file_commands import normalize_command, split_command
from rankwise.data.folds import NAMINGS, cut_into_parts, read_folds
from rankwise.data.normalization.normalizing import NORMALIZATIONS, normalize
from rankwise.data.normalization.scales import FILL_RULES
from rankwise.data.reading import read, write
from rankwise.errors import RankwiseError
from tests.data.fold_problems import fold_problems

NULL_FILE = """\
2 qid:1 1:4 2:NULL #docid = a
0 qid:1 1:1 2:-3 #docid = b
1 qid:1 1:3 2:-1 #docid = c
0 qid:2 1:5 2:2 #docid = d
"""


def run(command: click.Command, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def facts(command: click.Command, *arguments: object) -> Any:
    result = run(command, *arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def failure(command: click.Command, *arguments: object) -> str:
    """The sentence that `rankwise.cli.main.run` prints for the error."""
    result = run(command, *arguments)
    assert isinstance(result.exception, RankwiseError), result.output
    return str(result.exception)


@pytest.fixture
def null_file(tmp_path: Path) -> Path:
    path = tmp_path / "null.txt"
    path.write_text(NULL_FILE)
    return path


@pytest.fixture
def all_file(tmp_path: Path) -> Path:
    path = tmp_path / "all.txt"
    rows = [f"{number % 3} qid:{number // 2} 1:{number}.5\n" for number in range(24)]
    path.write_text("".join(rows))
    return path


class TestNormalize:
    def test_min_fills_with_the_minimum_of_the_query(self, null_file: Path) -> None:
        target = null_file.with_name("min.txt")
        found = facts(normalize_command, null_file, target, "--to", "min")
        assert found == {
            "output": str(target),
            "scale": "min",
            "fill_rule": "minimum",
            "files": 1,
            "rows": 4,
            "queries": 2,
            "features": 2,
            "null_before": 1,
            "null_after": 0,
        }
        assert target.read_text() == NULL_FILE.replace("NULL", "-3")

    def test_a_fill_rule_per_feature(self, null_file: Path) -> None:
        target = null_file.with_name("min.txt")
        run(normalize_command, null_file, target, "--to", "min", "--fill-rule", "minimum,2=zero")
        assert target.read_text() == NULL_FILE.replace("NULL", "0")

    def test_query_level_with_null_kept(self, null_file: Path) -> None:
        target = null_file.with_name("norm.txt")
        options = ("--to", "query-level", "--fill-rule", "keep", "--numbers", "fixed6")
        assert facts(normalize_command, null_file, target, *options)["null_after"] == 1
        assert target.read_text().splitlines() == [
            "2 qid:1 1:1.000000 2:NULL #docid = a",
            "0 qid:1 1:0.000000 2:0.000000 #docid = b",
            "1 qid:1 1:0.666667 2:1.000000 #docid = c",
            "0 qid:2 1:0.000000 2:0.000000 #docid = d",
        ]

    def test_a_fitted_scale_with_a_narrower_training_file(
        self, null_file: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "train.txt").write_text("0 qid:9 1:1\n1 qid:9 1:3\n")
        target = tmp_path / "out.txt"
        options = ("--to", "dataset-min-max", "--fit-on", tmp_path / "train.txt")
        assert facts(normalize_command, null_file, target, *options)["features"] == 2
        assert target.read_text().splitlines()[0] == "2 qid:1 1:1.5 2:0 #docid = a"

    def test_the_table_for_people(self, null_file: Path) -> None:
        result = run(normalize_command, null_file, null_file.with_name("o.txt"), "--to", "sum")
        assert result.exit_code == 0
        assert "null before" in result.stdout

    def test_a_fitted_scale_without_a_training_part(self, null_file: Path) -> None:
        target = null_file.with_name("out.txt")
        sentence = failure(normalize_command, null_file, target, "--to", "dataset-z-score")
        assert sentence == (
            "dataset-z-score is fitted on a training part, found none; say which: fit_on"
        )
        assert not target.exists()

    def test_an_unknown_fill_rule(self, null_file: Path) -> None:
        options = ("--to", "min", "--fill-rule", "median")
        sentence = failure(normalize_command, null_file, null_file.with_name("o.txt"), *options)
        assert "found 'median'" in sentence

    def test_a_missing_file(self, tmp_path: Path) -> None:
        sentence = failure(
            normalize_command, tmp_path / "no.txt", tmp_path / "o.txt", "--to", "min"
        )
        assert sentence == f"cannot read {tmp_path / 'no.txt'}: there is no such file"

    def test_help_names_every_scale_and_rule(self) -> None:
        text = run(normalize_command, "--help").stdout
        assert all(f"  {name} " in text for name in NORMALIZATIONS)
        assert all(name in text for name in FILL_RULES)
        assert "Examples:" in text


class TestSplit:
    def test_five_folds_by_seed(self, all_file: Path) -> None:
        target = all_file.with_name("folds")
        found = facts(split_command, all_file, target)
        assert [row["queries"] for row in found["parts"][:3]] == [2 + 2 + 2, 3, 3]
        folds = read_folds(target)
        assert len(folds) == 5
        assert fold_problems(folds) == []
        assert found["parts"] == [
            {"fold": f.number, "part": name, "queries": p.n_queries, "rows": p.n_documents}
            for f in folds
            for name, p in f.parts()
        ]

    @pytest.mark.parametrize("seed", [0, 5])
    def test_the_seed_is_that_of_cut_into_parts(self, all_file: Path, seed: int) -> None:
        target = all_file.with_name("folds")
        facts(split_command, all_file, target, "--seed", seed)
        parts = cut_into_parts(read(all_file), 5, seed=seed)
        assert read_folds(target)[0].test.equals(parts[4])

    def test_in_order(self, all_file: Path) -> None:
        target = all_file.with_name("folds")
        facts(split_command, all_file, target, "--in-order", "--parts", 4)
        first = read_folds(target)[0]
        assert list(first.train.query_ids) == [str(number) for number in range(6)]
        assert list(first.test.query_ids) == ["9", "10", "11"]

    def test_sizes(self, all_file: Path) -> None:
        target = all_file.with_name("folds")
        facts(split_command, all_file, target, "--in-order", "--sizes", "1,4,7")
        assert [fold.test.n_queries for fold in read_folds(target)] == [7, 1, 4]

    @pytest.mark.parametrize("names", NAMINGS)
    def test_names(self, all_file: Path, names: str) -> None:
        target = all_file.with_name("folds")
        packed = names == "packed"
        words = () if packed else ("--compression", "gzip")
        facts(split_command, all_file, target, "--names", names, *words)
        found = {path.name for path in (target / "Fold3").iterdir()}
        assert found == {name if packed else f"{name}.gz" for name in NAMINGS[names].values()}

    def test_the_same_seed_gives_the_same_bytes_in_a_second_process(self, all_file: Path) -> None:
        here, there = all_file.with_name("here"), all_file.with_name("there")
        facts(split_command, all_file, here, "--seed", 5)
        code = "from rankwise.cli.data.file_commands import split_command as c; c()"
        arguments = [sys.executable, "-c", code, str(all_file), str(there), "--seed", "5"]
        subprocess.run(arguments, check=True, capture_output=True)
        written = sorted(path.relative_to(here) for path in here.rglob("*.txt"))
        assert len(written) == 15
        for path in written:
            assert (here / path).read_bytes() == (there / path).read_bytes()

    def test_the_table_for_people(self, all_file: Path) -> None:
        result = run(split_command, all_file, all_file.with_name("folds"))
        assert result.exit_code == 0
        assert "validation" in result.stdout

    def test_a_seed_and_the_order_of_the_file_exclude_each_other(self, all_file: Path) -> None:
        result = run(split_command, all_file, all_file.with_name("f"), "--seed", 0, "--in-order")
        assert result.exit_code == 2
        assert "give one" in result.output

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (("--sizes", "6,x,6"), "whole numbers with commas, found '6,x,6'"),
            (("--sizes", "4,4,4", "--parts", 4), "must name 4 parts"),
            (("--parts", 2), "2 is not in the range"),
        ],
    )
    def test_options_that_cannot_be(
        self, all_file: Path, options: tuple[object, ...], sentence: str
    ) -> None:
        result = run(split_command, all_file, all_file.with_name("f"), *options)
        assert result.exit_code == 2
        assert sentence in result.output

    def test_sizes_that_do_not_add_up(self, all_file: Path) -> None:
        sentence = failure(split_command, all_file, all_file.with_name("f"), "--sizes", "4,4,5")
        assert "found 4 + 4 + 5 = 13" in sentence

    def test_a_folder_that_is_not_empty(self, all_file: Path) -> None:
        sentence = failure(split_command, all_file, all_file.parent)
        assert sentence.endswith("it is not an empty folder; name a new one")

    def test_help_has_examples(self) -> None:
        assert "rankwise data split all.txt folds" in run(split_command, "--help").stdout


class TestTheGuide:
    GUIDE = Path(__file__).parents[3] / "docs" / "letor-versions.md"

    @pytest.mark.parametrize("name", NORMALIZATIONS)
    def test_every_scale_stands_there_with_its_equation(self, name: str) -> None:
        equation = NORMALIZATIONS[name].equation.replace("|", "&#124;")
        assert f"| `{name}` | {equation} |" in self.GUIDE.read_text(encoding="utf-8")

    @pytest.mark.parametrize("name", FILL_RULES)
    def test_every_fill_rule_stands_there(self, name: str) -> None:
        assert f"| `{name}` |" in self.GUIDE.read_text(encoding="utf-8")


def test_a_column_of_classes_keeps_its_values_and_comments_name_them(tmp_path: Path) -> None:
    rows = [
        "1 qid:1 1:4 2:3 #docid = a",
        "0 qid:1 1:2 2:3 #docid = b",
        "0 qid:2 1:9 2:1 #docid = c",
    ]
    (tmp_path / "in.txt").write_text("\n".join(rows) + "\n")
    arguments = (tmp_path / "in.txt", tmp_path / "out.txt", "--to", "query-level")
    facts(normalize_command, *arguments, "--class-column", "2")
    assert (tmp_path / "out.txt").read_text().splitlines() == [
        "1 qid:1 1:1 2:3 #docid = a query-class = 3",
        "0 qid:1 1:0 2:3 #docid = b query-class = 3",
        "0 qid:2 1:0 2:1 #docid = c query-class = 1",
    ]
    assert "feature 1 must be the same" in failure(
        normalize_command, *arguments, "--class-column", "1"
    )


class TestFolders:
    """Every part of the folds of a folder is scaled, by the training part of its fold."""

    @pytest.fixture
    def folds(self, tmp_path: Path, all_file: Path) -> Path:
        run(split_command, all_file, tmp_path / "folds")
        return tmp_path / "folds"

    @pytest.mark.parametrize("to", NORMALIZATIONS)
    def test_parts_are_scaled_as_they_are_one_by_one(
        self, to: str, folds: Path, tmp_path: Path
    ) -> None:
        found = facts(normalize_command, folds, tmp_path / "out", "--to", to)
        assert found["files"] == 15 and found["rows"] == 5 * 24 and found["queries"] == 5 * 12
        for before, after in zip(read_folds(folds), read_folds(tmp_path / "out"), strict=True):
            train = before.train if NORMALIZATIONS[to].fitted else None
            for (_, part), (_, scaled) in zip(before.parts(), after.parts(), strict=True):
                assert scaled.equals(normalize(part, to, fit_on=train))

    def test_one_training_part_may_serve_all(self, folds: Path, tmp_path: Path) -> None:
        train = folds / "Fold2" / "train.txt"
        run(normalize_command, folds, tmp_path / "out", "--to", "dataset-min-max",
            "--fit-on", train)  # fmt: skip
        expected = normalize(read(folds / "Fold1/test.txt"), "dataset-min-max", fit_on=read(train))
        assert read(tmp_path / "out/Fold1/test.txt").equals(expected)

    def test_versions_one_folder_down_and_tables_are_taken(
        self, folds: Path, tmp_path: Path
    ) -> None:
        for number in range(1, 6):
            for part in ("train", "vali", "test"):
                place = tmp_path / "versions" / "MIN" / f"Fold{number}"
                place.mkdir(parents=True, exist_ok=True)
                write(read(folds / f"Fold{number}" / f"{part}.txt"), place / f"{part}.csv")
        run(normalize_command, tmp_path / "versions", tmp_path / "out", "--to", "query-level")
        (fold, *_) = read_folds(tmp_path / "out" / "MIN")
        assert fold.test.equals(normalize(read(folds / "Fold1/test.txt"), "query-level"))
        assert (tmp_path / "out" / "MIN" / "Fold1" / "test.csv").exists()

    def test_a_folder_that_fails_leaves_nothing(self, folds: Path, tmp_path: Path) -> None:
        (folds / "Fold3" / "test.txt").write_text("no row")
        failure(normalize_command, folds, tmp_path / "out", "--to", "query-level")
        assert not (tmp_path / "out").exists()
