"""The input of evaluate, explain and identify: data and scores, read as the chosen tool reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import click

from rankwise.cli.output import note
from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import open_source
from rankwise.data.formats.scores import Missing, Reading, read_scores
from rankwise.data.formats.trec import Judgements, read_qrels, read_run
from rankwise.data.reading import read
from rankwise.evaluation import join_run, judge_dataset
from rankwise.measures.judged import JudgedScores
from rankwise.measures.tool import Tool

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
FIRST_BYTES = 1 << 16


def input_options(command: Decorated) -> Decorated:
    """The options that say how data and scores are read."""
    for option in (
        click.option("--trec", is_flag=True, help="DATA is TREC qrels and SCORES are TREC runs."),
        click.option(
            "--complete",
            is_flag=True,
            help="With --trec: judged queries that the run lacks count as lists without documents.",
        ),
        click.option(
            "--reading",
            type=click.Choice(["strict", "surplus", "prefix"]),
            default="strict",
            show_default=True,
            help="Score lines: exactly one number per row; surplus lines ignored; or, as Perl "
            "reads, also the longest number that a line begins with.",
        ),
        click.option(
            "--nan",
            "missing",
            type=click.Choice(["error", "last", "first", "zero"]),
            default="error",
            show_default=True,
            help="Where documents go whose score is NaN.",
        ),
    ):
        command = option(command)
    return command


@dataclass
class JudgedInput:
    """One data file, read once, and what it gives with each score file for each tool."""

    data: str
    trec: bool
    complete: bool
    reading: Reading
    missing: Missing
    _said: set[str] = field(default_factory=set)
    _scored: dict[str, JudgedScores] = field(default_factory=dict)
    _tags: dict[str, str] = field(default_factory=dict)

    def scored(self, path: str) -> JudgedScores:
        """The data with the scores of one file, which is read once."""
        if path not in self._scored:
            self._scored[path] = self._joined(path) if self.trec else self._with_scores(path)
        return self._scored[path]

    def check(self, tool: Tool) -> None:
        """Refuse what this tool may not see, and say what its own program would refuse."""
        if self.trec:
            return
        if tool.queries == "separate" and tool.name == "definition" and self._queries_come_back:
            read(self.data)
        for reason in self._layout_refusals(tool):
            self.say(
                f"{tool.name} itself refuses {self.data} for its layout ({reason}); "
                "the figures are those it prints once that is mended"
            )

    def say(self, message: str) -> None:
        """A remark, once."""
        if message not in self._said:
            self._said.add(message)
            note(message)

    @cached_property
    def dataset(self) -> Dataset:
        """The data, with queries that come back later in the file as runs of their own."""
        return read(self.data, repeated_queries="separate")

    @cached_property
    def qrels(self) -> Judgements:
        """The judgements."""
        return read_qrels(self.data)

    def tag(self, path: str) -> str:
        """The name that a run gives itself; a score file has none."""
        return self._tags.get(path, "rankwise")

    def _with_scores(self, path: str) -> JudgedScores:
        scores = read_scores(
            path, self.dataset.n_documents, reading=self.reading, missing=self.missing
        )
        if scores.surplus:
            self.say(f"{path}: {scores.surplus} surplus scores are ignored")
        if scores.replaced:
            self.say(f"{path}: {scores.replaced} scores are NaN and go {self.missing}")
        return judge_dataset(self.dataset, scores)

    def _joined(self, path: str) -> JudgedScores:
        run = read_run(path)
        self._tags[path] = run.tag
        joined = join_run(self.qrels, run.scores, complete=self.complete)
        if joined.only_judged:
            how = "count as lists without documents" if self.complete else "are left out"
            self.say(_counted(path, joined.only_judged, "of the judgements", "in the run", how))
        if joined.only_retrieved:
            where = "in the judgements"
            self.say(_counted(path, joined.only_retrieved, "of the run", where, "are left out"))
        return joined.judged

    @cached_property
    def _queries_come_back(self) -> bool:
        ids = list(self.dataset.query_ids)
        return len(set(ids)) < len(ids)

    @cached_property
    def _has_carriage_returns(self) -> bool:
        with open_source(self.data) as source:
            return b"\r" in source.read(0, min(FIRST_BYTES, source.size - 1)).tobytes()

    def _layout_refusals(self, tool: Tool) -> list[str]:
        reasons = []
        if not tool.carriage_returns and self._has_carriage_returns:
            reasons.append("carriage returns at the ends of lines")
        if tool.comment_style is not None and self._style not in (None, tool.comment_style):
            other = {"letor3": "LETOR 3.0", "letor4": "LETOR 4.0"}.get(self._style or "", "other")
            reasons.append(f"{other} comments")
        return reasons

    @cached_property
    def _style(self) -> str | None:
        """Whose comments the lines end in."""
        comments = self.dataset.comments
        if comments is None or len(comments) == 0:
            return "other"
        first = comments[0]
        if "docid =" not in first:
            return "other"
        return "letor4" if " inc =" in first else "letor3"


def _counted(path: str, queries: tuple[str, ...], of: str, where: str, how: str) -> str:
    return f"{path}: {len(queries)} queries {of} are not {where} and {how} (first: {queries[0]})"
