"""Parts and folds: the paper's Table 4, the names in use, whole or nothing."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from rankwise.cli.main import main
from rankwise.data.dataset import Dataset
from rankwise.data.folds import (
    COMPRESSIONS,
    NAMINGS,
    Fold,
    compose_fold,
    compose_folds,
    cut_into_parts,
    even_sizes,
    find_folds,
    find_parts,
    read_folds,
    read_parts,
    write_folds,
)
from rankwise.data.joining import concatenate
from rankwise.data.reading import write
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from tests.data.fold_problems import fold_problems


def make(n_queries: int, first: int = 1) -> Dataset:
    """Queries with one, two or three documents, every value different."""
    lengths = [1 + number % 3 for number in range(n_queries)]
    rows = sum(lengths)
    return Dataset(
        features=np.arange(1, 2 * rows + 1, dtype=np.float64).reshape(rows, 2) + 1000 * first,
        labels=np.arange(rows, dtype=np.float64) % 3,
        query_offsets=np.cumsum([0, *lengths]),
        query_ids=TextColumn.from_texts(str(first + number) for number in range(n_queries)),
    )


def named_parts(count: int) -> list[Dataset]:
    """Parts S1, S2, … of one query each, whose id is the name of the part."""
    parts = []
    for number in range(1, count + 1):
        one = make(1, number)
        parts.append(
            Dataset(
                one.features, one.labels, one.query_offsets, TextColumn.from_texts([f"S{number}"])
            )
        )
    return parts


def ids(dataset: Dataset | None) -> list[str]:
    return [] if dataset is None else list(dataset.query_ids)


def fold_of(train: list[int], validation: list[int] | None, test: list[int]) -> Fold:
    def part(numbers: list[int]) -> Dataset:
        return concatenate([make(1, number) for number in numbers])

    return Fold(1, part(train), None if validation is None else part(validation), part(test))


def is_same(found: Fold, expected: Fold) -> bool:
    return found.number == expected.number and all(
        name == other and one.equals(another)
        for (name, one), (other, another) in zip(found.parts(), expected.parts(), strict=True)
    )


class TestCutting:
    def test_ohsumed_has_its_larger_part_last(self) -> None:
        assert even_sizes(106, 5) == [21, 21, 21, 21, 22]

    @given(st.integers(1, 500), st.integers(1, 20))
    def test_sizes_add_up_and_differ_by_one_at_most(self, n_queries: int, n_parts: int) -> None:
        sizes = even_sizes(n_queries, n_parts)
        assert sum(sizes) == n_queries
        assert len(sizes) == n_parts
        assert max(sizes) - min(sizes) <= 1
        assert sizes == sorted(sizes)

    def test_without_a_seed_parts_are_runs_in_the_order_of_the_data(self) -> None:
        parts = cut_into_parts(make(12), 5, seed=None)
        assert [ids(part) for part in parts] == [
            ["1", "2"],
            ["3", "4"],
            ["5", "6"],
            ["7", "8", "9"],
            ["10", "11", "12"],
        ]
        assert concatenate(parts).equals(make(12))

    def test_sizes_can_be_given(self) -> None:
        parts = cut_into_parts(make(6), seed=None, sizes=[3, 1, 2])
        assert [ids(part) for part in parts] == [["1", "2", "3"], ["4"], ["5", "6"]]

    @given(st.integers(5, 40), st.integers(1, 5), st.integers(0, 3))
    def test_every_query_is_in_one_part_with_its_rows(
        self, n_queries: int, n_parts: int, seed: int
    ) -> None:
        dataset = make(n_queries)
        parts = cut_into_parts(dataset, n_parts, seed=seed)
        found = {query.id: query for part in parts for query in part.queries()}
        assert sum(part.n_queries for part in parts) == n_queries
        for query in dataset.queries():
            assert np.array_equal(found[query.id].features, query.features)
            assert np.array_equal(found[query.id].labels, query.labels)
        for part in parts:
            assert [int(query_id) for query_id in part.query_ids] == sorted(map(int, ids(part)))

    def test_the_same_seed_gives_the_same_parts_and_another_one_others(self) -> None:
        def cut(seed: int) -> list[list[str]]:
            return [ids(part) for part in cut_into_parts(make(50), seed=seed)]

        assert cut(3) == cut(3)
        assert cut(3) != cut(4)

    def test_what_a_seed_means_is_pinned(self) -> None:
        parts = cut_into_parts(make(10), 5, seed=0)
        assert [ids(part) for part in parts] == [
            ["5", "7"],
            ["3", "8"],
            ["4", "6"],
            ["1", "10"],
            ["2", "9"],
        ]

    def test_more_parts_than_queries(self) -> None:
        with pytest.raises(RankwiseError, match="2 queries cannot be cut into 3 parts of 0, 1, 1"):
            cut_into_parts(make(2), 3)

    def test_no_parts(self) -> None:
        with pytest.raises(RankwiseError, match="at least 1, found 0"):
            cut_into_parts(make(2), 0)

    def test_sizes_that_do_not_add_up(self) -> None:
        with pytest.raises(RankwiseError, match=r"the 6 queries .* found 3 \+ 2 = 5"):
            cut_into_parts(make(6), sizes=[3, 2])

    def test_a_negative_seed(self) -> None:
        with pytest.raises(RankwiseError, match="found -1"):
            cut_into_parts(make(6), seed=-1)


class TestComposing:
    def test_the_papers_table_4(self) -> None:
        folds = compose_folds(named_parts(5))
        assert [(f.number, ids(f.train), ids(f.validation), ids(f.test)) for f in folds] == [
            (1, ["S1", "S2", "S3"], ["S4"], ["S5"]),
            (2, ["S2", "S3", "S4"], ["S5"], ["S1"]),
            (3, ["S3", "S4", "S5"], ["S1"], ["S2"]),
            (4, ["S4", "S5", "S1"], ["S2"], ["S3"]),
            (5, ["S5", "S1", "S2"], ["S3"], ["S4"]),
        ]

    @given(st.integers(3, 9))
    def test_every_part_is_tested_and_validated_once(self, count: int) -> None:
        parts = named_parts(count)
        folds = compose_folds(parts)
        names = sorted(name for part in parts for name in ids(part))
        assert sorted(name for fold in folds for name in ids(fold.test)) == names
        assert sorted(name for fold in folds for name in ids(fold.validation)) == names
        assert fold_problems(folds) == []

    def test_the_rows_follow_their_queries(self) -> None:
        parts = named_parts(5)
        fold = compose_fold(parts, 4)
        assert np.array_equal(
            fold.train.features, np.concatenate([parts[part].features for part in (3, 4, 0)])
        )

    def test_too_few_parts(self) -> None:
        with pytest.raises(RankwiseError, match="at least 3 parts, found 2"):
            compose_folds(named_parts(2))

    @pytest.mark.parametrize("number", [0, 6])
    def test_a_fold_that_does_not_exist(self, number: int) -> None:
        with pytest.raises(RankwiseError, match=f"the folds 1 to 5, found {number}"):
            compose_fold(named_parts(5), number)


class TestChecking:
    def test_sound_folds_have_no_findings(self) -> None:
        assert fold_problems([fold_of([1, 2], [3], [4])]) == []

    def test_a_query_in_two_parts_of_one_fold(self) -> None:
        [problem] = fold_problems([fold_of([1, 2], [3], [2])])
        assert problem.where == "train, test"
        assert problem.sentence == "a query may stand in one part only, found 2 in both"

    def test_each_pair_of_parts_is_one_problem(self) -> None:
        numbers = list(range(1, 13))
        found = fold_problems([fold_of(numbers, numbers, [20, 3])])
        assert [problem.where for problem in found] == [
            "train, validation", "train, test", "validation, test"
        ]  # fmt: skip
        assert found[1].sentence == found[2].sentence
        assert found[1].sentence.endswith("found 3 in both")

    def test_a_fold_without_validation(self) -> None:
        assert len(fold_problems([fold_of([1], None, [1])])) == 1

    def test_the_same_query_in_two_folds_is_as_it_should_be(self) -> None:
        assert fold_problems(compose_folds(named_parts(3))) == []


class TestFiles:
    @pytest.mark.parametrize("compression", COMPRESSIONS)
    @pytest.mark.parametrize("naming", NAMINGS)
    def test_written_folds_are_read_again(
        self, tmp_path: Path, naming: str, compression: str
    ) -> None:
        folds = compose_folds(cut_into_parts(make(11), 5))
        if naming == "packed" and compression != "none":
            with pytest.raises(RankwiseError, match="cannot be compressed"):
                write_folds(folds, tmp_path / "out", naming=naming, compression=compression)
            return
        write_folds(folds, tmp_path / "out", naming=naming, compression=compression)
        expected = {name + COMPRESSIONS[compression] for name in NAMINGS[naming].values()}
        for number in range(1, 6):
            found = {path.name for path in (tmp_path / "out" / f"Fold{number}").iterdir()}
            assert found == expected
        for found_fold, fold in zip(read_folds(tmp_path / "out"), folds, strict=True):
            assert is_same(found_fold, fold)

    def test_the_names_of_letor(self) -> None:
        assert list(NAMINGS["letor4"].values()) == ["train.txt", "vali.txt", "test.txt"]
        assert list(NAMINGS["letor3"].values()) == [
            "trainingset.txt",
            "validationset.txt",
            "testset.txt",
        ]
        assert NAMINGS["letor3-capital"]["train"] == "trainingset.TXT"

    @pytest.mark.parametrize(
        ("folder", "train", "validation", "test"),
        [
            ("fold1", "TRAIN.TXT", "VALI.TXT", "TEST.TXT"),
            ("Fold 1", "training.dat", "valid.dat", "testing.dat"),
            ("FOLD-01", "train_set.txt", "validation_set.txt", "test_set.txt"),
            ("fold_1", "train", "val", "test"),
        ],
    )
    def test_other_spellings_are_read(
        self, tmp_path: Path, folder: str, train: str, validation: str, test: str
    ) -> None:
        home = tmp_path / folder
        home.mkdir()
        for query, name in enumerate((train, validation, test), start=1):
            (home / name).write_text(f"1 qid:{query} 1:2\n")
        [fold] = read_folds(tmp_path)
        assert fold.number == 1
        assert (ids(fold.train), ids(fold.validation), ids(fold.test)) == (["1"], ["2"], ["3"])

    def test_folds_come_in_the_order_of_their_numbers(self, tmp_path: Path) -> None:
        write_folds(compose_folds(named_parts(11)), tmp_path / "out")
        assert [files.number for files in find_folds(tmp_path / "out")] == list(range(1, 12))

    def test_a_single_split_is_fold_1(self, tmp_path: Path) -> None:
        for query, name in enumerate(("train.txt", "vali.txt", "test.txt"), start=1):
            (tmp_path / name).write_text(f"1 qid:{query} 1:2\n")
        [fold] = read_folds(tmp_path)
        assert (fold.number, ids(fold.test)) == (1, ["3"])

    def test_a_split_without_validation(self, tmp_path: Path) -> None:
        (tmp_path / "train.txt").write_text("1 qid:1 1:2\n")
        (tmp_path / "test.txt").write_text("1 qid:2 1:2\n")
        [fold] = read_folds(tmp_path)
        assert fold.validation is None
        assert [name for name, _ in fold.parts()] == ["train", "test"]

    def test_all_parts_are_as_wide_as_the_widest(self, tmp_path: Path) -> None:
        for number, width in ((1, 2), (2, 4)):
            home = tmp_path / f"Fold{number}"
            home.mkdir()
            for query, name in enumerate(("train.txt", "vali.txt", "test.txt"), start=1):
                index = width if name == "vali.txt" else 1
                (home / name).write_text(f"1 qid:{query} {index}:5\n")
        folds = read_folds(tmp_path)
        assert {part.n_features for fold in folds for _, part in fold.parts()} == {4}
        assert list(folds[0].test.features[0]) == [5.0, 0.0, 0.0, 0.0]

    def test_side_files_are_not_parts(self, tmp_path: Path) -> None:
        for name in ("train.txt", "test.txt"):
            (tmp_path / name).write_text("1 1:2\n0 1:3\n")
            (tmp_path / f"{name}.query").write_text("2\n")
        [fold] = read_folds(tmp_path)
        assert fold.train.n_documents == 2


class TestFilesThatAreWrong:
    def test_neither_folds_nor_parts(self, tmp_path: Path) -> None:
        (tmp_path / "QueryLevelNorm").mkdir()
        with pytest.raises(RankwiseError, match=r"Fold1, Fold2, … .* found QueryLevelNorm$"):
            read_folds(tmp_path)

    def test_an_empty_folder(self, tmp_path: Path) -> None:
        with pytest.raises(RankwiseError, match=r"found nothing$"):
            read_folds(tmp_path)

    def test_no_such_folder(self, tmp_path: Path) -> None:
        with pytest.raises(RankwiseError, match=r"cannot read .*absent: there is no such"):
            read_folds(tmp_path / "absent")

    def test_a_file_instead_of_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(RankwiseError, match="it is a file, a directory was expected"):
            read_folds(tmp_path / "file")

    def test_a_missing_part(self, tmp_path: Path) -> None:
        (tmp_path / "Fold1").mkdir()
        (tmp_path / "Fold1" / "train.txt").write_text("1 qid:1 1:2\n")
        with pytest.raises(RankwiseError, match=r"test.txt or testset.txt.* found train.txt$"):
            read_folds(tmp_path)

    def test_two_files_for_one_part(self, tmp_path: Path) -> None:
        for name in ("train.txt", "train.txt.gz", "test.txt"):
            (tmp_path / name).write_text("1 qid:1 1:2\n")
        with pytest.raises(RankwiseError, match=r"train part, found train.txt and train.txt.gz"):
            read_folds(tmp_path)

    def test_two_folders_for_one_fold(self, tmp_path: Path) -> None:
        (tmp_path / "Fold1").mkdir()
        (tmp_path / "Fold01").mkdir()
        with pytest.raises(RankwiseError, match="fold 1 must have one folder"):
            read_folds(tmp_path)


class TestWholeOrNothing:
    def test_a_failure_midway_leaves_nothing(self, tmp_path: Path) -> None:
        def failing() -> Iterator[Fold]:
            yield compose_fold(named_parts(5), 1)
            raise RankwiseError("the source broke off")

        with pytest.raises(RankwiseError, match="broke off"):
            write_folds(failing(), tmp_path / "out")
        assert list(tmp_path.iterdir()) == []

    def test_an_empty_folder_is_taken(self, tmp_path: Path) -> None:
        (tmp_path / "out").mkdir()
        write_folds(compose_folds(named_parts(3)), tmp_path / "out")
        assert len(read_folds(tmp_path / "out")) == 3
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    @pytest.mark.parametrize("occupy", [Path.mkdir, Path.touch])
    def test_what_is_there_is_not_touched(
        self, tmp_path: Path, occupy: Callable[[Path], None]
    ) -> None:
        target = tmp_path / "out"
        occupy(target)
        if target.is_dir():
            (target / "mine.txt").write_text("mine")
        with pytest.raises(RankwiseError, match="not an empty folder; name a new one"):
            write_folds(compose_folds(named_parts(3)), target)
        assert [path.name for path in tmp_path.iterdir()] == ["out"]

    def test_a_missing_parent(self, tmp_path: Path) -> None:
        with pytest.raises(RankwiseError, match=r"cannot write .*: the folder .* does not exist"):
            write_folds(compose_folds(named_parts(3)), tmp_path / "absent" / "out")

    def test_a_fold_that_comes_twice(self, tmp_path: Path) -> None:
        fold = compose_fold(named_parts(3), 1)
        with pytest.raises(RankwiseError, match="found fold 1 twice"):
            write_folds([fold, fold], tmp_path / "out")

    def test_an_unknown_naming(self, tmp_path: Path) -> None:
        with pytest.raises(RankwiseError, match=r"the naming must be one of letor4, .* found 'x'"):
            write_folds([], tmp_path / "out", naming="x")

    def test_an_unknown_compression(self, tmp_path: Path) -> None:
        with pytest.raises(RankwiseError, match=r"the compression must be one of .* found 'rar'"):
            write_folds([], tmp_path / "out", compression="rar")

    @pytest.mark.skipif(os.name == "nt", reason="permissions are those of POSIX")
    def test_others_may_read_it_as_any_new_folder(self, tmp_path: Path) -> None:
        (tmp_path / "usual").mkdir()
        write_folds(compose_folds(named_parts(3)), tmp_path / "out")
        mode = stat.S_IMODE((tmp_path / "out").stat().st_mode)
        assert mode == stat.S_IMODE((tmp_path / "usual").stat().st_mode)


def test_loose_parts_make_folds_as_table_4_says(tmp_path: Path) -> None:
    parts = [make(4, first) for first in range(1, 21, 4)]
    for number, part in enumerate(parts, start=1):
        write(part, tmp_path / f"S{number}.txt")
    assert [path.name for path in find_parts(tmp_path)] == [f"S{n}.txt" for n in range(1, 6)]
    output = tmp_path / "folds"
    done = CliRunner().invoke(main, ["data", "split", str(tmp_path), str(output)])
    assert done.exit_code == 0, done.output
    for fold, expected in zip(read_folds(output), compose_folds(parts), strict=True):
        for (name, found), (same, part) in zip(fold.parts(), expected.parts(), strict=True):
            assert name == same
            assert found.features.tobytes() == part.features.tobytes()
            assert list(found.query_ids) == list(part.query_ids)
    assert [part.n_queries for part in read_parts(tmp_path)] == [4] * 5
    refused = CliRunner().invoke(main, ["data", "split", str(tmp_path), "x", "--seed", "1"])
    assert refused.exit_code == 2 and "has its parts" in refused.output


def test_loose_parts_are_whole_and_named_in_advice(tmp_path: Path) -> None:
    for name in ("S1.txt", "S2.txt", "S3.txt"):
        write(make(2), tmp_path / name)
    with pytest.raises(RankwiseError, match=f"rankwise data split {re.escape(str(tmp_path))}"):
        find_folds(tmp_path)
    write(make(2), tmp_path / "s2.txt.gz")
    with pytest.raises(RankwiseError, match=r"one file for the part S2, found S2\.txt and s2"):
        find_parts(tmp_path)
    (tmp_path / "S2.txt").unlink()
    (tmp_path / "s2.txt.gz").unlink()
    with pytest.raises(RankwiseError, match="the parts S1 to S3, found no S2"):
        find_parts(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(RankwiseError, match=r"must hold the parts S1\.txt.*found nothing"):
        read_parts(tmp_path / "empty")
    assert find_parts(tmp_path / "S1.txt") == find_parts(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    "ending",
    ["", ".txt.xz", ".csv", ".csv.xz", ".tsv", ".tab.gz", ".feather", ".arrow", ".parquet", ".rwd"],
)
@pytest.mark.parametrize("train", ["train", "Training-Set", "learning", "trainingset"])
def test_folds_are_found_in_every_layout_that_is_read(
    train: str, ending: str, tmp_path: Path
) -> None:
    dataset = Dataset.from_arrays(np.eye(3), [0, 1, 2], ["a", "b", "c"])
    names = {"train": train, "validation": "vali", "test": "test"}
    for number, name in enumerate(names.values()):
        write(dataset.select_queries([number]), tmp_path / f"{name}{ending}")
    (fold,) = read_folds(tmp_path)
    assert [list(part.query_ids) for _, part in fold.parts()] == [["a"], ["b"], ["c"]]
    for number in range(3):
        (tmp_path / "loose").mkdir(exist_ok=True)
        write(dataset.select_queries([number]), tmp_path / "loose" / f"S{number + 1}{ending}")
    parts = read_parts(tmp_path / "loose")
    assert [list(part.query_ids) for part in parts] == [["a"], ["b"], ["c"]]
