"""Two entries beside each other: the difference, its interval, and how it spreads over queries."""

from __future__ import annotations

from rankwise.arena.task import ArenaTask
from rankwise.arena.views import EntryComparison
from rankwise.arena.web.charts.planes import NARROW, WIDE
from rankwise.arena.web.charts.queries import draw_differences, draw_quantiles
from rankwise.arena.web.links import BoardChoice
from rankwise.arena.web.pages.choices import find_halves, list_measures, list_tools
from rankwise.arena.web.site import PageReader, Site
from rankwise.measures import lower_is_better

_LEVEL = 0.05
_MOST_QUERIES = 500


def make_comparison_page(
    site: Site, reader: PageReader, task: ArenaTask, found: EntryComparison
) -> str:
    """The page; single queries only where the arena gave them."""
    if found.queries:
        differences = [one.second - one.first for one in found.queries]
        names = found.first_name, found.second_name, found.measure
        picture = [draw_differences(differences, *names, width) for width in (WIDE, NARROW)]
    else:
        mean = found.difference, found.low, found.high
        picture = [
            draw_quantiles(found.quantiles, mean, found.measure, width) for width in (WIDE, NARROW)
        ]
    return site.page(
        "comparison.html", reader, task=task, found=found, picture=picture,
        verdict=_judge(found), chosen=BoardChoice(found.measure, found.tool, found.half),
        measures=list_measures(task), tools=list_tools(task), halves=find_halves(task),
        most_queries=_MOST_QUERIES,
    )  # fmt: skip


def _judge(found: EntryComparison) -> str:
    """What the test says, in a sentence."""
    where = f"{found.measure} by the tool {found.tool}, {found.half} half"
    if not found.p_value < _LEVEL:
        return f"The queries do not separate the two methods ({where})."
    better = (found.difference > 0) != lower_is_better(found.measure)
    one, other = (
        (found.second_name, found.first_name) if better else (found.first_name, found.second_name)
    )
    return f"{one} is better than {other} by more than the luck of the queries ({where})."
