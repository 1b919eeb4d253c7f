"""`rankwise demo`: the main job on real text, with nothing to download."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from rankwise.cli.experiments.demo_experiment import (
    run_experiment,
    show_experiment,
    write_demo_report,
)
from rankwise.cli.output import note, print_table
from rankwise.data.dataset import Dataset
from rankwise.data.reading import read_all
from rankwise.data.writing import write
from rankwise.files import make_folder, write_text

DEPTH = 50
NORMALIZED = "QueryLevelNorm"
SHOWN_FEATURES = ("bm25 of whole", "bm25 of title", "pagerank")
SHOWN_TOOLS = ("definition", "letor4", "yahoo", "trec_eval")


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("rankwise-demo"),
    show_default=True,
    help="The folder for the demo's files.",
)
@click.option(
    "--queries",
    type=click.IntRange(min=10),
    default=120,
    show_default=True,
    help="How many queries to draw from the documentation.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    help="Same seed, same bytes (but for the times in results.sqlite).",
)
def demo(out: Path, queries: int, seed: int) -> None:
    """Build a data set from Python's documentation, train and compare rankers, write a report.

    \b
    Examples:
      rankwise demo
      rankwise demo --queries 300 --out /tmp/demo
    """
    make_folder(out)
    click.echo(
        "1. Collection: the documentation of this Python as a web; queries are summaries of pages."
    )
    features = _build(out / "web", queries, seed)
    click.echo(
        "2. Data: LETOR's versions (NULL, MIN, QueryLevelNorm), each with five folds in a ring:\n"
        "   three parts to train on, one to validate, one to test.\n"
    )
    folds = out / "web" / NORMALIZED
    dataset = read_all([folds / f"Fold{number}" / "test.txt" for number in range(1, 6)])
    write(dataset, out / "all.txt", numbers="letor3-normalized")
    click.echo("3. Measures: rank by one feature, and see what each tool calls NDCG@10.")
    _show_measures(dataset, features)
    scores = out / "bm25.scores"
    bm25 = features.index(SHOWN_FEATURES[0])
    _write_scores(scores, dataset.features[:, bm25])
    click.echo("4. Rankers: tuned on each validation part, evaluated once on each test part.")
    store = out / "results.sqlite"
    run_experiment(folds, store, bm25 + 1)
    show_experiment(store)
    click.echo("5. Comparison: winning numbers and figures on one page.\n")
    page = write_demo_report(store, out / "report")
    click.echo(_next_steps(out, scores, page))


def _build(folder: Path, queries: int, seed: int) -> list[str]:
    """Build the collection, say what came out, and give the names of its features."""
    from rankwise.cli.collection.corpus import build, demo_input
    from rankwise.collection.building import PRESETS
    from rankwise.collection.index import IndexingWorkers
    from rankwise.processors import processors

    gov = PRESETS["gov"][1]
    settings = replace(
        gov,
        sampling=replace(gov.sampling, depth=DEPTH),
        engine=IndexingWorkers(min(processors(), 2)),
        seed=seed,
    )
    card = build(demo_input(queries, seed), folder, settings)
    for line in card.findings.lines():
        note(line)
    facts = card.facts
    labels = ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items())
    print_table(
        ["pages", "links", "queries", "rows", "features", "labels"],
        [
            [
                f"{facts['documents_in_corpus']:,}",
                f"{facts['links']:,}",
                facts["queries"],
                f"{facts['rows']:,}",
                len(facts["features"]),
                labels,
            ]
        ],
    )
    return [feature["name"] for feature in facts["features"]]


def _show_measures(dataset: Dataset, features: list[str]) -> None:
    from rankwise.evaluation import evaluate

    rows = []
    for name in SHOWN_FEATURES:
        scores = dataset.features[:, features.index(name)]
        means = [evaluate(dataset, scores, "NDCG@10", tool)["NDCG@10"].mean for tool in SHOWN_TOOLS]
        rows.append([name, *(f"{mean:.4f}" for mean in means)])
    columns = ["ranked by", *SHOWN_TOOLS]
    print_table(columns, rows, numeric=range(1, len(columns)))


def _write_scores(path: Path, scores: NDArray[np.float64]) -> None:
    write_text(path, "".join(f"{score!r}\n" for score in scores.tolist()))


def _next_steps(out: Path, scores: Path, page: Path) -> str:
    data = out / "all.txt"
    return "\n".join(
        [
            f"Open {page} in a browser. Next:",
            f"  rankwise data describe {data}",
            f"  rankwise evaluate {data} {scores} --tool all -m NDCG@10",
            f"  rankwise explain {data} {scores} -m NDCG@10 --tools letor4,yahoo",
            f"  rankwise significance {out / 'results.sqlite'} BM25 -m MAP",
            f"  rankwise bench --data {out / 'web' / NORMALIZED} --rankers all --out {out / 'all'}",
            "  rankwise compare --out published    # published results; published/report.html",
        ]
    )
