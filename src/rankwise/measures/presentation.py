"""Figures as text: what a name's number looks like where no tool's own layout is asked for."""

from __future__ import annotations

from rankwise.measures.measure import Measure


def shown(measure: Measure, value: float) -> str:
    """Four decimals, counts as whole numbers, `-` where there is no figure."""
    if value != value:
        return "-"
    return f"{value:.0f}" if measure.average == "sum" else f"{value:.4f}"
