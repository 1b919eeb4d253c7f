"""The page of accuracy: facts that were measured, one row a method and data set, beside print.

    python benchmarks/accuracy_page.py          # docs/rankers/accuracy.md anew from accuracy.csv

`accuracy.py --merge` measures and puts its rows in the place of older ones of the same method and
data set; all others stay as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.files import write_text
from rankwise.rankers.registry import ranker_names

HOME = Path(__file__).parents[1] / "docs" / "rankers"
FACTS = HOME / "accuracy.csv"
PAGE = HOME / "accuracy.md"

MEASURES = ("MAP", "NDCG@1", "NDCG@3", "NDCG@5", "NDCG@10")
FLOORS = ("random order", "file order")


@dataclass(frozen=True)
class Data:
    """A data set of the protocol.

    Attributes:
        title: its name on the page.
        folder: where it is below RANKWISE_SHARED.
        tool: whose conventions evaluate it.
        published: its collection and name in shipped tables.
        older: those of an earlier version, whose figures are shown where it has none.
    """

    title: str
    folder: str
    tool: str
    published: tuple[str, str]
    older: tuple[str, str] | None = None


DATA = {
    "ohsumed": Data(
        "OHSUMED (LETOR 3.0, QueryLevelNorm)",
        "data/letor3/OHSUMED/QueryLevelNorm",
        "letor3",
        ("LETOR 3.0", "OHSUMED"),
        ("LETOR 2.0", "OHSUMED"),
    ),
    "mq2008": Data("MQ2008 (LETOR 4.0)", "data/letor4/MQ2008", "letor4", ("LETOR 4.0", "MQ2008")),
    "mq2007": Data("MQ2007 (LETOR 4.0)", "data/letor4/MQ2007", "letor4", ("LETOR 4.0", "MQ2007")),
}


@dataclass(frozen=True)
class Fact:
    """What was measured of one method on one data set; None where there is nothing to tell."""

    data: str
    method: str
    means: dict[str, float]
    errors: dict[str, float]
    features: float | None = None
    tried: int | None = None
    seconds: float | None = None
    peak_megabytes: float | None = None


@dataclass(frozen=True)
class Printed:
    """A published figure: the value, its decimals in print, and the mark of a doubt."""

    value: float
    decimals: int = 4
    mark: str = ""

    def __str__(self) -> str:
        return f"{self.value:.{self.decimals}f}"[1:] + self.mark


def main() -> None:
    write_page(read_facts())


# --- the facts ------------------------------------------------------------------------------------

_COLUMNS = (
    "data",
    "method",
    *MEASURES,
    *(f"{measure} error" for measure in MEASURES),
    "features",
    "tried",
    "seconds",
    "peak megabytes",
)


def read_facts(path: Path = FACTS) -> list[Fact]:
    """The facts of a file, none where it is not there yet."""
    if not path.exists():
        return []
    return [_fact(row) for row in csv.DictReader(path.read_text("utf-8").splitlines())]


def write_facts(facts: Iterable[Fact], path: Path = FACTS) -> None:
    """Data sets in the order of `DATA`, floors first, then methods in the order of the registry."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(map(_row, sorted(facts, key=_place)))
    write_text(path, text.getvalue())


def merge_facts(known: Iterable[Fact], new: Iterable[Fact]) -> list[Fact]:
    """All of them; of the same method on the same data set the new one."""
    merged = {(fact.data, fact.method): fact for fact in known}
    merged |= {(fact.data, fact.method): fact for fact in new}
    return sorted(merged.values(), key=_place)


def _place(fact: Fact) -> tuple[int, int, str]:
    names = [*FLOORS, *ranker_names()]
    place = names.index(fact.method) if fact.method in names else len(names)
    return list(DATA).index(fact.data), place, fact.method


def _fact(row: dict[str, str]) -> Fact:
    def number(name: str) -> float | None:
        return float(row[name]) if row[name] else None

    return Fact(
        data=row["data"],
        method=row["method"],
        means={measure: float(row[measure]) for measure in MEASURES},
        errors={m: float(row[f"{m} error"]) for m in MEASURES if row[f"{m} error"]},
        features=number("features"),
        tried=int(row["tried"]) if row["tried"] else None,
        seconds=number("seconds"),
        peak_megabytes=number("peak megabytes"),
    )


def _row(fact: Fact) -> list[str]:
    def shown(value: float | None, decimals: int) -> str:
        return "" if value is None else f"{value:.{decimals}f}"

    return [
        fact.data,
        fact.method,
        *(shown(fact.means[measure], 4) for measure in MEASURES),
        *(shown(fact.errors.get(measure), 4) for measure in MEASURES),
        shown(fact.features, 1),
        shown(fact.tried, 0),
        shown(fact.seconds, 0),
        shown(fact.peak_megabytes, 0),
    ]


# --- what is published ----------------------------------------------------------------------------


