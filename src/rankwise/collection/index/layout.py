"""Where an index keeps what, and the manifest that says that it is whole.

manifest.json            written last: without it the folder is not an index
data/tokens.npy          words of all documents as term numbers, document by document
data/boundaries.npy      where each stream of each document begins
data/<view>-….npy        postings of each stream and of the whole document
data/terms|ids|urls|categories.{data,ends}.npy
data/link-offsets.npy, data/link-targets.npy
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rankwise.errors import FormatError, RankwiseError
from rankwise.files import readable, write_text

FORMAT = 5
MANIFEST = "manifest.json"
DATA = "data"
_PIECE = 1 << 22


@dataclass(frozen=True)
class View:
    """A stream, or the union of the streams from `first` to `last`, as features see it."""

    name: str
    first: int
    last: int
    unique_terms: int
    total_terms: int


@dataclass(frozen=True)
class Manifest:
    """What an index is made of.

    Attributes:
        format: of this layout.
        name: of the corpus.
        source: what the index was made from, in the words of whoever built it.
        streams: as they stand in each document.
        views: streams and the whole document, in the order of features.
        analysis: how text became words.
        n_documents, n_terms: sizes.
        findings: what was odd about the corpus.
        files: size and digest of each file.
    """

    format: int
    name: str
    source: str
    streams: tuple[str, ...]
    views: tuple[View, ...]
    analysis: dict[str, object]
    n_documents: int
    n_terms: int
    findings: dict[str, dict[str, Any]]
    files: dict[str, dict[str, object]]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, which makes the folder an index."""
    write_text(folder / MANIFEST, json.dumps(asdict(manifest), indent=1, ensure_ascii=True) + "\n")


def read_manifest(folder: str | Path) -> Manifest:
    """The manifest of an index; files that are missing or of another size are refused."""
    path = Path(folder) / MANIFEST
    with readable(path) as stream:
        content = stream.read()
    try:
        record: dict[str, Any] = json.loads(content)
        if record["format"] != FORMAT:
            raise RankwiseError(
                f"{path}: the index must have format {FORMAT}, found {record['format']!r}; "
                "build it again"
            )
        record["views"] = tuple(View(**view) for view in record["views"])
        record["streams"] = tuple(record["streams"])
        manifest = Manifest(**record)
        _check_sizes(Path(folder), manifest)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError("the file must be the manifest of an index; build it again", path) from (
            error
        )
    return manifest


def has_manifest(folder: Path) -> bool:
    """Whether the folder is a finished index."""
    return (folder / MANIFEST).is_file()


def remove_leftovers(folder: Path) -> None:
    """Remove manifests that were never finished, since their writer was killed."""
    for path in folder.glob(f".{MANIFEST}.*"):
        path.unlink(missing_ok=True)


def describe_files(folder: Path) -> dict[str, dict[str, object]]:
    """Size and digest of every file of the index."""
    return {
        path.name: {"bytes": path.stat().st_size, "blake2b": compute_digest(path)}
        for path in sorted((folder / DATA).iterdir())
    }


def find_damaged_files(folder: str | Path, manifest: Manifest) -> Iterator[str]:
    """Names of the files whose content is not what it was when the index was built."""
    for name, facts in manifest.files.items():
        if compute_digest(Path(folder) / DATA / name) != facts["blake2b"]:
            yield name


def compute_digest(path: str | Path) -> str:
    """BLAKE2b of a file, 16 bytes in hexadecimal."""
    digest = hashlib.blake2b(digest_size=16)
    with readable(path) as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _check_sizes(folder: Path, manifest: Manifest) -> None:
    for name, facts in manifest.files.items():
        path = folder / DATA / name
        found = path.stat().st_size if path.is_file() else None
        if found != facts["bytes"]:
            state = "missing" if found is None else f"{found} bytes"
            raise RankwiseError(
                f"{path} must have {facts['bytes']} bytes, found it {state}; build the index again"
            )
