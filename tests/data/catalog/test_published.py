"""What published values are of, as the catalogue knows it."""

from __future__ import annotations

import pytest

from rankwise.data.catalog.entries import (
    find_published_folds,
    find_published_tools,
    find_published_version,
    list_collections,
)


@pytest.mark.parametrize(
    ("collection", "dataset", "tools", "folds", "version"),
    [
        ("LETOR 3.0", "OHSUMED", {"letor3", "letor4"}, 5, "QueryLevelNorm"),
        ("LETOR 2.0", "OHSUMED", {"letor3", "letor4"}, 5, None),
        ("MSLR", "MSLR-WEB10K", {"mslr"}, 5, None),
        ("Yahoo LTRC", "Yahoo set 1", {"yahoo"}, 1, None),
        ("AOL", "AOL", set(), None, None),
    ],
)
def test_of_a_data_set_its_own_facts_count(
    collection: str, dataset: str, tools: set[str], folds: int | None, version: str | None
):
    assert find_published_tools(collection, dataset) == tools
    assert find_published_folds(collection, dataset) == folds
    assert find_published_version(collection, dataset) == version


def test_an_unknown_data_set_is_like_those_of_its_collection():
    assert find_published_folds("LETOR 4.0", "MQ2007-list") == 5
    assert find_published_version("LETOR 4.0", "MQ2007-list") == "QueryLevelNorm"


def test_facts_on_which_a_collection_disagrees_are_not_known():
    assert {find_published_folds("Istella", name) for name in ("Istella-S", "Istella22")} == {
        1,
        None,
    }
    assert find_published_folds("", "mine") is None


def test_a_data_set_of_no_collection_is_like_all_others():
    assert find_published_tools("", "mine") == {"letor3", "letor4", "mslr", "yahoo"}
    assert find_published_version("", "mine") == "QueryLevelNorm"


def test_collections_are_named_once_in_the_order_of_the_catalogue():
    titles = list_collections()
    assert len(set(titles)) == len(titles)
    assert titles[:2] == ("AOL", "Istella")
    assert "Yandex" in titles
