from __future__ import annotations

import pytest

from rankwise.experiments.summary import Wins, count_wins, summarize
from rankwise.results.published.published_tables import read_shipped
from rankwise.results.task_records import TaskName, TaskValue


def mean(
    method: str,
    fold: int,
    value: float,
    tool: str = "letor3",
    *,
    version: str = "QueryLevelNorm",
    seed: int = 0,
) -> TaskValue:
    name = TaskName("LETOR 3.0", "OHSUMED", version, fold, method, method, seed, "letor3")
    return TaskValue(1, name, "test", tool, "MAP", value)


def all_folds(method: str, value: float, version: str = "QueryLevelNorm") -> list[TaskValue]:
    return [mean(method, fold, value, version=version) for fold in range(1, 6)]


MEANS = [
    *(mean("listnet", fold, 0.4 + 0.02 * fold) for fold in range(1, 6)),
    mean("mine", 1, 0.3),
    mean("listnet", 1, 0.9, "yahoo"),
]


def test_means_are_over_folds_beside_what_was_published() -> None:
    (summary,) = summarize(MEANS)
    assert (summary.dataset, summary.tool, summary.measures) == (
        "LETOR 3.0 OHSUMED", "letor3", ("MAP",))  # fmt: skip
    first, second = summary.rows
    printed = read_shipped().where(dataset="LETOR 3.0 OHSUMED", method="ListNet", measure="MAP")
    assert (first.method, first.folds, first.published) == (
        "listnet", 5, (float(printed.value[0]),))  # fmt: skip
    assert first.figures == pytest.approx((0.4 + 0.02 * 3,))
    assert (second.method, second.folds, second.published) == ("mine", 1, (None,))


def test_published_figures_stand_beside_five_folds_on_test_only() -> None:
    (fewer,) = summarize(MEANS[1:5])
    assert fewer.rows[0].published == (None,)
    (validation,) = summarize([one._replace(part="validation") for one in MEANS[:5]])
    assert (validation.part, validation.rows[0].published) == ("validation", (None,))


def test_all_tools_have_summaries_of_their_own() -> None:
    assert [one.tool for one in summarize(MEANS, all_tools=True)] == ["letor3", "yahoo"]


def test_winning_numbers_stand_beside_those_of_the_published_table() -> None:
    # FRank is below ListNet here and RankBoost above it; `mine` was never published.
    rivals = [*all_folds("frank", 0.35), *all_folds("rankboost", 0.6), *all_folds("mine", 0.3)]
    found = {one.method: one for one in count_wins([*MEANS[:5], *rivals], "MAP")}
    printed = read_shipped().where(dataset="LETOR 3.0 OHSUMED", measure="MAP")
    values = dict(zip(printed.method, printed.value, strict=True))
    shared = [values[name] for name in ("FRank", "RankBoost")]
    assert found["listnet"] == Wins(
        "listnet", 2, 3, 1, sum(v < values["ListNet"] for v in shared), 2
    )
    assert found["mine"] == Wins("mine", 0, 3, None, None, None)


def test_without_published_rivals_there_is_nothing_beside() -> None:
    found = {one.method: one for one in count_wins([*MEANS, *all_folds("mine", 0.3)], "MAP")}
    assert found["listnet"] == Wins("listnet", 1, 1)


def test_winning_numbers_are_over_the_same_folds() -> None:
    assert {one.method: one.possible for one in count_wins(MEANS, "MAP")} == {
        "listnet": 1,
        "mine": 1,
    }
    found = count_wins([*MEANS, *all_folds("other", 0.9)], "MAP")
    assert found == [Wins("other", 1, 1), Wins("listnet", 0, 1)]


def test_versions_count_as_data_sets_of_their_own() -> None:
    means = [
        *all_folds("listnet", 0.4), *all_folds("frank", 0.3),
        *all_folds("listnet", 0.2, "MIN"), *all_folds("frank", 0.1, "MIN"),
    ]  # fmt: skip
    printed = read_shipped().where(dataset="LETOR 3.0 OHSUMED", measure="MAP")
    values = dict(zip(printed.method, printed.value, strict=True))
    # Figures were published for the first version, which alone stands beside them.
    better = int(values["ListNet"] > values["FRank"])
    assert count_wins(means, "MAP") == [
        Wins("listnet", 2, 2, 1, better, 1), Wins("frank", 0, 2, 0, 1 - better, 1)]  # fmt: skip
    assert count_wins(means[10:], "MAP") == [Wins("listnet", 1, 1), Wins("frank", 0, 1)]
    other, own = sorted(summarize(means), key=lambda one: str(one.version))
    assert [row.published for row in other.rows] == [(None,), (None,)]
    assert own.rows[0].published == (values["ListNet"],)


def test_the_fewest_and_the_most_seeds_of_a_fold_are_told() -> None:
    (summary,) = summarize([*MEANS[:5], mean("listnet", 1, 0.5, seed=1)])
    assert (summary.rows[0].folds, summary.rows[0].seeds) == (5, (1, 2))


def test_nothing_done_is_an_empty_summary() -> None:
    assert summarize([]) == []


@pytest.mark.parametrize(
    ("measure", "order"), [("ARP", "abc"), ("RMSE", "abc"), ("MAP", "cba"), ("NDCG@10", "cba")]
)
def test_the_best_figure_stands_on_top_whichever_end_that_is(measure: str, order: str) -> None:
    names = {
        method: TaskName("", "made", None, 1, method, method, 0, "definition") for method in "bca"
    }
    means = [
        TaskValue(place, names[method], "test", "definition", one, value)
        for one in (measure, "P@5")
        for place, (method, value) in enumerate({"b": 0.5, "c": 0.75, "a": 0.25}.items())
    ]
    (summary,) = summarize(means)
    assert summary.measures[0] == measure
    assert "".join(row.method for row in summary.rows) == order
