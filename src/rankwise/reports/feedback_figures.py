"""The figures of studies of feedback: what learners reach as clicks grow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.feedback.learning_curves import (
    HELD_OUT,
    LABELS,
    LOGGING,
    NAIVE,
    OfflineStudy,
    OnlineStudy,
)
from rankwise.files import make_folder
from rankwise.reports.figures import Axis, LearningCurve, LearningCurves

_MARGIN = 0.04


def draw_offline_study(
    found: OfflineStudy, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the curves of learners from logs into a folder; the files that were written."""
    return _save(offline_figure(found), folder, formats)


def draw_online_study(
    found: OnlineStudy, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the curves of online learners into a folder; the files that were written."""
    return [
        path
        for measure in dict.fromkeys(one.measure for one in found.figures if one.part == HELD_OUT)
        for path in _save(online_figure(found, measure), folder, formats)
    ]


def offline_figure(found: OfflineStudy) -> LearningCurves:
    """Corrected learners solid, naive ones dashed, true labels and the logging ranker as levels."""
    curves = []
    for learner, source in dict.fromkeys((one.learner, one.source) for one in found.figures):
        points = found.curve(learner, source)
        level = source in (LABELS, LOGGING)
        curves.append(
            LearningCurve(
                source if source == LOGGING else f"{learner}, {source}",
                "" if source == LOGGING else learner,
                "flat" if level else "dashed" if source == NAIVE else "solid",
                tuple(float(one.sessions) for one in points),
                tuple(one.mean for one in points),
                tuple(_known(one.low, one.mean) for one in points),
                tuple(_known(one.high, one.mean) for one in points),
            )
        )
    curves.sort(key=lambda one: (one.group, one.kind))
    measure = found.figures[0].measure
    return _curves(
        "clicks-offline",
        "Learning from the log of a biased ranker",
        f"{measure} on held-out queries by true labels, mean of {found.runs} runs over "
        f"{found.folds} folds, with 95 % intervals. Users: {found.user}.",
        f"{measure} on held-out queries",
        curves,
    )


def online_figure(found: OnlineStudy, measure: str) -> LearningCurves:
    """One curve a learner."""
    chosen = [one for one in found.figures if (one.part, one.measure) == (HELD_OUT, measure)]
    curves = []
    for learner in dict.fromkeys(one.learner for one in chosen):
        points = [one for one in chosen if one.learner == learner]
        curves.append(
            LearningCurve(
                learner,
                learner,
                "solid",
                tuple(float(one.sessions) for one in points),
                tuple(one.mean for one in points),
                tuple(_known(one.low, one.mean) for one in points),
                tuple(_known(one.high, one.mean) for one in points),
            )
        )
    return _curves(
        f"clicks-online-{measure.replace('@', '-').lower()}",
        "Learning online",
        f"{measure} on held-out queries by true labels, mean of {found.runs} runs over "
        f"{found.folds} folds, with 95 % intervals. Users: {found.user}.",
        f"{measure} on held-out queries",
        curves,
    )


def _curves(
    name: str, title: str, caption: str, measure: str, curves: Sequence[LearningCurve]
) -> LearningCurves:
    places = [x for one in curves if one.kind != "flat" for x in one.x] or [1.0]
    values = [y for one in curves for y in one.y]
    low, high = min(values), max(values)
    margin = max(_MARGIN * (high - low), 1e-3)
    return LearningCurves(
        name, title, caption,
        Axis("sessions", min(places) / 1.2, max(places) * 1.2),
        Axis(measure, low - margin, high + margin),
        tuple(curves),
    )  # fmt: skip


def _known(end: float, mean: float) -> float:
    """The end of an interval; of one run there is none."""
    return mean if end != end else end


def _save(figure: LearningCurves, folder: str | Path, formats: Sequence[str]) -> list[Path]:
    from rankwise.reports.drawing.renderer import save

    return save(figure, make_folder(folder), formats)
