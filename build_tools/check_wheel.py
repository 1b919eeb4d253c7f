"""Check a wheel: its name, what it holds, what its library needs, and that it works.

    python build_tools/check_wheel.py dist/rankwise-….whl

auditwheel says which Linux systems the library runs on, where it is installed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PROGRAM = """
import pathlib, rankwise
path = pathlib.Path("rows.txt")
path.write_text("2 qid:1 1:0.5 2:NULL #docid = a\\n0 qid:1 1:1e-3 2:7\\n")
data = rankwise.read(path)
rankwise.write(data, "again.txt")
assert rankwise.read("again.txt").equals(data)
print("reads and writes from", pathlib.Path(rankwise.__file__).parent)
"""


def main(path: Path) -> None:
    """Print what was found; the first thing that is wrong ends the program."""
    python, abi, platform = path.stem.split("-")[-3:]
    _require(
        (python, abi) == ("py3", "none") and platform != "any",
        f"a wheel of a platform for every Python is called …-py3-none-PLATFORM, found {path.name}",
    )
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        libraries = [name for name in names if name.endswith((".so", ".dylib", ".dll"))]
        _require(
            len(libraries) == 1 and libraries[0].startswith("rankwise/native/librankwise."),
            f"a wheel holds the compiled core and no other library, found {libraries}",
        )
        with tempfile.TemporaryDirectory() as folder:
            wheel.extractall(folder)
            _require_no_python(Path(folder) / libraries[0])
            sys.stdout.write(f"{path.name}: {len(names)} files, library {libraries[0]}\n")
            sys.stdout.flush()
            work = Path(folder) / "work"
            work.mkdir()
            program = f"import sys; sys.path.insert(0, {folder!r})\n{PROGRAM}"
            subprocess.run([sys.executable, "-c", program], check=True, cwd=work)
    if importlib.util.find_spec("auditwheel") is not None:
        subprocess.run([sys.executable, "-m", "auditwheel", "show", str(path)], check=True)


def _require_no_python(library: Path) -> None:
    """The core must not name any function of Python's: then it serves every version."""
    content = library.read_bytes()
    found = [name for name in (b"PyInit_", b"PyObject_", b"Py_Initialize") if name in content]
    _require(not found, f"the core must not use Python's headers, found {found}")


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise SystemExit(f"rankwise: {sentence}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
