"""The compiled core with AddressSanitizer and UndefinedBehaviorSanitizer, for other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class NotAtHand(Exception):
    """Why the sanitizers cannot be used here."""


@cache
def sanitized_environment() -> dict[str, str]:
    """What a process needs in its environment to run with the checking library; built if needed."""
    if sys.platform != "linux":
        raise NotAtHand(f"sanitizers are loaded before Python on Linux only, not on {sys.platform}")
    runtime = _runtime()
    return os.environ | {
        "RANKWISE_CORE": str(_library()),
        "LD_PRELOAD": str(runtime),
        # Python keeps much until it ends, which is no leak; every other finding ends the process.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    }


def _compile_core():  # type: ignore[no-untyped-def]
    sys.path.insert(0, str(ROOT / "build_tools"))
    try:
        import compile_core
    finally:
        sys.path.remove(str(ROOT / "build_tools"))
    return compile_core


def _runtime() -> Path:
    compiler = _compile_core().find_compiler()
    if compiler is None:
        raise NotAtHand("no C compiler was found, and that of the package index has no sanitizers")
    answer = subprocess.run(
        [*compiler, "-print-file-name=libasan.so"], capture_output=True, text=True
    )
    found = Path(answer.stdout.strip())
    if not found.is_absolute() or not found.exists():
        raise NotAtHand(f"{compiler[0]} has no libasan.so (Debian: apt-get install gcc)")
    return found.resolve()


def _library() -> Path:
    try:
        return Path(_compile_core().compile_core(ROOT, sanitize=True))
    except SystemExit as error:
        raise NotAtHand(str(error)) from None
