"""`rankwise data list|fetch|import`: the catalog of data sets and the data home."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress, shown_stages
from rankwise.data import (
    MOST_BYTES,
    UNKNOWN,
    CatalogEntry,
    Installed,
    catalog_entries,
    fetch_dataset,
    find_access,
    find_entry,
    format_count,
    format_labels,
    get_data_home,
    import_dataset,
    list_installed,
)
from rankwise.errors import RankwiseError

VERSIONS = tuple(dict.fromkeys(name for entry in catalog_entries() for name in entry.versions))


def complete_name(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of the catalogue that begin as what was typed."""
    names = (entry.name for entry in catalog_entries())
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command("list")
@click.argument("name", required=False, shell_complete=complete_name)
@format_option()
def list_command(name: str | None, output_format: str) -> None:
    """What the catalogue knows and what is installed; with NAME, all about one data set.

    The last column says how to get a data set: fetch downloads it, import takes an archive or a
    folder that you already have; ready is what the data home holds.

    \b
    Examples:
      rankwise data list
      rankwise data list letor4/mq2008
      rankwise data list --format json
    """
    chosen = [find_entry(name)] if name else list(catalog_entries())
    if output_format == "json":
        print_json([_as_json(entry) for entry in chosen])
    elif name:
        print_table(("fact", chosen[0].name), _entry_details(chosen[0]))
    else:
        columns = ("name", "queries", "documents", "features", "labels", "folds", "state")
        print_table(columns, [_entry_row(entry) for entry in chosen], numeric=(1, 2, 3))
        note(f"the data home is {get_data_home()}; all about one: rankwise data list NAME")


@click.command("fetch")
@click.argument("name", shell_complete=complete_name)
@click.option(
    "--yes", "accept_licence", is_flag=True, help="Accept the licence without being asked."
)
@click.option("--address", metavar="URL", help="Download from here instead of the known addresses.")
@click.option(
    "--most-bytes",
    type=click.IntRange(min=1),
    default=MOST_BYTES,
    metavar="N",
    help="What an archive may have whose size the catalogue does not know [default: 8 GiB].",
)
@click.option("--keep-archive", is_flag=True, help="Keep the archive after it was unpacked.")
@click.option("--replace", "replace_old", is_flag=True, help="Replace what is installed.")
@format_option()
def fetch_command(
    name: str,
    accept_licence: bool,
    address: str | None,
    most_bytes: int,
    keep_archive: bool,
    replace_old: bool,
    output_format: str,
) -> None:
    """Download the data set NAME, check its checksum, unpack it safely and verify what it holds.

    A download that breaks off is resumed, also by the next call. The files go to the data home:
    RANKWISE_HOME, or the platform's folder for user data.

    \b
    Examples:
      rankwise data fetch letor4/mq2008
      rankwise data fetch mslr/web10k --yes
      rankwise data fetch istella/s --address https://my.mirror/istella-s-letor.tar.gz
    """
    entry = find_entry(name)

    def accept(shown: CatalogEntry, source: str) -> bool:
        return _accept_licence(shown, source, accept_licence)

    with shown_stages() as stage:
        item = fetch_dataset(
            entry,
            accept_licence=accept,
            address=address,
            most_bytes=most_bytes,
            keep_archive=keep_archive,
            replace_old=replace_old,
            stage=stage,
        )
    _show_entry(item, entry, output_format)


@click.command("import")
@click.argument("name", shell_complete=complete_name)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--version",
    type=click.Choice(VERSIONS, case_sensitive=False),
    help="Which LETOR version to take where PATH holds several [default: QueryLevelNorm].",
)
@click.option("--link", is_flag=True, help="Leave the files where they are and point to them.")
@click.option("--replace", "replace_old", is_flag=True, help="Replace what is installed.")
@format_option()
def import_command(
    name: str,
    path: Path,
    version: str | None,
    link: bool,
    replace_old: bool,
    output_format: str,
) -> None:
    """Take the data set NAME from PATH, an archive or a folder, into the data home.

    The files are found below PATH under any of the names in use, and verified: by published
    checksums where there are any, else by rows, queries, features and labels.

    \b
    Examples:
      rankwise data import letor3/td2003 Gov.rar
      rankwise data import letor3/ohsumed OHSUMED --version MIN
      rankwise data import mslr/web30k /data/MSLR-WEB30K --link
    """
    entry = find_entry(name)
    with progress(f"verifying {entry.name}", 1) as advance:
        item = import_dataset(
            entry, path, version=version, link=link, replace_old=replace_old, progress=advance
        )
    _show_entry(item, entry, output_format)


