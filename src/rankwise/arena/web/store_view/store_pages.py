"""The pages of the live view."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankwise.arena.web.charts.planes import NARROW, WIDE
from rankwise.arena.web.charts.queries import draw_differences, draw_distribution
from rankwise.arena.web.charts.strips import draw_strip, make_strip_scale
from rankwise.arena.web.rendering import render
from rankwise.arena.web.store_view.standing import StoreStanding
from rankwise.arena.web.store_view.store_links import StoreLinks
from rankwise.arena.web.store_view.systems import (
    StoreChoices,
    StoreQueries,
    SystemRow,
    compare_two,
)
from rankwise.errors import RankwiseError
from rankwise.experiments import DatasetSummary
from rankwise.shown import brief


class StorePages:
    """Fills the templates of the live view."""

    def __init__(self, links: StoreLinks, title: str) -> None:
        self.links = links
        self.title = title

    def make_standing_page(self, standing: StoreStanding) -> str:
        """Progress and failures."""
        return self._page("store_standing.html", standing=standing)

    def make_tables_page(
        self,
        tables: Sequence[DatasetSummary],
        choices: StoreChoices,
        measures: Sequence[str],
        every: bool,
    ) -> str:
        """Means over folds, a table for each data set."""
        return self._page(
            "store_tables.html", tables=tables, choices=choices, chosen=measures, every=every
        )

    def make_queries_page(
        self, choices: StoreChoices, found: StoreQueries | None, given: Mapping[str, str]
    ) -> str:
        """Methods with intervals; where two are named, their differences query by query."""
        rows, compared, picture, spread = [], None, None, None
        if found is not None:
            rows = _draw_systems(found.rows)
            first, second = given.get("first"), given.get("second")
            _check_methods(found, first, second)
            if first and second and first != second:
                compared = compare_two(found, first, second)
                differences = (found.values[second] - found.values[first]).tolist()
                names = first, second, found.measure
                picture = [draw_differences(differences, *names, one) for one in (WIDE, NARROW)]
            elif first:
                values = found.values[first]
                known = values[~_missing(values)].tolist()
                spread = [draw_distribution(known, found.measure, one) for one in (WIDE, NARROW)]
        return self._page(
            "store_queries.html", choices=choices, found=found, rows=rows, compared=compared,
            picture=picture, spread=spread, given=given,
        )  # fmt: skip

    def make_task_page(self, task: Mapping[str, Any]) -> str:
        """One task in full."""
        content = json.dumps(task, indent=2, ensure_ascii=False, default=str)
        return self._page("store_task.html", task=task, content=content)

    def _page(self, template: str, **values: Any) -> str:
        return render(
            template, site_title=self.title, links=self.links, interactive=True, account=None,
            form_mark="", **values,
        )  # fmt: skip


def _missing(values: Any) -> Any:
    return values != values


def _check_methods(found: StoreQueries, *names: str | None) -> None:
    for name in names:
        if name and name not in found.values:
            there = ", ".join(found.values)
            raise RankwiseError(
                f"the method must be one of {found.subject} ({there}), found {brief(name)}"
            )


def _draw_systems(rows: Sequence[SystemRow]) -> list[tuple[SystemRow, Any]]:
    bounds = [one for row in rows for one in (row.mean, row.low, row.high) if math.isfinite(one)]
    scale = make_strip_scale(bounds)
    drawn = []
    for row in rows:
        ends = (row.low, row.high) if math.isfinite(row.low) else (None, None)
        drawn.append((row, draw_strip(scale, row.mean, *ends)))
    return drawn
