"""`rankwise data describe`, `check` and `convert`: one file at a time or a whole fold."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import click

from rankwise.cli.data.number_styles import float32_option, numbers_option
from rankwise.cli.data.query_tables import print_query_check
from rankwise.cli.options import format_option, writable, zero_based_option
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.cli.table_options import table_options
from rankwise.data import (
    SHORT_QUERY,
    Description,
    NumberStyle,
    check,
    convert,
    describe,
    fold_files,
    list_whole_files,
    read_all,
)

# A list of more names than this is cut in tables: nobody reads it, and it may have a million.
MOST_LISTED, FEW_LISTED = 1000, 10
FILES = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.command("describe")
@FILES
@zero_based_option()
@format_option()
@table_options("files")
def describe_command(files: tuple[Path, ...], zero_based: bool, output_format: str) -> None:
    """Describe the data set that the FILES hold together.

    A folder of folds, or NAME of the data home, stands for the parts of its first fold, which hold
    every query once.

    \b
    Examples:
      rankwise data describe train.txt
      rankwise data describe Fold*/test.txt          # five parts as one data set
      rankwise data describe train.txt.gz --format json
      rankwise data describe MQ2008
    """
    with progress("reading"):
        facts = describe(read_all(list_whole_files(files), zero_based=zero_based))
    if output_format == "json":
        print_json(facts.as_dict())
    else:
        print_table(["fact", "value"], _rows(facts), title=_title(files))


@click.command("check")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--cutoff",
    type=click.IntRange(min=1),
    default=SHORT_QUERY,
    show_default=True,
    metavar="K",
    help="A query with fewer documents is short.",
)
@zero_based_option()
@format_option()
@table_options("paths")
def check_command(
    paths: tuple[Path, ...], cutoff: int, zero_based: bool, output_format: str
) -> None:
    """Look for what is wrong in files, or in the folds of a folder; exit 1 when something is.

    Several files are taken as the parts of one fold, and a folder as folds (Fold1/train.txt …): a
    query may then stand in one part only, and be tested in one fold only. Found as well: infinite
    values, values beyond single precision, negative labels, a feature that orders every query as
    its labels do, documents that stand twice in a query, missing document ids.

    Queries without a relevant document and those with fewer than K documents are not wrong, but
    tools score them differently: they are named, with what each tool makes of them.

    \b
    Examples:
      rankwise data check train.txt
      rankwise data check train.txt --cutoff 5
      rankwise data check train.txt vali.txt test.txt
      rankwise data check MQ2008/
    """
    groups = fold_files(paths)
    # Measures are loaded for this one alone: `describe` needs none.
    from rankwise.evaluation import QueryCheck

    queries = QueryCheck(cutoff)
    with progress("checking", len(groups)) as advance:
        findings = check(
            *paths,
            zero_based=zero_based,
            advance=lambda done, _: advance(done),
            look=queries.look,
        )
    if output_format == "json":
        print_json(
            {
                "findings": [asdict(finding) for finding in findings],
                "queries": [asdict(part) for part in queries.parts],
                "tools": [asdict(effect) for effect in queries.list_effects()],
            }
        )
    elif findings:
        rows = [[finding.where, finding.sentence] for finding in findings]
        print_table(["where", "what is wrong"], rows)
    else:
        say(f"nothing wrong in {sum(map(len, groups))} files")
    if output_format != "json" and queries.found:
        print_query_check(queries)
    if findings:
        sys.exit(1)


@click.command("convert")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), callback=writable)
@numbers_option
@click.option(
    "--side-file",
    type=click.Choice(["query", "group"]),
    help="Write no qid, but OUT.query/OUT.group.",
)
@zero_based_option("Feature indices of IN begin at 0, not 1.")
@click.option("--zero-based-out", is_flag=True, help="Write feature indices from 0.")
@click.option(
    "--repeated-queries",
    type=click.Choice(["error", "merge"]),
    default="error",
    show_default=True,
    help="What to do with a query id that comes back later in the file.",
)
@float32_option
@format_option()
@table_options("source")
def convert_command(
    source: Path,
    target: Path,
    numbers: NumberStyle,
    side_file: str | None,
    zero_based: bool,
    zero_based_out: bool,
    repeated_queries: Literal["error", "merge"],
    float32: bool,
    output_format: str,
) -> None:
    """Read IN and write it to OUT in the layout that its name ends with.

    Tables by .csv, .tsv, .parquet or .feather, LETOR text by .txt and other endings, text
    compressed by .gz, .bz2, .xz or .zst, and packed data by .rwd, whose features all commands read
    from the file in blocks: they need not fit into memory.

    \b
    Examples:
      rankwise data convert train.txt train.parquet
      rankwise data convert huge.txt huge.rwd --float32
      rankwise data convert train.parquet train.txt.zst
      rankwise data convert train.txt rank.train --side-file query    # for LightGBM
    """
    with progress("converting"):
        dataset = convert(
            source,
            target,
            zero_based=zero_based,
            repeated_queries=repeated_queries,
            numbers=numbers,
            zero_based_out=zero_based_out,
            side_file=None
            if side_file is None
            else (".query" if side_file == "query" else ".group"),
            float32=float32,
        )
    counts = {
        "rows": dataset.n_documents,
        "queries": dataset.n_queries,
        "features": dataset.n_features,
    }
    if output_format == "json":
        print_json({"file": str(target), **counts})
    else:
        note(f"{target}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))


def _title(files: tuple[Path, ...]) -> str:
    return str(files[0]) if len(files) == 1 else f"{len(files)} files together"


def _rows(facts: Description) -> list[tuple[str, str]]:
    per_query = facts.documents_per_query
    labels = ", ".join(f"{label}: {count:,}" for label, count in facts.labels.items())
    duplicates = _listed([_listed(group, " = ") for group in facts.duplicate_features], "; ")
    nulls = _listed([f"{name} ({count:,})" for name, count in facts.null_features.items()])
    return [
        ("rows", f"{facts.rows:,}"),
        ("queries", f"{facts.queries:,}"),
        ("features", f"{facts.features:,}"),
        ("labels", labels),
        (
            "documents per query",
            f"{per_query['min']} to {per_query['max']}, median {per_query['median']:g}",
        ),
        ("queries with no relevant document", f"{facts.queries_without_relevant:,}"),
        ("queries with no irrelevant document", f"{facts.queries_without_irrelevant:,}"),
        ("queries shorter than 10", f"{facts.queries_shorter_than_10:,}"),
        ("constant features", _listed(facts.constant_features) or "none"),
        ("features constant in every query", _listed(facts.constant_in_queries) or "none"),
        ("features with NULL (how often)", nulls or "none"),
        ("duplicate features", duplicates or "none"),
    ]


def _listed(names: list[str], between: str = ", ") -> str:
    """All names; of more than anybody reads, the first ones."""
    if len(names) <= MOST_LISTED:
        return between.join(names)
    shown = between.join(names[:FEW_LISTED])
    return f"{shown} and {len(names) - FEW_LISTED:,} more (all: --format json)"
