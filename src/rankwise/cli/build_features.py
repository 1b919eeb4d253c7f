"""`rankwise build features`: features from LETOR's metadata alone, without the corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rankwise.cli.output import format_option, print_json, print_table, progress
from rankwise.collection.features import FEATURE_SETS, FeatureSet, feature_dataset, feature_set
from rankwise.collection.features.computing import no_evidence
from rankwise.collection.features.query_classes import QUERY_CLASS, read_query_classes
from rankwise.collection.metadata import query_files, read_collection, read_queries
from rankwise.collection.statistics import CollectionStatistics, QueryStatistics
from rankwise.collection.versions import letor_versions, write_versions
from rankwise.data.normalization import FILL_RULES, FillRule, count_null
from rankwise.errors import RankwiseError

_AS_PUBLISHED = "as-published"

_HELP = f"""Compute features from the metadata in DIR and write LETOR's three versions to OUT.

DIR holds collectioninfo.xml and query-….xml, as LETOR's Meta folders do. OUT becomes Feature-null,
Feature-min and QueryLevelNorm, each with five folds; it must be new or empty. Constants that are
not given are those of the feature set. With the set ohsumed and LETOR's OHSUMED metadata the files
equal the published ones byte for byte.

\b
Feature sets:
{chr(10).join(f"  {entry.name:<10} {entry.summary}" for entry in FEATURE_SETS.values())}

\b
Examples:
  rankwise build features --from-metadata OHSUMED/Meta -o rebuilt
  rankwise build features --from-metadata OHSUMED/Meta -o tuned --k1 0.9 --b 0.4 --mu 1000
  rankwise build features --from-metadata OHSUMED/Meta -o more --set extended
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
    default="ohsumed",
    show_default=True,
    help="Which features.",
)
@click.option("--k1", type=float, help="BM25: how soon repeated words stop counting.")
@click.option("--b", type=float, help="BM25: how much length counts, 0 to 1.")
@click.option("--k3", type=float, help="BM25: how soon repeated query words stop counting.")
@click.option("--mu", type=float, help="LMIR.DIR: words of the collection added.")
@click.option("--lambda", "lambda_", type=float, help="LMIR.JM: weight of the collection, to 1.")
@click.option("--delta", type=float, help="LMIR.ABS: what is taken from each count, to 1.")
@click.option(
    "--fill-rule",
    default=_AS_PUBLISHED,
    show_default=True,
    metavar="RULE",
    help=f"What NULL becomes in Feature-min: {_AS_PUBLISHED} (0 for BM25 and its logarithm, else "
    f"the minimum), or {', '.join(FILL_RULES)}, or a rule per feature.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="Draw the parts of the folds by this seed."
)
@click.option(
    "--query-classes",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Add the class of the query as the last feature; lines of query id, tab, class.",
)
@click.option("--list", "listed", is_flag=True, help="List the features and write nothing.")
@format_option("table", "json")
def features_command(
    metadata: Path,
    output: Path | None,
    set_name: str,
    fill_rule: str,
    seed: int | None,
    query_classes: Path | None,
    listed: bool,
    output_format: str,
    **constants: float | None,
) -> None:
    """Read the metadata, compute, write, and say what was done."""
    collection = read_collection(metadata)
    features = _chosen(set_name, collection, constants)
    classes = None if query_classes is None else read_query_classes(query_classes)
    if classes is not None:
        features = features.with_feature(QUERY_CLASS)
    if listed:
        return _list(features, output_format)
    if output is None:
        raise click.UsageError("say where to write the features with -o OUT, or list them: --list")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise RankwiseError(f"cannot write features to {output}: it is not an empty folder")
    evidence = no_evidence if classes is None else classes.evidence
    dataset = feature_dataset(collection, _queries(metadata, collection), features, evidence)
    rule: FillRule | str = features.fill_rule if fill_rule == _AS_PUBLISHED else fill_rule
    written = write_versions(letor_versions(dataset, rule), output, collection.name, seed=seed)
    facts = {
        "output": str(output),
        "collection": collection.name,
        "feature_set": set_name,
        "features": dataset.n_features,
        "queries": dataset.n_queries,
        "documents": dataset.n_documents,
        "null_values": count_null(dataset),
        "files": len(written),
        **({} if classes is None else {"query_classes": classes.numbers}),
        "parameters": _shown(features),
    }
    if output_format == "json":
        return print_json(facts)
    parameters = ", ".join(f"{name} = {value:g}" for name, value in _shown(features).items())
    rows = [(name.replace("_", " "), value) for name, value in facts.items()]
    return print_table(("", ""), [*rows[:-1], ("parameters", parameters)], unbroken=(0,))


def _chosen(
    name: str, collection: CollectionStatistics, constants: dict[str, float | None]
) -> FeatureSet:
    features = feature_set(name, collection)
    given: dict[str, Any] = {name: value for name, value in constants.items() if value is not None}
    return replace(features, parameters=replace(features.parameters, **given))


def _queries(metadata: Path, collection: CollectionStatistics) -> Iterator[QueryStatistics]:
    files = query_files(metadata)
    with progress("Reading the metadata", len(files)) as advance:
        for done, query in enumerate(read_queries(metadata, collection), 1):
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
