"""Names of data sets as people write them, matched with those of tables and of the catalogue."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from rankwise.data.catalog.entries import catalog_entries
from rankwise.results.result_table import ResultTable, full_name
from rankwise.tables.notebook import shortened

Subject = tuple[str, str]
"""Collection and data set."""


def match_datasets(own: ResultTable, others: Iterable[ResultTable]) -> ResultTable:
    """`own` with its data sets named as in the other tables or in the catalogue.

    `mq2008` is LETOR 4.0 MQ2008: case, blanks and signs do not matter, and the collection may be
    left out where only one has such a data set. One that none of them knows goes by the name that
    it has first, whatever its case, blanks, hyphens and underscores. What was matched, or may be
    several, is in the remarks of the returned table.
    """
    there = {subject for table in others for subject in list_subjects(table)}
    known = there | {(entry.collection, entry.title) for entry in catalog_entries()}
    names = _list_names(known)
    renamed: dict[Subject, Subject] = {}
    said = []
    first: dict[str, Subject] = {}
    for subject in list_subjects(own):
        found = set() if subject in known else _find(subject, names, there)
        if not found and subject not in known:
            plain = "\0".join(re.sub(r"[\s_-]", "", name.casefold()) for name in subject)
            found = {first.setdefault(plain, subject)} - {subject}
        called = shortened(full_name(*subject), 60)
        if len(found) == 1:
            renamed[subject] = found.pop()
            if full_name(*renamed[subject]) != full_name(*subject):
                said.append(f"{called} is taken for {full_name(*renamed[subject])}")
        elif found:
            choices = " or ".join(sorted(full_name(*one) for one in found))
            said.append(f"{called} may be {choices}; name its collection")
    return _rename(own, renamed, said)


def find_spellings(table: ResultTable) -> list[str]:
    """Sentences about data sets that the table names in several ways."""
    matched = match_datasets(table, [])
    ways: dict[Subject, dict[Subject, None]] = {}
    for one, name in zip(_pairs(matched), _pairs(table), strict=True):
        ways.setdefault(one, {})[name] = None
    return [
        f"a data set must have one name, found {' and '.join(repr(full_name(*w)) for w in own)} "
        f"for {full_name(*subject)}"
        for subject, own in ways.items()
        if len(own) > 1
    ]


def _pairs(table: ResultTable) -> list[Subject]:
    return list(zip(table.collection.tolist(), table.dataset.tolist(), strict=True))


def list_subjects(table: ResultTable) -> list[Subject]:
    """Collection and data set of all rows, each pair once."""
    return list(dict.fromkeys(zip(table.collection, table.dataset, strict=True)))


def describe_strangers(own: ResultTable, table: ResultTable) -> list[str]:
    """Sentences about data sets that the table lacks, or has in another version."""
    known = table.datasets()
    strangers = [name for name in own.datasets() if name not in known]
    return [sentence for name in strangers for sentence in _describe_stranger(name, known)]


def _describe_stranger(name: str, known: list[str]) -> list[str]:
    plain, comma, version = name.rpartition(", ")
    if comma and (plain in known or any(one.startswith(f"{plain}, ") for one in known)):
        return [
            f"{shortened(name, 60)} is another version than the published figures are of "
            f"(QueryLevelNorm): figures of {shortened(version, 30)} are not compared with them"
        ]
    near = get_close_matches(name[:80], known, n=1, cutoff=0.5)
    return [
        f"the table has no data set {shortened(name, 40)}; is it {shortened(one, 40)}?"
        for one in near
    ]


def _list_names(known: Iterable[Subject]) -> dict[str, set[Subject]]:
    """Data sets by everything that they may be called."""
    names: dict[str, set[Subject]] = defaultdict(set)
    for collection, dataset in known:
        names[fold_name(dataset)].add((collection, dataset))
        names[fold_name(collection + dataset)].add((collection, dataset))
    for entry in catalog_entries():
        subject = entry.collection, entry.title
        names[fold_name(entry.name)].add(subject)
        names[fold_name(entry.name.partition("/")[2])].add(subject)
    return names


def _find(subject: Subject, names: dict[str, set[Subject]], there: set[Subject]) -> set[Subject]:
    """The data sets that may be meant; those of the tables come before those of the catalogue."""
    found = names.get(fold_name("".join(subject)), set())
    return (found & there) or set(found)


def fold_name(name: str) -> str:
    """The letters and digits of a name, whatever their case."""
    return "".join(sign for sign in name.casefold() if sign.isalnum())


def _rename(own: ResultTable, renamed: dict[Subject, Subject], said: list[str]) -> ResultTable:
    if not renamed:
        return replace(own, remarks=(*own.remarks, *said)) if said else own
    pairs = zip(own.collection, own.dataset, strict=True)
    subjects = [renamed.get(pair, pair) for pair in pairs]
    return replace(
        own,
        collection=np.array([collection for collection, _ in subjects], dtype=object),
        dataset=np.array([dataset for _, dataset in subjects], dtype=object),
        remarks=(*own.remarks, *said),
    )
