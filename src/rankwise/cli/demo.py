"""`rankwise demo`: the main job on data made here, with nothing to download."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from rankwise.cli.demo_experiment import run_experiment, show_experiment, write_demo_report
from rankwise.cli.output import print_table
from rankwise.data.dataset import Dataset
from rankwise.data.description import describe
from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.data.normalization import normalize
from rankwise.data.reading import read
from rankwise.data.synthetic import FEATURE_NAMES, make_dataset
from rankwise.data.writing import write
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text

SHOWN_FEATURES = ("whole BM25", "title tf", "noise")
SHOWN_TOOLS = ("definition", "letor4", "yahoo", "trec_eval")


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("rankwise-demo"),
    show_default=True,
    help="The folder for the demo's files.",
)
@click.option("--queries", default=150, show_default=True, help="How many queries to make up.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same bytes.")
def demo(out: Path, queries: int, seed: int) -> None:
    """Make a small data set, cut folds, train and compare rankers on it, and write a report.

    \b
    Examples:
      rankwise demo
      rankwise demo --queries 500 --out /tmp/demo
    """
    folds = out / "folds"
    if folds.exists() and not (out / "null.txt").exists():
        raise RankwiseError(
            f"{folds} exists and is not of this demo; name another folder: --out DIR"
        )
    make_folder(out)
    click.echo(
        "1. Data: made-up queries and documents, LETOR text with NULL where no word matched."
    )
    write(make_dataset(queries, seed), out / "null.txt", numbers="fixed6")
    dataset = read(out / "null.txt")
    _show_facts(dataset)
    click.echo("2. LETOR's versions: NULL filled with the query's minimum, then scaled per query.")
    normalized = normalize(dataset, "query-level")
    write(normalized, out / "normalized.txt", numbers="letor3-normalized")
    click.echo(
        "3. Folds: five parts; three to train on, one to validate, one to test, in a ring.\n"
    )
    shutil.rmtree(folds, ignore_errors=True)
    write_folds(compose_folds(cut_into_parts(normalized, seed=seed)), folds)
    click.echo("4. Measures: rank by one feature, and see what each tool calls NDCG@10.")
    _show_measures(normalized)
    scores = out / "bm25.scores"
    _write_scores(scores, _feature(normalized, "whole BM25"))
    click.echo("5. Rankers: tuned on each validation part, evaluated once on each test part.")
    store = out / "results.sqlite"
    run_experiment(folds, store)
    show_experiment(store)
    click.echo("6. Comparison: winning numbers and figures on one page.\n")
    page = write_demo_report(store, out / "report")
    click.echo(_next_steps(out, scores, page))


def _show_facts(dataset: Dataset) -> None:
    facts = describe(dataset)
    labels = ", ".join(f"{label}: {count:,}" for label, count in facts.labels.items())
    nulls = sum(facts.null_features.values())
    print_table(
        ["rows", "queries", "features", "labels", "NULL cells", "queries shorter than 10"],
        [
            [
                f"{facts.rows:,}",
                facts.queries,
                facts.features,
                labels,
                f"{nulls:,}",
                facts.queries_shorter_than_10,
            ]
        ],
    )


def _show_measures(dataset: Dataset) -> None:
    from rankwise.evaluation import evaluate

    rows = []
    for name in SHOWN_FEATURES:
        scores = _feature(dataset, name)
        means = [evaluate(dataset, scores, "NDCG@10", tool)["NDCG@10"].mean for tool in SHOWN_TOOLS]
        rows.append([name, *(f"{mean:.4f}" for mean in means)])
    columns = ["ranked by", *SHOWN_TOOLS]
    print_table(columns, rows, numeric=range(1, len(columns)))


def _feature(dataset: Dataset, name: str) -> NDArray[np.float64]:
    return dataset.features[:, FEATURE_NAMES.index(name)]


def _write_scores(path: Path, scores: NDArray[np.float64]) -> None:
    write_text(path, "".join(f"{score!r}\n" for score in scores.tolist()))


def _next_steps(out: Path, scores: Path, page: Path) -> str:
    data = out / "normalized.txt"
    return "\n".join(
        [
            f"Open {page} in a browser. Next:",
            f"  rankwise data describe {data}",
            f"  rankwise evaluate {data} {scores} --tool all -m NDCG@10",
            f"  rankwise explain {data} {scores} -m NDCG@10 --tools letor4,yahoo",
            f"  rankwise bench --data {out / 'folds'} --rankers all --out {out / 'all'}",
            "  rankwise build --demo -o web         # a data set from Python's documentation",
            "  rankwise compare --out published    # 87 published methods; published/report.html",
        ]
    )
