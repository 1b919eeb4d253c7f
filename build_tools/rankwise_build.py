"""The build backend: setuptools, with the compiled core made before the package is put together.

The core is plain C without Python's headers, so one library serves every Python of a platform.
Where the machine has no C compiler, the package `ziglang` (a compiler as a wheel) is asked for as
a build requirement, and only there. See docs/decisions/0008-native-core.md.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

import compile_core  # noqa: E402

Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    """What setuptools asks for, and a compiler where there is none."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler()]


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """As for a wheel."""
    return [*build_meta.get_requires_for_build_editable(config_settings), *_compiler()]


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel for this platform and every Python 3."""
    compile_core.compile_core(ROOT)
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """An editable installation; the core stands in the source tree."""
    compile_core.compile_core(ROOT)
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


def _compiler() -> list[str]:
    return [] if compile_core.find_compiler() else [compile_core.COMPILER_PACKAGE]


build_sdist = build_meta.build_sdist
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
