"""`rankwise data normalize` and `rankwise data split`: the LETOR versions and the folds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from rankwise.cli.data.number_styles import float32_option, numbers_option
from rankwise.cli.options import (
    class_column_option,
    format_option,
    seed_option,
    writable,
    writable_folder,
)
from rankwise.cli.output import print_json, print_table, progress
from rankwise.cli.table_options import table_options
from rankwise.data import (
    COMPRESSIONS,
    FILL_RULES,
    NAMINGS,
    NORMALIZATIONS,
    Fold,
    NumberStyle,
    compose_folds,
    find_parts,
    is_packed,
    normalize_files,
    read,
    read_parts,
    split_folds,
    write_folds,
)

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
        counted = _counted(folds, rows, advance)
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


def _counted(
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
