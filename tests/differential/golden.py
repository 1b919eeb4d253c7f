"""Every figure that the real tools printed, against ours.

    python tests/differential/golden.py ../shared/golden

prints one line per tool: figures compared, figures equal; and every figure that is not. What is
compared and how follows section 11 of the notes on the tools: printed figures as text, figures of
libraries and XGBoost's 17 decimals to 1e-9.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.comparison.significance_tests import letor_report, mslr_report
from rankwise.data.dataset import Dataset
from rankwise.data.formats.score_files import Reading, Scores, read_scores
from rankwise.data.reading import read
from rankwise.data.scores.scored_qrels import JudgedScores
from rankwise.errors import RankwiseError
from rankwise.measures.evaluation import Evaluation, MeasureResult, evaluate_judged
from rankwise.measures.tool import ToolRefusal
from rankwise.measures.tools.ranklib import java_number

TOOLS = {
    "letor-3.0": "letor3",
    "letor-4.0": "letor4",
    "mslr": "mslr",
    "yahoo": "yahoo",
    "ranklib-2.18": "ranklib",
    "trec_eval-9.0.4": "trec_eval-9",
    "trec_eval-10.0-rc2": "trec_eval",
    "trec_eval-10.0-rc3": "trec_eval",
    "gdeval": "gdeval",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
    "sklearn": "sklearn",
    "lightgbm": "lightgbm",
    "xgboost": "xgboost",
    "catboost": "catboost",
}
# What comes with the tests: a case of each kind, with all that the tools printed for it.
CASES = Path(__file__).parent / "cases"
T_TESTS = ("letor-3.0-ttest", "mslr-ttest-py")
FOLDERS = {"OHSUMED": "letor3/OHSUMED/QueryLevelNorm", "MQ2008": "letor4/MQ2008"}
PRINTING = ("letor3", "letor4", "mslr", "yahoo", "ranklib", "trec_eval", "trec_eval-9", "gdeval")
LIBRARY_TOLERANCE = 1e-9
# A tool that refuses a file for its layout alone still gets figures here, as the issue asks.
LAYOUT_ONLY = {"crlf-0", "crlf-1"}
READINGS: dict[str, Reading] = {"malformed-1": "surplus", "malformed-3": "prefix"}


@dataclass
class Tally:
    """What was compared, what agreed, and a line for all that did not."""

    compared: Counter[str] = field(default_factory=Counter)
    equal: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def figure(self, tool: str, agrees: bool, description: str) -> None:
        self.compared[tool] += 1
        self.equal[tool] += agrees
        if not agrees:
            self.wrong.append(f"{tool}: {description}")

    def refusal(self, tool: str, refused: bool, description: str) -> None:
        self.refusals[tool] += 1
        if not refused:
            self.wrong.append(f"{tool}: {description}: was expected to be refused")

    def lines(self) -> Iterator[str]:
        for tool in self.compared:
            refused = f", {self.refusals[tool]} refusals" if self.refusals[tool] else ""
            yield f"{tool:<20} {self.equal[tool]:>6} of {self.compared[tool]:>6} figures{refused}"
        total = f"{self.equal.total():>6} of {self.compared.total():>6} figures"
        yield f"{'all':<20} {total}, {self.refusals.total()} refusals"


def compare_all(golden: Path) -> Tally:
    """Compare every case and every run on real data."""
    tally = Tally()
    for folder in sorted((golden / "cases").iterdir()):
        compare_case(folder, tally)
    data = golden.parent / "data"
    for path in sorted((golden / "real").glob("[MO]*.json")):
        compare_real(path, data, tally)
    for path in sorted((golden / "real").glob("ttest-*.json")):
        compare_t_tests(path, data, tally)
    return tally


def compare_t_tests(path: Path, data: Path, tally: Tally) -> None:
    """Both scripts' t-tests of two rankings: means to 1e-12, t to 1e-7 of it, the rest as text."""
    case = json.loads(path.read_text())
    fold = read(data / FOLDERS[case["dataset"]] / f"Fold{case['fold']}" / "test.txt")
    letor, mslr = T_TESTS
    a, b = (per_query(fold, case[side], "letor3") for side in "AB")
    lines = letor_report(a, b, "A.txt", "B.txt").splitlines()[4:]
    rows = {row[0]: row[1:] for row in (line.split("\t") for line in lines)}
    wanted = case["expected"][letor]["rows"]
    tally.figure(letor, list(rows) == list(wanted), f"{path.stem}: rows {list(rows)}")
    for name, want in wanted.items():
        for relative, ours, theirs in zip((None, 0, 0, 1e-7, None), rows[name], want, strict=True):
            agrees = ours == theirs
            if relative is not None:
                agrees = math.isclose(float(ours), float(theirs), rel_tol=relative, abs_tol=1e-12)
            tally.figure(letor, agrees, f"{path.stem} {name}: {ours}, expected {theirs}")
    first, second = (per_query(fold, case[side], "mslr") for side in "AB")
    for name, want in case["expected"][mslr]["rows"].items():
        lines = mslr_report(first[name], second[name]).splitlines()
        for line, theirs in zip(lines, want, strict=True):
            ours = line.split(":")[1].strip()
            tally.figure(mslr, ours == theirs, f"{path.stem} {name}: {ours}, expected {theirs}")


