"""The line that installs an extra: of what this installation says that it needs."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest

from rankwise.errors import MissingExtra, install_line, list_requirements

LINES = [
    "numpy>=1.26",
    'lightgbm>=4.3; extra == "trees"',
    "dask[array]>=2024.5 ; extra == 'spread'",
    'rankwise[trees,cluster]; extra == "spread"',
    'distributed>=2024.5; python_version > "3" and extra == "cluster"',
]


@pytest.fixture
def metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: LINES)


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        ("trees", "pip install 'lightgbm>=4.3'"),
        (
            "spread",
            "pip install 'dask[array]>=2024.5' 'lightgbm>=4.3' 'distributed>=2024.5'",
        ),
    ],
)
def test_an_extra_is_installed_by_what_it_stands_for(metadata: None, extra: str, line: str) -> None:
    assert install_line(extra) == line
    assert str(MissingExtra("it", extra)) == (
        f"it needs the libraries of the extra {extra!r}; install them: {line}"
    )


def test_without_an_installation_there_is_a_clone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", fail)
    assert install_line("trees") == "pip install '.[trees]' in a clone of Rankwise"


def test_no_line_asks_an_index_for_rankwise() -> None:
    extras = importlib.metadata.metadata("rankwise").get_all("Provides-Extra") or []
    assert "spread" in extras
    for extra in extras:
        assert list_requirements(extra)
        assert "rankwise" not in install_line(extra)
