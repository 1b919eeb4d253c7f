"""`rankwise build features`: features from LETOR's metadata alone, without the corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankwise.cli.collection.feature_options import (
    constant_options,
    given_constants,
    own_feature_options,
)
from rankwise.cli.options import format_option, output_option, seed_option
from rankwise.cli.output import note, print_json, print_table
from rankwise.cli.stages import shown_stages
from rankwise.collection import (
    AS_PUBLISHED,
    FEATURE_SETS,
    FeatureBuild,
    MetadataFeatures,
    build_features,
    format_left_out,
    open_metadata,
)
from rankwise.data import FILL_RULES

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
        return _list(found, output_format)
    if output is None:
        raise click.UsageError("say where to write the features with -o OUT, or list them: --list")
    with shown_stages() as stage:
        built = build_features(found, output, fill_rule=fill_rule, seed=seed, stage=stage)
    return _show(built, output_format)


def _show(built: FeatureBuild, output_format: str) -> None:
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


def _list(found: MetadataFeatures, output_format: str) -> None:
    listed = found.listed()
    if output_format == "json":
        return print_json(listed)
    return print_table(
        ("", "feature", "stream", "category", "formula"),
        [tuple(one.values()) for one in listed],
        numeric=(0,),
        unbroken=(1,),
    )
