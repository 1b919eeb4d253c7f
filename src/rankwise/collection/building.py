"""One build: a corpus, queries and judgements become a data set in LETOR's layout.

    index/                              words of the corpus; kept, so that another build is quick
    Feature-null|Feature-min|QueryLevelNorm   LETOR's versions with five folds
    Meta/                               metadata XML, enough to compute features again
    Relations/                          hyperlinks, sitemap, similarities of a query's documents
    queries.tsv                         queries with class, sizes and text
    data-card.json, data-card.md        what was built from what; written last

A build that was killed goes on with what its index had finished. Everything else is made beside
its place and moved there when it is complete, so that a build that fails leaves the one before it
whole. `data-card.json` goes first and comes last: where it is, everything is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rankwise.collection.analysis import Analysis
from rankwise.collection.build_folder import make_workshop, put_in_place
from rankwise.collection.corpora import Broken, Corpus, Document, Findings
from rankwise.collection.corpora.registry import WEB_STREAMS
from rankwise.collection.data_card import CARD, DataCard, write_data_card
from rankwise.collection.features import (
    FEATURE_SETS,
    FeatureFile,
    FeatureSet,
    Parameters,
    QueryClasses,
    add_own_parts,
    make_feature_set,
)
from rankwise.collection.features.sets import EXTRACTED_TITLE
from rankwise.collection.features.web import WEB_FEATURES
from rankwise.collection.index import Index, IndexingWorkers, IndexPlan, build_index
from rankwise.collection.index.evidence import Web
from rankwise.collection.index.segments import ANCHOR
from rankwise.collection.judged_queries import JudgedQuery
from rankwise.collection.losses import MOST_LOST
from rankwise.collection.query_table import QUERY_TABLE
from rankwise.collection.related_documents import OF_CATEGORIES, OF_SITEMAP, OF_URLS
from rankwise.collection.relations import HYPERLINKS, SITEMAP, write_hyperlinks, write_sitemap
from rankwise.collection.sampled_queries import QuerySampler, SampledQueries
from rankwise.collection.sampling import Sampling
from rankwise.collection.versions import make_versions, write_versions
from rankwise.data.dataset import Dataset
from rankwise.data.description import describe
from rankwise.errors import Advice, RankwiseError
from rankwise.files import make_folder, plain_name, write_text

_LOOKED_AT = 1000
_WEB_SET = "gov"
_LETORS_STREAMS = tuple(name for name in WEB_STREAMS if name != EXTRACTED_TITLE)

Tell = Callable[[int], None]


@dataclass(frozen=True)
class Settings:
    """The choices of a build besides its input.

    Attributes:
        features: a key of `FEATURE_SETS`.
        parameters: constants of the formulas; None takes those of the feature set.
        feature_files: the user's own features, added to the set.
        query_classes: the classes of queries, added as the last feature.
        sampling: which documents a query gets.
        analysis: how text becomes words.
        streams: those that make up the whole document; empty takes the format's own.
        classify: whether documents without a category get that of their words.
        similarity: whether to write the similarity matrix of each query.
        seed: draws the queries of the folds; None cuts them into runs, as LETOR did.
        engine: where documents are analysed.
        strict: whether a broken document stops the build.
        lost_judgements: the share of judgements that may be lost, for documents or queries that
            are not there; more of them stop the build.
    """

    features: str = "extended"
    parameters: Parameters | None = None
    feature_files: tuple[FeatureFile, ...] = ()
    query_classes: QueryClasses | None = None
    sampling: Sampling = field(default_factory=Sampling)
    analysis: Analysis = field(default_factory=Analysis)
    streams: tuple[str, ...] = ()
    classify: bool = False
    similarity: bool = False
    seed: int | None = None
    engine: IndexingWorkers = field(default_factory=IndexingWorkers)
    strict: bool = False
    lost_judgements: float = MOST_LOST


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


def index_corpus(
    corpus: Corpus, home: Path, settings: Settings, findings: Findings, tell: Tell
) -> Index:
    """The index of a corpus in the folder of a build."""
    streams = settings.streams or corpus.streams
    plan = _make_plan(corpus, settings, streams or _sort_streams(_find_streams(corpus), settings))
    documents = corpus.documents()
    index = build_index(
        documents if streams else _report_late_streams(documents, plan, findings),
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
            f"{', '.join(plan.all_streams)}",
            Advice("name its streams with {}", "streams"),
        )
    absent = [name for name in empty if name in settings.streams]
    if absent:
        raise RankwiseError(
            f"streams that are named must have words in the corpus {corpus.name!r}, found none in "
            f"{', '.join(absent)}; its first documents have {', '.join(_find_streams(corpus))}",
            Advice("name others with {}", "streams"),
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
    """Sample, compute, write everything beside the folder of a build, then put it there."""
    with make_workshop(home) as work:
        web = Web(index, classify=settings.classify)
        features = _choose_features(index, web, settings)
        _report_classified(index, web, settings, card.findings)
        sampler = QuerySampler(
            index, settings.sampling, features, web if web.is_known else None, work,
            settings.similarity, card.findings,
        )  # fmt: skip
        sampled = sampler.sample(queries, tell)
        dataset = sampled.dataset
        repeated = _write_versions(sampled, features, index.manifest.name, work, settings.seed)
        for sentence in repeated:
            card.findings.add("feature of links that repeats another in every query", sentence)
        if web.is_known:
            relations = make_folder(work / "Relations")
            write_hyperlinks(relations / HYPERLINKS, index, web.graph)
            write_sitemap(relations / SITEMAP, index, web.parents)
        write_text(work / QUERY_TABLE, sampled.format_table())
        finished = card.completed(
            index, dataset, features, settings, sampled.facts, _find_left_out(features)
        )
        write_data_card(work, finished)
        put_in_place(work, home, last=CARD)
    return finished


def _make_plan(corpus: Corpus, settings: Settings, streams: tuple[str, ...]) -> IndexPlan:
    whole = tuple(name for name in streams if name.lower() != EXTRACTED_TITLE)
    others = tuple(name for name in streams if name.lower() == EXTRACTED_TITLE)
    # The same file read as another format is another corpus.
    source = f"{corpus.format} {corpus.source}"
    return IndexPlan(corpus.name, whole, others, settings.analysis, source)


def _find_streams(corpus: Corpus) -> tuple[str, ...]:
    """Streams of the first documents in the order in which they come; anchors where links speak.

    Fields without a letter in any of these documents, such as years, are not taken for text.
    """
    names: dict[str, None] = {}
    for document in islice(_filter_whole(corpus), _LOOKED_AT):
        lettered = (n for n, text in document.streams.items() if any(map(str.isalpha, text)))
        names.update(dict.fromkeys(lettered))
        if any(link.text for link in document.links):
            names[ANCHOR] = None
    if not names:
        looked_at = islice(corpus.documents(), _LOOKED_AT)
        broken = next((one for one in looked_at if isinstance(one, Broken)), None)
        raise RankwiseError(
            f"the first documents of {corpus.origin} must have streams of text, found none"
            + ("" if broken is None else f"; {broken}")
        )
    return tuple(names)


def _sort_streams(streams: tuple[str, ...], settings: Settings) -> tuple[str, ...]:
    """As found; for LETOR's web features those of its table first, in its order."""
    if settings.features != _WEB_SET:
        return streams
    places = {name: place for place, name in enumerate(WEB_STREAMS)}
    return tuple(sorted(streams, key=lambda name: places.get(name.lower(), len(places))))


