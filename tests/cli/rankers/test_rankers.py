"""`rankwise rankers`: everything is derived from the registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.cli.rankers.ranker_commands import rankers
from rankwise.errors import RankwiseError
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.registry import find_ranker, ranker_names
from tests.cli.command import run

REFERENCE = Path(__file__).parents[3] / "docs" / "rankers" / "reference.md"


def test_list_names_every_ranker_once() -> None:
    table = run(rankers, "list").stdout
    found = json.loads(run(rankers, "list", "--format", "json").stdout)
    assert [one["name"] for one in found] == list(ranker_names())
    for name in ranker_names():
        assert f" {name} " in table


def test_list_one_family() -> None:
    found = json.loads(run(rankers, "list", "--family", "pairwise", "--format", "json").stdout)
    assert {one["family"] for one in found} == {"pairwise"}
    assert [one["name"] for one in found] == [
        name for name in ranker_names() if find_ranker(name).family == "pairwise"
    ]


@pytest.mark.parametrize("name", ranker_names())
def test_show_tells_family_paper_parameters_and_exports(name: str) -> None:
    shown = run(rankers, "show", name).stdout
    ranker = find_ranker(name)
    assert f"{name} ({ranker.family})" in shown
    assert ranker.paper in shown
    for one in parameters_of(ranker):
        assert one.name in shown
    found = json.loads(run(rankers, "show", name, "--format", "json").stdout)
    assert [one["name"] for one in found["parameters"]] == [
        one.name for one in parameters_of(ranker)
    ]
    # Every target is handed one document at a time, and none holds training documents.
    nowhere = {"attention", "comparator", "pair-potentials", "smoothed", "propagated"}
    nowhere |= {"nearest-queries", "class-models", "projected-boosting"}
    nowhere |= {"association-rules", "query-rules"}
    assert found["exports"] or set(found["model_kinds"]) <= nowhere
    without = "none" if found["model_kinds"] else "depends on the parameters"
    assert f"exports: {', '.join(found['exports']) or without}" in shown


def test_a_misspelt_name() -> None:
    with pytest.raises(RankwiseError, match="did you mean 'listnet'"):
        run(rankers, "show", "listnett")


def test_the_reference_in_the_documents_is_up_to_date() -> None:
    """Made anew by: rankwise rankers list --format markdown > docs/rankers/reference.md"""
    assert REFERENCE.read_text("utf-8") == run(rankers, "list", "--format", "markdown").stdout
