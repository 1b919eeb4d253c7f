"""What a source adds to a target: the gain over the target alone as its training part shrinks.

    rankwise bench transfer --store transfer.sqlite
    python studies/transfer_curves.py transfer --store transfer.sqlite -o transfer

The store must hold the tasks of the experiment, a TOML file with `[[transfer]]` or the name of a
shipped one. Each target gets `transfer.md` with every gain, and an SVG for each source and ranker,
in a folder of its own where there are several. The page is docs/findings/transfer.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rankwise as rw
from rankwise.comparison.significance_tests.intervals import confidence_interval
from rankwise.errors import RankwiseError
from rankwise.experiments import ExperimentPlan
from rankwise.experiments.transfer import TARGET_ONLY
from rankwise.files import make_folder, plain_name, write_text
from rankwise.reports.drawing.renderer import save
from rankwise.reports.figures import Axis, LearningCurve, LearningCurves
from rankwise.results.store.store import Store
from rankwise.results.task_records import Subject

INTERVAL = "bca"


@dataclass(frozen=True)
class TransferQuestion:
    """On which target what is compared, by which measure under which tool.

    `methods` are the names of a plan by source, ranker, way and share; the source of the target
    alone is empty.
    """

    subject: Subject
    measure: str
    tool: str
    methods: Mapping[tuple[str, str, str, float], str]


@dataclass(frozen=True)
class TransferPoint:
    """One way at one share: the mean over all test queries, and what it gains.

    `gain` is the mean difference from the target alone at the same share; `low` and `high` are its
    95 % interval by the bootstrap over queries, paired.
    """

    target: str
    source: str
    method: str
    way: str
    share: float
    measure: str
    target_only: float
    value: float
    gain: float
    low: float
    high: float
    queries: int

    @property
    def differs(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0


@dataclass(frozen=True)
class TransferCurves:
    """All points of a target, and sentences on methods that lack folds."""

    points: tuple[TransferPoint, ...]
    remarks: tuple[str, ...] = ()

    def curve(self, source: str, method: str, way: str) -> list[TransferPoint]:
        """The points of one way, the largest share first."""
        found = [p for p in self.points if (p.source, p.method, p.way) == (source, method, way)]
        return sorted(found, key=lambda point: -point.share)


def find_transfers(plan: ExperimentPlan) -> list[TransferQuestion]:
    """One for each target of the plan; the measure is the one that chooses, else the first."""
    found: dict[Subject, TransferQuestion] = {}
    for task in plan.tasks:
        step, subject = task.transfer, Subject.of(task.name)
        if step is None:
            continue
        measures, wanted = task.measures, task.selection.measure
        measure = wanted if wanted in measures else measures[0]
        asked = found.setdefault(subject, TransferQuestion(subject, measure, task.name.tool, {}))
        place = (step.source_name, step.method, step.way, step.share)
        found[subject] = TransferQuestion(
            subject, asked.measure, asked.tool, {**asked.methods, place: task.name.method}
        )
    return list(found.values())


def compute_gains(store: Store, question: TransferQuestion) -> TransferCurves:
    """Every way at every share that has its figures, beside the target alone."""
    names = set(question.methods.values())
    paired = store.paired(question.measure, question.tool, question.subject, names)
    values = {name: np.nan_to_num(found) for name, found in paired.values.items()}
    points = []
    for (source, method, way, share), name in question.methods.items():
        alone = question.methods.get(("", method, TARGET_ONLY, share))
        if way == TARGET_ONLY or alone not in values or name not in values:
            continue
        own, base = values[name], values[alone]
        low, high = _interval(own - base)
        points.append(
            TransferPoint(
                question.subject.dataset, source, method, way, share, question.measure,
                float(base.mean()), float(own.mean()), float((own - base).mean()), low, high,
                len(own),
            )
        )  # fmt: skip
    return TransferCurves(tuple(points), tuple(paired.sentences))


def _interval(
    differences: NDArray[np.float64],
) -> tuple[float, float]:
    """The interval; of differences that are all alike, which have none, their mean."""
    found = confidence_interval(differences, INTERVAL)
    if math.isnan(found.low):
        mean = float(differences.mean())
        return mean, mean
    return found.low, found.high


_MARGIN = 0.06
# Gains are small: in hundredths they have numbers that fit beside an axis.
_TIMES = 100.0


def write_transfer(found: TransferCurves, folder: str | Path) -> list[Path]:
    """`transfer.md` with every gain, and an SVG for each source and ranker."""
    home = make_folder(folder)
    page = home / "transfer.md"
    write_text(page, format_gains(found))
    return [page, *draw_transfer(found, home)]


def draw_transfer(
    found: TransferCurves, folder: str | Path, formats: Sequence[str] = ("svg",)
) -> list[Path]:
    """Draw one figure for each source and ranker; the files that were written."""
    figures = [transfer_figure(found, *pair) for pair in _pairs(found)]
    return [path for one in figures for path in save(one, make_folder(folder), formats)]


def transfer_figure(found: TransferCurves, source: str, method: str) -> LearningCurves:
    """The gain of every way over the target alone, which is the level 0."""
    chosen = [point for point in found.points if (point.source, point.method) == (source, method)]
    ways = list(dict.fromkeys(point.way for point in chosen))
    first = chosen[0]
    curves = [LearningCurve(f"{first.target} alone", "", "flat", (), (0.0,), (0.0,), (0.0,))]
    for way in ways:
        points = found.curve(source, method, way)
        curves.append(
            LearningCurve(
                f"{way} with {source}", way, "solid",
                tuple(point.share for point in points),
                tuple(_TIMES * point.gain for point in points),
                tuple(_TIMES * point.low for point in points),
                tuple(_TIMES * point.high for point in points),
            )
        )  # fmt: skip
    low, high = _TIMES * min(p.low for p in chosen), _TIMES * max(p.high for p in chosen)
    margin = max(_MARGIN * (high - low), 1e-3)
    shares = [point.share for point in chosen]
    return LearningCurves(
        plain_name(f"transfer-{source}-{first.target}-{method}".lower()),
        f"{method}: {source} for {first.target}",
        f"Gain in {first.measure} over {first.queries} test queries, with 95 % intervals.",
        Axis(f"percent of {first.target}'s training queries", min(shares) / 1.2, max(shares) * 1.2),
        Axis(
            f"gain in {first.measure} × {_TIMES:g}", min(low, 0.0) - margin, max(high, 0.0) + margin
        ),
        tuple(curves),
    )


def format_gains(found: TransferCurves) -> str:
    """Tables in Markdown: rankers and ways down, shares across; bold where 0 is left out."""
    return "\n".join(_format_table(found, source) for source in _sources(found))


def _format_table(found: TransferCurves, source: str) -> str:
    chosen = [point for point in found.points if point.source == source]
    shares = sorted({point.share for point in chosen}, reverse=True)
    first = chosen[0]
    lines = [
        f"### {source} → {first.target}: gain in {first.measure} over the target alone\n",
        f"| ranker | way | {' | '.join(f'{share:g} %' for share in shares)} |",
        f"|---|---|{'---:|' * len(shares)}",
    ]
    for method in dict.fromkeys(point.method for point in chosen):
        own = [point for point in chosen if point.method == method]
        alone = {point.share: f"{point.target_only:.4f}" for point in own}
        lines.append(f"| {method} | target alone | {_cells(alone, shares)} |")
        for way in dict.fromkeys(point.way for point in own):
            gains = {point.share: _gain(point) for point in own if point.way == way}
            lines.append(f"| {method} | {way} | {_cells(gains, shares)} |")
    return "\n".join(lines) + "\n"


def _cells(cells: dict[float, str], shares: Sequence[float]) -> str:
    return " | ".join(cells.get(share, "") for share in shares)


def _gain(point: TransferPoint) -> str:
    text = f"{point.gain:+.4f}"
    return f"{f'**{text}**' if point.differs else text} ({point.low:+.4f} to {point.high:+.4f})"


def _sources(found: TransferCurves) -> list[str]:
    return list(dict.fromkeys(point.source for point in found.points))


def _pairs(found: TransferCurves) -> list[tuple[str, str]]:
    return list(dict.fromkeys((point.source, point.method) for point in found.points))


def main(argv: Sequence[str] | None = None) -> None:
    """Write what the sources of an experiment that was run add to its targets."""
    parser = argparse.ArgumentParser(description="Compare transfer with the target alone.")
    parser.add_argument("experiment", help="a TOML file, or the name of a shipped experiment")
    parser.add_argument("--store", type=Path, default=Path("results.sqlite"))
    parser.add_argument("-o", "--output", type=Path, required=True, help="a folder")
    given = parser.parse_args(argv)
    questions = find_transfers(rw.plan(given.experiment).plan)
    if not questions:
        raise RankwiseError(f"{given.experiment} has no [[transfer]]")
    with Store.read(given.store) as store:
        for question in questions:
            found = compute_gains(store, question)
            for remark in found.remarks:
                print(remark)
            name = plain_name("-".join(filter(None, question.subject)))
            folder = given.output / name if len(questions) > 1 else given.output
            for path in write_transfer(found, folder) if found.points else ():
                print(f"wrote {path}")


if __name__ == "__main__":
    main()
