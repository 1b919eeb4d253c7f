"""`rankwise build corpus`: the build itself, with its choices as options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from rankwise.cli.collection.feature_options import (
    constant_options,
    given_constants,
    own_feature_options,
)
from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.collection.analysis import STEMMERS, STOP_WORDS, TOKENIZERS, Analysis, read_stop_words
from rankwise.collection.build_folder import building_in
from rankwise.collection.building import PRESETS, Settings, build_dataset, index_corpus
from rankwise.collection.corpora import (
    CORPUS_FORMATS,
    Corpus,
    CorpusQuery,
    Findings,
    Judgements,
    open_corpus,
    read_judgements,
    read_queries,
)
from rankwise.collection.corpora.judgements import JUDGEMENT_FORMATS, LABEL_RULES
from rankwise.collection.corpora.queries import QUERY_FORMATS, detected_format
from rankwise.collection.data_card import DataCard, file_origin, left_out_lines
from rankwise.collection.features import FEATURE_SETS, read_feature_files, read_query_classes
from rankwise.collection.index import Engine
from rankwise.collection.judged_queries import (
    Numbers,
    check_queries,
    judged_queries,
    match_numbering,
    named_by_place,
)
from rankwise.collection.sampling import SAMPLINGS
from rankwise.errors import RankwiseError
from rankwise.processors import processors


def _choices(title: str, entries: dict[str, str]) -> str:
    lines = "\n".join(f"  {name:<10} {summary}" for name, summary in entries.items())
    return f"\b\n{title}:\n{lines}"


_HELP = "\n\n".join(
    [
        "Build a data set from CORPUS (a file or a folder) into the folder of -o.",
        "It becomes LETOR's three versions with five folds, metadata, relations between documents "
        "and a data card. A build that was interrupted goes on when it is started again.",
        _choices("Corpus formats", {f.name: f.summary for f in CORPUS_FORMATS.values()}),
        _choices("Samplings", SAMPLINGS),
        _choices("Feature sets", {f.name: f.summary for f in FEATURE_SETS.values()}),
        _choices("Presets", {name: summary for name, (summary, _) in PRESETS.items()}),
        _choices("Labels", {name: summary for name, (summary, _) in LABEL_RULES.items()}),
        _choices("Stemmers", STEMMERS),
        _choices("Stop words", STOP_WORDS),
        _choices("Tokenizers", TOKENIZERS),
        "\b\nExamples:\n"
        "  rankwise build cran.all.1400 --queries cran.qry --qrels cranqrel \\\n"
        "      --labels cleverdon -o cranfield\n"
        "  rankwise build --demo -o python-docs",
    ]
)


_DEMO_DEPTH = 200
_NO_DEPTH = "judged"
_DEMOS_OWN = (
    "corpus", "queries", "qrels", "name", "corpus_format", "queries_format", "qrels_format",
    "query_field", "query_numbers", "labels",
)  # fmt: skip


@dataclass(frozen=True)
class BuildInput:
    """What is built from what; `numbers` says what the judgements call queries by."""

    corpus: Corpus
    queries: list[CorpusQuery]
    judgements: Judgements
    origins: dict[str, dict[str, object]]
    numbers: Numbers = "file"


def _path_option(*names: str, text: str) -> Callable[[Any], Any]:
    return click.option(*names, type=click.Path(path_type=Path), metavar="FILE", help=text)


@click.command("corpus", help=_HELP)
@click.argument("corpus", required=False, type=click.Path(path_type=Path))
@click.option("--demo", is_flag=True, help="Build the documentation of this Python as a web.")
@_path_option("--queries", text="TREC topics, lines of id<TAB>text[<TAB>class], or SMART.")
@_path_option("--qrels", text="Judgements: TREC qrels, SMART, or query document label.")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="DIR")
@click.option("--preset", type=click.Choice(list(PRESETS)), help="LETOR's choices for a corpus.")
@click.option("--name", help="What the data set is called; the corpus' own name by default.")
@click.option(
    "--corpus-format",
    default="auto",
    type=click.Choice(["auto", *CORPUS_FORMATS]),
    show_default=True,
    help="How the documents are stored.",
)
@click.option(
    "--queries-format",
    default="auto",
    type=click.Choice(["auto", *QUERY_FORMATS]),
    show_default=True,
    help="How the queries are stored.",
)
@click.option(
    "--qrels-format",
    default="auto",
    type=click.Choice(["auto", *JUDGEMENT_FORMATS]),
    show_default=True,
    help="How the judgements are stored.",
)
@click.option(
    "--query-field",
    default="title",
    show_default=True,
    help="Parts of TREC topics: title, desc, narr, or several joined by '+'.",
)
@click.option(
    "--query-numbers",
    default="auto",
    type=click.Choice(["auto", "file", "place"]),
    show_default=True,
    help="What judgements call a query by: its id in the file, or its place in it.",
)
@click.option("--labels", type=click.Choice(list(LABEL_RULES)), help="How codes become labels.")
@click.option("--streams", help="Streams of the whole document, divided by commas.")
@click.option("--tokenizer", type=click.Choice(list(TOKENIZERS)), default="words")
@click.option("--stop-words", default="english", help="english, none, or a file of words.")
@click.option("--stemmer", type=click.Choice(list(STEMMERS)), default="porter")
@click.option("--features", type=click.Choice(list(FEATURE_SETS)), help="Which features.")
@click.option("--sampling", type=click.Choice(list(SAMPLINGS)), help="Which documents.")
@click.option("--depth", type=click.IntRange(min=1), help="How many of the best by BM25.")
@constant_options
@own_feature_options
@click.option("--similarity/--no-similarity", default=None, help="Write similarity matrices.")
@click.option("--seed", type=click.IntRange(min=0), help="Draw the parts of the folds by it.")
@click.option(
    "--processes", type=click.IntRange(min=1), default=None, help="How many analyse documents."
)
@click.option("--dask", metavar="ADDRESS", help="Analyse documents on a Dask cluster instead.")
@click.option("--strict", is_flag=True, help="A broken document stops the build.")
@format_option("table", "json")
def corpus_command(
    corpus: Path | None, demo: bool, output: Path, output_format: str, **options: Any
) -> None:  # fmt: skip
    """Read, index, sample, compute, write, and say what was done."""
    if demo:
        _check_demo_alone()
    settings = _settings(_demo_options(options) if demo else options)
    given = demo_input() if demo else _input(corpus, output, options)
    card = build(given, output, settings)
    for line in (*left_out_lines(card.facts["left_out"]), *card.findings.lines()):
        note(line)
    _show(card, output, output_format)


def build(given: BuildInput, output: Path, settings: Settings) -> DataCard:
    """Index, sample, compute and write, with a line that shows how far it is."""
    findings, about_queries = Findings(strict=settings.strict), Findings()
    queries = match_numbering(given.queries, given.judgements, about_queries, given.numbers)
    classes = check_queries(queries, given.judgements, settings.analysis, settings.query_classes)
    settings = replace(settings, query_classes=classes)
    with building_in(output) as home:
        with progress("Indexing documents") as advance:
            index = index_corpus(given.corpus, home, settings, findings, advance)
        findings.restore(about_queries.as_record())
        ready = judged_queries(index, queries, given.judgements, findings)
        card = DataCard(given.corpus.name, given.origins, findings)
        with progress("Computing features of queries", len(ready)) as advance:
            return build_dataset(index, ready, home, settings, card, advance)


def demo_input(n_queries: int = 100, seed: int = 0) -> BuildInput:
    """The documentation of this Python, with queries from its summaries."""
    from rankwise.collection.demo import demo_collection

    demo = demo_collection(n_queries, seed)
    origins: dict[str, dict[str, object]] = {
        "corpus": {"origin": demo.corpus.origin, "format": "documentation as a web"},
        "queries_from": {"origin": "summaries of docstrings", "number": len(demo.queries)},
        "judgements_from": {"origin": "what the summaries stand on", "labels": "as-is"},
    }
    return BuildInput(demo.corpus, demo.queries, demo.judgements, origins)


def _check_demo_alone() -> None:
    """The demo is a corpus with queries and judgements; others beside it would go unread."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
        if given and parameter.name in _DEMOS_OWN:
            raise click.UsageError(
                "--demo brings its own corpus, queries and judgements; leave out "
                f"{parameter.get_error_hint(context)}"
            )


