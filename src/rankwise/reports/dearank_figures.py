"""The figures of DEARank's discussion: local overfitting, error diversity, the variants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rankwise.experiments.dea_discussion import VariantFacts
from rankwise.experiments.dearank_analysis import DEARankAnalysis
from rankwise.files import make_folder
from rankwise.reports.figures import Axis, Bar, Bars


def draw_dearank(
    found: DEARankAnalysis, folder: str | Path, formats: Sequence[str] = ("png", "svg")
) -> list[Path]:
    """Draw the figures into a folder; the files that were written."""
    from rankwise.reports.matplotlib_renderer import save

    home = make_folder(folder)
    return [path for figure in dearank_figures(found) for path in save(figure, home, formats)]


def dearank_figures(found: DEARankAnalysis) -> list[Bars]:
    """The figures as data."""
    biased = Bars(
        "dearank-local-overfitting",
        "Candidates that do better on their home query",
        "The share of candidates with a higher average precision on the query they come from than "
        "on the average of all queries; Figure 2 of Jiang and Lin (2014).",
        Axis("share of candidates better at home", 0.0, 1.0),
        tuple(Bar(pool.model, pool.biased) for pool in found.pools),
    )
    diverse = Bars(
        "dearank-error-diversity",
        "Correlation of the candidates' errors",
        "The mean correlation of the errors of two candidates over the queries: lower is more "
        "diverse.",
        Axis("mean correlation of errors", 0.0, 1.0),
        tuple(Bar(pool.model, pool.correlation or 0.0) for pool in found.pools),
    )
    return [biased, diverse, *_variant_figures(found.variants)]


def _variant_figures(variants: Sequence[VariantFacts]) -> list[Bars]:
    if not variants:
        return []
    values = [one.figure_1 for one in variants]
    bars = tuple(
        Bar(f"{one.variant}, Eq. {'9' if one.weighting == 'program' else '15'}", one.figure_1)
        for one in variants
    )
    return [
        Bars(
            "dearank-variants",
            "The variants of DEARank",
            "The mean of NDCG@1-10 and MAP, as in Figure 1 of Jiang and Lin (2014), with weak "
            "rankers weighted as a whole (Eq. 9) and feature by feature (Eq. 15).",
            Axis("mean of NDCG@1-10 and MAP", min(values), max(values)),
            bars,
        )
    ]