def _show_entry(item: Installed, entry: CatalogEntry, output_format: str) -> None:
    if output_format == "json":
        print_json(_installed_as_json(item))
    else:
        print_table(("fact", entry.name), _outcome(item))


def _accept_licence(entry: CatalogEntry, address: str, yes: bool) -> bool:
    """Show what will be loaded and under which terms; go on only when they are accepted."""
    note(f"{entry.collection} {entry.title}: {_archive_size(entry)} from {address}")
    note(f"Licence: {entry.licence}")
    if entry.homepage:
        note(f"Home page: {entry.homepage}")
    if yes:
        return True
    if not sys.stdin.isatty():
        raise RankwiseError("the licence must be accepted: run the command again with --yes")
    return click.confirm("Do you accept the licence?", abort=True, err=True)


def _entry_row(entry: CatalogEntry) -> tuple[str, ...]:
    return (
        entry.name,
        format_count(entry.queries),
        format_count(entry.documents),
        format_count(entry.features),
        format_labels(entry),
        format_count(entry.folds),
        "ready" if list_installed(entry) else find_access(entry) or UNKNOWN,
    )


def _entry_details(entry: CatalogEntry) -> list[tuple[str, str]]:
    """Facts that are known, one a row."""
    places = [f"{item.folder} ({', '.join(item.verified)})" for item in list_installed(entry)]
    rows = [
        ("title", f"{entry.collection} {entry.title}"),
        ("queries", format_count(entry.queries)),
        ("documents", format_count(entry.documents)),
        ("features", format_count(entry.features)),
        ("labels", format_labels(entry)),
        ("label counts", " / ".join(f"{count:,}" for count in entry.label_counts) or UNKNOWN),
        ("folds", format_count(entry.folds)),
        ("versions", ", ".join(entry.versions) or UNKNOWN),
        ("evaluation tool", entry.tool or UNKNOWN),
        (
            "archive",
            f"{entry.archive.file_name}, {_archive_size(entry)}" if entry.archive else UNKNOWN,
        ),
        ("addresses", "\n".join(entry.addresses) or UNKNOWN),
        ("former addresses", "\n".join(entry.former_addresses) or UNKNOWN),
        ("home page", entry.homepage or UNKNOWN),
        ("licence", entry.licence),
        ("citation", entry.citation),
        ("note", entry.note or UNKNOWN),
        (
            "get it with",
            f"rankwise data {find_access(entry)} {entry.name}" if find_access(entry) else UNKNOWN,
        ),
        ("installed in", "\n".join(places) or UNKNOWN),
    ]
    return [row for row in rows if row[1] != UNKNOWN]


def _outcome(item: Installed) -> list[tuple[str, str]]:
    rows = [("installed in", str(item.folder)), ("verified by", ", ".join(item.verified))]
    if item.version:
        rows.append(("version", item.version))
    for fact, found in item.facts.items():
        if isinstance(found, dict):
            rows.append((fact, " / ".join(f"{label}: {count:,}" for label, count in found.items())))
        else:
            rows.append((fact, f"{found:,}"))
    rows.append(("files", str(len(item.files))))
    return rows


def _as_json(entry: CatalogEntry) -> dict[str, Any]:
    places = [_installed_as_json(item) for item in list_installed(entry)]
    return {**asdict(entry), "get_by": find_access(entry), "installed": places}


def _installed_as_json(item: Installed) -> dict[str, Any]:
    return {**asdict(item), "folder": str(item.folder)}


def _archive_size(entry: CatalogEntry) -> str:
    if entry.archive and entry.archive.size:
        return f"{entry.archive.size:,} bytes"
    return (entry.archive and entry.archive.size_note) or "size unknown"
