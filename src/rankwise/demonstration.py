"""The main job on real text, with nothing to download: what `rankwise demo` does.

A data set is built from the documentation of the Python that runs this, rankers are tuned on it
and tested against BM25, and a report is written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankwise.collection.build_folder import prepare_folder
from rankwise.collection.build_input import demo_input
from rankwise.collection.building import PRESETS, Build, build_from
from rankwise.collection.index.indexing import IndexingWorkers
from rankwise.comparison.comparing import compare
from rankwise.comparison.significance_tests import compare_systems
from rankwise.data.dataset import Dataset
from rankwise.data.formats.score_files import write_scores
from rankwise.data.reading import read_all, write
from rankwise.experiments.benchmark import DEFAULT_STORE, bench
from rankwise.experiments.running.runner import OnProgress
from rankwise.files import make_folder
from rankwise.measures.evaluation import evaluate
from rankwise.processes import processors
from rankwise.progress import Stage, silent_stage
from rankwise.reports.comparison_report import report
from rankwise.results.store.store import Store
from rankwise.tables.notebook import Rows, Tabular, shortened

DEPTH = 50
NORMALIZED = "QueryLevelNorm"
SHOWN_FEATURES = ("bm25 of whole", "bm25 of title", "pagerank")
SHOWN_TOOLS = ("definition", "letor4", "yahoo", "trec_eval")
BASELINE = "BM25"
RANKERS = ("best-feature", "ridge-regression", "ranksvm-primal", "listnet")
TOOLS = ("definition", "letor4", "yahoo")
MEASURE = "NDCG@10"


@dataclass(frozen=True)
class DemoSystem:
    """A ranker of the demo: its mean NDCG@10 by each tool, and how it does against BM25.

    `p_value` is adjusted by Holm's procedure; it and `difference` are None for BM25 itself.
    """

    ranker: str
    means: Mapping[str, float]
    difference: float | None = None
    p_value: float | None = None


@dataclass(frozen=True, eq=False)
class Demo(Tabular):
    """What the demo made, all in its folder.

    Attributes:
        folder: of all files.
        built: the data set.
        features: NDCG@10 of documents ranked by one feature, by feature and tool.
        systems: the rankers, BM25 first.
        page: the report.
    """

    folder: Path
    built: Build
    features: Mapping[str, Mapping[str, float]]
    systems: tuple[DemoSystem, ...]
    page: Path

    def __repr__(self) -> str:
        return shortened(f"Demo of {len(self.systems)} rankers in {self.folder}; see {self.page}")

    def _table(self) -> Rows:
        titles = ("ranker", *TOOLS, "difference", "p_value")
        return titles, [
            (one.ranker, *one.means.values(), one.difference, one.p_value) for one in self.systems
        ]


Told = Callable[[str, Any], None]
"""Is told the name of a part of the `Demo` and the part, as soon as it is known."""


def demo(
    folder: str | Path = "rankwise-demo",
    *,
    queries: int = 120,
    seed: int = 0,
    stage: Stage = silent_stage,
    watch: OnProgress = lambda progress: None,
    told: Told = lambda name, part: None,
) -> Demo:
    """Build a data set from Python's documentation, train and compare rankers, write a report.

    Args:
        folder: for the files; is made where it is not there.
        queries: how many to draw from the documentation.
        seed: same seed, same bytes (but for the times in the store).
        stage: is told how far the build is.
        watch: is told how the experiment stands.
        told: is told `built`, `features`, `systems` and `page`, one after another.
    """
    home = make_folder(folder)
    built = _built(home / "web", queries, seed, stage)
    told("built", built)
    folds = home / "web" / NORMALIZED
    dataset = read_all([folds / f"Fold{number}" / "test.txt" for number in range(1, 6)])
    write(dataset, home / "all.txt", numbers="letor3-normalized")
    names = built.feature_names
    features = {name: _means(dataset, names.index(name)) for name in SHOWN_FEATURES}
    bm25 = names.index(SHOWN_FEATURES[0])
    write_scores(dataset.features[:, bm25], home / "bm25.scores")
    told("features", features)
    store = home / DEFAULT_STORE
    bench(_experiment(folds, bm25 + 1), store=store, jobs=1, watch=watch)
    systems = _systems(store)
    told("systems", systems)
    comparison = compare(store)
    files = report(
        comparison, home / "report", title="The demo's rankers", formats=(),
        command=f"rankwise demo --queries {queries} --seed {seed}",
    )  # fmt: skip
    told("page", files.page)
    return Demo(home, built, features, systems, files.page)


def _built(folder: Path, queries: int, seed: int, stage: Stage) -> Build:
    # Refused at once where others' files are, and not after the documentation has been read.
    prepare_folder(folder)
    gov = PRESETS["gov"][1]
    settings = replace(
        gov,
        sampling=replace(gov.sampling, depth=DEPTH),
        engine=IndexingWorkers(min(processors(), 2)),
        seed=seed,
    )
    return build_from(demo_input(queries, seed), folder, settings, stage)


def _means(dataset: Dataset, feature: int) -> dict[str, float]:
    """NDCG@10 of documents ranked by a feature, as each tool computes it."""
    scores = dataset.features[:, feature]
    return {tool: evaluate(dataset, scores, MEASURE, tool)[MEASURE].mean for tool in SHOWN_TOOLS}


def _experiment(folds: Path, bm25: int) -> dict[str, Any]:
    """Every ranker on every fold; `bm25` is the number of the feature that they have to beat."""
    data = {"path": str(folds.absolute()), "collection": "Demo", "tool": TOOLS[0]}
    return {
        "name": "demo",
        "measures": ["MAP", MEASURE],
        "tools": list(TOOLS),
        "data": [{**data, "dataset": "Python documentation"}],
        "rankers": [
            {"name": "best-feature", "label": BASELINE, "set": {"feature": bm25}},
            {"name": ",".join(RANKERS)},
        ],
    }


def _systems(path: Path) -> tuple[DemoSystem, ...]:
    """Mean test figures, tool by tool, and whether each ranker beats BM25."""
    with Store.read(path) as store:
        by_tool = {tool: store.paired(MEASURE, tool).values for tool in TOOLS}
    systems = by_tool[TOOLS[0]]
    compared = {one.system: one for one in compare_systems({MEASURE: systems})}
    found = []
    for method in systems:
        means = {tool: float(by_tool[tool][method].mean()) for tool in TOOLS}
        one = compared.get(method)
        beside = () if one is None else (one.difference, one.adjusted_p_value)
        found.append(DemoSystem(method, means, *beside))
    return tuple(found)
