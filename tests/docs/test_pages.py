"""Every code block of the README and of docs/ is run as it stands, in the order of its page.

The folder that pages work in is made on the spot (`tests/docs/prepared.py`), or holds links to real
data where a block asks for them. A new page needs no line here.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import rankwise
from tests.docs.page import (
    EXTRAS,
    REAL_DATA,
    ROOT,
    Block,
    blocks_of,
    find_figure_tables,
    run_block,
)
from tests.docs.prepared import copy_folder, link_real_data, list_read, make_folder
from tests.docs.shell import ThisProcess
from tests.forgetting import forget_modules_below

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Pages whose blocks are run by a test of their own, which checks more.
ELSEWHERE = {
    "docs/engineer.md": "tests/docs/test_engineer_page.py",
    "docs/rankers/own-ranker.md": "tests/docs/test_own_ranker_page.py",
    "docs/measures/add-a-measure.md": "tests/contributing/test_add_measure.py",
    "docs/guides/add-a-ranker.md": "tests/contributing/test_add_ranker.py",
    "docs/guides/add-a-feature.md": "tests/contributing/test_add_feature.py",
    "docs/guides/add-a-data-set.md": "tests/contributing/test_add_dataset.py",
    "docs/guides/add-an-engine.md": "tests/contributing/test_add_engine.py",
}
NEEDED = ("lightgbm", "pandas", "pyarrow", "matplotlib", "sklearn")
# A line of code that would escape: indented without a fence.
_ESCAPED = re.compile(r"^ {4,}(\$ |rankwise |python -|pip install |import \w|from \w+ import )")
_BEGINS_LIST = re.compile(r"([-*+]|\d+\.) ")
# Pages that are made from the code, and the tests that make and compare them. Their text is taken
# from docstrings, whose examples are indented.
GENERATED = {
    "docs/rankers/reference.md": "tests/cli/rankers/test_rankers.py",
    "docs/measures/measures.md": "tests/measures/test_documentation.py",
    "docs/measures/tools.md": "tests/measures/test_documentation.py",
    "docs/catalogue.md": "tests/data/catalog/test_entries.py",
}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def chosen(page: Path, real: bool) -> list[Block]:
    return [one for one in blocks_of(page) if one.is_run and one.needs_real_data == real]


def with_blocks(real: bool) -> list[Path]:
    return [page for page in PAGES if name_of(page) not in ELSEWHERE and chosen(page, real)]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def unchanged(prepared: Path) -> Iterator[None]:
    before = list_read(prepared)
    yield
    assert list_read(prepared) == before, "the page writes into what others read"


@pytest.fixture
def as_for_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[pytest.MonkeyPatch]:
    """In the folder, from which modules are imported too, and forgotten with it."""
    for library in NEEDED:
        pytest.importorskip(library)
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("RANKWISE_HOME", str(tmp_path / "home"))
    # A reader with one processor: a second process takes longer to start than to work here.
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0}, raising=False)
    yield monkeypatch
    forget_modules_below(tmp_path)


def run(page: Path, real: bool) -> None:
    """What can be run; where that was not all of it, the test is skipped in the end."""
    names: dict[str, Any] = {}
    blocks = chosen(page, real)
    for block in blocks:
        if not block.lacks_its_extra:
            run_block(block, names, f"{name_of(page)}:{block.line}", ThisProcess())
    for block in blocks:
        if block.lacks_its_extra:
            pytest.skip(block.remark)


@pytest.mark.parametrize("page", with_blocks(real=False), ids=name_of)
@pytest.mark.usefixtures("unchanged")
def test_blocks_run(page: Path, prepared: Path, as_for_a_reader: pytest.MonkeyPatch) -> None:
    copy_folder(prepared, Path.cwd())
    run(page, real=False)


@pytest.mark.parametrize("page", with_blocks(real=True), ids=name_of)
def test_blocks_run_on_real_data(
    page: Path, shared: Path, as_for_a_reader: pytest.MonkeyPatch
) -> None:
    link_real_data(shared, Path.cwd())
    run(page, real=True)


@pytest.mark.parametrize(
    "page", [one for one in PAGES if name_of(one) not in GENERATED], ids=name_of
)
def test_no_code_escapes(page: Path) -> None:
    """Code stands between fences that name its language, and what is special about it is known."""
    lines = page.read_text("utf-8").splitlines()
    fences = [line.strip() for line in lines if line.lstrip().startswith("```")]
    assert all(fence != "```" for fence in fences[::2]), "name the language; text for none"
    inside, escaped = False, []
    for number, line in enumerate(lines, 1):
        inside ^= line.lstrip().startswith("```")
        if not inside and _ESCAPED.match(line):
            escaped.append(f"{name_of(page)}:{number}: {line.strip()}")
    assert not escaped, "put it between ```sh, ```console or ```python and ```"
    remarks = {one.remark for one in blocks_of(page)} - {"", REAL_DATA, *EXTRAS}
    assert all(re.match(r"not run: \w|compared by tests/", remark) for remark in remarks), remarks


@pytest.mark.parametrize(
    "page", [one for one in PAGES if name_of(one) not in GENERATED], ids=name_of
)
def test_functions_that_pages_name_exist(page: Path) -> None:
    """`rw.name` and `rankwise.room.name`, between backticks or in code.

    Blocks of text are left out: they hold lines for registries, which name what the page adds.
    """
    text = re.sub(r"^```text.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"(?<![\w./-])((?:rw|rankwise)(?:\.[A-Za-z_]\w*)+)", text))
    absent = [name for name in sorted(named) if not _exists(name)]
    assert not absent


def _exists(name: str) -> bool:
    rest = name.split(".")[1:]
    found: Any = rankwise
    for number, part in enumerate(rest):
        with suppress(ImportError):
            import_module(".".join(["rankwise", *rest[: number + 1]]))
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def test_lists_begin_below_an_empty_line() -> None:
    """The site takes them for a part of the paragraph above otherwise, hyphens and all."""
    swallowed = []
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for paragraph in re.split(r"\n\s*\n", text):
            first, *rest = paragraph.strip("\n").splitlines() or [""]
            # What is indented goes on with an item.
            if not _BEGINS_LIST.match(first) and not first.startswith(("#", " ")):
                swallowed += [f"{name_of(page)}: {one}" for one in rest if _BEGINS_LIST.match(one)]
    assert not swallowed


@pytest.mark.parametrize(
    "page", [one for one in PAGES if name_of(one) not in GENERATED], ids=name_of
)
def test_tables_of_figures_say_where_they_are_from(page: Path) -> None:
    """By a command that is compared, or on a day, at a commit, by a command that stands above."""
    tables = find_figure_tables(page)
    unknown = [
        f"{name_of(page)}:{one.line}"
        for one in tables
        if one.compared is None and (one.measured is None or one.command is None)
    ]
    assert not unknown, (
        "say by which command, and 'Measured on DATE at COMMIT.': tests/docs/page.py"
    )
    for table in tables:
        if table.compared is not None:
            assert page.name in (ROOT / table.compared).read_text("utf-8")


def test_measurements_name_commits_that_are_not_younger() -> None:
    tables = [(page, one) for page in PAGES for one in find_figure_tables(page)]
    days = {one.measured[1]: one.measured[0] for _, one in tables if one.measured is not None}
    asked = ["git", "log", "--format=%H %cs"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode or (ROOT / ".git" / "shallow").exists():
        pytest.skip("there is no history of this clone")
    commits = dict(line.split() for line in done.stdout.splitlines())
    for commit, day in days.items():
        born = [date for name, date in commits.items() if name.startswith(commit)]
        assert len(born) == 1 and born[0] <= day, (commit, day, born)


def test_pages_that_are_run_elsewhere_are_read_there() -> None:
    for page, test in [*ELSEWHERE.items(), *GENERATED.items()]:
        assert Path(page).name in (ROOT / test).read_text("utf-8")