def _demo_options(options: dict[str, Any]) -> dict[str, Any]:
    """Web features of shallow samples, where nothing else is asked for."""
    chosen = {**options, "preset": options["preset"] or "gov"}
    usual = None if _method(chosen) == _NO_DEPTH else _DEMO_DEPTH
    return {**chosen, "depth": options["depth"] or usual}


def _preset(options: dict[str, Any]) -> Settings:
    return PRESETS[options["preset"]][1] if options["preset"] else Settings()


def _method(options: dict[str, Any]) -> str:
    return options["sampling"] or _preset(options).sampling.method


def _settings(options: dict[str, Any]) -> Settings:
    chosen = _preset(options)
    features = options["features"] or chosen.features
    parameters = replace(FEATURE_SETS[features].parameters, **given_constants(options))
    method = _method(options)
    if method == _NO_DEPTH and options["depth"] is not None:
        raise click.UsageError(
            f"the sampling {method} takes all judged documents and has no depth; leave out "
            "--depth, or choose --sampling top or pool"
        )
    sampling = replace(
        chosen.sampling,
        method=method,
        depth=options["depth"] or chosen.sampling.depth,
        parameters=parameters,
    )
    similarity, classes = options["similarity"], options["query_classes"]
    streams = [name.strip() for name in (options["streams"] or "").split(",") if name.strip()]
    processes = options["processes"] or min(processors(), 8)
    return replace(
        chosen,
        features=features,
        parameters=parameters,
        feature_files=read_feature_files(options["feature_files"]),
        query_classes=read_query_classes(classes) if classes else None,
        sampling=sampling,
        analysis=_analysis(options),
        streams=tuple(streams),
        similarity=chosen.similarity if similarity is None else similarity,
        seed=options["seed"],
        engine=Engine(processes, options["dask"]),
        strict=options["strict"],
    )


