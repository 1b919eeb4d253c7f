"""Keys know the code of a ranker wherever it lies, and nothing else's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import rankwise as rw
from rankwise.errors import RankwiseError
from rankwise.experiments.digests import _is_installed, code_of, digest_code
from rankwise.experiments.running.task_run import describe_uncovered, noting_reads
from tests.experiments.running import HERE, planned, tasks_here
from tests.experiments.trial_rankers import OneFeature

RANKER = """
from rankwise.rankers.linear.best_feature import BestFeature
class Mine(BestFeature): ...
"""


# A process that has loaded what does not change, and answers each question in a copy of itself:
# as a fresh one would, in a tenth of the time.
ANSWERING = """
import contextlib, json, os, sys, traceback
from rankwise.experiments.digests import digest_code
with contextlib.suppress(ImportError):
    import sklearn.linear_model
for line in sys.stdin:
    ranker, places, measures = json.loads(line)
    if os.fork() == 0:
        sys.path[:0] = places
        try:
            print(digest_code(ranker, tuple(measures)), flush=True)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.wait()[1]:
        print("failed", flush=True)
"""
Ask = Callable[..., str]


@pytest.fixture(scope="module")
def sum_of() -> Iterator[Ask]:
    """The sum in a process that has imported nothing of the user's, with folders on its path."""
    answering = subprocess.Popen([sys.executable, "-c", ANSWERING], text=True,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert answering.stdin is not None and answering.stdout is not None
    questions, answers = answering.stdin, answering.stdout

    def ask(ranker: str, *places: Path, measures: tuple[str, ...] = ()) -> str:
        question = json.dumps([ranker, [str(place) for place in places], measures])
        print(question, file=questions, flush=True)
        answer = answers.readline()
        assert "+" in answer, "the process has written why to its standard error"
        return answer

    yield ask
    questions.close()
    assert answering.wait() == 0
    answers.close()


def test_the_code_of_a_ranker_is_its_file_and_what_that_imports() -> None:
    found = code_of("lambdamart")
    files = {name.removeprefix("rankwise.rankers.") for name in found.files}
    assert {"trees.lambdamart", "trees.lightgbm_training", "ranker"} <= files
    assert "pairwise.frank" not in files
    # scipy holds sparse rows as LightGBM takes them.
    assert found.libraries == {"lightgbm", "numpy", "scipy"}
    assert "torch" in code_of("ranknet").libraries
    assert "rankwise.models.scorers.linear" in code_of(f"{HERE}:OneFeature").files
    assert digest_code("linear-regression") != digest_code("ranksvm")


def test_a_change_in_any_module_of_the_user_is_another_code(tmp_path: Path, sum_of: Ask) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text(
        "from rankwise.rankers.linear.best_feature import BestFeature\n"
        "class Base(BestFeature): ...\n"
    )
    (package / "rule.py").write_text("from .constants import PLACE\n")
    (package / "constants.py").write_text("PLACE = 1\n")
    (package / "ranker.py").write_text(
        "from .base import Base\nclass Mine(Base):\n    from . import rule\n"
    )

    def found() -> str:
        return sum_of("mine.ranker:Mine", tmp_path)

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


def test_a_package_without_a_file_of_its_own_is_the_users_too(tmp_path: Path, sum_of: Ask) -> None:
    (tmp_path / "mine").mkdir()
    code = tmp_path / "mine" / "ranker.py"
    code.write_text(RANKER)
    before = sum_of("mine.ranker:Mine", tmp_path)
    code.write_text(RANKER + "# changed\n")
    assert sum_of("mine.ranker:Mine", tmp_path) != before


@pytest.mark.parametrize("change", ["code", "library"])
def test_an_installed_ranker_counts_with_its_code_and_libraries_by_their_distribution(
    tmp_path: Path, change: str, sum_of: Ask
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


PLAIN = """
from rule import column
class Mine:
    def fit(self, X, y): ...
    def predict(self, X): return X[:, column]
made = Mine()
"""


@pytest.mark.parametrize("name", ["mine:Mine", "mine:made"])
@pytest.mark.parametrize("changed", ["mine", "rule"])
def test_a_class_with_fit_and_predict_counts_with_its_modules(
    name: str, changed: str, tmp_path: Path, sum_of: Ask
) -> None:
    (tmp_path / "mine.py").write_text(PLAIN)
    (tmp_path / "rule.py").write_text("column = 0\n")
    before = sum_of(name, tmp_path)
    with (tmp_path / f"{changed}.py").open("a") as stream:
        stream.write("# changed\n")
    assert sum_of(name, tmp_path) != before


def test_the_module_that_sets_a_librarys_object_up_counts(tmp_path: Path, sum_of: Ask) -> None:
    pytest.importorskip("sklearn")
    module = tmp_path / "mine.py"
    module.write_text("from sklearn.linear_model import Ridge\nmade = Ridge(alpha=1.0)\n")
    before = sum_of("mine:made", tmp_path)
    module.write_text("from sklearn.linear_model import Ridge\nmade = Ridge(alpha=2.0)\n")
    assert sum_of("mine:made", tmp_path) != before


def test_a_class_that_is_installed_again_under_its_version_is_another_code(
    tmp_path: Path, sum_of: Ask
) -> None:
    place = tmp_path / "site-packages"
    (place / "lab").mkdir(parents=True)
    (place / "lab" / "__init__.py").write_text("from lab.ranker import Mine\n")
    (place / "lab" / "ranker.py").write_text(PLAIN.replace("from rule", "from lab.rule"))
    (place / "lab" / "rule.py").write_text("column = 0\n")
    about = place / "lab_rankers-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-rankers\nVersion: 1.0\n")
    (about / "top_level.txt").write_text("lab\n")
    record = "lab/__init__.py,sha256=a,1\nlab/rule.py,sha256={},1\nlab-1.0.dist-info/RECORD,,\n"
    sums = []
    for rule in ("b", "c"):
        (about / "RECORD").write_text(record.format(rule))
        sums.append(sum_of("lab:Mine", place))
    assert sums[0] != sums[1]
    assert sum_of("linear-regression", place) == sum_of("linear-regression")


def test_an_own_measure_counts_with_its_module_where_it_is_asked_for(
    tmp_path: Path, sum_of: Ask
) -> None:
    module = tmp_path / "mine.py"
    module.write_text("def first(ranked): return ranked.labels[0]\n")
    measures = ("mine:first",)
    plain = sum_of("linear-regression", tmp_path)
    before = sum_of("linear-regression", tmp_path, measures=measures)
    module.write_text("def first(ranked): return ranked.labels[-1]\n")
    assert len({plain, before, sum_of("linear-regression", tmp_path, measures=measures)}) == 3
    assert sum_of("linear-regression", tmp_path) == plain


def test_tasks_know_which_own_measures_they_need(
    folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "measures_of_a_test.py").write_text("def first(ranked): return ranked.labels[0]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    own = "measures_of_a_test:first"
    ranker = {"name": "listnet", "set": {"rounds": 1, "measure": f"{own}@3"}}
    for content in (
        {"measures": ["MAP", f"{own}@5"]},
        {"selection": {"measure": own}},
        {"rankers": [ranker]},
    ):
        tasks = planned(folds, "OneFeature", **{"folds": [1], **content}).tasks
        assert [task.own_measures for task in tasks] == [(own,)]
        assert tasks[0].code == tasks[0].code_now() == digest_code(tasks[0].ranker, (own,))
    with pytest.raises(RankwiseError, match="there is no 'second' in measures_of_a_test"):
        planned(folds, "OneFeature", measures=["measures_of_a_test:second"])


READING = """
from pathlib import Path

class Reading:
    reads = {reads}

    def fit(self, X, y):
        self.column = int((Path(__file__).parent / "words.txt").read_text())

    def predict(self, X):
        return X[:, self.column]
"""


@pytest.mark.parametrize("reads", ["'words.txt'", "['words.txt']", "('words.txt',)"])
def test_a_file_that_a_ranker_says_it_reads_counts(reads: str, tmp_path: Path, sum_of: Ask) -> None:
    (tmp_path / "mine.py").write_text(READING.format(reads=reads))
    (tmp_path / "words.txt").write_text("0")
    before = sum_of("mine:Reading", tmp_path)
    (tmp_path / "words.txt").write_text("1")
    assert sum_of("mine:Reading", tmp_path) != before


def test_a_subclass_of_ranker_names_files_too_and_they_must_be_there(
    tmp_path: Path, sum_of: Ask
) -> None:
    (tmp_path / "heir.py").write_text(RANKER.replace("...", "reads = ('words.txt',)"))
    (tmp_path / "words.txt").write_text("0")
    before = sum_of("heir:Mine", tmp_path)
    (tmp_path / "words.txt").write_text("1")
    assert sum_of("heir:Mine", tmp_path) != before
    with pytest.raises(RankwiseError, match=r"must name files from the folder .* found 'none.txt'"):
        digest_code("tests.experiments.test_method_code:Absent")


@dataclass(frozen=True)
class Absent(OneFeature):
    """Says that it reads a file that is not there."""

    reads: ClassVar[tuple[str, ...]] = ("none.txt",)


@pytest.mark.parametrize("reads", ["()", "('words.txt',)"])
def test_a_file_that_is_read_and_not_named_is_told_of(
    reads: str, folds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"reading_{len(reads)}"
    (tmp_path / f"{name}.py").write_text(READING.format(reads=reads))
    (tmp_path / "words.txt").write_text("0")
    monkeypatch.syspath_prepend(tmp_path)
    with tasks_here():
        run = rw.bench(
            data=folds, rankers=f"{name}:Reading", folds=[1], store=tmp_path / "s.sqlite"
        )
    said = [one for one in run.choosers() if "training read" in one]
    if reads != "()":
        assert said == []
    else:
        (sentence,) = said
        assert f"training read {tmp_path}/words.txt: what is kept of it stays" in sentence


@pytest.mark.parametrize(("count", "more"), [(0, None), (1, ""), (3, ""), (4, " and 1 more")])
def test_the_first_three_files_that_are_not_named_are_told_of(
    count: int, more: str | None, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{letter}.txt" for letter in "abcd"[:count]]
    named = tmp_path / "named.txt"
    for path in (*paths, named):
        path.write_text("0")
    with noting_reads() as opened:
        for path in (named, *paths[::-1]):
            path.read_text()
    said = describe_uncovered(opened, [named])
    first = ", ".join(str(path) for path in paths[:3])
    assert said == (
        []
        if more is None
        else [
            f"training read {first}{more}: what is kept of it stays when that changes; "
            "name it in `reads` of the ranker"
        ]
    )
