"""A feature added as CONTRIBUTING says, a function and a line, is computed in every build."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.contributing.package_copy import PackageCopy
from tests.docs.page import read_blocks

FUNCTION, LINE = read_blocks("add-a-feature.md", "python", "text")
FEATURE = f"\n\n{FUNCTION}"
IN_A_FILE = f'''"""Features of a test."""

from rankwise.collection.features.definition import Column, Parameters, StreamView, feature
{FEATURE}'''
BY_FUNCTION = """
import json, rankwise as rw
built = rw.build("corpus.jsonl", "by-function", queries="queries.tsv", qrels="qrels", depth=5,
                 jobs=1, stemmer="none", features="extended")
print(json.dumps(built.feature_names))
"""
COMMAND = (
    "build", "corpus.jsonl", "--queries", "queries.tsv", "--qrels", "qrels", "--depth", "5",
    "--jobs", "1", "--stemmer", "none", "--features", "extended", "-o", "by-command",
)  # fmt: skip


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    written(copy)
    return copy


def written(copy: PackageCopy) -> None:
    documents = [{"id": f"d{n}", "title": f"word{n % 5}", "body": "word1 " * n} for n in range(20)]
    lines = "".join(json.dumps(one) + "\n" for one in documents)
    (copy.folder / "corpus.jsonl").write_text(lines)
    queries = "".join(f"{n}\tword{n} word1\n" for n in range(5))
    (copy.folder / "queries.tsv").write_text(queries)
    (copy.folder / "qrels").write_text("".join(f"{n} 0 d{n + 5} 1\n" for n in range(5)))


@pytest.mark.parametrize("own_file", [False, True])
def test_by_command_and_by_function(own_file: bool, package: PackageCopy) -> None:
    with package.undone() as copy:
        check_built(copy, own_file)


def check_built(copy: PackageCopy, own_file: bool) -> None:
    sets = "collection/features/feature_sets.py"
    if own_file:
        copy.write("collection/features/squares.py", IN_A_FILE)
        copy.insert_line(
            sets,
            '    "rankwise.collection.features.text_features",\n',
            '    "rankwise.collection.features.squares",\n',
        )
    else:
        copy.append("collection/features/text_features.py", FEATURE)
    copy.insert_line(sets, '    "unique-length",\n', LINE)
    for folder in ("by-command", "by-function"):
        shutil.rmtree(copy.folder / folder, ignore_errors=True)
    _, by_function = copy.answer(COMMAND, program=BY_FUNCTION)
    names = json.loads(by_function)
    assert "squared-length of body" in names
    cards = [copy.folder / folder / "data-card.json" for folder in ("by-command", "by-function")]
    features = [json.loads(card.read_text("utf-8"))["features"] for card in cards]
    assert features[0] == features[1]
    assert [one["name"] for one in features[0]] == names
    rows = (copy.folder / "by-command/Feature-null/ALL/corpus.txt").read_text().splitlines()
    length, square = (names.index(f"{name} of body") + 1 for name in ("length", "squared-length"))
    for row in rows:
        values = dict(pair.split(":") for pair in row.split("#")[0].split()[2:])
        assert float(values[str(square)]) == float(values[str(length)]) ** 2
