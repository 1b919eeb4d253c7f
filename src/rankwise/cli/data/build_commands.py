"""`rankwise build`: from a corpus, queries and judgements to a LETOR data set.

`corpus` is the build itself, with its choices as options. `features` makes features from LETOR's
metadata alone, without the corpus. Both share options of features.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from rankwise.cli.options import format_option, jobs_option, output_option, seed_option, wait_option
from rankwise.cli.output import note, print_json, print_table, shown_stages
from rankwise.collection import (
    AS_PUBLISHED,
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
    FeatureBuild,
    MetadataFeatures,
    build_features,
    format_left_out,
    open_metadata,
)
from rankwise.collection import build as build_dataset
from rankwise.data import FILL_RULES

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_CONSTANTS = {
    "k1": "BM25: how soon repeated words stop counting.",
    "b": "BM25: how much length counts, 0 to 1.",
    "k3": "BM25: how soon repeated query words stop counting.",
    "mu": "LMIR.DIR: words of the collection added.",
    "lambda_": "LMIR.JM: weight of the collection, to 1.",
    "delta": "LMIR.ABS: what is taken from each count, to 1.",
    "sitemap_rate": "α of propagation by sitemap: the part of a page that is its own, to 1.",
    "hyperlink_rate": "α of propagation by hyperlinks, to 1.",
}


def constant_options(command: Decorated) -> Decorated:
    """An option for each constant of BM25, the language models and propagation."""
    for name, text in reversed(_CONSTANTS.items()):
        flag = f"--{name.rstrip('_').replace('_', '-')}"
        command = click.option(flag, name, type=float, help=text)(command)
    return command


def given_constants(options: dict[str, Any]) -> dict[str, Any]:
    """The constants that were given, as `Parameters` calls them, taken out of the options."""
    values = {name: options.pop(name) for name in _CONSTANTS}
    return {name: value for name, value in values.items() if value is not None}


def own_feature_options(command: Decorated) -> Decorated:
    """`--feature-file` (any number of times) and `--query-classes`."""
    classes = click.option(
        "--query-classes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Add the class of the query as the last feature: lines of query id, tab, class, or "
        "the queries.tsv of a build.",
    )
    files = click.option(
        "--feature-file",
        "feature_files",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Add the features of a Python file of yours (functions under @feature), which is run.",
    )
    return files(classes(command))


def _help_of_choices(title: str, entries: dict[str, str]) -> str:
    lines = "\n".join(f"  {name:<10} {summary}" for name, summary in entries.items())
    return f"\b\n{title}:\n{lines}"


_CORPUS_HELP = "\n\n".join(
    [
        "Build a data set from CORPUS (a file or a folder) into the folder of -o.",
        "It becomes LETOR's three versions with five folds, metadata, relations between documents "
        "and a data card. A build that was interrupted goes on when it is started again.",
        _help_of_choices("Corpus formats", {f.name: f.summary for f in CORPUS_FORMATS.values()}),
        _help_of_choices("Samplings", SAMPLINGS),
        _help_of_choices("Feature sets", {f.name: f.summary for f in FEATURE_SETS.values()}),
        _help_of_choices("Presets", {name: summary for name, (summary, _) in PRESETS.items()}),
        _help_of_choices("Labels", {name: summary for name, (summary, _) in LABEL_RULES.items()}),
        _help_of_choices("Stemmers", STEMMERS),
        _help_of_choices("Stop words", STOP_WORDS),
        _help_of_choices("Tokenizers", TOKENIZERS),
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


@click.command("corpus", help=_CORPUS_HELP)
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
@jobs_option("How many processes analyse documents.")
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
    _show_build(built, output_format)


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


def _show_build(built: Build, output_format: str) -> None:
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


_LETOR_HELP = f"""Compute features from the metadata in DIR and write LETOR's three versions to OUT.

DIR holds collectioninfo.xml and query-….xml, as LETOR's Meta folders do. OUT becomes Feature-null,
Feature-min and QueryLevelNorm, each with five folds, and a data card; it must be new or empty.
Where DIR is the Meta of a build, features and constants that are not given, the order of the
queries and the folds are those of the build, and links are taken from its Relations. Otherwise
constants are those of the feature set. With the set ohsumed and LETOR's OHSUMED metadata the files
equal the published ones byte for byte.

