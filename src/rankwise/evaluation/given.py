"""What the functions that judge scores are given, as one flat value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import ArrayLike

from rankwise.data.formats.scores import Missing, Reading
from rankwise.errors import RankwiseError
from rankwise.evaluation.files import JudgedFiles
from rankwise.evaluation.judging import MissingQueries, judge
from rankwise.measures.judged import JudgedScores
from rankwise.measures.tool import Tool
from rankwise.shown import cut


class HowJudged(TypedDict, total=False):
    """How judgements and scores belong together; every keyword has a default.

    Attributes:
        qid: of labels, the query of each row; equal ids must stand together.
        group: of labels, the rows per query instead.
        document_ids: of labels, one per row, for tools that break ties by them.
        missing_queries: what a query of the judgements is that the run lacks, or the reverse: an
            `error` (the default of dictionaries), something to `skip` (the default of files), or,
            where the run lacks it, a list without documents, `zero`.
        trec: of files, that they are qrels and runs.
        reading: of score files, `strict`, `surplus` or `prefix` (`rankwise.data.read_scores`).
        nan: of score files, where documents go whose score is NaN: `error`, `last`, `first`,
            `zero`.
    """

    qid: ArrayLike | None
    group: ArrayLike | None
    document_ids: Iterable[str] | None
    missing_queries: MissingQueries
    trec: bool
    reading: Reading
    nan: Missing


_OF_FILES = ("missing_queries", "trec", "reading", "nan")
_OF_VALUES = ("qid", "group", "document_ids", "missing_queries")


class Given:
    """Judgements of any kind, which scores are added to; `remarks` tell what was odd in files."""

    def __init__(self, judgements: Any, how: HowJudged) -> None:
        self.remarks: list[str] = []
        self._judgements = judgements
        self._how: dict[str, Any] = dict(how)
        self._files = judgements if isinstance(judgements, JudgedFiles) else None
        if isinstance(judgements, str | Path):
            self._refuse_others(_OF_FILES, "from a file")
            self._files = JudgedFiles(judgements, say=self.remarks.append, **self._how)
        else:
            known = () if self._files else _OF_VALUES
            self._refuse_others(known, f"as {type(judgements).__name__}")

    def judged(self, scores: Any, *tools: Tool) -> JudgedScores:
        """The judgements with scores, for tools that may refuse the files they stand in."""
        if self._files is not None and isinstance(scores, str | Path):
            judged = self._files.scored(scores)
        else:
            judged = self._judged_values(scores)
        if self._files is not None:
            for tool in tools:
                self._files.check(tool)
        return judged

    def _judged_values(self, scores: Any) -> JudgedScores:
        """Of values that are not what they must be, numpy and others say why in their own words."""
        try:
            if self._files is not None:
                return self._files.scored(scores)
            return judge(self._judgements, scores, **self._how)
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise RankwiseError(
                "judgements and scores must be numbers: a data set, a frame, labels with qid or "
                "group, or {query: {document: label}}, and scores of the same shape, found "
                f"{type(self._judgements).__name__} and {type(scores).__name__} "
                f"({cut(str(error))})"
            ) from error

    def completed(self) -> Given | None:
        """The same where queries that a run lacks count, if they are skipped now."""
        how = self._files.missing_queries if self._files else self._how.get("missing_queries")
        if how != "skip" or (self._files is not None and not self._files.trec):
            return None
        if self._files is not None:
            return Given(self._files.completed(), {})
        return Given(self._judgements, cast(HowJudged, {**self._how, "missing_queries": "zero"}))

    def without_scores(self) -> JudgedScores:
        """The judgements alone; the scores are of no meaning."""
        if self._files is not None:
            return self._files.without_scores()
        if isinstance(self._judgements, Mapping):
            return judge(self._judgements, self._judgements, **self._how)
        rows = getattr(self._judgements, "n_documents", None)
        count = len(self._judgements) if rows is None else rows
        return judge(self._judgements, np.zeros(count), **self._how)

    def _refuse_others(self, known: tuple[str, ...], what: str) -> None:
        unknown = next((name for name in self._how if name not in known), None)
        if unknown is not None:
            raise RankwiseError(f"judgements {what} take no {unknown!r}; leave it out")
