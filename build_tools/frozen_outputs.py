"""Write what every command prints and leaves on small data, to see that a change changes nothing.

    python build_tools/frozen_outputs.py -o before.json
    python build_tools/frozen_outputs.py -o after.json --compare before.json

The commands are those of tests/front_door; all of them run twice, and what differs between the two
(times, addresses) is left out. With RANKWISE_SHARED, ten rankers are also benched on fold 1 of
MQ2008, every value to the bit, and real data are converted and normalized.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

TEN = ("listnet,ranknet,lambdamart,mart,adarank-map,rankboost,ranksvm-primal,coordinate-ascent,"
       "ridge-regression,smoothrank")  # fmt: skip
# The time of a moment, or how long something took.
MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[\d.:+Z]*|\d+(\.\d+)? ?(s|ms|µs|min)\b|"
    r"(seconds|\w*_seconds|peak_bytes)\"?: [\d.e+-]+"
)


def run_rows() -> dict[str, str]:
    """What each command of the front door's table prints, and digests of the files it leaves."""
    import tests.test_front_door  # noqa: F401 - it loads every row of the table
    from tests.experiments.running import tasks_here
    from tests.front_door import table

    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        shared = Path(name) / "shared"
        shared.mkdir()
        for number, (command, ask) in enumerate(table.ROWS.items()):
            folder = Path(name) / f"row{number}"
            folder.mkdir()
            printed: list[str] = []

            class Recording(table.Case):
                def run(self, *words: object, code: int = 0, printed: Any = printed) -> Any:
                    result = super().run(*words, code=code)
                    printed.append(result.stdout)
                    return result

            with pytest.MonkeyPatch.context() as patch, tasks_here():
                patch.setattr("os.sched_getaffinity", lambda process: {0}, raising=False)
                ask(Recording(folder, shared, patch))
            for call, text in enumerate(printed):
                for place, line in enumerate(text.replace(name, "<folder>").splitlines()):
                    found[f"{command} | {call} | {place}"] = MOMENT.sub("<time>", line)
            found.update(digest_files(command, folder))
    return found


def digest_files(command: str, folder: Path) -> Iterator[tuple[str, str]]:
    """A digest of every file below a folder; of stores and pictures that hold times, none."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in {".sqlite", ".db", ".pdf", ".zip"}:
            content = path.read_bytes().replace(str(folder.parent).encode(), b"<folder>")
            text = MOMENT.sub("<time>", content.decode("utf-8", "replace"))
            key = f"{command} > {path.relative_to(folder)}"
            yield key, hashlib.sha256(text.encode()).hexdigest()


def run_real_data(shared: Path) -> dict[str, str]:
    """Values of ten rankers on MQ2008 fold 1 to the bit, and real data in other forms."""
    import rankwise as rw

    found = {}
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        fold = next(path for path in sorted((shared / "data" / "letor4").rglob("Fold1")))
        run = rw.bench(
            data=fold.parent, rankers=TEN.split(","), folds=[1], measures=["MAP", "NDCG@5"],
            tools=["own"], store=home / "a.sqlite", jobs=1,
        )  # fmt: skip
        with rw.Store.read(run.store) as store:
            results = store.table()
        for row in zip(results.method, results.fold, results.measure, results.tool, results.value,
                       strict=True):  # fmt: skip
            found["bench | " + " | ".join(map(str, row[:-1]))] = float(row[-1]).hex()
        source = rw.read(fold / "vali.txt")
        for ending in ("txt", "parquet", "csv", "rwd"):
            rw.write(source, home / f"copy.{ending}")
        for version in ("min", "query-level", "z-score", "sum", "dataset-min-max"):
            try:
                rw.write(rw.normalize(source, version), home / f"{version}.txt")
            except rw.RankwiseError as error:
                found[f"normalize | {version}"] = str(error)
        (home / "a.sqlite").unlink()
        found.update(digest_files("real", home))
    return found


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", required=True, type=Path)
    parser.add_argument("--compare", type=Path)
    arguments = parser.parse_args()
    one, other = run_rows(), run_rows()
    found = {key: text for key, text in one.items() if other.get(key) == text}
    sys.stdout.write(f"{len(found)} lines and files, {len(one) - len(found)} differ by the run\n")
    if "RANKWISE_SHARED" in os.environ:
        found.update(run_real_data(Path(os.environ["RANKWISE_SHARED"])))
    arguments.output.write_text(json.dumps(found, indent=1, sort_keys=True))
    if arguments.compare:
        before = json.loads(arguments.compare.read_text())
        differing = sorted(key for key in {*before, *found} if before.get(key) != found.get(key))
        for key in differing:
            sys.stdout.write(f"{key}\n  - {before.get(key)}\n  + {found.get(key)}\n")
        sys.stdout.write(f"{len(differing)} of {len(before)} differ\n")
        raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
