"""Transfer in figures and tables: what a source adds as the target's training part shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.experiments.transfer_curves import TransferCurves, TransferPoint
from rankwise.files import make_folder, plain_name, write_text
from rankwise.reports.figures import Axis, LearningCurve, LearningCurves

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
    from rankwise.reports.drawing.renderer import save

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
