"""Data sets come into the data home whole and verified, or not at all."""

from __future__ import annotations

import gzip
import json
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from rankwise.data.catalog import find_entry
from rankwise.data.catalog.entries import PartFacts
from rankwise.data.catalog.home import MANIFEST, find_part_file, list_installed
from rankwise.data.catalog.importing import import_dataset
from rankwise.data.folds import read_fold
from rankwise.data.reading import read
from rankwise.data.sources import from_home
from rankwise.errors import RankwiseError

from .little import ENTRY, rows, write_folds


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def visible(folder: Path) -> set[str]:
    """All files below a folder, so that leftovers show."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


EXPECTED = {
    f"letor4/mq2008/QueryLevelNorm/Fold{fold}/{part}.txt"
    for fold in (1, 2, 3)
    for part in ("train", "vali", "test")
} | {f"letor4/mq2008/QueryLevelNorm/{MANIFEST}"}


def test_a_folder_is_copied_under_the_usual_names(tmp_path: Path, home: Path):
    names = ("trainingset.txt", "validationset.txt", "testset.TXT")
    source = write_folds(tmp_path / "mine", names)
    item = import_dataset(ENTRY, source, home=home)
    assert visible(home) == EXPECTED
    assert list_installed(ENTRY, home) == [item]
    copied = find_part_file(ENTRY, "test", fold=2, home=home)
    assert copied.read_bytes() == (source / "Fold2" / "testset.TXT").read_bytes()
    assert not copied.is_symlink()


@pytest.mark.parametrize("packed", [False, True])
def test_metadata_and_relations_beside_a_data_set_are_kept(
    tmp_path: Path, home: Path, packed: bool
):
    source = tmp_path / "MQ2008"
    source.mkdir()
    write_folds(source / "QueryLevelNorm")
    kept = {"Meta/collectioninfo.xml": "<c/>", "Relations/sub/similarity.txt": "1 2\n"}
    for name, content in (kept | {"Other/note.txt": "not this"}).items():
        (source / name).parent.mkdir(parents=True)
        (source / name).write_text(content)
    if packed:
        with zipfile.ZipFile(tmp_path / "MQ2008.zip", "w") as archive:
            for name in sorted(visible(source)):
                archive.write(source / name, f"MQ2008/{name}")
        source = tmp_path / "MQ2008.zip"
    item = import_dataset(ENTRY, source, home=home)
    beside = {f"letor4/mq2008/QueryLevelNorm/{name}" for name in kept}
    assert visible(home) == EXPECTED | beside
    for name, content in kept.items():
        assert (item.folder / name).read_text() == content
        assert item.files[name]["bytes"] == len(content)
    assert list_installed(ENTRY, home) == [item]


def test_the_manifest_says_what_was_checked_and_where_it_came_from(tmp_path: Path, home: Path):
    item = import_dataset(ENTRY, write_folds(tmp_path / "mine"), home=home)
    manifest = json.loads((item.folder / MANIFEST).read_text())
    assert manifest["name"] == "letor4/mq2008"
    assert manifest["version"] == "QueryLevelNorm"
    assert manifest["source"] == str(tmp_path / "mine")
    assert manifest["facts"]["documents"] == 9
    assert manifest["files"]["Fold1/train.txt"]["bytes"] == len(rows("a"))


def test_a_folder_can_be_linked(tmp_path: Path, home: Path):
    source = write_folds(tmp_path / "mine")
    import_dataset(ENTRY, source, link=True, home=home)
    linked = find_part_file(ENTRY, "train", fold=1, home=home)
    assert linked.is_symlink()
    assert linked.resolve() == (source / "Fold1" / "train.txt").resolve()


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_is_unpacked_and_nothing_else_is_left(kind: str, tmp_path: Path, home: Path):
    source = write_folds(tmp_path / "MQ2008")
    (source / "README").write_text("read me")
    archive = tmp_path / f"MQ2008.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for path in source.rglob("*.*"):
                packed.write(path, path.relative_to(tmp_path))
    else:
        with tarfile.open(archive, "w:gz") as packed_tar:
            packed_tar.add(source, "MQ2008")
    import_dataset(ENTRY, archive, home=home)
    assert visible(home) == EXPECTED
    assert archive.exists()


def test_an_archive_cannot_be_linked(tmp_path: Path, home: Path):
    archive = tmp_path / "a.zip"
    source = write_folds(tmp_path / "MQ2008")
    with zipfile.ZipFile(archive, "w") as packed:
        for path in source.rglob("*.txt"):
            packed.write(path, path.relative_to(tmp_path))
    with pytest.raises(RankwiseError, match="so it cannot be linked"):
        import_dataset(ENTRY, archive, link=True, home=home)
    assert visible(home) == set()


def test_a_single_file_is_taken_whole(tmp_path: Path, home: Path):
    (tmp_path / "any.txt").write_text("".join(map(rows, "abc")))
    item = import_dataset(ENTRY, tmp_path / "any.txt", home=home)
    assert item.kind == "whole"
    assert read(find_part_file(ENTRY, "all", home=home)).n_queries == 3


def test_what_does_not_verify_leaves_nothing(tmp_path: Path, home: Path):
    with pytest.raises(RankwiseError, match="queries must be 4, found 3"):
        import_dataset(replace(ENTRY, queries=4), write_folds(tmp_path / "mine"), home=home)
    assert visible(home) == set()
    assert list_installed(ENTRY, home) == []


def test_an_installed_data_set_is_replaced_only_when_asked(tmp_path: Path, home: Path):
    import_dataset(ENTRY, write_folds(tmp_path / "one"), home=home)
    other = write_folds(tmp_path / "two", scale=0.5)
    with pytest.raises(RankwiseError, match="is installed already; replace_old=True"):
        import_dataset(ENTRY, other, home=home)
    assert find_part_file(ENTRY, "train", fold=1, home=home).read_text() == rows("a")
    import_dataset(ENTRY, other, replace_old=True, home=home)
    assert find_part_file(ENTRY, "train", fold=1, home=home).read_text() == rows("a", 0.5)
    assert visible(home) == EXPECTED


def test_files_of_others_are_never_overwritten(tmp_path: Path, home: Path):
    place = home / "letor4" / "mq2008" / "QueryLevelNorm"
    place.mkdir(parents=True)
    (place / "thesis.txt").write_text("mine")
    with pytest.raises(RankwiseError, match="holds files that Rankwise did not put there"):
        import_dataset(ENTRY, write_folds(tmp_path / "one"), replace_old=True, home=home)
    assert (place / "thesis.txt").read_text() == "mine"


def test_versions_live_beside_each_other(tmp_path: Path, home: Path):
    write_folds(tmp_path / "set" / "QueryLevelNorm")
    write_folds(tmp_path / "set" / "Feature-min", scale=5.0)
    import_dataset(ENTRY, tmp_path / "set", home=home)
    import_dataset(ENTRY, tmp_path / "set", version="MIN", home=home)
    assert [item.version for item in list_installed(ENTRY, home)] == ["QueryLevelNorm", "MIN"]
    assert find_part_file(ENTRY, "train", fold=1, version="MIN", home=home).read_text() == rows(
        "a", 5
    )


def test_a_version_that_the_values_deny_is_a_sentence(tmp_path: Path, home: Path):
    source = write_folds(tmp_path / "set")
    with pytest.raises(RankwiseError, match="in the version MIN, its values are those of Query"):
        import_dataset(ENTRY, source, version="MIN", home=home)


def test_a_missing_source_is_a_sentence(tmp_path: Path, home: Path):
    with pytest.raises(RankwiseError, match="there is no such file"):
        import_dataset(ENTRY, tmp_path / "missing", home=home)


def test_query_ids_in_comments_are_moved_to_their_place(tmp_path: Path, home: Path):
    source = tmp_path / "imat2009-datasets"
    source.mkdir()
    (source / "imat2009_learning.txt").write_text("1.5 1:0.25 7:1 # 9\n0 2:1 # 9\n4 1:1 # 12\n")
    (source / "imat2009_test.txt").write_text("no judgements here # 9\n")
    entry = replace(find_entry("yandex/imat2009"), part_facts={"train": PartFacts(2, 3)})
    import_dataset(entry, source, home=home)
    train = find_part_file(entry, "train", home=home)
    assert train.read_text() == "1.5 qid:9 1:0.25 7:1\n0 qid:9 2:1\n4 qid:12 1:1\n"
    assert visible(home) == {"yandex/imat2009/train.txt", f"yandex/imat2009/{MANIFEST}"}


def test_a_row_without_its_query_is_a_sentence_with_its_line(tmp_path: Path, home: Path):
    (tmp_path / "imat2009_learning.txt").write_text("1 1:0.25 # 9\n0 2:1\n")
    with pytest.raises(RankwiseError, match=r"imat2009_learning.txt:2: a row must end with '#'"):
        import_dataset(find_entry("yandex/imat2009"), tmp_path, home=home)


def test_real_mq2008_is_verified_by_its_facts(shared: Path, home: Path):
    item = import_dataset(
        find_entry("letor4/mq2008"), shared / "data" / "letor4", link=True, home=home
    )
    assert item.version == "QueryLevelNorm"
    assert item.facts["labels"] == {"0": 12279, "1": 2001, "2": 931}
    assert item.verified == ("rows", "queries", "features", "labels", "label counts")
    test = read(find_part_file(find_entry("mq2008"), "test", fold=1, home=home))
    assert (test.n_documents, test.n_queries, test.n_features) == (2874, 156, 46)


def test_real_ohsumed_is_verified_in_all_three_versions(shared: Path, home: Path):
    source = shared / "data" / "letor3" / "OHSUMED"
    entry = find_entry("letor3/ohsumed")
    for version, kind in (("QueryLevelNorm", "folds"), ("MIN", "whole"), ("NULL", "whole")):
        item = import_dataset(entry, source, version=version, link=True, home=home)
        assert (item.version, item.kind) == (version, kind)
        assert item.facts["documents"] == 16140
        assert item.facts["labels"] == {"0": 11303, "1": 2585, "2": 2252}


@pytest.mark.parametrize(
    ("name", "folder", "problem"),
    [
        ("letor4/mq2007", "letor4/MQ2008", "documents must be 69,623, found 15,211"),
        ("letor2/ohsumed", "letor3/OHSUMED/QueryLevelNorm", "features must be 25, found 45"),
        ("letor3/td2003", "letor4/MQ2008", "queries must be 50, found 784"),
    ],
)
def test_a_real_data_set_is_not_taken_for_another(
    name: str, folder: str, problem: str, shared: Path, home: Path
):
    with pytest.raises(RankwiseError, match=problem):
        import_dataset(find_entry(name), shared / "data" / folder, home=home)


def test_loose_parts_become_the_folds_that_are_published(shared: Path, tmp_path: Path, home: Path):
    published = shared / "data" / "letor4" / "MQ2008"
    for part in range(1, 6):
        content = (published / f"Fold{part % 5 + 1}" / "test.txt").read_bytes()
        (tmp_path / f"S{part}.txt").write_bytes(content)
    installed = import_dataset(find_entry("mq2008"), tmp_path, home=home)
    assert installed.kind == "folds" and len(installed.files) == 15
    for name in installed.files:
        assert (installed.folder / name).read_bytes() == (published / name).read_bytes()


@pytest.mark.parametrize("packed", [False, True])
def test_loose_parts_may_be_compressed_or_lack_their_last_line_feed(
    packed: bool, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, query in enumerate(("a", "b", "c"), 1):
        content = rows(query).strip().encode()
        name = f"s{number}.txt.gz" if packed else f"S{number}.TXT"
        (folder / name).write_bytes(gzip.compress(content) if packed else content)
    monkeypatch.setenv("RANKWISE_HOME", str(home))
    import_dataset(ENTRY, folder)
    (source,) = from_home(ENTRY.name)
    folds = [read_fold(files) for files in source.folds()]
    parts = [[list(part.query_ids) for _, part in fold.parts()] for fold in folds]
    assert parts == [[["a"], ["b"], ["c"]], [["b"], ["c"], ["a"]], [["c"], ["a"], ["b"]]]


def test_linked_parts_stay_what_they_are(tmp_path: Path, home: Path):
    for number, query in enumerate(("a", "b", "c"), 1):
        (tmp_path / f"S{number}.txt").write_text(rows(query))
    installed = import_dataset(ENTRY, tmp_path, link=True, home=home)
    assert installed.kind == "parts" and (installed.folder / "S1.txt").is_symlink()
