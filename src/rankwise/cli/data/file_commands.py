"""`rankwise data`: describe, check, convert, filter, normalize and split data sets; add features.

`describe`, `check` and `convert` take one file at a time or a whole fold. `filter` leaves out
empty or short queries, which `check` prints. `normalize` and `split` make the LETOR versions and
the folds. By `add-feature` an external score becomes a feature.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rankwise.cli.main import LoadingGroup
from rankwise.cli.options import (
    class_column_option,
    format_option,
    seed_option,
    table_options,
    writable,
    writable_folder,
    zero_based_option,
)
from rankwise.cli.output import note, print_json, print_table, progress, say
from rankwise.data import (
    COMPRESSIONS,
    FILL_RULES,
    NAMINGS,
    NORMALIZATIONS,
    NUMBER_STYLES,
    SHORT_QUERY,
    Description,
    Fold,
    NumberStyle,
    add_feature_to_files,
    check,
    compose_folds,
    convert,
    describe,
    filter_files,
    find_parts,
    fold_files,
    is_packed,
    list_whole_files,
    normalize_files,
    parse_drop,
    read,
    read_all,
    read_parts,
    split_folds,
    write_folds,
)

if TYPE_CHECKING:
    from rankwise.measures import QueryCheck, ToolEffect


DATA_COMMANDS = {
    "describe": "rankwise.cli.data.file_commands:describe_command",
    "check": "rankwise.cli.data.file_commands:check_command",
    "convert": "rankwise.cli.data.file_commands:convert_command",
    "add-feature": "rankwise.cli.data.file_commands:add_feature_command",
    "filter": "rankwise.cli.data.file_commands:filter_command",
    "normalize": "rankwise.cli.data.file_commands:normalize_command",
    "split": "rankwise.cli.data.file_commands:split_command",
    "list": "rankwise.cli.data.catalog_commands:list_command",
    "fetch": "rankwise.cli.data.catalog_commands:fetch_command",
    "import": "rankwise.cli.data.catalog_commands:import_command",
}


@click.command(cls=LoadingGroup, homes=DATA_COMMANDS)
def data() -> None:
    """Describe, check, convert, filter, normalize, split and fetch data sets; add features."""


numbers_option = click.option(
    "--numbers",
    type=click.Choice(list(NUMBER_STYLES)),
    default="shortest",
    show_default=True,
    help="How values are printed.",
)

float32_option = click.option(
    "--float32",
    is_flag=True,
    help="Write the features of packed data (.rwd) in single precision: half the size, rounded.",
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
        print_table(["fact", "value"], _description_rows(facts), title=_title_of_files(files))


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
    from rankwise.measures import QueryCheck

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


def _title_of_files(files: tuple[Path, ...]) -> str:
    return str(files[0]) if len(files) == 1 else f"{len(files)} files together"


def _description_rows(facts: Description) -> list[tuple[str, str]]:
    per_query = facts.documents_per_query
    labels = ", ".join(f"{label}: {count:,}" for label, count in facts.labels.items())
    duplicates = _join_names(
        [_join_names(group, " = ") for group in facts.duplicate_features], "; "
    )
    nulls = _join_names([f"{name} ({count:,})" for name, count in facts.null_features.items()])
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
        ("constant features", _join_names(facts.constant_features) or "none"),
        ("features constant in every query", _join_names(facts.constant_in_queries) or "none"),
        ("features with NULL (how often)", nulls or "none"),
        ("duplicate features", duplicates or "none"),
    ]


def _join_names(names: list[str], between: str = ", ") -> str:
    """All names; of more than anybody reads, the first ones."""
    if len(names) <= MOST_LISTED:
        return between.join(names)
    shown = between.join(names[:FEW_LISTED])
    return f"{shown} and {len(names) - FEW_LISTED:,} more (all: --format json)"


@click.command("filter")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), callback=writable)
@click.option(
    "--drop",
    required=True,
    metavar="KINDS",
    help="empty: no document has a label above 0; short: fewer than 10 documents; short:k: fewer "
    "than k; several with commas.",
)
@numbers_option
@format_option()
@table_options("source")
def filter_command(
    source: Path, target: Path, drop: str, numbers: NumberStyle, output_format: str
) -> None:
    """Write the file or the folds IN to OUT without the queries that tools disagree on.

    Of a folder every part of every fold is written under its own name, those of all versions where
    the folds are one folder down; OUT must then be new, and other files are not copied.
    'rankwise data check' says what such queries do under each tool. Figures on what is left are
    figures on other data: say so where you give them.

    \b
    Examples:
      rankwise data filter test.txt test-judged.txt --drop empty
      rankwise data filter MQ2008 MQ2008-judged --drop empty,short
      rankwise data filter MQ2008 MQ2008-of-5 --drop short:5
    """
    chosen = parse_drop(drop)
    with progress("filtering") as advance:
        parts = filter_files(
            source, target, chosen, numbers=numbers, advance=lambda done, _: advance(done)
        )
    if output_format == "json":
        print_json([asdict(part) for part in parts])
        return
    rows = [
        (part.output, part.queries, part.kept_queries, part.rows, part.kept_rows) for part in parts
    ]
    columns = ("file", "queries", "kept", "rows", "kept rows")
    print_table(columns, rows, numeric=range(1, 5), unbroken=(0,))
    note("figures on these files are figures on other data than those of IN")


_KEEP_NULL = "keep"

_NORMALIZE_HELP = f"""Bring the features of the file or the folds IN to another scale and write OUT.

