"""`rankwise build depths`: a cut is what a build at that depth would have been."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from rankwise.cli.data.build_commands import build
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, compose_fold, find_folds, read_fold
from rankwise.data.reading import read
from rankwise.errors import RankwiseError
from rankwise.experiments import sampling_depths

pytest.importorskip("snowballstemmer")

DEEP, SHALLOW, N_QUERIES = 15, 6, 10


def run(*arguments: object) -> Result:
    return CliRunner().invoke(build, [str(argument) for argument in arguments])


def built(folder: Path, depth: int, *choices: object, linked: bool = False) -> Path:
    """Titles rarely have a query word, so that many of their features are NULL."""
    rng = np.random.default_rng(5)
    documents = [
        {
            "id": f"d{n}",
            "title": f"word{n % 9} other",
            "body": " ".join(f"word{w}" for w in rng.zipf(1.4, 15) % 40),
            **({"links": [f"d{(7 * n) % 50}"]} if linked else {}),
        }
        for n in range(50)
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    queries = "".join(f"{n}\tword{n} word{n + 9}\n" for n in range(N_QUERIES))
    (folder / "queries.tsv").write_text(queries)
    judged = [f"{n} 0 d{d} {int(n > 0)}\n" for n in range(N_QUERIES) for d in range(n, 50, 9)]
    (folder / "qrels").write_text("".join(judged))
    done = run(
        folder / "corpus.jsonl", "--queries", folder / "queries.tsv", "--qrels", folder / "qrels",
        "--processes", 1, "--stemmer", "none", "--depth", depth, "-o", folder / f"at{depth}",
        *choices,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return folder / f"at{depth}"


@pytest.fixture(scope="module")
def shallow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build that all tests read."""
    return built(tmp_path_factory.mktemp("shallow"), SHALLOW)


@pytest.fixture
def own_copy(shallow: Path, tmp_path: Path) -> Path:
    """The same build, which a test may damage."""
    return shutil.copytree(shallow, tmp_path / shallow.name)


def outcomes(home: Path, depths: object) -> list[dict[str, float]]:
    done = run("depths", home, "--depths", depths, "--format", "json")
    assert done.exit_code == 0, done.exception
    found: list[dict[str, float]] = json.loads(done.stdout)
    return found


def test_a_cut_is_what_a_build_at_that_depth_is(tmp_path: Path, shallow: Path) -> None:
    deep = built(tmp_path, DEEP)
    rows = read(shallow / "Feature-null" / "ALL" / "corpus.txt")
    assert np.isnan(rows.features).any()
    [cut] = outcomes(deep, SHALLOW)
    [own] = outcomes(shallow, SHALLOW)
    assert cut == own
    relevant = sum(len(range(n, 50, 9)) for n in range(1, N_QUERIES))  # query 0 has none
    assert cut["recall"] == np.count_nonzero(rows.labels) / relevant


@pytest.mark.parametrize("choices", [(), ("--seed", 3)])
def test_the_folds_are_those_of_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, choices: tuple[object, ...]
) -> None:
    seen: list[list[str]] = []

    def noted(parts: list[Dataset], number: int) -> Fold:
        fold = compose_fold(parts, number)
        seen.append(list(fold.test.query_ids))
        return fold

    monkeypatch.setattr(sampling_depths, "compose_fold", noted)
    home = built(tmp_path, DEEP, *choices)
    outcomes(home, SHALLOW)
    folds = find_folds(home / "QueryLevelNorm")
    assert seen == [list(read_fold(fold).test.query_ids) for fold in folds]
    # Without a seed folds are runs of queries, of which LETOR tests the last one first.
    assert (seen[0] == ["8", "9"]) is (not choices)


def test_a_damaged_table_of_queries_is_named_with_its_line(own_copy: Path) -> None:
    table = own_copy / "queries.tsv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    for damage, place, sentence in (
        (["query\tclass\n", *lines[1:]], 1, "the first line must name the columns query, relevant"),
        ([*lines[:2], "1\t\n"], 3, "a line must hold the 7 columns"),
        ([*lines[:1], "1\t\tw\t6\t1\tmany\tw\n"], 2, "must be a whole number, found 'many'"),
    ):
        table.write_text("".join(damage))
        refused = run("depths", own_copy, "--depths", SHALLOW)
        assert isinstance(refused.exception, RankwiseError)
        assert sentence in str(refused.exception)
        assert f"queries.tsv:{place}:" in str(refused.exception)


def test_a_table_that_lacks_a_query_is_a_sentence(own_copy: Path) -> None:
    lines = (own_copy / "queries.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (own_copy / "queries.tsv").write_text("".join([*lines[:4], *lines[5:]]))
    refused = run("depths", own_copy, "--depths", SHALLOW)
    assert isinstance(refused.exception, RankwiseError)
    assert "queries.tsv: every query must have a line, found none for '3'" in str(refused.exception)


def test_depths_past_the_build_are_said_or_refused(shallow: Path) -> None:
    done = run("depths", shallow, "--depths", f"3,{SHALLOW + 1},100")
    assert done.exit_code == 0, done.exception
    assert "left out, past the 6 of the build: 7, 100" in done.stderr
    assert "not again" not in done.stderr
    refused = run("depths", shallow, "--depths", "100")
    assert isinstance(refused.exception, RankwiseError)
    assert "within the 6 of the build, found 100" in str(refused.exception)


@pytest.mark.parametrize(
    ("stream", "streams", "place"),
    [
        ("whole", ("body", "extracted title"), 0),
        ("whole", ("title", "body", "whole", "extracted title"), 2),
        ("title", ("body", "title", "whole"), 1),
    ],
)
def test_the_baseline_is_what_the_sample_was_drawn_by(
    stream: str, streams: tuple[str, ...], place: int
) -> None:
    names = [f"{name} of {s}" for name in ("tf", "bm25") for s in streams]
    assert sampling_depths._baseline(names, stream) == len(streams) + place


@pytest.mark.parametrize("lost", ["features", "feature_set", "sampling", "depth", "stream"])
def test_a_card_that_lacks_a_part_is_a_sentence(own_copy: Path, lost: str) -> None:
    card = json.loads((own_copy / "data-card.json").read_text(encoding="utf-8"))
    del (card if lost in card else card["sampling"])[lost]
    (own_copy / "data-card.json").write_text(json.dumps(card))
    for arguments in (
        ("depths", own_copy),
        ("features", "--from-metadata", own_copy / "Meta", "--list"),
    ):
        refused = run(*arguments)
        assert isinstance(refused.exception, RankwiseError)
        assert "data-card.json: the file must be the data card" in str(refused.exception)


def test_what_flows_between_documents_is_named(tmp_path: Path) -> None:
    done = run("depths", built(tmp_path, SHALLOW, linked=True), "--depths", 3)
    assert done.exit_code == 0, done.exception
    [line] = [line for line in done.stderr.splitlines() if "not again" in line]
    assert "term-propagation-uniform-out-link of whole" in line
    assert "hits-hub" in line and "in-links" not in line and ", pagerank" not in line
