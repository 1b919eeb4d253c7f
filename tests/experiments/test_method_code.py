"""Keys know the code of a ranker wherever it lies, and nothing else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.experiments.keys import code_digest
from rankwise.experiments.method_code import _is_installed, code_of
from tests.experiments.running import HERE

RANKER = """
from rankwise.rankers.pointwise.best_feature import BestFeature
class Mine(BestFeature): ...
"""


def sum_of(ranker: str, *places: Path) -> str:
    """The sum in a fresh process that has these folders on its path."""
    program = f"""
import sys
sys.path[:0] = {[str(place) for place in places]!r}
from rankwise.experiments.keys import code_digest
print(code_digest({ranker!r}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True)  # fmt: skip
    return done.stdout


def test_the_code_of_a_ranker_is_its_file_and_what_that_imports() -> None:
    found = code_of("lambdamart")
    files = {name.removeprefix("rankwise.rankers.") for name in found.files}
    assert {"listwise.lambdamart", "trees.lightgbm_training", "ranker"} <= files
    assert "pairwise.frank" not in files
    assert found.libraries == {"lightgbm", "numpy"}
    assert "torch" in code_of("ranknet").libraries
    assert "rankwise.rankers.scorers.linear" in code_of(f"{HERE}:OneFeature").files
    assert code_digest("linear-regression") != code_digest("ranksvm")


def test_a_change_in_any_module_of_the_user_is_another_code(tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text(
        "from rankwise.rankers.pointwise.best_feature import BestFeature\n"
        "class Base(BestFeature): ...\n"
    )
    (package / "rule.py").write_text("from .constants import PLACE\n")
    (package / "constants.py").write_text("PLACE = 1\n")
    (package / "ranker.py").write_text(
        "from .base import Base\nclass Mine(Base):\n    from . import rule\n"
    )
    program = (
        "from rankwise.experiments.keys import code_digest; print(code_digest('mine.ranker:Mine'))"
    )

    def found() -> str:
        done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True,
                              text=True, check=True)  # fmt: skip
        return done.stdout

    sums = {found()}
    for name in ("base", "rule", "constants", "ranker"):
        with (package / f"{name}.py").open("a") as stream:
            stream.write("# changed\n")
        sums.add(found())
    assert len(sums) == 5
    (package / "unrelated.py").write_text("")
    assert found() in sums
    # What is imported only when it is needed is looked at, never run.
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "__init__.py").write_text("raise RuntimeError('I am run')")
    (tmp_path / "later" / "part.py").write_text("this is no Python")
    with (package / "rule.py").open("a") as stream:
        stream.write("def rule():\n    import later.part\n")
    assert found() not in sums


def test_libraries_are_not_followed_wherever_they_are_installed() -> None:
    for place in ("/home/me/.local/lib/python3.11/site-packages/x.py",
                  "/usr/lib/python3/dist-packages/x.py"):  # fmt: skip
        assert _is_installed(Path(place))
    assert not _is_installed(Path("/home/me/thesis/x.py"))


def test_a_package_without_a_file_of_its_own_is_the_users_too(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    code = tmp_path / "mine" / "ranker.py"
    code.write_text(RANKER)
    before = sum_of("mine.ranker:Mine", tmp_path)
    code.write_text(RANKER + "# changed\n")
    assert sum_of("mine.ranker:Mine", tmp_path) != before


@pytest.mark.parametrize("change", ["code", "library"])
def test_an_installed_ranker_counts_with_its_code_and_libraries_by_their_distribution(
    tmp_path: Path, change: str
) -> None:
    place = tmp_path / "site-packages"
    (place / "rankers_of_mine").mkdir(parents=True)
    (place / "rankers_of_mine" / "rule.py").write_text("import odd_module\n")
    code = place / "rankers_of_mine" / "__init__.py"
    code.write_text("from . import rule\n" + RANKER)
    (place / "odd_module.py").write_text("")
    about = place / "another_name-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: another-name\nVersion: 1.0\n")
    (about / "top_level.txt").write_text("odd_module\n")
    before = sum_of("rankers_of_mine:Mine", place)
    if change == "code":
        (place / "rankers_of_mine" / "rule.py").write_text("import odd_module\nx = 1\n")
    else:
        text = (about / "METADATA").read_text()
        (about / "METADATA").write_text(text.replace("1.0", "1.1"))
    assert sum_of("rankers_of_mine:Mine", place) != before