def find_published(data: str) -> dict[str, dict[str, Printed]]:
    """Published figures by our names of methods, then by measure.

    Of Tax, Bockting and Hiemstra's collection (2015) where they are in it, else of Jiang and Lin
    (2014); of the older version of a data set (†) where neither has the method. A * marks figures
    that a careful reader would not compare with the rest (`rankwise literature marks`).
    """
    home = DATA[data]
    found = _from_table("dearank_tables_2_to_5", home.published, decimals=3)
    for name, figures in _from_table("tax2015_results", home.published).items():
        found.setdefault(name, {}).update(figures)
    if home.older is not None:
        for name, figures in _from_table("tax2015_results", home.older, mark="†").items():
            found.setdefault(name, figures)
    return found


def _from_table(
    table: str, home: tuple[str, str], *, decimals: int = 4, mark: str = ""
) -> dict[str, dict[str, Printed]]:
    from rankwise.results import find_marks, name_ranker, read_shipped

    shipped = read_shipped(table)
    places = zip(shipped.collection, shipped.dataset, strict=True)
    rows = zip(places, shipped.method, shipped.measure, shipped.value, strict=True)
    found: dict[str, dict[str, Printed]] = {}
    for (place, method, measure, value), doubts in zip(rows, find_marks(shipped), strict=True):
        if place == home:
            printed = Printed(float(value), decimals, mark + "*" * bool(doubts))
            found.setdefault(name_ranker(method), {})[measure] = printed
    return found


# --- the page -------------------------------------------------------------------------------------

HEADING = """# Accuracy of the rankers

Made by `python benchmarks/accuracy.py --merge`, which anyone with the data can run again, for all
methods or for some (`--data mq2007 --rankers listnet,rankrls`): it puts what it measured into
[accuracy.csv](accuracy.csv), one row a method and data set, and makes this page from it
(`python benchmarks/accuracy_page.py`). The first lines of the program state the protocol. Figures
are five-fold means on the test parts; hyper-parameters and rounds were chosen per fold on
validation, never on test. MQ2007 comes in the five parts S1 to S5, from which the folds are
composed as `rankwise data split --in-order --sizes 339,339,339,339,336` composes them from the
joined parts.

± is the standard error of the mean over queries. Published: as collected by Tax, Bockting and
Hiemstra (2015), else Jiang and Lin (2014), Tables 2-5; † on LETOR 2.0's OHSUMED, other features
and folds, so that it is a neighbour rather than a target; * doubtful (`rankwise literature marks`).
Where ours differ by more than .010, and why, is told in [differences](differences.md). The three
floors are a random order, the order of the file (all scores equal) and `best-feature`, one feature
chosen on train: a method that is not above them has learned nothing. Features: those that a sparse
method keeps, mean over folds. Tried: settings of the grid. Time is the processor time of tuning,
training and scoring on all folds, without reading the files; peak memory is that of the largest
process, interpreter and libraries included. The last rows
were measured on 2026-11-18 at d9656d9.
"""

_TITLES = (
    *("method", "MAP", "±", "published", "difference", "NDCG@10", "±", "published", "difference"),
    *("NDCG@3", "published", "NDCG@5", "published", "NDCG@1", "features", "tried", "time", "peak"),
)


def write_page(facts: Sequence[Fact], path: Path = PAGE) -> None:
    """The page of all facts."""
    write_text(path, as_markdown(facts))


def as_markdown(facts: Sequence[Fact]) -> str:
    """A table for every data set that has facts."""
    tables = [
        _table(data, [fact for fact in facts if fact.data == data])
        for data in DATA
        if any(fact.data == data for fact in facts)
    ]
    return "\n".join([HEADING, *tables])


def _table(data: str, facts: Sequence[Fact]) -> str:
    published = find_published(data)
    seconds = sum(fact.seconds or 0.0 for fact in facts)
    lines = [
        f"## {DATA[data].title}",
        "",
        _line(_TITLES),
        _line(["---"] + ["---:"] * (len(_TITLES) - 1)),
        *(_line(_cells(fact, published.get(fact.method, {}))) for fact in facts),
        "",
        f"All methods together: {seconds / 60:.1f} minutes.",
        "",
    ]
    return "\n".join(lines)


def _cells(fact: Fact, known: dict[str, Printed]) -> list[str]:
    cells = [fact.method if fact.method in FLOORS else f"`{fact.method}`"]
    for measure in ("MAP", "NDCG@10"):
        cells += [_figure(fact.means[measure]), _figure(fact.errors.get(measure))]
        cells += _beside(fact.means[measure], known.get(measure))
    for measure in ("NDCG@3", "NDCG@5"):
        cells += [_figure(fact.means[measure]), str(known.get(measure, "–"))]
    return [
        *cells,
        _figure(fact.means["NDCG@1"]),
        "–" if fact.features is None else f"{fact.features:.1f}",
        "–" if fact.tried is None else str(fact.tried),
        "–" if fact.seconds is None else f"{fact.seconds:.0f} s",
        "–" if fact.peak_megabytes is None else f"{fact.peak_megabytes:.0f} MB",
    ]


def _beside(ours: float, theirs: Printed | None) -> list[str]:
    return ["–", "–"] if theirs is None else [str(theirs), f"{ours - theirs.value:+.4f}"]


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}"[1:] if 0 <= value < 1 else f"{value:.4f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
