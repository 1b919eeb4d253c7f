"""Compile every C file of the package into one shared library.

    python build_tools/compile_core.py              the library of this source tree
    python build_tools/compile_core.py --sanitize   beside it, one that checks itself (tests/fuzz)

The machine's own compiler comes first (CC, then cc, gcc, clang); where there is none, the package
`ziglang` is one. Floating point follows the source: no contraction, no reordering, so that figures
have the same bits everywhere.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

COMPILER_PACKAGE = "ziglang<0.17"
FLAGS = ["-std=c11", "-O3", "-fPIC", "-shared", "-ffp-contract=off", "-fvisibility=hidden",
         "-fno-math-errno", "-Wall", "-Wextra", "-Wno-unknown-pragmas"]  # fmt: skip
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
              "-fno-omit-frame-pointer", "-g1", "-O0"]  # fmt: skip
# A library built by the compiler from the package index runs on every Linux since 2012.
OLD_LINUX = "{machine}-linux-gnu.2.17"


def compile_core(root: Path, *, sanitize: bool = False) -> Path:
    """Build the library of the source tree `root`; an unchanged one is left alone."""
    package = root / "src" / "rankwise"
    sources = sorted(package.rglob("*.c"))
    target = package / "native" / library_name(sanitize)
    digest = sources_digest(package, sanitize)
    stamp = target.with_suffix(target.suffix + ".digest")
    if target.is_file() and stamp.is_file() and stamp.read_text() == digest:
        return target
    command = _command()
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    line = [*command, *FLAGS, *(SANITIZERS if sanitize else []), f"-I{package / 'native'}",
            *map(str, sources), "-lm", "-o", str(unfinished)]  # fmt: skip
    try:
        subprocess.run(line, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        unfinished.unlink(missing_ok=True)
        raise SystemExit(
            f"rankwise: its compiled core could not be built with {shlex.join(command)} ({error}); "
            "install a C compiler (Debian: apt-get install gcc libc6-dev; macOS: "
            "xcode-select --install) or name one in CC"
        ) from None
    unfinished.replace(target)
    stamp.write_text(digest)
    return target


def library_name(sanitize: bool = False) -> str:
    """The file name of the library on this platform."""
    ending = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return f"librankwise{'_sanitized' if sanitize else ''}{ending}"


def sources_digest(package: Path, sanitize: bool = False) -> str:
    """A digest of all that the library is made from."""
    total = hashlib.sha256(f"{FLAGS}{SANITIZERS if sanitize else ''}".encode())
    for path in sorted([*package.rglob("*.c"), *package.rglob("*.h")]):
        total.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def find_compiler() -> list[str] | None:
    """The machine's own C compiler as a command, or None."""
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name]
    return None


def _command() -> list[str]:
    own = find_compiler()
    if own is not None:
        return own
    if importlib.util.find_spec("ziglang") is None:
        raise SystemExit(
            "rankwise: its compiled core needs a C compiler and none was found (CC, cc, gcc, "
            "clang); install one (Debian: apt-get install gcc libc6-dev) or: "
            f"pip install '{COMPILER_PACKAGE}'"
        )
    command = [sys.executable, "-m", "ziglang", "cc"]
    if sys.platform == "linux":
        machine = sysconfig.get_platform().split("-")[-1]
        command += ["-target", OLD_LINUX.format(machine=machine)]
    return command


if __name__ == "__main__":
    made = compile_core(Path(__file__).resolve().parent.parent, sanitize="--sanitize" in sys.argv)
    sys.stdout.write(f"{made}\n")
