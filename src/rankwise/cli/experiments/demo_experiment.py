"""The second half of the demo: rankers on the folds, judged by several tools, and a report."""

from __future__ import annotations

from pathlib import Path

from rankwise.cli.output import print_table

BASELINE = "BM25"
RANKERS = ("best-feature", "ridge-regression", "ranksvm-primal", "listnet")
TOOLS = ("definition", "letor4", "yahoo")
MEASURE = "NDCG@10"


def run_experiment(folds: Path, store: Path, bm25: int) -> None:
    """Tune every ranker on validation, evaluate it once on test, fold by fold.

    `bm25` is the number of the feature that the rankers have to beat.
    """
    from rankwise.cli.experiments.bench_view import watching
    from rankwise.experiments.configuration import configure
    from rankwise.experiments.engines.local import LocalEngine
    from rankwise.experiments.plan import expand
    from rankwise.experiments.runner import clear_scratch, run_plan, scratch_folder
    from rankwise.results.store import Store

    configuration = configure(
        {
            "name": "demo",
            "measures": ["MAP", MEASURE],
            "tools": list(TOOLS),
            "data": [
                {"path": str(folds.absolute()), "collection": "Demo",
                 "dataset": "Python documentation", "tool": TOOLS[0]},
            ],
            "rankers": [
                {"name": "best-feature", "label": BASELINE, "set": {"feature": bm25}},
                {"name": ",".join(RANKERS)},
            ],
        },
        folds.parent,
    )  # fmt: skip
    with Store.open(store) as opened, watching(quiet=False) as watch:
        engine = LocalEngine(1, scratch_folder(store))
        run_plan(expand(configuration), opened, engine, configuration.limits, watch=watch)
    clear_scratch(store)


def show_experiment(store: Path) -> None:
    """Mean test figures, tool by tool, and whether each ranker beats BM25."""
    from rankwise.comparison.significance import compare_systems
    from rankwise.results.store import Store

    with Store.read(store) as opened:
        by_tool = {tool: opened.paired(MEASURE, tool).values for tool in TOOLS}
    systems = by_tool[TOOLS[0]]
    compared = {one.system: one for one in compare_systems({MEASURE: systems})}
    rows = []
    for method in systems:
        means = [f"{by_tool[tool][method].mean():.4f}" for tool in TOOLS]
        one = compared.get(method)
        verdict = ["", ""] if one is None else [f"{one.difference:+.4f}", _p(one.adjusted_p_value)]
        rows.append([method, *means, *verdict])
    columns = ["ranker", *TOOLS, f"against {BASELINE}", "p (Holm)"]
    print_table(columns, rows, numeric=range(1, len(columns)))


def write_demo_report(store: Path, folder: Path) -> Path:
    """The page of `rankwise compare` for the store."""
    from rankwise.comparison.ranking import compare
    from rankwise.reports.writing import make_report, write_report
    from rankwise.results.store import Store

    with Store.read(store) as opened:
        report = make_report(compare(opened.table()), "The demo's rankers")
    return write_report(report, folder, formats=())[0]


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"
