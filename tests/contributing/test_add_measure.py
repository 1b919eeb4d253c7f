"""A measure added as CONTRIBUTING says: a file and a line, and later a C file beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contributing.package_copy import PackageCopy

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/measures/add-a-measure.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(?:python|c|text)\n(.*?)^```", PAGE, re.M | re.S)
PYTHON, LINE, C, COMPUTE, FORMULA = BLOCKS
# The machine's own compiler: the last of several levels counts, and this one takes no time.
QUICK_COMPILER = """sh -c 'exec cc "$@" -O0' sh"""
FOLDER = "measures/families"
LABELS = [2.0, 1.0, 0.0, 3.0, 1.0, 0.0, 0.0, 1.0]
LENGTHS = [4, 4]
# Ranked as written: CG@3 is 2 + 1 + 0 and 1 + 0 + 0, AP (1 + 1 + 3/4) / 3 and (1 + 2/4) / 2.
EXPECTED = {
    "CG@3": (3 + 1) / 2,
    "CG": (6 + 2) / 2,
    "MAP": ((1 + 1 + 3 / 4) / 3 + 3 / 4) / 2,
    "MRR": 1,
}
BY_FUNCTION = f"""
import json, rankwise
labels, lengths = {LABELS}, {LENGTHS}
found = rankwise.evaluate(labels, [-row for row in range(8)], {list(EXPECTED)}, group=lengths)
print(json.dumps(found.means()))
"""
EXPECTED_TIES = """
import rankwise
found = rankwise.evaluate([3, 0, 1], [1, 1, 0], ["CG@1", "CG@3"], group=[3], ties="expected")
assert found.means() == {"CG@1": 3 / 2, "CG@3": 4}, found.means()
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    return PackageCopy(tmp_path_factory.mktemp("package"))


@pytest.fixture
def copy(package: PackageCopy) -> Iterator[PackageCopy]:
    with package.undone():
        yield package


def computed_in_c() -> str:
    """The Python file of the second step: without the function, with the name of the C function."""
    start, end = PYTHON.index("def cumulated_gain("), PYTHON.index("FAMILIES = (")
    before = "        compute=cumulated_gain,\n"
    assert PYTHON.count(before) == 1
    return (PYTHON[:start] + PYTHON[end:]).replace(before, COMPUTE)


def copied_tests(folder: Path) -> Path:
    """The tests of measures, with the formula of the new one."""
    shutil.copytree(
        ROOT / "tests/measures", folder / "tests/measures", ignore=shutil.ignore_patterns("*.pyc")
    )
    for name in ("__init__.py", "conftest.py", "forgetting.py"):
        shutil.copy(ROOT / "tests" / name, folder / "tests")
    formulas = folder / "tests/measures/formulas.py"
    formulas.write_text(f"{formulas.read_text('utf-8')}\n\n{FORMULA}", "utf-8")
    return folder / "tests/measures"


def built(folder: Path) -> PackageCopy:
    """A copy of the package with the measure in C and the library built anew."""
    copy = PackageCopy(folder / "src")
    copy.write(f"{FOLDER}/cumulated_gain.py", computed_in_c())
    copy.write(f"{FOLDER}/cumulated_gain.c", C)
    copy.insert_line(
        f"{FOLDER}/registry.py",
        '    "rankwise.measures.families.average_precision:AVERAGE_PRECISION",\n',
        LINE,
    )
    shutil.copytree(ROOT / "build_tools", folder / "build_tools")
    script = folder / "build_tools/compile_core.py"
    surroundings = os.environ | {"CC": QUICK_COMPILER}
    command = [sys.executable, str(script)]
    subprocess.run(command, check=True, capture_output=True, env=surroundings)
    return copy


def check_figures(copy: PackageCopy, folder: Path) -> None:
    """By function and by command, with the figures of other measures as they always were."""
    data, scores = folder / "test.txt", folder / "scores.txt"
    queries = [1] * 4 + [2] * 4
    rows = zip(LABELS, queries, strict=True)
    data.write_text("".join(f"{label:g} qid:{query} 1:0\n" for label, query in rows))
    scores.write_text("".join(f"{-row}\n" for row in range(8)))
    measures = [option for name in EXPECTED for option in ("-m", name)]
    command = ("evaluate", str(data), str(scores), *measures, "--format", "json")
    evaluated, listed, by_function = copy.answer(command, ["measures"], program=BY_FUNCTION)
    (printed,) = json.loads(evaluated)
    means = {name: figures["mean"] for name, figures in printed["measures"].items()}
    assert means == pytest.approx(EXPECTED, rel=1e-15)
    assert "cumulated gain" in listed
    assert json.loads(by_function) == pytest.approx(EXPECTED, rel=1e-15)


@pytest.mark.parametrize(
    "neighbour",
    ['    "rankwise.measures.families.ndcg:MEAN_NDCG",\n', ")\n"],
    ids=["after ndcg", "at the end"],
)
def test_a_python_function_and_a_line_are_a_measure(
    neighbour: str, copy: PackageCopy, tmp_path: Path
) -> None:
    copy.write(f"{FOLDER}/cumulated_gain.py", PYTHON)
    copy.insert_line(f"{FOLDER}/registry.py", neighbour, LINE)
    check_figures(copy, tmp_path)


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")
def test_a_c_function_beside_it_is_built_and_called(tmp_path: Path) -> None:
    copy = built(tmp_path)
    check_figures(copy, tmp_path)
    copy.run("-c", EXPECTED_TIES)
    tests = copied_tests(copy.folder)
    chosen = ("-k", "literal or averages or range", "-p", "no:cacheprovider")
    files = [str(tests / name) for name in ("test_computing.py", "test_ties.py")]
    copy.run("-m", "pytest", "-q", "--rootdir", str(copy.folder), *files, *chosen)


def test_a_missing_c_function_is_an_error_and_no_other_measure(copy: PackageCopy) -> None:
    copy.write(f"{FOLDER}/cumulated_gain.py", computed_in_c())
    copy.insert_line(
        f"{FOLDER}/registry.py",
        '    "rankwise.measures.families.average_precision:AVERAGE_PRECISION",\n',
        LINE,
    )
    asked = (
        "import rankwise\n"
        "try:\n    rankwise.evaluate([1, 0], [1, 0], 'CG@1', group=[2])\n"
        "except rankwise.RankwiseError as error:\n    print(error)\n"
    )
    assert "has no function rankwise_cumulated_gain" in copy.run("-c", asked).stdout
