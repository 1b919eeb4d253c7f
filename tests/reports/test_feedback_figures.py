"""Curves of studies of feedback: data first, then drawn, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

from rankwise.feedback.learning_curves import (
    CORRECTED,
    HELD_OUT,
    LABELS,
    LOGGING,
    NAIVE,
    SHOWN,
    LearningFigure,
    LogFigure,
    OfflineStudy,
    OnlineStudy,
)
from rankwise.reports import draw_offline_study, draw_online_study
from rankwise.reports.feedback_figures import offline_figure, online_figure

NAN = float("nan")
OFFLINE = OfflineStudy(
    (
        LogFigure("ranksvm-primal", LOGGING, 0, "NDCG@10", 0.3, 0.29, 0.31),
        LogFigure("ranksvm", LABELS, 0, "NDCG@10", 0.5, NAN, NAN),
        LogFigure("ranksvm", NAIVE, 100, "NDCG@10", 0.35, 0.3, 0.4),
        LogFigure("ranksvm", CORRECTED, 100, "NDCG@10", 0.32, 0.3, 0.34),
        LogFigure("ranksvm", NAIVE, 10_000, "NDCG@10", 0.36, NAN, NAN),
        LogFigure("ranksvm", CORRECTED, 10_000, "NDCG@10", 0.49, 0.48, 0.5),
    ),
    "position-based:usual", "$ranksvm$", 5, 3, "definition",
)  # fmt: skip
ONLINE = OnlineStudy(
    (
        LearningFigure("pdgd", 10, HELD_OUT, "NDCG@10", 0.3, 0.2, 0.4),
        LearningFigure("pdgd", 10, SHOWN, "regret", 5.0, 4.0, 6.0),
        LearningFigure("pdgd", 100, HELD_OUT, "NDCG@10", 0.4, 0.35, 0.45),
    ),
    "cascade", 5, 3, "train", "definition",
)  # fmt: skip


def test_offline_curves_are_corrected_naive_and_levels() -> None:
    figure = offline_figure(OFFLINE)
    kinds = {curve.name: curve.kind for curve in figure.curves}
    assert kinds == {
        "logging ranker": "flat",
        "ranksvm, true labels": "flat",
        "ranksvm, naive": "dashed",
        "ranksvm, corrected": "solid",
    }
    naive = next(curve for curve in figure.curves if curve.name == "ranksvm, naive")
    assert (naive.x, naive.y) == ((100.0, 10_000.0), (0.35, 0.36))
    assert (naive.low, naive.high) == ((0.3, 0.36), (0.4, 0.36))
    assert figure.x.low < 100 < 10_000 < figure.x.high


def test_online_curves_are_of_held_out_queries() -> None:
    (curve,) = online_figure(ONLINE, "NDCG@10").curves
    assert (curve.x, curve.y) == ((10.0, 100.0), (0.3, 0.4))


def test_they_are_drawn_with_the_same_bytes(tmp_path: Path) -> None:
    paths = [
        *draw_offline_study(OFFLINE, tmp_path / "a"),
        *draw_online_study(ONLINE, tmp_path / "a"),
    ]
    assert [path.name for path in paths] == [
        "clicks-offline.png",
        "clicks-offline.svg",
        "clicks-online-ndcg-10.png",
        "clicks-online-ndcg-10.svg",
    ]
    draw_offline_study(OFFLINE, tmp_path / "b")
    for path in paths[:2]:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
