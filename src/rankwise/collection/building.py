"""One build: a corpus, queries and judgements become a data set in LETOR's layout.

    index/                              words of the corpus; kept, so that another build is quick
    Feature-null|Feature-min|QueryLevelNorm   LETOR's versions with five folds
    Meta/                               metadata XML, enough to compute features again
    Relations/                          hyperlinks, sitemap, similarities of a query's documents
    queries.tsv                         queries with class, sizes and text
    data-card.json, data-card.md        what was built from what; written last

A build that was killed goes on with what its index had finished and makes the rest anew beside
its place; `data-card.json` is there only when everything is.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora import Corpus, Document, Findings
from rankwise.collection.data_card import CARD, DataCard, write_data_card
from rankwise.collection.features import FEATURE_SETS, FeatureSet, Parameters, feature_set
from rankwise.collection.features.sets import EXTRACTED_TITLE
from rankwise.collection.index import Engine, Index, IndexPlan, build_index
from rankwise.collection.index.evidence import Web
from rankwise.collection.index.segments import ANCHOR
from rankwise.collection.judged_queries import JudgedQuery
from rankwise.collection.relations import write_hyperlinks, write_sitemap
from rankwise.collection.sampled_queries import SampledQueries
from rankwise.collection.sampling import Sampling
from rankwise.collection.versions import letor_versions, write_versions
from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, plain_name, write_text

MARK = "build.txt"
WORK = ".building"
_LOOKED_AT = 1000
_FEWEST_QUERIES = 5

Tell = Callable[[int], None]


@dataclass(frozen=True)
class Settings:
    """The choices of a build besides its input.

    Attributes:
        features: a key of `FEATURE_SETS`.
        parameters: constants of the formulas; None takes those of the feature set.
        sampling: which documents a query gets.
        analysis: how text becomes words.
        streams: those that make up the whole document; empty takes the format's own.
        similarity: whether to write the similarity matrix of each query.
        seed: draws the queries of the folds; None cuts them into runs, as LETOR did.
        engine: where documents are analysed.
        strict: whether a broken document stops the build.
    """

    features: str = "extended"
    parameters: Parameters | None = None
    sampling: Sampling = field(default_factory=Sampling)
    analysis: Analysis = field(default_factory=Analysis)
    streams: tuple[str, ...] = ()
    similarity: bool = False
    seed: int | None = None
    engine: Engine = field(default_factory=Engine)
    strict: bool = False


PRESETS = {
    "ohsumed": (
        "judged documents only, 15 features of each stream, similarity matrix",
        Settings(features="ohsumed", sampling=Sampling("judged"), similarity=True),
    ),
    "gov": (
        "the 1,000 best by BM25, 64 features of web pages",
        Settings(
            features="gov",
            sampling=Sampling("top", 1000, parameters=FEATURE_SETS["gov"].parameters),
        ),
    ),
}


def prepare_folder(directory: str | Path) -> Path:
    """The folder of a build: new, empty, or one that a build has been in before."""
    home = make_folder(directory)
    if any(home.iterdir()) and not (home / MARK).is_file():
        raise RankwiseError(
            f"cannot build in {home}: it holds other files; name a new or empty folder"
        )
    write_text(home / MARK, "A folder of rankwise build; data-card.json says what is in it.\n")
    (home / CARD).unlink(missing_ok=True)
    return home


def index_corpus(
    corpus: Corpus, home: Path, settings: Settings, findings: Findings, tell: Tell
) -> Index:
    """The index of a corpus in the folder of a build."""
    plan = _plan(corpus, settings)
    index = build_index(
        corpus.documents(),
        home / "index",
        plan,
        engine=settings.engine,
        findings=findings,
        tell=tell,
    )
    empty = [view.name for view in index.manifest.views if view.total_terms == 0]
    for name in empty:
        findings.add("stream without any word", name)
    if len(empty) == len(index.manifest.views):
        raise RankwiseError(
            f"the corpus {corpus.name!r} must have words in its streams, found none in "
            f"{', '.join(plan.all_streams)}; name its streams with --streams"
        )
    return index


def build_dataset(
    index: Index,
    queries: list[JudgedQuery],
    home: Path,
    settings: Settings,
    card: DataCard,
    tell: Tell,
) -> DataCard:
    """Sample, compute, write everything into the folder of a build; the card comes last."""
    work = home / WORK
    shutil.rmtree(work, ignore_errors=True)
    make_folder(work)
    web = Web(index)
    features = _features(index, web, settings)
    sampled = SampledQueries(
        index, queries, settings.sampling, features, web if web.is_known else None, work,
        similarity=settings.similarity, findings=card.findings, tell=tell,
    )  # fmt: skip
    dataset = sampled.dataset()
    _check_enough(dataset, card.findings)
    versions = letor_versions(dataset, features.fill_rule)
    write_versions(
        versions, work / "versions", plain_name(index.manifest.name, "corpus"), seed=settings.seed
    )
    if web.is_known:
        write_hyperlinks(make_folder(work / "Relations") / "hyperlinks.tsv", index, web.graph)
        write_sitemap(work / "Relations" / "sitemap.tsv", index, web.parents)
    write_text(work / "queries.tsv", sampled.table())
    _put_in_place(work, home)
    finished = card.completed(index, dataset, features, settings, sampled.facts)
    write_data_card(home, finished)
    return finished


def _plan(corpus: Corpus, settings: Settings) -> IndexPlan:
    streams = settings.streams or corpus.streams or _found_streams(corpus)
    whole = tuple(name for name in streams if name.lower() != EXTRACTED_TITLE)
    others = tuple(name for name in streams if name.lower() == EXTRACTED_TITLE)
    return IndexPlan(corpus.name, whole, others, settings.analysis, corpus.source)


def _found_streams(corpus: Corpus) -> tuple[str, ...]:
    """Streams of the first documents in the order in which they come; anchors where links speak."""
    names: dict[str, None] = {}
    for document in islice(_whole_documents(corpus), _LOOKED_AT):
        names.update(dict.fromkeys(document.streams))
        if any(link.text for link in document.links):
            names[ANCHOR] = None
    if not names:
        raise RankwiseError(
            f"the first documents of {corpus.origin} must have streams of text, found none"
        )
    return tuple(names)


def _whole_documents(corpus: Corpus) -> Iterator[Document]:
    return (found for found in corpus.documents() if isinstance(found, Document))


def _features(index: Index, web: Web, settings: Settings) -> FeatureSet:
    return feature_set(
        settings.features,
        index.statistics,
        settings.parameters,
        web=web.is_known,
        word_places=True,
    )


def _check_enough(dataset: Dataset, findings: Findings) -> None:
    if dataset.n_queries < _FEWEST_QUERIES:
        raise RankwiseError(
            f"five folds need at least {_FEWEST_QUERIES} queries with documents, found "
            f"{dataset.n_queries}; " + ("; ".join(findings.lines()) or "give more queries")
        )


def _put_in_place(work: Path, home: Path) -> None:
    """Move what was made to where it belongs; what stood there before goes."""
    made = [*(work / "versions").iterdir(), *(p for p in work.iterdir() if p.name != "versions")]
    for path in made:
        target = home / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)
    for name in ("Relations",):
        if name not in {path.name for path in made}:
            shutil.rmtree(home / name, ignore_errors=True)
    shutil.rmtree(work)