def _report_late_streams(
    documents: Iterable[Document | Broken], plan: IndexPlan, findings: Findings
) -> Iterator[Document | Broken]:
    """The documents; streams that came too late to be found are named with their counts."""
    listed = set(plan.all_streams)
    late: Counter[str] = Counter()
    for document in documents:
        if isinstance(document, Document):
            late.update(_find_own_streams(document) - listed)
        yield document
    for name, count in sorted(late.items()):
        findings.add(
            f"stream without a word in the first {_LOOKED_AT:,} documents, not indexed; "
            "name it among the streams",
            f"{name[:100]} of {count:,} documents",
        )


def _find_own_streams(document: Document) -> set[str]:
    """Streams that the document gives words to, be it another document's anchor."""
    own = {name for name, text in document.streams.items() if text}
    return own | {ANCHOR} if any(link.text for link in document.links) else own


def _filter_whole(corpus: Corpus) -> Iterator[Document]:
    return (found for found in corpus.documents() if isinstance(found, Document))


def _choose_features(index: Index, web: Web, settings: Settings) -> FeatureSet:
    chosen = make_feature_set(
        settings.features,
        index.statistics,
        settings.parameters,
        web=web.is_known,
        word_places=True,
    )
    if web.is_known:
        chosen = chosen.without(_list_repeating(web))
    _refuse_idle_rates(chosen, settings)
    streams = index.statistics.stream_names
    return add_own_parts(chosen, streams, settings.feature_files, settings.query_classes)


