"""Figures of publication bias: the funnel, and results by who published them."""

from __future__ import annotations

from rankwise.comparison.bias import MethodOrigins, PublicationBias
from rankwise.reports.figures import OTHER, Axis, Bar, Bars, PlottedPoint, Scatter

MOST_LABELS = 12
_ORIGINS = {"own": "The authors of the method", "others": "Others", "unclear": "Both or not named"}


def make_funnel(found: PublicationBias) -> Scatter:
    """NWN of every method against the number of its results; the farthest outside are named."""
    far = sorted(found.methods, key=lambda one: (-_distance(one), one.method))[:MOST_LABELS]
    named = {one.method for one in far if _distance(one) > 0}
    steps = "; ".join(
        f"{step.first}{f' to {step.last}' if step.last else ' or more'} results: "
        f"{step.above} above, {step.below} below"
        for step in found.funnel
    )
    return Scatter(
        "funnel",
        "Publication bias: the funnel",
        "Normalized Winning Number against the number of results. Without bias, methods with few "
        f"results lie on both sides of the centre, {found.centre:.2f}, alike. Outside of the "
        f"funnel of 1.96 standard errors lie, of methods with {steps}; named are the farthest.",
        Axis("Number of results", 0.0, float(max(one.results for one in found.methods)), True),
        Axis("Normalized Winning Number", 0.0, 1.0),
        tuple(_point(one, one.method in named) for one in found.methods),
    )


def make_origin_bars(found: PublicationBias) -> Bars | None:
    """What share of its comparisons each kind of result wins; None where no source is named."""
    known = [one for one in found.groups if one.nwn is not None]
    if not any(one.results for one in known if one.origin != "unclear"):
        return None
    return Bars(
        "own-and-others",
        "Publication bias: own results and others'",
        "Normalized Winning Number over all results that the authors of the method published, that "
        "others published, and of which both or no study is named. Authors publish methods that "
        "win, others use them as baselines: a gap is expected, its size is a warning."
        + "".join(f" {text[:1].upper()}{text[1:]}." for text in found.describe()[-1:]),
        Axis("Normalized Winning Number", 0.0, 1.0),
        tuple(
            Bar(
                _ORIGINS[one.origin],
                one.nwn,
                None,
                None,
                OTHER,
                f"NWN {one.nwn:.4f}, {one.results} results of {one.methods} methods",
            )
            for one in known
            if one.nwn is not None
        ),
        meanings=(),
    )


def _distance(one: MethodOrigins) -> float:
    return max(one.nwn - one.upper, one.lower - one.nwn)


def _point(one: MethodOrigins, named: bool) -> PlottedPoint:
    detail = f"NWN {one.nwn:.4f}, {one.results} results, funnel {one.lower:.2f} to {one.upper:.2f}"
    return PlottedPoint(one.method, float(one.results), one.nwn, OTHER, named, detail)
