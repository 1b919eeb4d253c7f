"""`rankwise build corpus`: the build itself, with its choices as options."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from rankwise.cli.collection.feature_options import (
    constant_options,
    given_constants,
    own_feature_options,
)
from rankwise.cli.options import (
    format_option,
    jobs_option,
    output_option,
    seed_option,
    wait_option,
)
from rankwise.cli.output import note, print_json, print_table
from rankwise.cli.stages import shown_stages
from rankwise.collection import (
    CORPUS_FORMATS,
    FEATURE_SETS,
    JUDGEMENT_FORMATS,
    LABEL_RULES,
    MOST_LOST,
    PRESETS,
    QUERY_FORMATS,
    SAMPLINGS,
    STEMMERS,
    STOP_WORDS,
    TOKENIZERS,
    Build,
    format_left_out,
)
from rankwise.collection import build as build_dataset


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


_DEMOS_OWN = (
    "corpus", "queries", "qrels", "name", "corpus_format", "queries_format", "qrels_format",
    "query_field", "query_numbers", "labels", "categories",
)  # fmt: skip


def _path_option(*names: str, text: str) -> Callable[[Any], Any]:
    return click.option(*names, type=click.Path(path_type=Path), metavar="FILE", help=text)


@click.command("corpus", help=_HELP)
@click.argument("corpus", required=False, type=click.Path(path_type=Path))
@click.option("--demo", is_flag=True, help="Build the documentation of this Python as a web.")
@_path_option("--queries", text="TREC topics, lines of id<TAB>text[<TAB>class], or SMART.")
@_path_option("--qrels", text="Judgements: TREC, SMART, query document label, RankLib, Quepid.")
@output_option("The folder of the data set.", "DIR", required=True)
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
@click.option("--labels", metavar="RULE", help="How codes become labels, as listed above.")
@_path_option("--categories", text="Categories of documents: lines of document id, tab, category.")
@click.option(
    "--classify", is_flag=True, help="Give documents without a category that of their words."
)
@click.option("--streams", default="", help="Streams of the whole document, divided by commas.")
@click.option("--tokenizer", type=click.Choice(list(TOKENIZERS)), default="words")
@click.option("--stop-words", default="english", help="english, none, or a file of words.")
@click.option("--stemmer", type=click.Choice(list(STEMMERS)), default="porter")
@click.option("--features", type=click.Choice(list(FEATURE_SETS)), help="Which features.")
@click.option("--sampling", type=click.Choice(list(SAMPLINGS)), help="Which documents.")
@click.option("--depth", type=click.IntRange(min=1), help="How many of the best by BM25.")
@constant_options
@own_feature_options
@click.option("--similarity/--no-similarity", default=None, help="Write similarity matrices.")
@seed_option("Draw the parts of the folds by it.", default=None)
@jobs_option("How many processes analyse documents.", former=("--processes",))
@click.option("--dask", metavar="ADDRESS", help="Analyse documents on a Dask cluster instead.")
@wait_option()
@click.option("--strict", is_flag=True, help="A broken document stops the build.")
@click.option(
    "--lost-judgements",
    type=click.FloatRange(0, 1),
    default=MOST_LOST,
    show_default=True,
    metavar="SHARE",
    help="Judgements for absent documents or queries; more of them stop the build.",
)
@format_option()
def corpus_command(
    corpus: Path | None, demo: bool, output: Path, output_format: str, streams: str, **options: Any
) -> None:
    """Read, index, sample, compute, write, and say what was done."""
    if demo:
        _check_demo_alone()
    elif None in (corpus, options["queries"], options["qrels"]):
        raise click.UsageError(
            "name a corpus with its queries and judgements: CORPUS --queries FILE --qrels FILE; "
            "or build the demo: --demo"
        )
    constants = given_constants(options)
    named = tuple(name.strip() for name in streams.split(",") if name.strip())
    with shown_stages() as stage:
        built = build_dataset(
            corpus, output, demo=demo, streams=named, constants=constants, stage=stage, **options
        )
    card = built.card
    for line in (*format_left_out(card.facts["left_out"]), *card.findings.lines()):
        note(line)
    _show(built, output_format)


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


def _show(built: Build, output_format: str) -> None:
    facts = built.facts
    if output_format == "json":
        return print_json(facts)
    shown = {name: fact for name, fact in facts.items() if name not in ("left_out", "findings")}
    relevant = facts["relevant"]
    prose = {
        "streams": ", ".join(facts["streams"]),
        "labels": ", ".join(f"{label}: {count:,}" for label, count in facts["labels"].items()),
        "relevant": f"{relevant['sampled']:,} of {relevant['judged']:,} judged",
    }
    rows = [(name.replace("_", " "), value) for name, value in {**shown, **prose}.items()]
    return print_table(("", ""), rows, unbroken=(0,))
