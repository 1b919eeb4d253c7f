"""Every command in one list: its name, its group on the first screen, one line about it, its home.

A home is imported only when its command runs, which keeps `rankwise --help` quick.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """One command: where it is shown, what it says, and `module:attribute` of its click command."""

    name: str
    group: str
    summary: str
    home: str


COMMANDS = (
    Entry(
        "demo",
        "Start here",
        "The whole story on a small data set made here.",
        "rankwise.cli.experiments.demo:demo",
    ),
    Entry(
        "build",
        "Data",
        "From a corpus, queries and judgements to a LETOR data set.",
        "rankwise.cli.collection.build:build",
    ),
    Entry(
        "data",
        "Data",
        "Describe, check, convert, normalize, split, fetch data.",
        "rankwise.cli.data.group:data",
    ),
    Entry(
        "evaluate",
        "Measures",
        "The figures of rankings, as any tool computes them.",
        "rankwise.cli.measures.evaluate:evaluate",
    ),
    Entry(
        "explain",
        "Measures",
        "Why tools differ on the same scores.",
        "rankwise.cli.measures.explain:explain",
    ),
    Entry(
        "identify",
        "Measures",
        "Which tools give a printed figure?",
        "rankwise.cli.measures.identify:identify",
    ),
    Entry(
        "reconcile",
        "Measures",
        "A figure of one tool as that of another.",
        "rankwise.cli.measures.reconcile:reconcile",
    ),
    Entry(
        "measures",
        "Measures",
        "List all measures and tools.",
        "rankwise.cli.measures.measures:measures",
    ),
    Entry(
        "significance",
        "Measures",
        "Is one system better than another by more than luck?",
        "rankwise.cli.measures.significance:significance",
    ),
    Entry(
        "rankers",
        "Rankers",
        "The methods: families, papers, parameters.",
        "rankwise.cli.rankers.rankers:rankers",
    ),
    Entry(
        "train", "Rankers", "Train a ranker and save its model.", "rankwise.cli.rankers.train:train"
    ),
    Entry(
        "tune",
        "Rankers",
        "Choose a ranker's parameters within a budget, resumable.",
        "rankwise.cli.experiments.tune:tune",
    ),
    Entry("score", "Rankers", "Score documents with a model.", "rankwise.cli.rankers.score:score"),
    Entry("model", "Rankers", "Look into a model, export it.", "rankwise.cli.rankers.model:model"),
    Entry(
        "dearank",
        "Rankers",
        "DEARank's discussion on your data.",
        "rankwise.cli.rankers.dearank:dearank",
    ),
    Entry(
        "features",
        "Rankers",
        "Select and reduce features.",
        "rankwise.cli.rankers.features:features",
    ),
    Entry(
        "recommend",
        "Experiments",
        "Which methods to try first on your data, and how sure that is.",
        "rankwise.cli.experiments.recommend:recommend",
    ),
    Entry(
        "bench",
        "Experiments",
        "Run an experiment: tuned on validation, judged on test, resumable.",
        "rankwise.cli.experiments.bench:bench",
    ),
    Entry(
        "clicks",
        "Experiments",
        "Simulated users and click logs: learn and evaluate from feedback.",
        "rankwise.cli.feedback.group:clicks",
    ),
    Entry(
        "compare",
        "Comparison",
        "Rank methods across benchmarks; fronts, figures, a report page.",
        "rankwise.cli.comparison.compare:compare",
    ),
    Entry(
        "place",
        "Comparison",
        "Where your method lands among published ones.",
        "rankwise.cli.comparison.place:place",
    ),
    Entry(
        "results",
        "Comparison",
        "Tables of results, and what experiments stored.",
        "rankwise.cli.comparison.results:results",
    ),
    Entry(
        "literature",
        "Comparison",
        "Published results: list, show, cite, check.",
        "rankwise.cli.comparison.literature:literature",
    ),
    Entry(
        "arena",
        "Arena",
        "Organise a leaderboard with hidden labels.",
        "rankwise.cli.arena.group:arena",
    ),
    Entry(
        "serve",
        "Arena",
        "An arena, or a running bench, in a browser.",
        "rankwise.cli.arena.serve:serve",
    ),
    Entry(
        "submit", "Arena", "Send scores or a run to an arena.", "rankwise.cli.arena.submit:submit"
    ),
    Entry(
        "completion",
        "Other",
        "Print the shell completion script.",
        "rankwise.cli.completion:completion",
    ),
)
