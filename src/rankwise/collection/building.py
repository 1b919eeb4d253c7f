"""Build a data set in LETOR's layout from a corpus, queries and judgements.

    index/                              words of the corpus; kept, so that another build is quick
    Feature-null|Feature-min|QueryLevelNorm   LETOR's versions with five folds
    Meta/                               metadata XML, enough to compute features again
    Relations/                          hyperlinks, sitemap, similarities of a query's documents
    queries.tsv                         queries with class, sizes and text
    data-card.json, data-card.md        what was built from what; written last

`build` reads files, settles the choices over a preset or the defaults, indexes the corpus, samples
documents for each query and computes their features.

A build that was killed goes on with what its index had finished. Everything else is made beside
its place and moved there when it is complete, so that a build that fails leaves the one before it
whole. `data-card.json` goes first and comes last: where it is, everything is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict, Unpack

from rankwise.arguments import suggest
from rankwise.collection.analysis import STOP_WORDS, Analysis, read_stop_words
from rankwise.collection.build_folder import (
    make_workshop,
    open_build_folder,
    put_in_place,
    write_versions,
)
from rankwise.collection.build_input import BuildInput, ReadingChoices, demo_input, read_build_input
from rankwise.collection.corpora.corpus import WEB_STREAMS, Corpus
from rankwise.collection.corpora.document import Broken, Document, Findings
from rankwise.collection.corpora.text_files import QUERY_TABLE
from rankwise.collection.data_card import CARD, DataCard, write_data_card
from rankwise.collection.document_sampling import QuerySampler, SampledQueries, Sampling
from rankwise.collection.features.definition import Parameters
from rankwise.collection.features.feature_files import (
    FeatureFile,
    QueryClasses,
    read_feature_files,
    read_query_classes,
)
from rankwise.collection.features.feature_sets import (
    EXTRACTED_TITLE,
    FEATURE_SETS,
    FeatureSet,
    add_own_parts,
    make_feature_set,
)
from rankwise.collection.features.web_features import WEB_FEATURES
from rankwise.collection.index.index import Index
from rankwise.collection.index.indexing import IndexingWorkers, IndexPlan, build_index
from rankwise.collection.index.segments import ANCHOR
from rankwise.collection.judged_queries import (
    MOST_LOST,
    JudgedQuery,
    check_queries,
    match_numbering,
    refuse_losses,
    select_judged_queries,
)
from rankwise.collection.link_evidence import Web
from rankwise.collection.related_documents import (
    HYPERLINKS,
    OF_CATEGORIES,
    OF_SITEMAP,
    OF_URLS,
    SITEMAP,
    write_hyperlinks,
    write_sitemap,
)
from rankwise.data.dataset import Dataset
from rankwise.data.dataset_description import describe
from rankwise.errors import Advice, RankwiseError
from rankwise.files import CannotWrite, make_folder, plain_name, write_text
from rankwise.processes import processors
from rankwise.progress import Advance, Stage, silent_stage
from rankwise.tables.notebook import Rows, Tabular, shortened

NO_DEPTH = "judged"
_DEMO_DEPTH = 200
_MOST_PROCESSES = 8


class BuildChoices(TypedDict, total=False):
    """The choices of a build; every keyword has a default.

    Attributes:
        preset: a key of `PRESETS`, LETOR's choices for a corpus.
        features: a key of `FEATURE_SETS`.
        constants: of the features' formulas, by name: k1, b, k3, mu, lambda_, delta, sitemap_rate,
            hyperlink_rate.
        feature_files: Python files of own features, which are run.
        query_classes: a file of the classes of queries.
        sampling: a key of `SAMPLINGS`, which documents a query gets.
        depth: how many of the best by BM25.
        tokenizer: a key of `TOKENIZERS`.
        stop_words: a key of `STOP_WORDS`, or a file of words.
        stemmer: a key of `STEMMERS`.
        streams: those of the whole document.
        classify: whether documents without a category get that of their words.
        similarity: whether to write similarity matrices.
        seed: draws the parts of the folds; None cuts runs of queries.
        jobs: how many processes analyse documents.
        dask: the address of a cluster that analyses them instead.
        wait: how long it is waited for while it has no workers: seconds, or `10m`; by default two
            minutes.
        strict: whether a broken document stops the build.
        lost_judgements: the share of judgements that may be lost before the build stops.
    """

    preset: str | None
    features: str | None
    constants: Mapping[str, float]
    feature_files: Sequence[str | Path]
    query_classes: str | Path | None
    sampling: str | None
    depth: int | None
    tokenizer: str
    stop_words: str | Path
    stemmer: str
    streams: Sequence[str]
    classify: bool
    similarity: bool | None
    seed: int | None
    jobs: int | None
    dask: str | None
    wait: float | str | None
    strict: bool
    lost_judgements: float


def choose_settings(*, demo: bool = False, **choices: Unpack[BuildChoices]) -> Settings:
    """The settings that choices describe.

    For the `demo` it is web features of shallow samples, where nothing else is asked for.
    """
    if demo:
        choices = _demo_choices(choices)
    chosen = _find_preset(choices)
    features = choices.get("features") or chosen.features
    constants: dict[str, Any] = dict(choices.get("constants") or {})
    parameters = replace(FEATURE_SETS[features].parameters, **constants)
    method, depth = _find_sampling_method(choices), choices.get("depth")
    if method == NO_DEPTH and depth is not None:
        raise RankwiseError(
            f"the sampling {method} takes all judged documents and has no depth",
            Advice("leave out {}", "depth"),
            Advice("choose {}", "sampling", ("top", "pool")),
        )
    similarity, classes = choices.get("similarity"), choices.get("query_classes")
    jobs = choices.get("jobs")
    processes = min(processors(), _MOST_PROCESSES) if jobs is None else jobs
    return replace(
        chosen,
        features=features,
        parameters=parameters,
        feature_files=read_feature_files([Path(file) for file in choices.get("feature_files", ())]),
        query_classes=read_query_classes(Path(classes)) if classes else None,
        sampling=replace(
            chosen.sampling,
            method=method,
            depth=chosen.sampling.depth if depth is None else depth,
            parameters=parameters,
        ),
        analysis=_choose_analysis(choices),
        streams=tuple(choices.get("streams", ())),
        classify=choices.get("classify", False),
        similarity=chosen.similarity if similarity is None else similarity,
        seed=choices.get("seed"),
        engine=IndexingWorkers(processes, choices.get("dask"), choices.get("wait")),
        strict=choices.get("strict", False),
        lost_judgements=choices.get("lost_judgements", MOST_LOST),
    )


def _demo_choices(choices: BuildChoices) -> BuildChoices:
    chosen: BuildChoices = {**choices, "preset": choices.get("preset") or "gov"}
    usual = None if _find_sampling_method(chosen) == NO_DEPTH else _DEMO_DEPTH
    depth = choices.get("depth")
    return {**chosen, "depth": usual if depth is None else depth}


def _find_preset(choices: BuildChoices) -> Settings:
    name = choices.get("preset")
    return PRESETS[name][1] if name else Settings()


def _find_sampling_method(choices: BuildChoices) -> str:
    return choices.get("sampling") or _find_preset(choices).sampling.method


def _choose_analysis(choices: BuildChoices) -> Analysis:
    tokenizer, stemmer = choices.get("tokenizer", "words"), choices.get("stemmer", "porter")
    stop_words = str(choices.get("stop_words", "english"))
    if stop_words in STOP_WORDS:
        return Analysis(tokenizer, stop_words, stemmer)
    return Analysis(tokenizer, "file", stemmer, read_stop_words(stop_words))


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
        hint = suggest(unknown[0], Choices.__annotations__)
        raise RankwiseError(f"a build has no choice {unknown[0]!r}" + f"; {hint}" * bool(hint))
    settings = choose_settings(demo=demo, **_select_choices(BuildChoices, choices))
    if demo:
        given = demo_input()
    elif corpus is None or queries is None or qrels is None:
        raise RankwiseError("a build needs a corpus, its queries and its qrels, or demo=True")
    else:
        given = read_build_input(
            corpus, queries, qrels, output, **_select_choices(ReadingChoices, choices)
        )
    return build_from(given, output, settings, stage)


def _select_choices(kind: type, choices: Choices) -> Any:
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
    with _tell_what_stays(output), open_build_folder(output) as home:
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
        advance = stage("Computing features of queries", len(ready))
        return Build(home, build_dataset(index, ready, home, settings, card, advance))


@contextmanager
def _tell_what_stays(output: str | Path) -> Iterator[None]:
    """A build that cannot write goes on later from what it has; what it began is removed."""
    try:
        yield
    except CannotWrite as error:
        left = "what is finished stays there, and the same build goes on from it when there is room"
        raise CannotWrite(output, error.cause, left) from error


_DOCUMENTS_LOOKED_AT = 1000
_WEB_SET = "gov"
_LETORS_STREAMS = tuple(name for name in WEB_STREAMS if name != EXTRACTED_TITLE)


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
    corpus: Corpus, home: Path, settings: Settings, findings: Findings, advance: Advance
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
        advance=advance,
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
    advance: Advance,
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
        sampled = sampler.sample(queries, advance)
        dataset = sampled.dataset
        repeated = _write_dataset(sampled, features, index.manifest.name, work, settings.seed)
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
    whole = (found for found in corpus.documents() if isinstance(found, Document))
    for document in islice(whole, _DOCUMENTS_LOOKED_AT):
        lettered = (n for n, text in document.streams.items() if any(map(str.isalpha, text)))
        names.update(dict.fromkeys(lettered))
        if any(link.text for link in document.links):
            names[ANCHOR] = None
    if not names:
        looked_at = islice(corpus.documents(), _DOCUMENTS_LOOKED_AT)
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
            f"stream without a word in the first {_DOCUMENTS_LOOKED_AT:,} documents, not indexed; "
            "name it among the streams",
            f"{name[:100]} of {count:,} documents",
        )


def _find_own_streams(document: Document) -> set[str]:
    """Streams that the document gives words to, be it another document's anchor."""
    own = {name for name, text in document.streams.items() if text}
    return own | {ANCHOR} if any(link.text for link in document.links) else own


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


def _write_dataset(
    sampled: SampledQueries, features: FeatureSet, name: str, work: Path, seed: int | None
) -> list[str]:
    """Write LETOR's versions; sentences on features that repeat others."""
    folder = work / "versions"
    versions = features.make_versions(sampled.dataset, sampled.classes)
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
