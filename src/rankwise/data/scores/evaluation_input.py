"""Judgements and scores of any kind as one flat value.

They are data sets, labels as arrays, frames, dictionaries, or files, which are read as the tool
reads them that is to judge them. Where two files were named in the wrong order, the first line of
each says what it seems to be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankwise.arguments import check_choice
from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.formats.compression import open_source
from rankwise.data.formats.score_files import (
    Missing,
    Reading,
    Scores,
    find_large_integers,
    is_number,
    read_scores,
)
from rankwise.data.formats.trec import Judgements, read_qrels, read_run
from rankwise.data.frames import (
    align_rows,
    as_numbers,
    as_text,
    grouped,
    has_index,
    name_columns,
    number_column,
    refuse_labels,
    refuse_other_order,
    runs,
)
from rankwise.data.reading import is_letor_text, read
from rankwise.data.scores.scored_qrels import (
    Joined,
    JudgedScores,
    QueryDocuments,
    join_run,
    offsets_of,
)
from rankwise.errors import Advice, RankwiseError
from rankwise.sanitize import cut

if TYPE_CHECKING:
    from rankwise.measures.tool import Tool


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


MissingQueries = Literal["error", "skip", "zero"]


def judge(
    judgements: Any,
    scores: Any,
    *,
    qid: ArrayLike | None = None,
    group: ArrayLike | None = None,
    document_ids: Iterable[str] | None = None,
    missing_queries: MissingQueries = "error",
) -> JudgedScores:
    """Judgements and scores as one flat value; see `evaluate` for what they may be."""
    check_choice("missing_queries", missing_queries, get_args(MissingQueries))
    if isinstance(judgements, Mapping | Dataset) or hasattr(judgements, "columns"):
        _refuse_rows(judgements, qid=qid, group=group, document_ids=document_ids)
    if isinstance(judgements, Mapping):
        return _judge_dictionaries(judgements, scores, missing_queries)
    if isinstance(judgements, Dataset):
        return judge_dataset(judgements, as_scores(scores, judgements.n_documents))
    if hasattr(judgements, "columns"):
        return _judge_frame(judgements, scores)
    return _judge_arrays(judgements, scores, qid, group, document_ids)


def _refuse_rows(judgements: Any, **given: object) -> None:
    """Refuse what labels alone need, and what these judgements know themselves."""
    name = next((name for name, value in given.items() if value is not None), None)
    if name is not None:
        raise RankwiseError(
            f"only labels alone need {name}: a {type(judgements).__name__} knows its queries and "
            "documents; leave it out"
        )


def judge_dataset(dataset: Dataset, scores: Scores) -> JudgedScores:
    """A data set's labels with the scores of its rows."""
    return JudgedScores(
        dataset.labels,
        scores.values,
        dataset.query_offsets,
        dataset.query_ids,
        dataset.document_ids,
        large_integers=scores.large_integers,
        surplus_scores=scores.surplus,
    )


def _judge_dictionaries(
    judgements: QueryDocuments, run: Any, missing_queries: MissingQueries
) -> JudgedScores:
    run = as_run(run)
    judgements = _as_texts(judgements, "judgements")
    _refuse_missing_numbers("labels", judgements)
    joined = join_run(judgements, run, complete=missing_queries == "zero")
    if missing_queries == "error":
        refuse_missing(joined)
    refuse_strangers(judgements, joined)
    return joined.judged


def as_run(run: Any) -> QueryDocuments:
    """A run {query: {document: score}}, with ids as texts; anything else is refused."""
    if not isinstance(run, Mapping):
        raise RankwiseError(
            "judgements by query and document need a run {query: {document: score}}, "
            f"found {type(run).__name__}"
        )
    found = _as_texts(run, "the run")
    _refuse_missing_numbers("scores", found)
    return found


def _as_texts(given: QueryDocuments, what: str) -> QueryDocuments:
    """Queries and documents by texts, as in files; `1` and `"1"` beside each other are refused."""
    if all(type(key) is str for own in (given, *given.values()) for key in own):
        return given
    found = {
        as_text(query): {as_text(one): own[one] for one in own} for query, own in given.items()
    }
    if len(found) < len(given) or sum(map(len, found.values())) < sum(map(len, given.values())):
        raise RankwiseError(
            f"ids of {what} must differ as texts, found a number and a text that are alike"
        )
    return found


def _refuse_missing_numbers(what: str, given: QueryDocuments) -> None:
    """Refuse labels that are not finite, and scores that are NaN."""
    for query, documents in given.items():
        for document, value in documents.items():
            if value is None or value != value or (what == "labels" and abs(value) == math.inf):
                found = "NaN" if value != value else value
                raise RankwiseError(
                    f"{what} must be numbers, found {found} for document {document!r} of query "
                    f"{query!r}"
                )


def refuse_missing(joined: Joined) -> None:
    """Refuse queries that only judgements or only the run has."""
    for queries, where, lacking in (
        (joined.only_judged, "judgements", "the run"),
        (joined.only_retrieved, "run", "the judgements"),
    ):
        if queries:
            raise RankwiseError(
                f"{len(queries)} queries of the {where} are not in {lacking}, the first is "
                f"{queries[0]!r}; say missing_queries='skip' or 'zero' to go on without them"
            )


