"""What another key comes of: other code, other libraries, another fold."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from rankwise.data.folds import find_folds
from rankwise.experiments import digests
from rankwise.experiments.digests import (
    _defining,
    code_of,
    compute_fold_checksums,
    digest_code,
    digest_data_code,
    with_included,
)
from rankwise.experiments.running import shared_data
from rankwise.experiments.running.shared_data import open_shared_fold
from tests.experiments.running import planned

SINGLE_FILES = (
    "experiments/running/task_run.py",
    "experiments/parameter_search.py",
)


def own_sum(ranker: str = "linear-regression") -> str:
    """As at the first call of a process: nothing is remembered."""
    digests._shared_contents.cache_clear()
    return digest_code.__wrapped__(ranker)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package, in the place of the package; nothing is remembered of either."""
    copy = tmp_path / "rankwise"
    shutil.copytree(str(files("rankwise")), copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(digests, "files", lambda package: copy)
    remembering = (digests._shared_contents, digests._package_folder,
                   digests._homes_of_functions, digests._defining)  # fmt: skip
    for function in remembering:
        function.cache_clear()
    yield copy
    for function in remembering:
        function.cache_clear()


def summed_with(path: Path) -> tuple[str, str]:
    """The digests of all code and of the code that reads data, with a byte more in one file."""
    before = path.read_bytes()
    path.write_bytes(before + b"#")
    found = own_sum(), digest_data_code.__wrapped__()
    path.write_bytes(before)
    return found


@pytest.mark.parametrize("room", ["data", "measures", "native"])
def test_a_room_that_is_renamed_does_not_leave_the_keys_in_silence(root: Path, room: str) -> None:
    (root / room).rename(root / "renamed")
    with pytest.raises(FileNotFoundError, match=f"{room} must hold code"):
        digests._shared_contents()


def test_a_byte_in_any_file_that_figures_depend_on_is_another_code(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = digests.code_of("linear-regression")
    monkeypatch.setattr(digests, "code_of", lambda ranker: found)
    reading, measuring, native = (
        [*(root / room).rglob("*.py")] for room in ("data", "measures", "native")
    )
    rooms = [root / room for room in ("data", "native", "measures")]
    read, shared, measured = ([*room.rglob("*.c"), *room.rglob("*.h")] for room in rooms)
    compiled = [*read, *shared]
    assert len(reading) > 20 and len(measuring) > 20 and len(compiled) > 10 and len(measured) > 20
    whole, data = own_sum(), digest_data_code.__wrapped__()
    single = map(root.joinpath, SINGLE_FILES)
    for path in (*reading, *measuring, *native, *compiled, *measured, *single):
        changed, data_changed = summed_with(path)
        assert changed != whole, path
        assert (data_changed != data) == (path in (*reading, *compiled)), path
    assert own_sum() == whole
    for other in (
        "reports/comparison_tables.py",
        "rankers/boosting/frank.c",
        "feedback/sessions.h",
    ):
        assert summed_with(root / other) == (whole, data)


def test_c_of_one_method_is_no_code_of_others() -> None:
    def compiled(ranker: str) -> set[str]:
        return {name for name in code_of(ranker).files if name.endswith((".c", ".h"))}

    assert "rankers/boosting/frank.c" in compiled("frank")
    assert "rankers/boosting/frank.c" not in compiled("ranksvm")
    # Named by Python elsewhere, included by C elsewhere, and with the body of what it includes.
    assert "rankers/losses/lambdas.c" in compiled("lambdarank")
    included = {"rankers/search/populations.c", "models/scorers/linear.h",
                "models/scorers/linear.c", "measures/prepared_measure.c"}  # fmt: skip
    assert included <= compiled("rankde")
    assert {"native/ordering.c", "measures/evaluating.c"} <= compiled("rankde")


def test_every_c_file_is_the_code_of_something() -> None:
    """A function that no module names, or a file that nothing includes, would change in silence."""
    package = Path(str(files("rankwise")))
    named = [path.read_bytes() for path in package.rglob("*.py")]
    found = with_included(frozenset().union(*map(_defining, named)), package)
    assert found == {*package.rglob("*.c"), *package.rglob("*.h")}


def test_a_line_of_c_is_another_code_of_the_rankers_that_call_it(root: Path) -> None:
    rankers = ("frank", "ranksvm", "rankde")
    before = {ranker: own_sum(ranker) for ranker in rankers}
    for source, changed in (
        ("rankers/boosting/frank.c", {"frank"}),
        ("rankers/losses/pairs.c", {"ranksvm"}),
        ("rankers/training/followed_measure.c", {"frank", "rankde"}),
    ):
        path = root / source
        text = path.read_bytes()
        path.write_bytes(text + b"/* */")
        found = {ranker: own_sum(ranker) for ranker in rankers}
        path.write_bytes(text)
        assert {ranker for ranker in rankers if found[ranker] != before[ranker]} == changed, source


@pytest.mark.parametrize("library", ["numpy", "lightgbm"])
def test_another_version_of_a_library_is_another_code(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = own_sum("lambdamart")
    digests._library_version.cache_clear()
    monkeypatch.setattr(digests, "version", lambda name: "0" if name == library else version(name))
    after = own_sum("lambdamart")
    digests._library_version.cache_clear()
    assert after != before


def test_arrays_that_other_code_has_parsed_are_not_taken(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold = find_folds(folds)[0]
    checksums = compute_fold_checksums(fold)
    right = np.array(open_shared_fold(fold, checksums, tmp_path).train.labels)
    (labels,) = tmp_path.glob("*/train.labels.npy")
    np.save(labels, right + 1.0)
    shared_data._open_fold.cache_clear()
    np.testing.assert_array_equal(
        open_shared_fold(fold, checksums, tmp_path).train.labels, right + 1.0
    )
    shared_data._open_fold.cache_clear()
    monkeypatch.setattr(shared_data, "digest_data_code", lambda: "another")
    np.testing.assert_array_equal(open_shared_fold(fold, checksums, tmp_path).train.labels, right)
    shared_data._open_fold.cache_clear()


def test_two_folds_of_the_same_files_have_two_keys(folds: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        shutil.copytree(folds / "Fold1", tmp_path / f"Fold{number}")
    one, other = planned(tmp_path, "OneFeature").tasks
    assert one.checksums == other.checksums
    assert one.key != other.key


def test_the_table_has_the_tool_of_the_data_set_whichever_stands_first(folds: Path) -> None:
    data = [{"path": str(folds), "tool": "letor3"}]
    for tools in (["yahoo", "own"], ["own", "yahoo"]):
        (task,) = planned(folds, "OneFeature", data=data, tools=tools, folds=[1]).tasks
        assert set(task.tools) == {"yahoo", "letor3"}
        assert task.name.tool == "letor3"