\b
Feature sets:
{chr(10).join(f"  {entry.name:<10} {entry.summary}" for entry in FEATURE_SETS.values())}

\b
Examples:
  rankwise build features --from-metadata OHSUMED/Meta -o rebuilt
  rankwise build features --from-metadata OHSUMED/Meta -o tuned --k1 0.9 --b 0.4 --mu 1000
  rankwise build features --from-metadata OHSUMED/Meta -o more --set extended
  rankwise build features --from-metadata OHSUMED/Meta -o own --feature-file own.py
  rankwise build features --from-metadata OHSUMED/Meta --list
"""


@click.command("features", help=_LETOR_HELP)
@click.option(
    "--from-metadata",
    "metadata",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of metadata.",
)
@output_option("The folder.", "OUT")
@click.option(
    "--set",
    "set_name",
    type=click.Choice(list(FEATURE_SETS)),
    help="Which features.  [default: those of the build that DIR comes from, else ohsumed]",
)
@constant_options
@click.option(
    "--fill-rule",
    default=AS_PUBLISHED,
    show_default=True,
    metavar="RULE",
    help=f"What NULL becomes in Feature-min: {AS_PUBLISHED} (0 for BM25 and its logarithm, else "
    f"the minimum), or {', '.join(FILL_RULES)}, or a rule per feature.",
)
@seed_option("Draw the parts of the folds by this seed.  [default: as in the build]", default=None)
@own_feature_options
@click.option("--list", "listed", is_flag=True, help="List the features and write nothing.")
@format_option()
def features_command(
    metadata: Path,
    output: Path | None,
    set_name: str | None,
    fill_rule: str,
    seed: int | None,
    listed: bool,
    output_format: str,
    **options: Any,
) -> None:
    """Read the metadata, compute, write, and say what was done."""
    found = open_metadata(
        metadata,
        set_name,
        constants=given_constants(options),
        feature_files=options["feature_files"],
        query_classes=options["query_classes"],
    )
    for line in format_left_out(found.left_out):
        note(line)
    if listed:
        return _list_features(found, output_format)
    if output is None:
        raise click.UsageError("say where to write the features with -o OUT, or list them: --list")
    with shown_stages() as stage:
        built = build_features(found, output, fill_rule=fill_rule, seed=seed, stage=stage)
    return _show_features(built, output_format)


def _show_features(built: FeatureBuild, output_format: str) -> None:
    facts = built.facts
    if output_format == "json":
        return print_json(facts)
    shown = {**facts, "parameters": _equations(facts["parameters"])}
    del shown["left_out"]
    if "query_classes" in shown:
        shown["query_classes"] = _equations(shown["query_classes"])
    if "feature_files" in shown:
        shown["feature_files"] = ", ".join(file["origin"] for file in shown["feature_files"])
    rows = [(name.replace("_", " "), value) for name, value in shown.items()]
    return print_table(("", ""), rows, unbroken=(0,))


def _equations(values: dict[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())


def _list_features(found: MetadataFeatures, output_format: str) -> None:
    listed = found.listed()
    if output_format == "json":
        return print_json(listed)
    return print_table(
        ("", "feature", "stream", "category", "formula"),
        [tuple(one.values()) for one in listed],
        numeric=(0,),
        unbroken=(1,),
    )


class _CorpusFirst(click.Group):
    """What does not begin with the name of a command is a corpus, or an option of its build."""

    default_command = "corpus"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [self.default_command, *args]
        return super().parse_args(ctx, args)


@click.group(cls=_CorpusFirst)
def build() -> None:
    """Build LETOR data sets: words, samples, features, folds, metadata.

    \b
    rankwise build CORPUS … is short for rankwise build corpus CORPUS …;
    rankwise build corpus --help lists its options.

    \b
    Examples:
      rankwise build cran.all.1400 --queries cran.qry --qrels cranqrel \\
          --labels cleverdon --depth 100 -o cranfield
      rankwise build cacm.all --queries query.text --qrels qrels.text --depth 100 -o cacm
      rankwise build --demo -o python-documentation
      rankwise build features --from-metadata cranfield/Meta -o tuned --k1 0.9
    """


for command in (corpus_command, features_command):
    build.add_command(command)
