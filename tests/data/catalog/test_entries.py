"""The catalogue: complete, well-formed, and found by name."""

from __future__ import annotations

import csv
import re
import runpy
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from rankwise.data.catalog import CatalogEntry, catalog_entries, find_entry
from rankwise.data.catalog.entries import read_collection
from rankwise.errors import RankwiseError
from rankwise.measures.tools.registry import TOOLS

# Tax, Bockting and Hiemstra (2015), Table 1.
TABLE_1 = {
    "AOL": 1,
    "LETOR 2.0": 3,
    "LETOR 3.0": 7,
    "LETOR 4.0": 2,
    "MSLR": 2,
    "WCL2R": 2,
    "Yahoo LTRC": 2,
    "Yandex": 1,
}

each_entry = pytest.mark.parametrize("entry", catalog_entries(), ids=lambda entry: entry.name)


def test_every_data_set_of_table_1_has_an_entry():
    counted = Counter(entry.collection for entry in catalog_entries() if entry.in_cross_benchmark)
    assert counted == TABLE_1
    assert counted.total() == 20


def test_the_three_istella_sets_stand_beside_the_twenty():
    others = {entry.title for entry in catalog_entries() if not entry.in_cross_benchmark}
    assert others >= {"Istella", "Istella-S", "Istella22"}


def test_names_are_unique():
    assert len({entry.name for entry in catalog_entries()}) == len(catalog_entries())


@each_entry
def test_names_are_a_collection_and_a_key(entry: CatalogEntry):
    assert re.fullmatch(r"[a-z0-9]+/[a-z0-9-]+", entry.name)


@each_entry
def test_facts_are_possible(entry: CatalogEntry):
    counts = (entry.queries, entry.documents, entry.features, entry.folds)
    assert all(count is None or count > 0 for count in counts)
    if entry.queries and entry.documents:
        assert entry.queries <= entry.documents
    assert entry.label_levels == tuple(range(len(entry.label_levels)))
    assert not (entry.label_levels and entry.label_range)


@each_entry
def test_label_counts_add_up_to_the_documents(entry: CatalogEntry):
    if entry.label_counts:
        assert len(entry.label_counts) == len(entry.label_levels)
        assert sum(entry.label_counts) == entry.documents


@each_entry
def test_part_counts_add_up_to_the_whole(entry: CatalogEntry):
    assert set(entry.part_facts) <= set(entry.parts)
    if entry.part_facts and entry.documents:
        assert sum(part.documents for part in entry.part_facts.values()) == entry.documents
        assert sum(part.queries for part in entry.part_facts.values()) == entry.queries


@each_entry
def test_checksums_have_the_length_of_their_algorithm(entry: CatalogEntry):
    digits = {"sha256": 64, "md5": 32}
    for algorithm, value in (entry.archive.checksums if entry.archive else {}).items():
        assert re.fullmatch(f"[0-9a-f]{{{digits[algorithm]}}}", value)
    for value in entry.file_checksums.values():
        assert re.fullmatch("[0-9a-f]{64}", value)


@each_entry
def test_file_checksums_name_files_as_the_data_home_does(entry: CatalogEntry):
    folds = range(1, entry.folds + 1) if entry.folds and entry.folds > 1 else ()
    in_folds = {f"Fold{fold}/{part}.txt" for fold in folds for part in entry.parts}
    expected = in_folds or {f"{part}.txt" for part in entry.parts}
    assert not entry.file_checksums or set(entry.file_checksums) == expected


@each_entry
def test_addresses_are_addresses(entry: CatalogEntry):
    pages = (entry.homepage,) if entry.homepage else ()
    for address in (*entry.addresses, *entry.former_addresses, *pages):
        assert urlsplit(address).scheme in ("http", "https")
        assert urlsplit(address).hostname


@each_entry
def test_licence_and_citation_are_always_said(entry: CatalogEntry):
    assert entry.licence
    assert re.search(r"\((19|20)\d\d\)", entry.citation)


@each_entry
def test_an_archive_with_an_address_has_a_name(entry: CatalogEntry):
    assert not entry.addresses or entry.archive is not None


