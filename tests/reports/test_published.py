"""Figures 1-5 of Tax, Bockting and Hiemstra (2015) from the shipped Table B.6."""

from __future__ import annotations

import pytest

from rankwise.comparison.method_ranking import Comparison
from rankwise.reports.figures import Scatter
from rankwise.reports.ranking_figures import PRINTED_MEASURES, make_planes, make_published_planes
from rankwise.results.published.published_tables import read_shipped_rows

FRONTS = {
    "NDCG@3": "CoList LambdaNeuralRank LARF LRUF FenchelRank OWPC SmoothRank DCMP ListNet",
    "NDCG@5": "CoList LambdaNeuralRank LARF LRUF FenchelRank SmoothRank DCMP ListNet",
    "NDCG@10": "LambdaMART LambdaNeuralRank LARF LRUF FSMRank SmoothRank ListNet RankSVM",
    "MAP": "RankDE LARF LRUF RE-QR LAC-MR-OR RankSVM RankBoost",
}
CROSS_FRONT = (
    "AdaRank-NDCG RankBoost AdaRank-MAP ListNet SmoothRank FenchelRank FSMRank LRUF LARF "
    "LambdaNeuralRank"
)
CROSS_RANK_2 = "RankSVM RankSVM-Struct RankSVM-Primal DCMP IPRank"


def named(figure: Scatter, front: int) -> set[str]:
    return {point.name for point in figure.points if point.front == front}


@pytest.mark.parametrize("number, measure", list(enumerate(PRINTED_MEASURES)))
def test_the_front_of_each_measure_is_the_paper_s(number: int, measure: str) -> None:
    assert named(make_published_planes()[number], 1) == set(FRONTS[measure].split())


def test_the_fronts_across_measures_follow_from_weak_dominance() -> None:
    figure = make_published_planes()[4]
    assert named(figure, 1) == set(CROSS_FRONT.split())
    assert named(figure, 2) == set(CROSS_RANK_2.split())


def test_every_printed_number_is_drawn_where_it_is_printed() -> None:
    for figure, column in zip(make_published_planes(), PRINTED_MEASURES.values(), strict=False):
        drawn = {point.name: (point.x, point.y) for point in figure.points}
        assert drawn == {
            row["method"]: (row[f"{column}_ds"], row[f"{column}_nwn"])
            for row in read_shipped_rows("tax2015_table_b6")
            if row[f"{column}_ds"] is not None
        }
    across = make_published_planes()[4]
    assert len(across.points) == 87
    assert {"Linear Regression", "Best Single Feature"} < {
        point.name for point in across.points if point.labelled
    }


def test_the_figures_from_the_single_results_have_the_same_fronts(tax: Comparison) -> None:
    for printed, computed in zip(make_published_planes(), make_planes(tax), strict=True):
        assert named(printed, 1) == named(computed, 1)
        assert named(printed, 2) == named(computed, 2)
