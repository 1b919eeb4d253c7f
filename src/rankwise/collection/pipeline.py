"""The whole way from a corpus, queries and judgements to a data set in LETOR's layout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Unpack

from rankwise.collection.build_choices import BuildChoices, choose_settings
from rankwise.collection.build_folder import open_build_folder
from rankwise.collection.build_input import (
    BuildInput,
    ReadingChoices,
    demo_input,
    read_build_input,
)
from rankwise.collection.building import Settings, build_dataset, index_corpus
from rankwise.collection.corpora import Findings
from rankwise.collection.data_card import DataCard
from rankwise.collection.judged_queries import check_queries, match_numbering, select_judged_queries
from rankwise.collection.losses import refuse_losses
from rankwise.errors import RankwiseError
from rankwise.files import CannotWrite
from rankwise.stages import Stage, silent_stage
from rankwise.tabular import Rows, Tabular, shortened


@dataclass(frozen=True)
class Build(Tabular):
    """A data set that was built.

    Attributes:
        output: its folder.
        card: everything that is known of it.
    """

    output: Path
    card: DataCard

    def __repr__(self) -> str:
        facts = self.card.facts
        return shortened(
            f"Build of {self.card.name} in {self.output}: {facts['queries']:,} queries, "
            f"{facts['rows']:,} rows, {len(facts['features'])} features"
        )

    @property
    def facts(self) -> dict[str, Any]:
        """The counts of corpus, queries, rows, labels and features, and what was left out."""
        facts = self.card.facts
        sampling = facts["sampling"]
        return {
            "output": str(self.output),
            "corpus": self.card.name,
            "documents": facts["documents_in_corpus"],
            "links": facts["links"],
            "streams": [stream["description"] for stream in facts["streams"]],
            "queries": facts["queries"],
            "rows": facts["rows"],
            "labels": facts["labels"],
            "relevant": {
                "sampled": sampling["relevant_sampled"], "judged": sampling["relevant_judged"],
            },
            "feature_set": facts["feature_set"],
            "features": len(facts["features"]),
            "left_out": facts["left_out"],
            "findings": self.card.findings.as_record(),
        }  # fmt: skip

    @property
    def feature_names(self) -> list[str]:
        """The names of its features, in order."""
        return [feature["name"] for feature in self.card.facts["features"]]

    def _table(self) -> Rows:
        return ("fact", "value"), list(self.facts.items())


class Choices(ReadingChoices, BuildChoices, total=False):
    """All choices of a build: how its input is read, and what is made of it."""


def build(
    corpus: str | Path | None = None,
    output: str | Path = "",
    *,
    queries: str | Path | None = None,
    qrels: str | Path | None = None,
    demo: bool = False,
    stage: Stage = silent_stage,
    **choices: Unpack[Choices],
) -> Build:
    """Build a data set from files: index, sample, compute features, write LETOR's versions.

    A build that was interrupted goes on when it is started again.

    Args:
        corpus: a file or a folder of documents.
        output: the folder of the data set.
        queries: TREC topics, lines of id, tab, text, or SMART.
        qrels: judgements: TREC qrels, SMART, or columns of query, document, label.
        demo: build the documentation of this Python instead, with queries from its summaries.
        stage: is told what is done and how far it is.
        choices: the further keywords, as `ReadingChoices` and `BuildChoices` describe them.
    """
    if not str(output):
        raise RankwiseError("a build needs an output: the folder of the data set")
    unknown = sorted(choices.keys() - Choices.__annotations__.keys())
    if unknown:
        alike = get_close_matches(unknown[0], Choices.__annotations__, 1)
        meant = f"; did you mean {alike[0]!r}?" if alike else ""
        raise RankwiseError(f"a build has no choice {unknown[0]!r}{meant}")
    settings = choose_settings(demo=demo, **_of(BuildChoices, choices))
    if demo:
        given = demo_input()
    elif corpus is None or queries is None or qrels is None:
        raise RankwiseError("a build needs a corpus, its queries and its qrels, or demo=True")
    else:
        given = read_build_input(corpus, queries, qrels, output, **_of(ReadingChoices, choices))
    return build_from(given, output, settings, stage)


def _of(kind: type, choices: Choices) -> Any:
    """Those of the choices that a kind has."""
    return {name: choice for name, choice in choices.items() if name in kind.__annotations__}


def build_from(
    given: BuildInput, output: str | Path, settings: Settings, stage: Stage = silent_stage
) -> Build:
    """Build a data set from what was read, by settings that were chosen."""
    findings, about_queries = Findings(strict=settings.strict), Findings()
    queries = match_numbering(given.queries, given.judgements, about_queries, given.numbers)
    classes = check_queries(
        queries, given.judgements, settings.analysis, settings.query_classes,
        settings.lost_judgements,
    )  # fmt: skip
    settings = replace(settings, query_classes=classes)
    with _telling_what_stays(output), open_build_folder(output) as home:
        index = index_corpus(
            given.corpus, home, settings, findings, stage("Indexing documents", None)
        )
        findings.restore(about_queries.as_record())
        ready = select_judged_queries(index, queries, given.judgements, findings)
        kept = sum(len(one.judged) for one in ready)
        refuse_losses(
            kept, given.judgements, findings, settings.lost_judgements,
            queries=[query.id for query in queries], documents=index.document_ids,
        )  # fmt: skip
        card = DataCard(given.corpus.name, given.origins, findings)
        tell = stage("Computing features of queries", len(ready))
        return Build(home, build_dataset(index, ready, home, settings, card, tell))


@contextmanager
def _telling_what_stays(output: str | Path) -> Iterator[None]:
    """A build that cannot write goes on later from what it has; what it began is removed."""
    try:
        yield
    except CannotWrite as error:
        left = "what is finished stays there, and the same build goes on from it when there is room"
        raise CannotWrite(output, error.cause, left) from error