def test_folds_of_mslr_rotate():
    """The validation part of fold k + 1 is the test part of fold k."""
    for name in ("mslr/web10k", "mslr/web30k"):
        checksums = find_entry(name).file_checksums
        for fold in range(1, 6):
            following = fold % 5 + 1
            assert checksums[f"Fold{following}/vali.txt"] == checksums[f"Fold{fold}/test.txt"]


def test_checksums_are_those_that_were_collected(shared: Path):
    known = {"mslr10k": "mslr/web10k", "mslr30k": "mslr/web30k"}
    known |= {"istella": "istella/full", "istella_s": "istella/s", "istella22": "istella/22"}
    compared = 0
    with (shared / "notes" / "dataset-checksums.tsv").open() as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            if row["dataset"] not in known:
                continue
            entry = find_entry(known[row["dataset"]])
            compared += 1
            if row["file"].endswith(".txt"):
                name = re.sub("^(full|sample)/", "", row["file"])
                assert entry.file_checksums[name] == row["checksum"]
            else:
                assert entry.archive is not None
                assert entry.archive.checksums[row["algo"]] == row["checksum"]
                assert row["size"] in ("", str(entry.archive.size))
    assert compared == 44


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("letor4/mq2008", "letor4/mq2008"),
        ("LETOR4/MQ2008", "letor4/mq2008"),
        ("mq2008", "letor4/mq2008"),
        ("MSLR-WEB10K", "mslr/web10k"),
        ("istella-s", "istella/s"),
        ("istella/istella22", "istella/22"),
        ("Yahoo set 2", "yahoo/set2"),
        ("wcl2r/wcl2r-fs", "wcl2r/fs"),
    ],
)
def test_find_takes_names_titles_and_keys(spelling: str, name: str):
    assert find_entry(spelling).name == name


@pytest.mark.parametrize(
    ("spelling", "sentence"),
    [
        ("mslr10k", "there is no data set 'mslr10k' in the catalogue; did you mean mslr/web10k?"),
        ("letor4/mq2009", "did you mean letor4/mq200[78] or letor4/mq200[78]?"),
        ("qqqq", "there is no data set 'qqqq' in the catalogue; see 'rankwise data list'"),
        ("td2003", "'td2003' stands for more than one data set: say which of letor2/td2003 and"),
    ],
)
def test_find_answers_an_unknown_name_with_near_ones(spelling: str, sentence: str):
    with pytest.raises(RankwiseError, match=sentence.replace("?", r"\?")):
        find_entry(spelling)


def documented_row(entry: CatalogEntry) -> str:
    counts = (entry.queries, entry.documents, entry.features)
    numbers = ["–" if count is None else f"{count:,}" for count in counts]
    span = entry.label_range or entry.label_levels
    labels = f"{span[0]:g}–{span[-1]:g}" if span else "–"
    way = "fetch" if entry.addresses else "import" if entry.homepage else "not public"
    cells = [f"`{entry.name}`", *numbers, labels, str(entry.folds or "–"), way]
    return f"| {' | '.join(cells)} |"


def test_the_documentation_shows_every_entry_as_it_is():
    page = Path(__file__).parents[3] / "docs" / "catalogue.md"
    shown = [line for line in page.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert shown == [documented_row(entry) for entry in catalog_entries()]


def test_the_documentation_is_as_its_script_writes_it():
    docs = Path(__file__).parents[3] / "docs"
    script = runpy.run_path(str(docs / "generate_catalogue.py"))
    page = (docs / "catalogue.md").read_text("utf-8")
    assert script["make_page"](page) == page
    assert script["make_page"](page.replace("`letor4/mq2008`", "`letor4/old`")) == page


@each_entry
def test_tools_are_tools_of_the_registry(entry: CatalogEntry):
    assert {*filter(None, [entry.tool]), *entry.published_tools} <= set(TOOLS)


def test_a_fact_that_no_data_set_has_is_refused():
    table = {"collection": {"key": "c", "title": "C"}, "dataset": [{"key": "d", "fold": 5}]}
    with pytest.raises(RankwiseError, match=r"c.toml: a data set has no fact 'fold'.*folds"):
        read_collection(table, "c.toml")