def _analysis(options: dict[str, Any]) -> Analysis:
    stop_words = options["stop_words"]
    if stop_words in STOP_WORDS:
        return Analysis(options["tokenizer"], stop_words, options["stemmer"])
    own = read_stop_words(stop_words)
    return Analysis(options["tokenizer"], "file", options["stemmer"], own)


def _input(path: Path | None, output: Path, options: dict[str, Any]) -> BuildInput:
    if path is None or options["queries"] is None or options["qrels"] is None:
        raise click.UsageError(
            "name a corpus with its queries and judgements: CORPUS --queries FILE --qrels FILE; "
            "or build the demo: --demo"
        )
    beside = (options["queries"], options["qrels"], output)
    corpus = open_corpus(path, options["corpus_format"], options["name"], leave_out=beside)
    asked = options["queries_format"]
    queries_format = detected_format(options["queries"]) if asked == "auto" else asked
    queries = read_queries(options["queries"], queries_format, field=options["query_field"])
    judgements = read_judgements(options["qrels"], options["qrels_format"], rule=options["labels"])
    if corpus.format == "smart" and judgements.format == "columns" and not options["labels"]:
        raise RankwiseError(
            f"{options['qrels']} has three columns, whose third may be a label or Cleverdon's "
            "code, where 1 is best; say which: --labels as-is, binary or cleverdon"
        )
    numbers = _numbers(options, corpus, queries, judgements)
    origins: dict[str, dict[str, object]] = {
        "corpus": {"origin": corpus.origin, "format": corpus.format},
        "queries_from": {
            **file_origin(options["queries"]), "number": len(queries), "format": queries_format,
            **({"field": options["query_field"]} if queries_format == "trec" else {}),
        },
        "judgements_from": {
            **file_origin(options["qrels"]), "format": judgements.format, "labels": judgements.rule,
        },
    }  # fmt: skip
    return BuildInput(corpus, queries, judgements, origins, numbers)


def _numbers(
    options: dict[str, Any], corpus: Corpus, queries: list[CorpusQuery], judgements: Judgements
) -> Numbers:
    """What is asked for; only SMART collections are known to mean places without saying so."""
    asked: Numbers = options["query_numbers"]
    if asked == "auto" and corpus.format != "smart" and named_by_place(queries, judgements):
        raise RankwiseError(
            f"{options['qrels']} calls queries 1 to {len(queries)}, {options['queries']} has ids "
            f"up to {queries[-1].id}; say whether the judgements mean ids or places: "
            "--query-numbers file or place"
        )
    return asked


def _show(card: DataCard, home: Path, output_format: str) -> None:
    facts = card.facts
    sampled, judged = (facts["sampling"][f"relevant_{which}"] for which in ("sampled", "judged"))
    shown = {
        "output": str(home),
        "corpus": card.name,
        "documents": facts["documents_in_corpus"],
        "links": facts["links"],
        "streams": [stream["description"] for stream in facts["streams"]],
        "queries": facts["queries"],
        "rows": facts["rows"],
        "labels": facts["labels"],
        "relevant": {"sampled": sampled, "judged": judged},
        "feature_set": facts["feature_set"],
        "features": len(facts["features"]),
    }
    if output_format == "json":
        findings = card.findings.as_record()
        return print_json({**shown, "left_out": facts["left_out"], "findings": findings})
    prose = {
        "streams": ", ".join(shown["streams"]),
        "labels": ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items()),
        "relevant": f"{sampled:,} of {judged:,} judged",
    }
    rows = [(name.replace("_", " "), value) for name, value in {**shown, **prose}.items()]
    return print_table(("", ""), rows, unbroken=(0,))