def per_query(fold: Dataset, score: str, tool: str) -> dict[str, NDArray[np.float64]]:
    """Figures per query of ranking by one feature; `c` = the feature with one decimal."""
    feature = fold.features[:, int(score[1:].removesuffix("c")) - 1]
    coarse = [float(f"{value:.1f}") for value in feature]
    scores = np.array(coarse) if score.endswith("c") else feature
    judged = JudgedScores(fold.labels, scores, fold.query_offsets, list(fold.query_ids))
    return {
        name: result.values for name, result in evaluate_judged(judged, None, tool).results.items()
    }


def compare_case(folder: Path, tally: Tally) -> None:
    """One synthetic case."""
    expected = json.loads((folder / "expected.json").read_text())["expected"]
    judged = case_input(folder)
    for tool, figures in resolved(expected).items():
        if "error" in figures:
            compare_error(folder.name, tool, figures["error"], judged, tally)
            continue
        if isinstance(judged, RankwiseError):
            tally.figure(tool, False, f"{folder.name}: {judged}")
            continue
        names = [name for name in figures if not name.startswith("_")]
        compare_tool(folder.name, tool, {name: figures[name] for name in names}, judged, tally)


def case_input(folder: Path) -> JudgedScores | RankwiseError:
    """The case's data, or why our readers refuse them."""
    try:
        data = read(folder / "features.txt", repeated_queries="separate")
        reading = READINGS.get(folder.name, "strict")
        scores = read_scores(folder / "scores.txt", data.n_documents, reading=reading)
    except RankwiseError as error:
        return error
    return judged_scores(data, scores)


def judged_scores(data: Any, scores: Scores) -> JudgedScores:
    return JudgedScores(
        data.labels,
        scores.values,
        data.query_offsets,
        list(data.query_ids),
        None if data.document_ids is None else list(data.document_ids),
        large_integers=scores.large_integers,
        surplus_scores=scores.surplus,
    )


