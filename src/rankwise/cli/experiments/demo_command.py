"""`rankwise demo`: the main job on real text, with nothing to download."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from rankwise import demo as run_demo
from rankwise.cli.experiments.bench_command import watching
from rankwise.cli.options import output_option, seed_option
from rankwise.cli.output import note, print_table, progress, say
from rankwise.collection import Build
from rankwise.demonstration import BASELINE, NORMALIZED, DemoSystem
from rankwise.experiments import RunProgress


@click.command()
@output_option(
    "The folder for the demo's files.",
    "DIR",
    default=Path("rankwise-demo"),
    show_default=True,
)
@click.option(
    "--queries",
    type=click.IntRange(min=10),
    default=120,
    show_default=True,
    help="How many queries to draw from the documentation.",
)
@seed_option("Same seed, same bytes (but for the times in results.sqlite).")
def demo(output: Path, queries: int, seed: int) -> None:
    """Build a data set from Python's documentation, train and compare rankers, write a report.

    \b
    Examples:
      rankwise demo
      rankwise demo --queries 300 -o /tmp/demo
    """
    say("1. Collection: the documentation of this Python as a web; queries are summaries of pages.")
    screen = _Screen()

    def told(name: str, part: Any) -> None:
        screen.clear()
        _TELLERS[name](part, output)

    try:
        run_demo(
            output, queries=queries, seed=seed, stage=screen.stage, watch=screen.watch, told=told
        )
    finally:
        screen.clear()


class _Screen:
    """What moves on a terminal, one thing at a time, gone before anything is printed."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._show: Callable[[RunProgress], None] | None = None

    def stage(self, description: str, total: float | None = None) -> Callable[[float], None]:
        """A bar for a stage of the build."""
        self.clear()
        return self._stack.enter_context(progress(description, total))

    def watch(self, run: RunProgress) -> None:
        """The view of the experiment."""
        if self._show is None:
            self.clear()
            self._show = self._stack.enter_context(watching(quiet=False))
        self._show(run)

    def clear(self) -> None:
        """Nothing moves any more."""
        self._stack.close()
        self._show = None


def _tell_build(built: Build, output: Path) -> None:
    for line in built.card.findings.lines():
        note(line)
    facts = built.facts
    labels = ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items())
    print_table(
        ["pages", "links", "queries", "rows", "features", "labels"],
        [
            [
                f"{facts['documents']:,}",
                f"{facts['links']:,}",
                facts["queries"],
                f"{facts['rows']:,}",
                facts["features"],
                labels,
            ]
        ],
    )
    say(
        "2. Data: LETOR's versions (NULL, MIN, QueryLevelNorm), each with five folds in a ring:\n"
        "   three parts to train on, one to validate, one to test.\n"
    )
    say("3. Measures: rank by one feature, and see what each tool calls NDCG@10.")


def _tell_features(found: Mapping[str, Mapping[str, float]], output: Path) -> None:
    tools = next(iter(found.values()))
    rows = [[name, *(f"{mean:.4f}" for mean in means.values())] for name, means in found.items()]
    columns = ["ranked by", *tools]
    print_table(columns, rows, numeric=range(1, len(columns)))
    say("4. Rankers: tuned on each validation part, evaluated once on each test part.")


def _tell_systems(systems: Sequence[DemoSystem], output: Path) -> None:
    rows = []
    for one in systems:
        means = [f"{mean:.4f}" for mean in one.means.values()]
        verdict = ["", ""]
        if one.difference is not None and one.p_value is not None:
            verdict = [f"{one.difference:+.4f}", _p(one.p_value)]
        rows.append([one.ranker, *means, *verdict])
    columns = ["ranker", *systems[0].means, f"against {BASELINE}", "p (Holm)"]
    print_table(columns, rows, numeric=range(1, len(columns)))
    say("5. Comparison: winning numbers and figures on one page.\n")


def _tell_page(page: Path, output: Path) -> None:
    quoted = {
        name: shlex.quote(str(output / name))
        for name in ("all.txt", "bm25.scores", "results.sqlite", f"web/{NORMALIZED}", "all")
    }
    data, scores, store, folds, everything = quoted.values()
    lines = [
        f"Open {page} in a browser. Next:",
        f"  rankwise data describe {data}",
        f"  rankwise evaluate {data} {scores} --tool all -m NDCG@10",
        f"  rankwise explain {data} {scores} -m NDCG@10 --tool letor4,yahoo",
        f"  rankwise significance {store} BM25 -m MAP",
        f"  rankwise bench --data {folds} --ranker all -o {everything}",
        "  rankwise compare -o published    # published results; published/report.html",
    ]
    say("\n".join(lines))


_TELLERS: dict[str, Callable[[Any, Path], None]] = {
    "built": _tell_build,
    "features": _tell_features,
    "systems": _tell_systems,
    "page": _tell_page,
}


def _p(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else f"{value:.4f}"