def _list_repeating(web: Web) -> tuple[str, ...]:
    """Web features that would be others again, under other names, for what the corpus lacks.

    With one topic the topical values are PageRank and HITS. Without URLs every page is its own host
    and has no parent: HostRank is PageRank, and propagation by sitemap is BM25. Without links
    propagation is BM25 too, and all values of link analysis are equal.
    """
    repeating: tuple[str, ...] = () if web.topics.are_several else OF_CATEGORIES
    if not web.has_urls:
        repeating += (*OF_URLS, *OF_SITEMAP)
    if not web.graph.n_links:
        repeating += tuple(set(WEB_FEATURES) - {*OF_URLS, *OF_SITEMAP} | {"hostrank"})
    return repeating


def _refuse_idle_rates(features: FeatureSet, settings: Settings) -> None:
    """Refuse a rate of propagation that no feature would use."""
    if settings.parameters is None:
        return
    usual = FEATURE_SETS[features.name].parameters
    names = {column.feature.name for column in features.columns}
    for rate, user in (
        ("sitemap_rate", "sitemap-score-propagation"),
        ("hyperlink_rate", "score-propagation-weighted-in-link"),
    ):
        if user not in names and getattr(settings.parameters, rate) != getattr(usual, rate):
            raise RankwiseError(
                f"{rate} must be of a feature of the build, found no propagation among them; leave "
                "it out"
            )


def _report_classified(index: Index, web: Web, settings: Settings, findings: Findings) -> None:
    """Count the documents that got a category by their words."""
    if not settings.classify:
        return
    if not web.graph.n_links or settings.features not in (_WEB_SET, "extended"):
        raise RankwiseError(
            "classification is for topical PageRank and HITS, found no links or other features; "
            "leave it out"
        )
    given = zip(index.document_ids, index.categories, web.categories, strict=True)
    for identifier, before, after in given:
        if before != after:
            findings.add("document given a category by its words", f"{identifier}: {after}")


def _find_left_out(features: FeatureSet) -> dict[str, list[str]]:
    """What is missing of LETOR's web features, by what it needs.

    Of the set `gov` it is all that LETOR's 64 have; of others those of the web, where any are made.
    """
    made = {column.name.lower() for column in features.columns}
    made |= {column.feature.name for column in features.columns}
    # The whole document is always there: where it is no stream of its own, it is the only one.
    streams = (*_LETORS_STREAMS, EXTRACTED_TITLE)
    table = FEATURE_SETS[_WEB_SET].columns(streams, True, False)
    left_out: dict[str, list[str]] = {}
    any_of_web = bool(made & set(WEB_FEATURES))
    if features.name != _WEB_SET:
        table = [(f, None) for f in WEB_FEATURES if any_of_web]
    for feature, stream in table:
        # Values propagate from the whole document, which a single stream may be.
        if feature in OF_CATEGORIES and "pagerank" in made:
            name, need = feature, "documents of two categories at least, which the corpus lacks"
        elif feature in (*OF_URLS, *OF_SITEMAP) and "pagerank" in made:
            name, need = feature, "URLs, which the corpus does not have"
        elif feature in WEB_FEATURES and any_of_web:
            name, need = feature, "links, which the corpus does not have"
        elif stream is None or feature in WEB_FEATURES:
            name, need = feature, "links or URLs, which the corpus does not have"
        else:
            name = f"{feature} of {streams[stream]}"
            need = f"the stream {streams[stream]}, which the index does not have"
        if name not in made:
            left_out.setdefault(need, []).append(name)
    return left_out


def _write_versions(
    sampled: SampledQueries, features: FeatureSet, name: str, work: Path, seed: int | None
) -> list[str]:
    """Write LETOR's versions; sentences on features that repeat others."""
    folder = work / "versions"
    classes = sampled.classes
    if features.query_classes is not None:
        classes = features.query_classes.of_queries
    versions = make_versions(
        sampled.dataset, features.fill_rule, classes,
        class_feature=features.query_classes is not None,
    )  # fmt: skip
    write_versions(versions, folder, plain_name(name, "corpus"), seed=seed)
    for path in folder.iterdir():
        path.rename(work / path.name)
    folder.rmdir()
    return _list_repeated(versions.query_level_norm)


def _list_repeated(normalized: Dataset) -> list[str]:
    """Sentences on web features that rank every query as another feature does.

    Those of counts repeat each other by their formulas, as a mean over query words its sum.
    """
    found = describe(normalized)
    flat = set(found.constant_in_queries)
    groups = ([one for one in group if one not in flat] for group in found.duplicate_features)
    return [
        f"{other} repeats {first}"
        for first, *others in filter(None, groups)
        for other in others
        if other.partition(" of ")[0] in WEB_FEATURES
    ]