def resolved(expected: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """`same as …` replaced by what it stands for."""
    result = {}
    for tool, figures in expected.items():
        figures = expected[figures["same_as"]] if "same_as" in figures else figures
        result[tool] = {
            name: expected[value.removeprefix("same as ")][name]
            if isinstance(value, str) and value.startswith("same as ")
            else value
            for name, value in figures.items()
        }
    return result


def compare_error(
    case: str, tool: str, reason: str, judged: JudgedScores | RankwiseError, tally: Tally
) -> None:
    """A tool that refused: so must we, except for what was never run or is a matter of layout."""
    if reason.startswith("not run: the input is malformed"):
        return
    if case in LAYOUT_ONLY:
        evaluate_judged(judged, None, TOOLS[tool])  # type: ignore[arg-type]
        return
    refused = isinstance(judged, RankwiseError) or case == "malformed-3"
    if not refused:
        try:
            evaluate_judged(judged, None, TOOLS[tool])  # type: ignore[arg-type]
        except ToolRefusal:
            refused = True
    tally.refusal(tool, refused, case)


def compare_tool(
    case: str, tool: str, figures: dict[str, Any], judged: JudgedScores, tally: Tally
) -> None:
    try:
        found = evaluate_judged(judged, figures, TOOLS[tool])
    except RankwiseError as error:
        tally.figure(tool, False, f"{case}: {error}")
        return
    for name, stored in figures.items():
        if "error" in stored:
            tally.refusal(tool, name in found.refused, f"{case} {name}")
        elif name not in found.results:
            tally.figure(tool, False, f"{case} {name}: {found.refused[name]}")
        else:
            compare_measure(f"{case} {name}", tool, stored, found, found[name], tally)


def console_mean(mean: float) -> str:
    """The mean as RankLib's console line `M on test data: x` has it."""
    return java_number(math.floor(mean * 10000.0 + 0.5) / 10000.0)


def compare_measure(
    where: str,
    tool: str,
    stored: dict[str, Any],
    found: Evaluation,
    result: MeasureResult,
    tally: Tally,
) -> None:
    if "mean" in stored:
        agrees = same(found, result, stored["mean"], result.mean)
        tally.figure(tool, agrees, f"{where} mean: {stored['mean']} != {result.mean!r}")
    if "mean_printed" in stored:
        text = first(stored["mean_printed"])
        shown = console_mean(result.mean)
        tally.figure(tool, shown == text, f"{where} printed mean: {text} != {shown}")
    per_query = stored.get("per_query")
    if per_query is None:
        return
    ours = result.per_query
    for query in per_query.keys() | ours.keys():
        if query not in ours or query not in per_query:
            tally.figure(tool, False, f"{where} query {query}: only one side has a figure")
            continue
        agrees = same(found, result, per_query[query], ours[query])
        tally.figure(tool, agrees, f"{where} {query}: {per_query[query]} != {ours[query]!r}")


def same(found: Evaluation, result: MeasureResult, stored: Any, ours: float) -> bool:
    """Whether our figure is the stored one to the tool's precision."""
    if found.tool.name in PRINTING and not isinstance(stored, float):
        if found.tool.name == "yahoo" and isinstance(stored, list):
            return found.tool.figure(result.measure, ours) == stored[0] and close(stored[1], ours)
        return found.tool.figure(result.measure, ours) == first(stored)
    number = float(stored[1] if isinstance(stored, list) else stored)
    return close(number, ours)


def close(stored: float, ours: float) -> bool:
    return abs(stored - ours) <= LIBRARY_TOLERANCE


def first(stored: Any) -> str:
    return str(stored[0] if isinstance(stored, list) else stored)


def compare_real(path: Path, data: Path, tally: Tally) -> None:
    """One run on real data: the score is the text of one feature."""
    stored = json.loads(path.read_text())
    judged = real_input(path.stem, data)
    for tool, figures in resolved(stored["expected"]).items():
        keyed = {name: with_queries(value, stored["qids"]) for name, value in figures.items()}
        compare_tool(path.stem, tool, keyed, judged, tally)


def with_queries(value: dict[str, Any], queries: list[str]) -> dict[str, Any]:
    """Lists of figures keyed by query; null is no figure."""
    if "per_query" not in value:
        return value
    pairs = zip(queries, value["per_query"], strict=True)
    return {**value, "per_query": {query: text for query, text in pairs if text is not None}}


def real_input(name: str, data: Path) -> JudgedScores:
    """`OHSUMED-Fold1-f25c`: test file of the fold, feature 25, `c` for one decimal."""
    collection, fold, feature = name.split("-")
    folders = {"OHSUMED": "letor3/OHSUMED/QueryLevelNorm", "MQ2008": "letor4/MQ2008"}
    dataset = read(data / folders[collection] / fold / "test.txt")
    values = dataset.features[:, int(feature.strip("fc")) - 1].copy()
    if feature.endswith("c"):
        values = [float(f"{value:.1f}") for value in values]
    return judged_scores(dataset, Scores(values))  # type: ignore[arg-type]


if __name__ == "__main__":
    outcome = compare_all(Path(sys.argv[1]))
    for line in outcome.lines():
        print(line)
    for line in outcome.wrong[: int(sys.argv[2]) if len(sys.argv) > 2 else 40]:
        print(line)
    sys.exit(bool(outcome.wrong))