def refuse_strangers(judgements: QueryDocuments, joined: Joined) -> None:
    """Refuse a run and judgements that share no query: they are not of one collection."""
    if len(joined.only_judged) == len(judgements):
        first = "".join(f", the first being {query!r}" for query in joined.only_judged[:1])
        raise RankwiseError(
            f"the run must have queries of the judgements, found none of {len(judgements)}{first}; "
            "are they of one collection?"
        )


def _judge_frame(frame: Any, scores: Any) -> JudgedScores:
    columns = name_columns(frame)
    for name in ("label", "qid"):
        if name not in columns:
            raise RankwiseError(f"the frame must have a column {name!r}, found {list(columns)}")
    if isinstance(scores, str) and scores not in columns:
        raise RankwiseError(f"the frame has no column {scores!r} of scores; it has {list(columns)}")
    values = _score_column(columns[scores], scores) if isinstance(scores, str) else scores
    _, values = align_rows({"the frame": frame, "scores": values})
    if has_index(frame) and has_index(values):
        values = values.to_numpy()
    documents = [str(name) for name in columns["document"]] if "document" in columns else None
    labels = number_column(columns["label"], "label")
    return _judge_arrays(labels, values, columns["qid"].to_numpy(), None, documents)


def _score_column(column: Any, name: str) -> Scores:
    values = number_column(column, name)
    return Scores(values, find_large_integers(values, column.to_list()))


def _judge_arrays(
    labels: Any, scores: Any, qid: Any, group: Any, document_ids: Iterable[str] | None
) -> JudgedScores:
    rows = {"labels": labels, "qid": qid, "document_ids": document_ids}
    labels, qid, document_ids, scores = align_rows({**rows, "scores": scores})
    if has_index(scores) and any(map(has_index, rows.values())):
        scores = scores.to_numpy()
    known = as_numbers(labels, "labels").ravel()
    refuse_labels(known)
    if (qid is None) == (group is None):
        raise RankwiseError("labels need either qid, a query id per row, or group, rows per query")
    starts, ids = runs(qid, len(known)) if group is None else grouped(group, len(known))
    lengths = np.diff(np.append(starts, len(known)))
    documents = None if document_ids is None else list(document_ids)
    found = as_scores(scores, len(known))
    offsets, whole = offsets_of(lengths), found.large_integers
    return JudgedScores(known, found.values, offsets, ids, documents, large_integers=whole)


def as_scores(scores: Any, rows: int) -> Scores:
    """One score per row, from a score file, or values in the order of the rows."""
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, str | Path):
        return read_scores(scores, rows)
    refuse_other_order(scores, "scores")
    values = as_numbers(scores, "scores").ravel()
    if len(values) != rows:
        raise RankwiseError(
            f"there must be one score per row, found {len(values)} scores for {rows} rows"
        )
    return Scores(values, find_large_integers(values, np.ravel(np.asarray(scores)).tolist()))


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
            self._say(
                _count_queries_left_out(
                    path, joined.only_judged, "of the judgements", "in the run", how
                )
            )
        if joined.only_retrieved:
            where = "in the judgements"
            self._say(
                _count_queries_left_out(
                    path, joined.only_retrieved, "of the run", where, "are left out"
                )
            )
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


def _count_queries_left_out(
    path: str, queries: tuple[str, ...], of: str, where: str, how: str
) -> str:
    return f"{path}: {len(queries)} queries {of} are not {where} and {how} (first: {queries[0]})"


Layout = Literal["LETOR rows", "scores", "qrels", "a run"]
_FIRST_BYTES = 1 << 12


def seems(path: str | Path) -> Layout | None:
    """The layout of the first line that is no comment; None where it is another one."""
    try:
        with open_source(path) as source:
            content = source.read(0, min(_FIRST_BYTES, source.size - 1)).tobytes()
    except RankwiseError:
        return None
    lines = (line.partition(b"#")[0].split() for line in content.splitlines())
    words = next((found for found in lines if found), [])
    if len(words) == 1 and is_number(words[0]):
        return "scores"
    if len(words) >= 2 and b":" in words[1] and is_number(words[0]):
        return "LETOR rows"
    if len(words) == 4 and is_number(words[3]):
        return "qrels"
    return "a run" if len(words) == 6 and is_number(words[4]) else None


def advise_on_files(data: str | Path, scores: str | Path, trec: bool) -> tuple[Advice, ...]:
    """What may be meant where one of the two files cannot be read."""
    first, second = seems(data), seems(scores)
    if (first, second) in (("scores", "LETOR rows"), ("a run", "qrels")):
        return (Advice(f"{data} seems to hold {first} and {scores} {second}: name them the other "
                       "way round"),)  # fmt: skip
    if second == "LETOR rows" and not trec:
        return (Advice(f"{scores} seems to hold LETOR rows: name a file of scores"),)
    if not trec and "qrels" in (first, second):
        return (Advice("{} reads qrels and runs", "trec", True),)
    if trec and "LETOR rows" in (first, second):
        return (Advice("without {} LETOR rows and scores are read", "trec"),)
    return ()
