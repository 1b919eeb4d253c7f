"""Charts: numbers where they belong, names as text, nothing that is no number."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest

from rankwise.arena.web.charts import (
    BestPoint,
    ChartScale,
    CostPoint,
    draw_costs,
    draw_differences,
    draw_distribution,
    draw_history,
    draw_quantiles,
    draw_strip,
    element,
    find_ticks,
    make_scale,
    make_strip_scale,
)

from .conftest import HOSTILE

POINTS = [CostPoint(HOSTILE, 1.0, 0.5, True), CostPoint("b", 1000.0, 0.6, True),
          CostPoint("c", 50.0, 0.4, False)]  # fmt: skip
DRAWN = {
    "costs": draw_costs(POINTS, "seconds", HOSTILE),
    "narrow": draw_costs(POINTS, "seconds", "NDCG", 340.0),
    "one cost": draw_costs(POINTS[:1], "seconds", "NDCG"),
    "history": draw_history([BestPoint(0, HOSTILE, 0.5), BestPoint(9e5, "b", 0.6)], "MAP", 1e6),
    "one best": draw_history([BestPoint(5.0, "a", 0.5)], "MAP", 5.0),
    "differences": draw_differences([0.1, -0.2, 0.0] * 700, HOSTILE, "b", "MAP"),
    "no difference": draw_differences([0.0, 0.0], "a", "b", "MAP"),
    "distribution": draw_distribution([0.0, 0.5, 1.0], HOSTILE),
    "quantiles": draw_quantiles([-1, -0.5, -0.2, 0, 0.2, 0.5, 1], (0.1, -0.1, 0.3), "MAP"),
    "flat": draw_quantiles([0.0] * 7, (0.0, math.nan, math.nan), "MAP"),
    "strip": draw_strip(make_strip_scale([0.1, 0.9]), 0.5, 0.4, 0.6),
    "bare strip": draw_strip(make_strip_scale([]), 0.5, None, None),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_chart_is_well_formed_and_finite(name: str) -> None:
    text = str(DRAWN[name])
    ElementTree.fromstring(text)
    assert not re.search(r"\b(nan|inf)\b", re.sub(r'aria-label="[^"]*"', "", text))
    assert "<script" not in text and " style=" not in text


def test_a_scale_is_logarithmic_where_values_differ_by_orders() -> None:
    wide = make_scale([0.01, 1.0, 100.0], 0.0, 400.0, may_be_log=True)
    assert wide.log
    assert wide(1.0) == pytest.approx((wide(0.01) + wide(100.0)) / 2)
    assert not make_scale([1.0, 2.0], 0.0, 1.0, may_be_log=True).log
    assert ChartScale(2.0, 4.0, 10.0, 20.0)(3.0) == 15.0


def test_ticks_are_round() -> None:
    assert find_ticks(0.0, 1.0, 5) == pytest.approx([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert find_ticks(3.0, 3.0, 5) == [3.0]
    for span, step in ((5.0, 1.0), (9.0, 2.0), (12.0, 2.5), (24.0, 5.0), (30.0, 10.0)):
        assert find_ticks(0.0, span, 5) == [step * n for n in range(int(span / step) + 1)]
    assert find_ticks(-0.3, 0.6, 4) == pytest.approx([-0.25, 0.0, 0.25, 0.5])


def test_attributes_are_escaped() -> None:
    assert str(element("text", "<&>", class_='"x"', aria_label=None)) == (
        '<text class="&#34;x&#34;">&lt;&amp;&gt;</text>'
    )
