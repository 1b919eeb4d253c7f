"""Rar archives through a tool of the system; small scripts stand in for the tools."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rankwise.data.catalog.archives import UnpackingLimits, detect_archive_kind, unpack
from rankwise.errors import RankwiseError

LISTS = {"unrar": "lb", "bsdtar": "-tf", "7z": "l"}
EXTRACTS = {"unrar": "x", "bsdtar": "-xf", "7z": "x"}
SCRIPT = """#!{python}
import os, pathlib, sys, time
names, action, archive = {names!r}, sys.argv[1], {archive!r}
assert archive in sys.argv, sys.argv
if action == {listing!r}:
    print("\\n".join({mark!r} + name for name in names))
elif action == {extracting!r}:
    {body}
else:
    sys.exit(9)
"""
WRITE_ALL = """
    for name in names:
        place = pathlib.Path(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(name)
""".strip()


@pytest.fixture
def rar(tmp_path: Path) -> Path:
    path = tmp_path / "Gov.rar"
    path.write_bytes(b"Rar!\x1a\x07\x01\x00" + bytes(100))
    return path


def tool(
    monkeypatch: pytest.MonkeyPatch,
    rar: Path,
    program: str,
    names: list[str],
    body: str = WRITE_ALL,
) -> None:
    """Put a stand-in for `program` on an otherwise empty PATH."""
    folder = rar.parent / "bin"
    folder.mkdir()
    text = SCRIPT.format(
        python=sys.executable,
        names=names,
        archive=str(rar),
        listing=LISTS[program],
        extracting=EXTRACTS[program],
        mark="Path = " if program == "7z" else "",
        body=body,
    )
    (folder / program).write_text(text)
    (folder / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def refused(rar: Path, sentence: str, limits: UnpackingLimits | None = None) -> None:
    with pytest.raises(RankwiseError, match=sentence):
        unpack(rar, rar.parent / "out", limits=limits)
    left = {path.name for path in rar.parent.iterdir()}
    assert left <= {"Gov.rar", "bin"}


def test_a_rar_archive_is_known_by_its_beginning(rar: Path):
    assert detect_archive_kind(rar) == "rar"


def test_without_a_tool_the_sentence_names_what_to_install(
    rar: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    refused(rar, "is a rar archive, for which unrar, bsdtar or 7z must be installed")


@pytest.mark.parametrize("program", list(LISTS))
def test_each_tool_unpacks(program: str, rar: Path, monkeypatch: pytest.MonkeyPatch):
    tool(monkeypatch, rar, program, ["Gov/Fold1/train.txt", "Gov/README"])
    folder = unpack(rar, rar.parent / "out")
    assert (folder / "Gov/Fold1/train.txt").read_text() == "Gov/Fold1/train.txt"
    assert (folder / "Gov/README").exists()


@pytest.mark.parametrize("name", ["../escaped.txt", "/escaped.txt", "a\\..\\..\\escaped.txt"])
@pytest.mark.parametrize("program", list(LISTS))
def test_names_are_checked_before_anything_is_written(
    program: str, name: str, rar: Path, monkeypatch: pytest.MonkeyPatch
):
    tool(monkeypatch, rar, program, ["fine.txt", name], "raise SystemExit('must not run')")
    refused(rar, "would leave the folder")


def test_more_entries_than_allowed_are_refused(rar: Path, monkeypatch: pytest.MonkeyPatch):
    tool(monkeypatch, rar, "unrar", [f"{number}.txt" for number in range(4)])
    refused(rar, "holds more than 3 entries", UnpackingLimits(entries=3))


@pytest.mark.parametrize(
    "body",
    [
        "os.symlink('/etc/passwd', 'link.txt')",
        "os.symlink('/etc', 'link.txt')",
        "pathlib.Path('a').write_text('a'); os.link('a', 'link.txt')",
        "os.mkfifo('link.txt')",
    ],
)
def test_links_and_special_files_are_refused_afterwards(
    body: str, rar: Path, monkeypatch: pytest.MonkeyPatch
):
    tool(monkeypatch, rar, "bsdtar", ["link.txt"], body)
    refused(rar, "a link or a special file")


def test_a_growing_folder_is_stopped_and_the_tool_ended(rar: Path, monkeypatch: pytest.MonkeyPatch):
    noted = rar.parent / "bin" / "process"
    # Beyond what is allowed, it never ends by itself.
    growing = f"open({str(noted)!r}, 'w').write(str(os.getpid())); big = open('big', 'wb')\n"
    growing += "    big.write(bytes(60_000)); big.flush(); time.sleep(600)"
    tool(monkeypatch, rar, "unrar", ["big"], growing)
    refused(
        rar, "expands to more than 50,000 bytes", UnpackingLimits(ratio=0.0, always_allowed=50_000)
    )
    with pytest.raises(ProcessLookupError):
        os.kill(int(noted.read_text()), 0)


def test_a_tool_that_fails_is_a_sentence(rar: Path, monkeypatch: pytest.MonkeyPatch):
    tool(monkeypatch, rar, "7z", ["a.txt"], "sys.exit(3)")
    refused(rar, "7z ended with code 3")


def test_a_tool_that_cannot_list_is_a_sentence(rar: Path, monkeypatch: pytest.MonkeyPatch):
    tool(monkeypatch, rar, "unrar", ["a.txt"])
    other = (rar.parent / "bin/unrar").read_text().replace("'lb'", "'never'")
    (rar.parent / "bin/unrar").write_text(other)
    refused(rar, "cannot be read by unrar: it is damaged or encrypted")


def test_a_tool_that_does_not_know_the_archive_gives_way_to_the_next(
    rar: Path, monkeypatch: pytest.MonkeyPatch
):
    tool(monkeypatch, rar, "7z", ["a.txt"])
    (rar.parent / "bin/unrar").write_text(f"#!{sys.executable}\nraise SystemExit(7)\n")
    (rar.parent / "bin/unrar").chmod(0o755)
    assert (unpack(rar, rar.parent / "out") / "a.txt").read_text() == "a.txt"
