"""`rankwise build features`: features from LETOR's metadata alone, without the corpus."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from rankwise.cli.collection.feature_options import (
    constant_options,
    given_constants,
    own_feature_options,
)
from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.collection.build_folder import (
    FEATURES_MARK_TEXT,
    MARK,
    WORK,
    alone_in,
    names_in,
    put_in_place,
    workshop,
)
from rankwise.collection.data_card import CARD, left_out_lines
from rankwise.collection.features import (
    FEATURE_SETS,
    FeatureSet,
    QueryClasses,
    feature_dataset,
    read_feature_files,
    read_query_classes,
    with_own_parts,
)
from rankwise.collection.from_metadata import Metadata, metadata_card, read_metadata
from rankwise.collection.metadata import query_files, read_queries
from rankwise.collection.statistics import QueryStatistics
from rankwise.collection.versions import VERSION_FOLDERS, letor_versions, write_versions
from rankwise.data.dataset import Dataset
from rankwise.data.normalization import FILL_RULES, FillRule, count_null, parse_fill_rule
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, plain_name, write_text

_AS_PUBLISHED = "as-published"

_HELP = f"""Compute features from the metadata in DIR and write LETOR's three versions to OUT.

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


@click.command("features", help=_HELP)
@click.option(
    "--from-metadata",
    "metadata",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder of metadata.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="OUT", help="The folder.")
@click.option(
    "--set",
    "set_name",
    type=click.Choice(list(FEATURE_SETS)),
    help="Which features.  [default: those of the build that DIR comes from, else ohsumed]",
)
@constant_options
@click.option(
    "--fill-rule",
    default=_AS_PUBLISHED,
    show_default=True,
    metavar="RULE",
    help=f"What NULL becomes in Feature-min: {_AS_PUBLISHED} (0 for BM25 and its logarithm, else "
    f"the minimum), or {', '.join(FILL_RULES)}, or a rule per feature.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Draw the parts of the folds by this seed.  [default: as in the build]",
)
@own_feature_options
@click.option("--list", "listed", is_flag=True, help="List the features and write nothing.")
@format_option("table", "json")
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
    known = read_metadata(metadata)
    features = with_own_parts(
        known.features(set_name, given_constants(options)),
        known.collection.stream_names,
        read_feature_files(options["feature_files"]),
        _classes(known, options["query_classes"]),
    )
    for line in left_out_lines(known.left_out(features)):
        note(line)
    if listed:
        return _list(features, output_format)
    if output is None:
        raise click.UsageError("say where to write the features with -o OUT, or list them: --list")
    _check_free(output)
    dataset = feature_dataset(known.collection, _queries(known), features, known.evidence)
    rule = features.fill_rule if fill_rule == _AS_PUBLISHED else parse_fill_rule(fill_rule)
    drawn = known.seed if seed is None else seed
    n_files = _write(known, dataset, features, rule, output, drawn)
    return _show(_facts(known, dataset, features, output, n_files), output_format)


def _classes(known: Metadata, path: Path | None) -> QueryClasses | None:
    return None if path is None else read_query_classes(path).matched(known.query_ids)


def _check_free(output: Path) -> None:
    """Refuse a folder that holds anything but what a killed run of this command left."""
    if output.exists() and not (output.is_dir() and _is_free(output)):
        raise RankwiseError(f"cannot write features to {output}: it is not an empty folder")


def _is_free(folder: Path) -> bool:
    names = names_in(folder)
    return not names or (WORK in names and names <= {WORK, MARK, CARD, *VERSION_FOLDERS})


@contextlib.contextmanager
def _claimed(output: Path) -> Iterator[None]:
    """The folder for this run alone; another may have written there while this one computed."""
    with alone_in(make_folder(output)):
        _check_free(output)
        yield


def _write(
    known: Metadata,
    dataset: Dataset,
    features: FeatureSet,
    rule: FillRule,
    output: Path,
    seed: int | None,
) -> int:
    """The versions and their card; how many files of features there are."""
    name = plain_name(known.collection.name, "corpus")
    with _claimed(output), workshop(output) as work:
        written = write_versions(letor_versions(dataset, rule), work, name, seed=seed)
        card = metadata_card(known, features, seed, rule.name)
        write_text(work / CARD, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
        write_text(work / MARK, FEATURES_MARK_TEXT)
        put_in_place(work, output, last=CARD)
    return len(written)


def _facts(
    known: Metadata, dataset: Dataset, features: FeatureSet, output: Path, n_files: int
) -> dict[str, Any]:
    return {
        "output": str(output),
        "collection": known.collection.name,
        "feature_set": features.name,
        "features": dataset.n_features,
        "queries": dataset.n_queries,
        "documents": dataset.n_documents,
        "null_values": count_null(dataset),
        "files": n_files,
        **features.own_parts,
        "left_out": known.left_out(features),
        "parameters": _shown(features),
    }


def _show(facts: dict[str, Any], output_format: str) -> None:
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


def _queries(known: Metadata) -> Iterator[QueryStatistics]:
    files = query_files(known.folder)
    with progress("Reading the metadata", len(files)) as advance:
        for done, query in enumerate(read_queries(known.folder, known.collection), 1):
            yield query
            advance(done)


def _list(features: FeatureSet, output_format: str) -> None:
    rows = [
        (number, column.feature.name, column.stream_name or "", column.feature.category,
         column.feature.formula)
        for number, column in enumerate(features.columns, 1)
    ]  # fmt: skip
    if output_format == "json":
        keys = ("number", "feature", "stream", "category", "formula")
        return print_json([dict(zip(keys, row, strict=True)) for row in rows])
    return print_table(
        ("", "feature", "stream", "category", "formula"), rows, numeric=(0,), unbroken=(1,)
    )


def _shown(features: FeatureSet) -> dict[str, float]:
    p = features.parameters
    return {
        "k1": p.k1, "b": p.b, "k3": p.k3, "mu": p.mu, "lambda": p.lambda_, "delta": p.delta,
    }  # fmt: skip