Of a folder every part of every fold is written under its own name, those of all versions where the
folds are one folder down; OUT must then be new. NULL is filled first, by default with the query's
minimum of the feature. A file has the layout that its name ends with, as in `data convert`.

\b
Scales:
{chr(10).join(f"  {entry.name:<16} {entry.summary}" for entry in NORMALIZATIONS.values())}

\b
Examples:
  rankwise data normalize null.txt min.txt --to min
  rankwise data normalize null.txt min.txt --to min --fill-rule letor3-files --numbers fixed6
  rankwise data normalize min.txt norm.txt --to query-level
  rankwise data normalize test.txt out.txt --to dataset-z-score --fit-on train.txt
  rankwise data normalize MQ2008 MQ2008-z-score --to dataset-z-score
  rankwise data normalize min.txt norm.txt --to query-level --class-column 65
"""

_SPLIT_HELP = """Cut the file IN into parts and write the folds composed of them to the folder DIR.

With five parts, fold 1 trains on S1, S2, S3, validates on S4 and tests on S5, and so on in a ring.
A query is never divided. DIR must be new or empty. Where IN is a folder with the parts S1.txt,
S2.txt, … themselves, as LETOR's are, the folds are composed of those.

\b
Examples:
  rankwise data split all.txt folds
  rankwise data split all.txt folds --seed 7 --names letor3
  rankwise data split all.txt folds --in-order --compression gzip
  rankwise data split mq2008.txt folds --in-order --sizes 157,157,157,157,156
  rankwise data split MQ2007 folds
