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
        "experiments.demo:demo",
    ),
    Entry(
        "build",
        "Data",
        "From a corpus, queries and judgements to a LETOR data set.",
        "collection.build:build",
    ),
    Entry(
        "data", "Data", "Describe, check, convert, normalize, split, fetch data.", "data.group:data"
    ),
    Entry(
        "evaluate",
        "Measures",
        "The figures of rankings, as any tool computes them.",
        "measures.evaluate:evaluate",
    ),
    Entry(
        "explain", "Measures", "Why tools differ on the same scores.", "measures.explain:explain"
    ),
    Entry(
        "identify", "Measures", "Which tools give a printed figure?", "measures.identify:identify"
    ),
    Entry(
        "reconcile",
        "Measures",
        "A figure of one tool as that of another.",
        "measures.reconcile:reconcile",
    ),
    Entry("measures", "Measures", "List all measures and tools.", "measures.measures:measures"),
    Entry(
        "significance",
        "Measures",
        "Is one system better than another by more than luck?",
        "measures.significance:significance",
    ),
    Entry(
        "rankers",
        "Rankers",
        "The methods: families, papers, parameters.",
        "rankers.rankers:rankers",
    ),
    Entry("train", "Rankers", "Train a ranker and save its model.", "rankers.train:train"),
    Entry(
        "tune",
        "Rankers",
        "Choose a ranker's parameters within a budget, resumable.",
        "experiments.tune:tune",
    ),
    Entry("score", "Rankers", "Score documents with a model.", "rankers.score:score"),
    Entry("model", "Rankers", "Look into a model, export it.", "rankers.model:model"),
    Entry("dearank", "Rankers", "DEARank's discussion on your data.", "rankers.dearank:dearank"),
    Entry("features", "Rankers", "Select and reduce features.", "rankers.features:features"),
    Entry(
        "recommend",
        "Experiments",
        "Which methods to try first on your data, and how sure that is.",
        "experiments.recommend:recommend",
    ),
    Entry(
        "bench",
        "Experiments",
        "Run an experiment: tuned on validation, judged on test, resumable.",
        "experiments.bench:bench",
    ),
    Entry(
        "clicks",
        "Experiments",
        "Simulated users and click logs: learn and evaluate from feedback.",
        "feedback.group:clicks",
    ),
    Entry(
        "compare",
        "Comparison",
        "Rank methods across benchmarks; fronts, figures, a report page.",
        "comparison.compare:compare",
    ),
    Entry(
        "place",
        "Comparison",
        "Where your method lands among published ones.",
        "comparison.place:place",
    ),
    Entry(
        "results",
        "Comparison",
        "Tables of results, and what experiments stored.",
        "comparison.results:results",
    ),
    Entry(
        "literature",
        "Comparison",
        "Published results: list, show, cite, check.",
        "comparison.literature:literature",
    ),
    Entry(
        "arena",
        "Arena",
        "Organise a leaderboard with hidden labels.",
        "arena.group:arena",
    ),
    Entry("serve", "Arena", "An arena, or a running bench, in a browser.", "arena.serve:serve"),
    Entry("submit", "Arena", "Send scores or a run to an arena.", "arena.submit:submit"),
    Entry("completion", "Other", "Print the shell completion script.", "completion:completion"),
)
