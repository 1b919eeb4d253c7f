"""What `make release-check` refuses: versions that differ, sources and metadata with gaps."""

from __future__ import annotations

import importlib.util
import io
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
METADATA = (
    """Metadata-Version: 2.4
Name: rankwise
Version: 0.1.0
License-Expression: MIT
License-File: LICENSE
Requires-Python: >=3.11

"""
    + "What it is. " * 60
)


@pytest.fixture(scope="module")
def check() -> ModuleType:
    path = ROOT / "build_tools/release_check.py"
    spec = importlib.util.spec_from_file_location("release_check", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_this_version_is_one_everywhere(check: ModuleType) -> None:
    assert check.check_versions(ROOT) == "0.1.0"


@pytest.mark.parametrize("name", ["src/rankwise/__init__.py", "CITATION.cff", "CHANGELOG.md"])
def test_a_version_that_differs_is_refused(check: ModuleType, name: str, tmp_path: Path) -> None:
    for one in ("pyproject.toml", "src/rankwise/__init__.py", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / one).parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / one).read_text("utf-8")
        (tmp_path / one).write_text(text.replace("0.1.0", "0.0.9") if one == name else text)
    with pytest.raises(SystemExit, match=r"must name the version 0\.1\.0"):
        check.check_versions(tmp_path)


def sdist(folder: Path, names: list[str]) -> Path:
    path = folder / "rankwise-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            archive.addfile(tarfile.TarInfo(f"rankwise-0.1.0/{name}"), io.BytesIO())
    return path


def test_sources_that_lack_something_or_hold_a_library(check: ModuleType, tmp_path: Path) -> None:
    whole = list(check.IN_SDIST)
    check.check_sdist(sdist(tmp_path, whole), "0.1.0")
    with pytest.raises(SystemExit, match=r"found no .'LICENSE'"):
        check.check_sdist(sdist(tmp_path, whole[1:]), "0.1.0")
    with pytest.raises(SystemExit, match=r"sources only, found .*core\.so"):
        check.check_sdist(sdist(tmp_path, [*whole, "core.so"]), "0.1.0")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("Version: 0.1.0", "Version: 0.2.0", "Version must be 0.1.0, found 0.2.0"),
        ("License-File: LICENSE\n", "", "must name its licence"),
        ("What it is. " * 60, "Short.", "must be the README"),
    ],
)
def test_metadata_that_an_index_would_show(
    check: ModuleType, before: str, after: str, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "rankwise-0.1.0-py3-none-linux_x86_64.whl"
    for text in (METADATA, METADATA.replace(before, after)):
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr("rankwise-0.1.0.dist-info/METADATA", text)
        if text == METADATA:
            check.check_metadata(path, "0.1.0")
    with pytest.raises(SystemExit, match=sentence):
        check.check_metadata(path, "0.1.0")