"""


@click.command("normalize", help=_NORMALIZE_HELP)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), callback=writable)
@click.option("--to", required=True, type=click.Choice(list(NORMALIZATIONS)), help="The scale.")
@click.option(
    "--fill-rule",
    default="minimum",
    show_default=True,
    metavar="RULE",
    help=f"What NULL becomes: {', '.join(FILL_RULES)}, a number, {_KEEP_NULL}, or a rule per "
    "feature such as minimum,11=zero,12=-1.5.",
)
@click.option(
    "--fit-on",
    type=click.Path(path_type=Path),
    metavar="TRAIN",
    help="The training part from which the dataset-… scales take their figures.  "
    "[default: of folds, that of each fold]",
)
@class_column_option("keeps its values, which the comments of OUT name too.")
@numbers_option
@float32_option
@format_option()
@table_options("source", "fit_on")
def normalize_command(
    source: Path,
    target: Path,
    to: str,
    fill_rule: str,
    fit_on: Path | None,
    class_column: str | None,
    numbers: NumberStyle,
    float32: bool,
    output_format: str,
) -> None:
    """Read, normalize, write, and say what was done."""
    rule = None if fill_rule == _KEEP_NULL else fill_rule
    with progress("Normalizing") as advance:
        parts = normalize_files(
            source, target, to, fill_rule=rule, fit_on=fit_on, class_column=class_column,
            numbers=numbers, float32=float32, advance=lambda done, _: advance(done),
        )  # fmt: skip
    _print_facts(
        {
            "output": str(target),
            "scale": to,
            "fill_rule": fill_rule,
            "files": len(parts),
            "rows": sum(part.rows for part in parts),
            "queries": sum(part.queries for part in parts),
            "features": max(part.features for part in parts),
            "null_before": sum(part.null_before for part in parts),
            "null_after": sum(part.null_after for part in parts),
        },
        output_format,
    )


@click.command("split", help=_SPLIT_HELP)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument(
    "directory", metavar="DIR", type=click.Path(path_type=Path), callback=writable_folder
)
@click.option(
    "--parts", type=click.IntRange(min=3), help="How many parts, and folds.  [default: 5]"
)
@seed_option("Draw queries by this seed.  [default: 0]", default=None)
@click.option("--in-order", is_flag=True, help="Cut into runs of queries, as LETOR did.")
@click.option("--sizes", metavar="N,N,…", help="Queries of each part; by default about equal.")
@click.option(
    "--names",
    type=click.Choice(list(NAMINGS)),
    help="train.txt, vali.txt, test.txt or trainingset.txt, …; packed: train.rwd, …  "
    "[default: letor4, or packed where IN is]",
)
@click.option(
    "--compression",
    type=click.Choice(list(COMPRESSIONS)),
    default="none",
    show_default=True,
    help="How the files are compressed.",
)
@numbers_option
@format_option()
@table_options("source")
def split_command(
    source: Path,
    directory: Path,
    parts: int | None,
    seed: int | None,
    in_order: bool,
    sizes: str | None,
    names: str | None,
    compression: str,
    numbers: NumberStyle,
    output_format: str,
) -> None:
    """Read, cut, compose, write, and list the parts of each fold."""
    if in_order and seed is not None:
        raise click.UsageError("--seed draws queries at random and --in-order does not: give one")
    counts = _parsed_sizes(sizes, parts)
    loose = _find_loose_parts(source, cutting=(parts, seed, in_order or None, sizes))
    n_parts = len(loose) or parts or (len(counts) if counts else 5)
    rows: list[dict[str, object]] = []
    with progress("Splitting", n_parts + 1) as advance:
        if loose:
            folds = iter(compose_folds(read_parts(source)))
        else:
            drawn = None if in_order else seed or 0
            folds = split_folds(read(source), n_parts, seed=drawn, sizes=counts)
        counted = _count_folds(folds, rows, advance)
        naming = names or ("packed" if is_packed(source) else "letor4")
        write_folds(counted, directory, naming=naming, numbers=numbers, compression=compression)
        advance(n_parts + 1)
    _print_parts(rows, directory, output_format)


def _find_loose_parts(source: Path, cutting: tuple[object, ...]) -> list[Path]:
    """The files of the parts where the source is a folder of them; they are not cut again."""
    found = find_parts(source)
    if found and any(option is not None for option in cutting):
        raise click.UsageError(
            f"--parts, --seed, --in-order and --sizes cut a file; {source} has its parts"
        )
    return found


def _print_facts(facts: dict[str, object], output_format: str) -> None:
    if output_format == "json":
        print_json(facts)
    else:
        print_table(
            ("fact", "value"),
            [(name.replace("_", " "), fact) for name, fact in facts.items()],
        )


def _parsed_sizes(text: str | None, parts: int | None) -> list[int] | None:
    if text is None:
        return None
    items = text.split(",")
    if not all(item.strip().isdecimal() for item in items):
        raise click.UsageError(f"--sizes takes whole numbers with commas, found {text!r}")
    if parts not in (None, len(items)):
        raise click.UsageError(f"--sizes must name {parts} parts as --parts says, found {text!r}")
    return [int(item) for item in items]


def _count_folds(
    folds: Iterable[Fold], rows: list[dict[str, object]], advance: Callable[[float], None]
) -> Iterator[Fold]:
    """The folds one at a time, while their figures are noted in `rows`."""
    for fold in folds:
        advance(fold.number)
        for name, part in fold.parts():
            counts = {"queries": part.n_queries, "rows": part.n_documents}
            rows.append({"fold": fold.number, "part": name, **counts})
        yield fold


def _print_parts(rows: list[dict[str, object]], directory: Path, output_format: str) -> None:
    if output_format == "json":
        print_json({"output": str(directory), "parts": rows})
    else:
        print_table(
            ("fold", "part", "queries", "rows"),
            [tuple(row.values()) for row in rows],
            title=f"written to {directory}",
            numeric=(0, 2, 3),
        )


@click.command("add-feature")
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path), callback=writable)
@click.option("--name", metavar="NAME", help="What the feature is called; else as RUN is.")
@click.option(
    "--missing",
    type=float,
    metavar="VALUE",
    help="What documents that RUN lacks have; else NULL.",
)
@click.option("--score-column", metavar="NAME", help="Of a table RUN: the column of the scores.")
@numbers_option
@format_option()
@table_options("source")
def add_feature_command(
    source: Path,
    run: Path,
    target: Path,
    name: str | None,
    missing: float | None,
    score_column: str | None,
    numbers: NumberStyle,
    output_format: str,
) -> None:
    """Write the file or the folds IN to OUT with the scores of RUN as one more feature, the last.

    RUN is a TREC run (a dense retriever's, say), a table with the columns query, document and
    score, or a file of one score a row as 'rankwise score' writes it. Rows are found by the ids of
    queries and documents; of LETOR text these are in the comments (#docid = X). Of a folder every
    part of every fold is written, and OUT must be new.

    \b
    Examples:
      rankwise data add-feature test.txt dense.run test-dense.txt --name dense
      rankwise data add-feature MQ2008 dense.run MQ2008-dense --missing 0
      rankwise data add-feature shop.csv cosine.csv shop.parquet --score-column cosine
    """
    with progress("adding") as advance:
        found = add_feature_to_files(
            source, run, target, name=name, score_column=score_column, numbers=numbers,
            missing=math.nan if missing is None else missing,
            advance=lambda done, _: advance(done),
        )  # fmt: skip
    if output_format == "json":
        print_json(asdict(found))
        return
    rows = [(part.output, part.rows, part.matched, part.missing) for part in found.parts]
    print_table(("file", "rows", "with a score", "without"), rows, numeric=range(1, 4),
                unbroken=(0,))  # fmt: skip
    filled = "NULL" if missing is None else f"{missing:g}"
    lacking = sum(part.missing for part in found.parts)
    note(f"{found.name} is feature {found.number}; {lacking:,} rows without a score have {filled}")
    if found.unused:
        note(f"{found.unused:,} documents of {run} are not among the data")


_MOST_NAMED = 5


def print_query_check(found: QueryCheck) -> None:
    """The empty and short queries of each file, then what the tools make of them."""
    print_table(
        ("where", "queries", "empty", f"fewer than {found.cutoff} documents"),
        [
            (p.where, p.queries, _count_and_name(p.empty), _count_and_name(p.short))
            for p in found.found
        ],
        numeric=(1,),
    )
    print_table(
        ("measure", "tools", "an empty query scores", "a short one", "a perfect ranking"),
        _group_effects(found.list_effects()),
        numeric=(4,),
        unbroken=(0, 4),
    )


def _count_and_name(ids: tuple[str, ...]) -> str:
    """How many, and the first of them."""
    if not ids:
        return "0"
    more = ", …" if len(ids) > _MOST_NAMED else ""
    return f"{len(ids)} ({', '.join(ids[:_MOST_NAMED])}{more})"


def _group_effects(effects: list[ToolEffect]) -> list[tuple[str, ...]]:
    """One row for the tools that do the same."""
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for one in effects:
        best = "none" if one.best_mean is None else f"{one.best_mean:.4f}"
        alike.setdefault((one.measure, one.empty, one.short, best), []).append(one.tool)
    return [
        (measure, ", ".join(tools), empty, short, best)
        for (measure, empty, short, best), tools in alike.items()
    ]
