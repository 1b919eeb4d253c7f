"""Tables that are shipped with Rankwise: of papers, with the values as printed, and of own runs.

Each is described by its size, and rows of it are chosen.

The results of the survey are found among those of a table. Tax, Bockting and Hiemstra (2015)
compared values as they stand, whatever their print: .4219 beats .421 there. Their values are to
follow from theirs, so that pairs of their results stay so.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankwise.errors import RankwiseError
from rankwise.measures.measure import result_name
from rankwise.results.result_table import ResultTable


@dataclass(frozen=True)
class ShippedTable:
    """A table of a paper or of own runs: its contents, its citation, what is wrong in it.

    `kind` is `results` for values of methods on data sets, which can be read as a `ResultTable`,
    and `printed` for other numbers.
    """

    name: str
    title: str
    citation: str
    kind: Literal["results", "printed"]
    remarks: tuple[str, ...] = ()


TAX = "Tax, Bockting and Hiemstra (2015)"
OWN_RUNS = "Rankwise, own runs"
OF_ITS_ROWS = "the sources of its rows"
"""The citation of a table that several papers are cited for."""

SHIPPED = (
    ShippedTable(
        "tax2015_results",
        "The results behind the comparison: 87 methods on 19 data sets, NDCG@3, 5, 10 and MAP",
        TAX,
        "results",
        (
            "Some results are marked as not comparable with the rest; see "
            "'rankwise literature marks' and 'rankwise compare --credible'.",
            "Where several studies are named, which of them a value is from is not known; the "
            "NDCG@10 of AdaRank-MAP on Yahoo set 1 names none.",
        ),
    ),
    ShippedTable(
        "published_results",
        "A wider collection of published results, to 2021, in more measures",
        TAX,
        "results",
        (
            "Its first 1,050 rows are tax2015_results; the others were collected for Rankwise from "
            "the sources they name, each with its own protocol (columns fold, tool and note).",
            "A method may have several values for one data set and measure: "
            "'rankwise compare --conflicts' chooses.",
        ),
    ),
    ShippedTable(
        "modern_results",
        "Beyond LETOR: MSLR-WEB10K and -WEB30K, Yahoo, Istella; fold, split and convention of each",
        OF_ITS_ROWS,
        "results",
        (
            "The convention is in the name of the measure: NDCG(empty=1)@5 counts a query without "
            "relevant documents as 1, NDCG(empty=skip)@5 leaves it out; 'rankwise reconcile' turns "
            "one into the other where that can be done.",
            "The figures of Qin et al. (2021) were seen in summaries only; fold 1 of MSLR is not "
            "a mean over folds, and 'validation parts' are no test parts.",
            "Left out as not what they are called: the CatBoost benchmark, whose NDCG is by its "
            "code a mean DCG.",
        ),
    ),
    ShippedTable(
        "rankwise_dense",
        "Own runs under one protocol, nothing of it published: every ranker here on the same data",
        OWN_RUNS,
        "results",
        (
            "Means over all folds and seeds; parameters were chosen on validation. Methods have "
            "their names of tax2015_results, rankers that are not in it their own.",
            "By the data set's own tool and by the definition of the measure: a comparison takes "
            "the former where published figures are of that tool.",
            "Every run, its time, memory and parameters, failures with their reason and the "
            "values of queries: rankwise.read_dense(); made by 'rankwise results dense'.",
        ),
    ),
    ShippedTable(
        "rankwise_dense_runs",
        "Every run of rankwise_dense: fold and seed, cost, chosen parameters, failure, values",
        OWN_RUNS,
        "printed",
        ("Values are by the definition of the measure, seconds those of the processor.",),
    ),
    ShippedTable(
        "rankwise_dense_data",
        "The data sets of rankwise_dense: queries, documents, features, labels, folds",
        OWN_RUNS,
        "printed",
    ),
    ShippedTable(
        "dearank_tables_2_to_5",
        "Tables 2-5: DEARank and 12 baselines on LETOR 3.0 and 4.0, NDCG@1-10 and MAP",
        "Jiang and Lin (2014)",
        "results",
        (
            "MQ2008's NDCG@9 and NDCG@10 (about .23) come from the LETOR 4.0 script, which gives "
            "a query with fewer documents than the cut-off 0.",
        ),
    ),
    ShippedTable(
        "dearank_table_8",
        "Table 8: DEARank with a reduced pool of 100 candidates",
        "Jiang and Lin (2014)",
        "results",
        ("The methods bear the names of Tables 2-5 but are other runs: do not merge the two.",),
    ),
    ShippedTable(
        "dearank_table_8_changes",
        "Table 8: what the reduced pool changes, in percent of the mean of four variants",
        "Jiang and Lin (2014)",
        "printed",
        (
            "The rows P. C. (%) agree with Tables 2-5 and 8 to what their three digits leave open, "
            "as the change of the mean of the four variants.",
        ),
    ),
    ShippedTable(
        "dearank_tables_6_and_7",
        "Tables 6 and 7: winning numbers on LETOR 3.0 and 4.0",
        "Jiang and Lin (2014)",
        "printed",
        ("Every printed number is twice the winning number of the paper's Eq. 14.",),
    ),
    ShippedTable(
        "tax2015_table_a5",
        "Table A.5: 87 methods, their papers and the studies their results come from",
        TAX,
        "printed",
    ),
    ShippedTable(
        "tax2015_table_b6",
        "Table B.6: normalized winning numbers of 87 methods",
        TAX,
        "printed",
        (
            "Misprints: NDCG@3 of FocusedBoost (.3753 for .3750), FocusedSVM (.2371 for .2500), "
            "FSM-SVM (.2292 on 2 data sets for .2371 on 4) and RankELM (pairwise) (.6475 for "
            ".6250); the cross-measure number of MHR (.5714 for 17/41 = .4146).",
        ),
    ),
    ShippedTable(
        "tax2015_table_4",
        "Table 4: the Pareto optimal methods with one measure left out",
        TAX,
        "printed",
    ),
    ShippedTable(
        "tax2015_table_2",
        "Table 2: how often the papers of the benchmarks were cited",
        TAX,
        "printed",
    ),
    ShippedTable(
        "tax2015_table_3",
        "Table 3: how many papers the searches for benchmarks found",
        TAX,
        "printed",
    ),
    ShippedTable(
        "tax2015_excluded_studies",
        "Section 2.1: the studies that were left out, by the number of the reason",
        TAX,
        "printed",
        (
            "Three of them are sources of results all the same: Lin et al. (2012), Volkovs and "
            "Zemel (2013) and Wu et al. (2011).",
        ),
    ),
)


@cache
def read_shipped(name: str = "dearank_tables_2_to_5") -> ResultTable:
    """Read the results of a shipped table; by default Tables 2-5 of the DEARank paper."""
    table = find_shipped(name)
    if table.kind != "results":
        known = ", ".join(entry.name for entry in SHIPPED if entry.kind == "results")
        raise RankwiseError(f"{name} holds no results of methods on data sets; {known} do")
    return ResultTable.from_rows(_read_csv_rows(name))


def read_shipped_rows(name: str) -> list[dict[str, Any]]:
    """Read the rows of any shipped table; numbers as int or float, empty cells as None."""
    return [
        {column: _parse_cell(cell) for column, cell in row.items()}
        for row in _read_csv_rows(find_shipped(name).name)
    ]


def find_shipped(name: str) -> ShippedTable:
    """Find a shipped table by name; an unknown name raises RankwiseError with the nearest one."""
    from difflib import get_close_matches

    found = {entry.name: entry for entry in SHIPPED}
    if name in found:
        return found[name]
    near = get_close_matches(name[:80], found, n=1)
    hint = f"did you mean {near[0]}?" if near else f"shipped are {', '.join(found)}"
    raise RankwiseError(f"no shipped table is called {name[:80]!r}; {hint}")


def _read_csv_rows(name: str) -> list[dict[str, str]]:
    file = resources.files("rankwise.results.published") / "figures" / f"{name}.csv"
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


def _parse_cell(text: str) -> str | int | float | None:
    if not text:
        return None
    if text.isdecimal():
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


@dataclass(frozen=True)
class ShippedFacts:
    """A shipped table: what it holds, from which paper, how much, and what is wrong in it."""

    name: str
    title: str
    source: str
    kind: str
    rows: int
    methods: int
    remarks: tuple[str, ...]


def describe_shipped() -> list[ShippedFacts]:
    """All shipped tables, in their order."""
    found = []
    for table in SHIPPED:
        rows = read_shipped_rows(table.name)
        methods = len({row["method"] for row in rows if "method" in row})
        found.append(
            ShippedFacts(
                table.name, table.title, table.citation, table.kind, len(rows), methods,
                table.remarks,
            )
        )  # fmt: skip
    return found


def choose_rows(
    table: str,
    *,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
    measures: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The rows of a shipped table that have what is asked for; all where nothing is."""
    known = find_shipped(table)
    asked = {
        "method": tuple(methods),
        "dataset": tuple(datasets),
        "measure": tuple(map(result_name, measures)),
    }
    conditions = {column: wanted for column, wanted in asked.items() if wanted}
    if known.kind == "results":
        rows = read_shipped(known.name).where(**conditions).rows()
    else:
        rows = read_shipped_rows(known.name)
        unknown = next((column for column in conditions if column not in rows[0]), None)
        if unknown is not None:
            raise RankwiseError(f"{table} has no column {unknown}; it has {', '.join(rows[0])}")
        rows = [row for row in rows if all(row[c] in wanted for c, wanted in conditions.items())]
    if not rows:
        raise RankwiseError(f"no row of {table} has what was asked for; see it without filters")
    return rows


SURVEY = "tax2015_results"
_SURVEY_FACT = ("collection", "method", "measure", "value", "source")


def find_survey_rows(table: ResultTable) -> NDArray[np.bool_]:
    """Which rows of `table` are results of the survey."""
    known = _list_survey_facts()
    return np.fromiter((fact in known for fact in _list_facts(table)), bool, len(table))


@cache
def _list_survey_facts() -> frozenset[tuple[object, ...]]:
    return frozenset(_list_facts(read_shipped(SURVEY)))


def _list_facts(table: ResultTable) -> list[tuple[object, ...]]:
    return list(zip(*(getattr(table, name).tolist() for name in _SURVEY_FACT), strict=True))
