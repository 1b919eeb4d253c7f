"""A report: one comparison with its figures, ready to be written as tables, figures and a page."""

from __future__ import annotations

from dataclasses import dataclass, field

from rankwise.comparison.bootstrap import Bootstrap
from rankwise.comparison.hole_study import HoleStudy
from rankwise.comparison.query_table import QueryTable
from rankwise.comparison.ranking import Comparison
from rankwise.measures.names import sort_measures
from rankwise.reports.figures import Bars, Figure, Scatter
from rankwise.reports.own_methods import find_own_methods
from rankwise.reports.provenance import Provenance

MEASURES_NAMED = 6

_IDEAL = {
    "observed": "the highest winning number any method reached there",
    "definition": "the number of its rivals there",
}


@dataclass(frozen=True, eq=False)
class Report:
    """What is reported: a comparison, its scatters (`planes`) and all other figures.

    The page draws the planes and the figures of single queries (`query_figures`, from `queries`)
    itself, from what the reader chooses; the other figures it draws as they are. `findings` say
    what came out, `remarks` what the table did not allow, `holes` how well the order would be
    recovered from a sparser table.
    """

    title: str
    comparison: Comparison
    planes: tuple[Scatter | Bars, ...]
    figures: tuple[Figure, ...]
    bootstrap: Bootstrap | None = None
    remarks: tuple[str, ...] = ()
    queries: tuple[QueryTable, ...] = ()
    query_figures: tuple[Figure, ...] = ()
    findings: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    holes: HoleStudy | None = None

    @property
    def all_figures(self) -> tuple[Figure, ...]:
        """Every figure that is drawn for print, in the order of the page."""
        return (*self.planes, *self.query_figures, *self.figures)

    @property
    def own(self) -> frozenset[str]:
        """The reader's own methods, where there are published ones beside them."""
        return find_own_methods(self.comparison.table)

    def summary(self) -> str:
        """One sentence about what is compared."""
        comparison = self.comparison
        datasets = len(set(comparison.cells.dataset.tolist()))
        measures = sort_measures(comparison.measures)
        named = ", ".join(measures[:MEASURES_NAMED])
        more = len(measures) - MEASURES_NAMED
        return (
            f"{len(comparison.rows):,} methods, {datasets} data set{'s' if datasets != 1 else ''}, "
            f"{len(comparison.cells):,} results in {named}"
            f"{f' and {more} more measures' if more > 0 else ''}."
        )

    def counting(self) -> str:
        """How winning numbers were counted."""
        return (
            "A method wins against each rival with a worse result on the same data set and "
            "measure; its ideal is, summed over them, "
            f"{_IDEAL[self.comparison.ideal]} (rule {self.comparison.ideal!r} of Tax, Bockting and "
            f"Hiemstra 2015, with {self.comparison.dominance} dominance)."
        )
