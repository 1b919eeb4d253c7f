"""The figures of DEARank's discussion: local overfitting, error diversity, the variants."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rankwise.experiments.dea_discussion import FIGURE_1_MEASURES, VariantFacts
from rankwise.experiments.dearank_analysis import DEARankAnalysis
from rankwise.files import make_folder
from rankwise.reports.figures import Axis, Bar, Bars, BarSeries, GroupedBars
from rankwise.results.published.published_tables import read_shipped


def draw_dearank(
    found: DEARankAnalysis | Mapping[str, DEARankAnalysis],
    folder: str | Path,
    formats: Sequence[str] = ("png", "svg"),
) -> list[Path]:
    """Draw the figures into a folder; the files that were written.

    Of several data sets by name, Figures 1 and 2 of the paper; of one all that was found.
    """
    from rankwise.reports.drawing.renderer import save

    home = make_folder(folder)
    made: Sequence[Bars | GroupedBars] = (
        make_dataset_figures(found) if isinstance(found, Mapping) else dearank_figures(found)
    )
    return [path for figure in made for path in save(figure, home, formats)]


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
    whole = [one for one in variants if not one.best]
    values = [one.figure_1 for one in whole]
    bars = tuple(
        Bar(f"{one.variant}, Eq. {'9' if one.weighting == 'program' else '15'}", one.figure_1)
        for one in whole
    )
    return [
        *_draw_disagreement(whole),
        Bars(
            "dearank-variants",
            "The variants of DEARank",
            "The mean of NDCG@1-10 and MAP, as in Figure 1 of Jiang and Lin (2014), with weak "
            "rankers weighted as a whole (Eq. 9) and feature by feature (Eq. 15).",
            Axis("mean of NDCG@1-10 and MAP", min(values), max(values)),
            bars,
        ),
    ]


def _draw_disagreement(variants: Sequence[VariantFacts]) -> list[Bars]:
    """Ensembles of several weak rankers, each with how often two of them disagree."""
    bars = tuple(
        Bar(
            one.variant,
            one.diversity.disagreement,
            note=f"{round(one.diversity.members, 1):g}: {one.members_map or 0.0:.3f}, "
            f"{one.map:.3f}",
        )
        for one in variants
        if one.weighting == "program"
        and one.diversity is not None
        and one.diversity.disagreement is not None
    )
    if not bars:
        return []
    return [
        Bars(
            "dearank-ensemble-diversity",
            "Disagreement of the weak rankers in each ensemble",
            "Of two weak rankers in one ensemble, the share of preference pairs about which only "
            "one is right, on average; higher is more diverse. Behind each: how many weak rankers "
            "it has, their mean MAP, and the MAP of the ensemble.",
            Axis(
                "mean disagreement of two weak rankers",
                0.0,
                _round_tenth(bar.value for bar in bars),
            ),
            bars,
        )
    ]


def make_dataset_figures(found: Mapping[str, DEARankAnalysis]) -> list[GroupedBars]:
    """Figures 1 and 2 of Jiang and Lin (2014): data sets beside each other.

    What was published of Figure 1 follows from Tables 2 to 5; of Figure 2 the text prints one
    share only.
    """
    names = tuple(found)
    figures = [
        GroupedBars(
            "dearank-figure-2",
            "Candidates that do better on their home query",
            "The share of candidates with a higher average precision on the query that they come "
            "from than on the average of all queries, on training data: Figure 2 of Jiang and Lin "
            "(2014). The line is the one share that the paper prints, 64.3 % of CCR-O on MQ2007.",
            Axis("Share of candidates", 0.0, 1.0),
            names,
            tuple(_share_series(found, model) for model in ("ccr-i", "ccr-o")),
        )
    ]
    reached = {name: one.figure_1() for name, one in found.items()}
    if all(one is not None for one in reached.values()):
        figures.insert(0, _draw_roles(names, reached))
    return figures


def _draw_roles(
    names: tuple[str, ...], reached: Mapping[str, Mapping[str, float] | None]
) -> GroupedBars:
    series = tuple(
        BarSeries(
            role,
            tuple(None if one is None else one[role] for one in reached.values()),
            tuple(_find_published(name, role) for name in names),
        )
        for role in ("DEARank-I", "DEARank-O")
    )
    return GroupedBars(
        "dearank-figure-1",
        "DEARank-I and DEARank-O",
        "The mean of NDCG@1-10 and MAP over both variants of each: Figure 1 of Jiang and Lin "
        "(2014). A line across a bar is the same mean of their Tables 2 to 5.",
        Axis("Mean of NDCG@1-10 and MAP", 0.0, _round_up(series)),
        names,
        series,
    )


def _round_up(series: Sequence[BarSeries]) -> float:
    """The end of an axis from nought: the next tenth above all bars and lines."""
    ends = [one for each in series for one in (*each.values, *each.published) if one is not None]
    return _round_tenth(ends)


def _round_tenth(ends: Iterable[float]) -> float:
    return min(1.0, math.ceil(10 * max(ends, default=1.0)) / 10)


def _share_series(found: Mapping[str, DEARankAnalysis], model: str) -> BarSeries:
    return BarSeries(
        model.upper(),
        tuple(
            next((pool.biased for pool in one.pools if pool.model == model), None)
            for one in found.values()
        ),
        tuple(_PRINTED_SHARES.get((name, model)) for name in found),
    )


_PRINTED_SHARES = {("MQ2007", "ccr-o"): 0.643}


def _find_published(dataset: str, role: str) -> float | None:
    """The mean of the printed values of both variants on a data set of the paper."""
    table = read_shipped().where(
        dataset=dataset,
        method=(f"{role}-MAP", f"{role}-NDCG"),
        measure=FIGURE_1_MEASURES,
    )
    return float(table.value.mean()) if len(table) == 2 * len(FIGURE_1_MEASURES) else None
