"""Archives that behave, and archives that do not."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import os
import random
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.data.catalog import archives
from rankwise.data.catalog.archives import UnpackingLimits, check_name, detect_archive_kind, unpack
from rankwise.errors import RankwiseError

FILES = {"set/Fold1/train.txt": b"1 qid:1 1:0.5\n" * 50, "set/README": b"read me"}
# More than one block of bzip2, which checks a block only at its end.
NOISE = random.Random(0).randbytes(1_500_000)
SMALL = UnpackingLimits(entries=10, ratio=20.0, always_allowed=50_000)


def make_zip(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def make_tar(path: Path, files: dict[str, bytes], compression: str = "") -> Path:
    with tarfile.open(path, f"w:{compression}") as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


MAKERS: dict[str, Callable[[Path, dict[str, bytes]], Path]] = {
    "zip": make_zip,
    "tar": make_tar,
    "tar.gz": lambda path, files: make_tar(path, files, "gz"),
    "tar.bz2": lambda path, files: make_tar(path, files, "bz2"),
    "tar.xz": lambda path, files: make_tar(path, files, "xz"),
}
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def content_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def refused(archive: Path, sentence: str, limits: UnpackingLimits = SMALL) -> None:
    """Unpacking ends in the sentence and leaves nothing but the archive."""
    before = sorted(archive.parent.rglob("*"))
    with pytest.raises(RankwiseError, match=sentence):
        unpack(archive, archive.parent / "out", limits=limits)
    assert sorted(archive.parent.rglob("*")) == before


@each_maker
def test_every_kind_is_unpacked_whatever_its_name(make, tmp_path: Path):
    archive = make(tmp_path / "no-ending", FILES)
    assert content_of(unpack(archive, tmp_path / "out")) == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["no-ending", "out"]


@each_maker
def test_only_wanted_files_are_written(make, tmp_path: Path):
    archive = make(tmp_path / "archive", FILES)
    unpack(archive, tmp_path / "out", wanted=lambda name: name.endswith("train.txt"))
    assert list(content_of(tmp_path / "out")) == ["set/Fold1/train.txt"]


@each_maker
@pytest.mark.parametrize(
    "name",
    ["../out.txt", "a/../../out.txt", "/etc/out.txt", "..\\out.txt", "C:/out.txt", "c:\\out.txt"],
)
def test_a_name_that_leaves_the_folder_is_refused(make, name: str, tmp_path: Path):
    refused(make(tmp_path / "archive", {"fine.txt": b"", name: b"x"}), "would leave the folder")


@each_maker
def test_a_bomb_is_stopped_by_what_comes_out(make, tmp_path: Path):
    archive = make(tmp_path / "archive", {"train.txt": bytes(2_000_000)})
    refused(
        archive,
        "expands to more than [0-9,]+ bytes",
        UnpackingLimits(ratio=0.5, always_allowed=50_000),
    )


@each_maker
def test_many_small_files_count_together(make, tmp_path: Path):
    archive = make(tmp_path / "archive", {f"{number}.txt": bytes(3000) for number in range(9)})
    limits = UnpackingLimits(ratio=0.0, always_allowed=20_000)
    refused(archive, "expands to more than 20,000 bytes", limits)


def test_a_zip_that_understates_its_size_is_stopped(tmp_path: Path):
    """The directory says 10 bytes for a file of two million."""
    archive = make_zip(tmp_path / "archive", {"train.txt": bytes(2_000_000)})
    size = (2_000_000).to_bytes(4, "little")
    archive.write_bytes(archive.read_bytes().replace(size, (10).to_bytes(4, "little")))
    refused(archive, "cannot be unpacked|expands to more")


@each_maker
def test_more_entries_than_allowed_are_refused(make, tmp_path: Path):
    archive = make(tmp_path / "archive", {f"{number}.txt": b"" for number in range(11)})
    refused(archive, "holds more than 10 entries")


@each_maker
def test_repetitive_but_small_data_pass(make, tmp_path: Path):
    files = {"train.txt": b"0 qid:1 1:0\n" * 4000}
    archive = make(tmp_path / "archive", files)
    assert content_of(unpack(archive, tmp_path / "out")) == files


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_name_that_occurs_twice_is_refused(kind: str, tmp_path: Path):
    path = tmp_path / "archive"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.txt", b"1")
            archive.writestr("./a.txt", b"2")
    else:
        make_tar(path, {"a.txt": b"1", "./a.txt": b"2"})
    refused(path, "holds 'a.txt' twice")


SPECIAL = {
    "symbolic link outside": (tarfile.SYMTYPE, "../../etc/passwd"),
    "symbolic link inside": (tarfile.SYMTYPE, "train.txt"),
    "hard link": (tarfile.LNKTYPE, "/etc/passwd"),
    "device": (tarfile.CHRTYPE, ""),
    "pipe": (tarfile.FIFOTYPE, ""),
}


@pytest.mark.parametrize(("kind", "target"), SPECIAL.values(), ids=SPECIAL)
def test_links_and_special_files_in_tar_are_refused(kind: bytes, target: str, tmp_path: Path):
    path = tmp_path / "archive.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("link.txt")
        member.type, member.linkname = kind, target
        archive.addfile(member)
    refused(path, "holds 'link.txt', a link or a special file")


def test_a_file_written_through_a_link_never_happens(tmp_path: Path):
    path = tmp_path / "archive.tar"
    with tarfile.open(path, "w") as archive:
        link = tarfile.TarInfo("data")
        link.type, link.linkname = tarfile.SYMTYPE, str(tmp_path)
        archive.addfile(link)
        member = tarfile.TarInfo("data/escaped.txt")
        archive.addfile(member, io.BytesIO(b""))
    refused(path, "a link or a special file")


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_special_files_in_zip_are_refused(mode: int, tmp_path: Path):
    path = tmp_path / "archive.zip"
    member = zipfile.ZipInfo("link.txt")
    member.external_attr = (mode | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "/etc/passwd")
    refused(path, "holds 'link.txt', a link or a special file")


def test_an_encrypted_zip_is_a_sentence(tmp_path: Path):
    path = make_zip(tmp_path / "archive.zip", {"a.txt": b"x"})
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    refused(path, "is encrypted")


@each_maker
def test_a_cut_off_archive_is_a_sentence(make, tmp_path: Path):
    archive = make(tmp_path / "archive", {"a.bin": NOISE})
    archive.write_bytes(archive.read_bytes()[:1_200_000])
    refused(archive, "cannot be unpacked", UnpackingLimits())


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.bz2", "tar.xz"])
def test_a_damaged_archive_is_a_sentence(kind: str, tmp_path: Path):
    archive = MAKERS[kind](tmp_path / "archive", {"a.bin": NOISE})
    content = bytearray(archive.read_bytes())
    content[1_200_000:1_200_100] = bytes(100)
    archive.write_bytes(content)
    refused(archive, "cannot be unpacked", UnpackingLimits())


@pytest.mark.parametrize(
    "content",
    [b"", b"1 qid:1 1:0.5\n" * 100, gzip.compress(b"1 qid:1 1:0.5\n"), bz2.compress(b"text"),
     lzma.compress(b"text"), bytes(1024)],
    ids=["empty", "text", "gzip", "bzip2", "xz", "zeros"],
)  # fmt: skip
def test_what_is_no_archive_is_said_to_be_none(content: bytes, tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert detect_archive_kind(path) is None
    refused(path, "is no archive; zip, tar")


def test_a_folder_that_exists_is_left_alone(tmp_path: Path):
    archive = make_zip(tmp_path / "archive", FILES)
    (tmp_path / "out").mkdir()
    refused(archive, "the folder already exists")


def test_a_missing_archive_is_a_sentence(tmp_path: Path):
    with pytest.raises(RankwiseError, match="there is no such file"):
        unpack(tmp_path / "missing.zip", tmp_path / "out")


@each_maker
def test_a_full_disk_is_a_sentence_and_leaves_nothing(
    make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archives, "_write_file", full)
    refused(make(tmp_path / "archive", FILES), "No space left on device; nothing was left behind")


@given(st.text(alphabet="./\\:aC\0", max_size=12))
def test_a_name_that_is_let_through_stays_in_the_folder(name: str):
    folder = Path("/somewhere/folder")
    try:
        place = folder / check_name(name, Path("archive.zip"))
    except RankwiseError:
        return
    assert Path(os.path.normpath(place)).is_relative_to(folder)
    assert ":" not in PureWindowsPath(name).drive


def test_limits_grow_with_the_archive_up_to_the_total(tmp_path: Path):
    (tmp_path / "a").write_bytes(bytes(1000))
    assert (
        UnpackingLimits(ratio=3.0, always_allowed=10).count_allowed_bytes(tmp_path / "a")
        == 3 * 1000
    )
    assert (
        UnpackingLimits(ratio=3.0, always_allowed=5000).count_allowed_bytes(tmp_path / "a") == 5000
    )
    assert (
        UnpackingLimits(ratio=3.0, always_allowed=10, total_bytes=7).count_allowed_bytes(
            tmp_path / "a"
        )
        == 7
    )


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_headers_of_a_tar_archive_are_not_read_at_any_length(kind: bytes, tmp_path: Path) -> None:
    """Long names and comments stand in headers, which are read whole."""
    size = 1 << 25
    text = b"%d comment=" % size
    header = tarfile.TarInfo("a")
    header.type, header.size = kind, size
    file = tarfile.TarInfo("a.txt").tobuf(tarfile.USTAR_FORMAT)
    content = header.tobuf(tarfile.USTAR_FORMAT) + text + b"a" * (size - len(text) - 1) + b"\n"
    archive = tmp_path / "long.tar.gz"
    archive.write_bytes(gzip.compress(content + file + bytes(1024), 1))
    tracemalloc.start()
    with pytest.raises(RankwiseError, match=r"a header of 33,554,432 bytes, which no file needs"):
        unpack(archive, tmp_path / "out")
    assert tracemalloc.get_traced_memory()[1] < 1 << 22
    tracemalloc.stop()
    assert not (tmp_path / "out").exists()
