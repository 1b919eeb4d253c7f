"""Taking a data set that the user already has into the data home, verified.

Files that name the query after `#` (Internet Mathematics 2009) are brought into LETOR's layout.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from rankwise.data.catalog.archives import detect_archive_kind, make_temporary_beside, unpack
from rankwise.data.catalog.entries import CatalogEntry
from rankwise.data.catalog.home import (
    MANIFEST,
    Installed,
    get_data_home,
    get_dataset_folder,
    write_manifest,
)
from rankwise.data.catalog.layout import (
    Layout,
    describe_whole_file,
    find_accompanying,
    find_layout,
    is_accompanying_name,
    is_data_name,
)
from rankwise.data.catalog.verifying import Verification, verify
from rankwise.data.folds import FEWEST_PARTS, order_parts
from rankwise.data.formats.compression import compressed_writer, read_bytes
from rankwise.errors import Advice, FormatError, RankwiseError
from rankwise.files import (
    compute_checksum,
    is_file,
    is_folder,
    is_there,
    make_folder,
    reading_failure,
    written_whole,
)
from rankwise.progress import Progress, ignore_progress


def import_dataset(
    entry: CatalogEntry,
    source: str | Path,
    *,
    version: str | None = None,
    link: bool = False,
    replace_old: bool = False,
    home: Path | None = None,
    progress: Progress = ignore_progress,
) -> Installed:
    """Bring `entry` from an archive, a folder or a single file into the data home.

    The files are found, verified by checksums or facts, and put in place under the names of
    LETOR 4.0 (`Fold1/train.txt`, `vali.txt`, `test.txt`) beside a manifest: all of it or nothing.
    Loose parts `S1.txt`, `S2.txt`, … become the folds that LETOR composes of them. Metadata and
    relations that stand beside them are kept as `Meta` and `Relations`.

    Args:
        entry: what it must be.
        source: an archive, a folder, or one file with all rows.
        version: which LETOR version to take, where the source holds several.
        link: leave the files where they are and point to them, instead of copying; loose parts
            then stay what they are, of which no folds are found.
        replace_old: take the place of what is installed already.
        home: the data home, by default `get_data_home()`.
        progress: is told which share of the bytes was verified.
    """
    source = Path(source)
    home = make_folder(home or get_data_home())
    with _find_files(entry, source, version, home, link) as (layout, lasting, beside):
        if link and not lasting:
            raise RankwiseError(f"{source} must be unpacked or converted, so it cannot be linked")
        if layout.version or not entry.versions:
            # The place is known before the files are read, which may take long.
            _check_free(get_dataset_folder(entry, layout.version, home), replace_old)
        checked = verify(entry, layout, progress)
        _check_version(entry, version, checked, layout)
        item = _describe(entry, source, layout, checked, home, beside)
        make_folder(item.folder.parent)
        with make_temporary_beside(item.folder) as temporary:
            _put_files(layout.files, temporary, "link" if link else "copy" if lasting else "move")
            _put_files(beside, temporary, "link" if link else "copy")
            write_manifest(item, temporary)
            _move_into_place(temporary, item.folder, replace_old)
    return item


@contextlib.contextmanager
def _find_files(
    entry: CatalogEntry, source: Path, version: str | None, home: Path, link: bool
) -> Iterator[tuple[Layout, bool, dict[str, Path]]]:
    """The files of `entry`, whether they will last, or are only unpacked or converted here.

    With them come the metadata and relations beside them.
    """
    if not is_there(source):
        raise RankwiseError(reading_failure(source, FileNotFoundError()))
    with make_temporary_beside(home / "importing") as temporary:
        lasting = is_folder(source) or detect_archive_kind(source) is None
        if is_folder(source):
            layout = find_layout(entry, source, version)
        elif lasting:
            layout = describe_whole_file(source)
        else:
            unpack(
                source,
                temporary / source.name,
                wanted=lambda name: is_data_name(entry, name) or is_accompanying_name(name),
            )
            layout = find_layout(entry, temporary / source.name, version)
        beside = find_accompanying(layout.root, temporary / source.name if not lasting else source)
        if entry.query_in_comment:
            layout, lasting = _convert_files(layout, temporary / "converted"), False
        if layout.kind == "parts" and len(layout.files) >= FEWEST_PARTS and not link:
            layout, lasting = _compose_folds_of_parts(layout, temporary / "folds"), False
        yield layout, lasting, beside


def _convert_files(layout: Layout, folder: Path) -> Layout:
    files = {name: folder / name for name in layout.files}
    for name, path in layout.files.items():
        make_folder(files[name].parent)
        move_queries(path, files[name])
    return replace(layout, files=files)


def _compose_folds_of_parts(layout: Layout, folder: Path) -> Layout:
    """The folds of loose parts, byte for byte."""
    parts = [layout.files[name] for name in sorted(layout.files)]
    files: dict[str, Path] = {}
    for number in range(1, len(parts) + 1):
        for part, pieces in zip(("train", "vali", "test"), order_parts(parts, number), strict=True):
            name = f"Fold{number}/{part}.txt"
            files[name] = make_folder(folder / f"Fold{number}") / f"{part}.txt"
            with written_whole(files[name]) as stream:
                for piece in pieces:
                    content = read_bytes(piece)
                    stream.write(content if content.endswith(b"\n") else content + b"\n")
    return replace(layout, kind="folds", files=files)


def _check_free(target: Path, replace_old: bool) -> None:
    """Refuse to overwrite a data set unasked, and always what Rankwise did not put there."""
    if not is_there(target) or not any(target.iterdir()):
        return
    if not is_file(target / MANIFEST):
        raise RankwiseError(f"{target} holds files that Rankwise did not put there; move them away")
    if not replace_old:
        raise RankwiseError(
            f"{target} is installed already",
            Advice("{} takes its place", "replace_old", True),
        )


def _check_version(
    entry: CatalogEntry, version: str | None, checked: Verification, layout: Layout
) -> None:
    if version is not None and checked.version != version:
        raise RankwiseError(
            f"{layout} must hold {entry.name} in the version {version}, "
            f"its values are those of {checked.version}"
        )


def _describe(
    entry: CatalogEntry,
    source: Path,
    layout: Layout,
    checked: Verification,
    home: Path,
    beside: Mapping[str, Path],
) -> Installed:
    checksums = {name: compute_checksum(path) for name, path in beside.items()}
    checksums |= checked.checksums
    files = {
        name: {"bytes": path.stat().st_size, "sha256": checksums[name]}
        for name, path in {**layout.files, **beside}.items()
    }
    return Installed(
        name=entry.name,
        version=checked.version,
        folder=get_dataset_folder(entry, checked.version, home),
        kind=layout.kind,
        files=files,
        facts=checked.facts,
        verified=checked.by,
        source=str(source.absolute()),
    )


def _put_files(files: Mapping[str, Path], folder: Path, how: str) -> None:
    for name, path in files.items():
        place = folder / name
        make_folder(place.parent)
        if how == "link":
            place.symlink_to(path.absolute())
        elif how == "copy":
            shutil.copyfile(path, place)
        else:
            path.replace(place)


def _move_into_place(temporary: Path, target: Path, replace_old: bool) -> None:
    _check_free(target, replace_old)
    with make_temporary_beside(target) as aside:
        old = aside / "old"
        if is_there(target):
            target.replace(old)
        try:
            temporary.replace(target)
        except OSError:
            if is_there(old):
                old.replace(target)
            raise


def move_queries(source: Path, target: Path) -> None:
    """Write `label index:value … # ID` as `label qid:ID index:value …`."""
    with compressed_writer(target) as stream:
        for number, line in enumerate(read_bytes(source).splitlines(), start=1):
            if line.strip():
                stream.write(_move_query(line, source, number))


def _move_query(line: bytes, source: Path, number: int) -> bytes:
    row, _, comment = line.partition(b"#")
    label, *values = row.split()
    query = comment.split()[:1]
    if not query:
        raise FormatError("a row must end with '#' and its query id, found none", source, number)
    return b" ".join([label, b"qid:" + query[0], *values]) + b"\n"
