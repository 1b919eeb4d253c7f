"""Data and scores from files, read as the tool reads that is to judge them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import open_source
from rankwise.data.formats.scores import Missing, Reading, Scores, read_scores
from rankwise.data.formats.trec import Judgements, read_qrels, read_run
from rankwise.data.locating import locate
from rankwise.data.reading import is_letor_text, read
from rankwise.errors import RankwiseError
from rankwise.evaluation.judging import (
    MissingQueries,
    as_run,
    as_scores,
    judge_dataset,
    refuse_missing,
    refuse_strangers,
)
from rankwise.evaluation.layouts import advise_on_files
from rankwise.evaluation.runs import QueryDocuments, join_run
from rankwise.measures.judged import JudgedScores
from rankwise.measures.tool import Tool

FIRST_BYTES = 1 << 16


@dataclass
class JudgedFiles:
    """One data file, read once, and what it gives with each score file for each tool.

    Attributes:
        data: a LETOR file; with `trec` qrels, whose score files are runs.
        missing_queries: with `trec`, what queries are that only one of the two files has.
        reading: how lines of score files are read.
        nan: where documents go whose score is NaN.
        say: is told, once each, what was odd.
    """

    data: str | Path
    trec: bool = False
    missing_queries: MissingQueries = "skip"
    reading: Reading = "strict"
    nan: Missing = "error"
    say: Callable[[str], None] = lambda remark: None
    _said: set[str] = field(default_factory=set)
    _scored: dict[str, JudgedScores] = field(default_factory=dict)
    _tags: dict[str, str] = field(default_factory=dict)

    def scored(self, scores: Any) -> JudgedScores:
        """The data with the scores of one file, which is read once, or of values in memory."""
        if not isinstance(scores, str | Path):
            if self.trec:
                return self._joined("the run", as_run(scores))
            return judge_dataset(self.dataset, as_scores(scores, self.dataset.n_documents))
        path = str(scores)
        if path not in self._scored:
            try:
                self._scored[path] = self._with_run(path) if self.trec else self._with_scores(path)
            except RankwiseError as error:
                raise error.advised(*advise_on_files(self.data, path, self.trec)) from None
        return self._scored[path]

    def completed(self) -> JudgedFiles:
        """The same files where queries that a run lacks count as lists without documents."""
        return JudgedFiles(self.data, self.trec, "zero", self.reading, self.nan)

    def without_scores(self) -> JudgedScores:
        """The judgements alone; the scores are of no meaning."""
        if self.trec:
            return join_run(self.qrels, self.qrels).judged
        return judge_dataset(self.dataset, Scores(np.zeros(self.dataset.n_documents)))

    def check(self, tool: Tool) -> None:
        """Refuse what this tool may not see, and say what its own program would refuse."""
        if self.trec:
            return
        if tool.queries == "separate" and tool.name == "definition" and self._queries_come_back:
            read(self.data)
        for reason in self._layout_refusals(tool):
            self._say(
                f"{tool.name} itself refuses {self.data} for its layout ({reason}); "
                "the figures are those it prints once that is mended"
            )

    @cached_property
    def dataset(self) -> Dataset:
        """The data, with queries that come back later in the file as runs of their own."""
        return read(self.data, repeated_queries="separate")

    @cached_property
    def qrels(self) -> Judgements:
        """The judgements."""
        return read_qrels(self.data)

    def tag(self, path: str | Path) -> str:
        """The name that a run gives itself; a score file has none."""
        return self._tags.get(str(path), "rankwise")

    def _say(self, remark: str) -> None:
        if remark not in self._said:
            self._said.add(remark)
            self.say(remark)

    def _with_scores(self, path: str) -> JudgedScores:
        scores: Scores = read_scores(
            path, self.dataset.n_documents, reading=self.reading, nan=self.nan
        )
        if scores.surplus:
            self._say(f"{path}: {scores.surplus} surplus scores are ignored")
        if scores.replaced:
            self._say(f"{path}: {scores.replaced} scores are NaN and go {self.nan}")
        return judge_dataset(self.dataset, scores)

    def _with_run(self, path: str) -> JudgedScores:
        run = read_run(path)
        self._tags[path] = run.tag
        return self._joined(path, run.scores)

    def _joined(self, path: str, scores: QueryDocuments) -> JudgedScores:
        complete = self.missing_queries == "zero"
        joined = join_run(self.qrels, scores, complete=complete)
        if self.missing_queries == "error":
            refuse_missing(joined)
        refuse_strangers(self.qrels, joined)
        if joined.only_judged:
            how = "count as lists without documents" if complete else "are left out"
            self._say(_counted(path, joined.only_judged, "of the judgements", "in the run", how))
        if joined.only_retrieved:
            where = "in the judgements"
            self._say(_counted(path, joined.only_retrieved, "of the run", where, "are left out"))
        return joined.judged

    @cached_property
    def _queries_come_back(self) -> bool:
        ids = list(self.dataset.query_ids)
        return len(set(ids)) < len(ids)

    @cached_property
    def _has_carriage_returns(self) -> bool:
        if not is_letor_text(self.data):
            return False
        with open_source(locate(self.data)) as source:
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
