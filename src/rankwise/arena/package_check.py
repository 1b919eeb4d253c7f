"""Check a submission before upload; needs Python 3.8 or newer and nothing else.

    python check_submission.py my.scores                      a task with one fold
    python check_submission.py Fold1.scores Fold2.scores      one file for each fold
    python check_submission.py --run my.run                   a TREC run

The last line says whether all is well; the exit code is 1 where it is not.
"""

import bz2
import gzip
import math
import re
import sys
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Tuple  # noqa: UP035

HERE = Path(__file__).resolve().parent
FOLD = re.compile(r"fold[-_ ]?0*([1-9][0-9]{0,3})(?![0-9])", re.IGNORECASE)

Rows = List[Tuple[str, str]]  # noqa: UP006


class Wrong(Exception):
    """What is wrong, with file and line."""


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file, plain or compressed by gzip or bzip2."""
    with path.open("rb") as stream:
        content = stream.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    elif content[:3] == b"BZh":
        content = bz2.decompress(content)
    text = content.decode("utf-8", "replace")
    return iter(text[:-1].split("\n") if text.endswith("\n") else text.split("\n"))


def read_test(path: Path) -> Rows:
    """Query and document of every row of a test part."""
    rows = []
    for line in read_lines(path):
        head, _, comment = line.partition("#")
        rows.append((head.split()[1][len("qid:") :], comment.split("=")[-1].strip()))
    return rows


def read_tests() -> Dict[int, Rows]:  # noqa: UP006
    """The rows of every fold's test part."""
    found = {}
    for path in HERE.glob("Fold*/test.txt.gz"):
        found[int(path.parent.name[4:])] = read_test(path)
    return dict(sorted(found.items()))


def check_scores(paths: Iterable[Path], tests: Dict[int, Rows]) -> None:  # noqa: UP006
    """One score a line, as many as rows, for every fold."""
    named = list(paths)
    files = {next(iter(tests)): named[0]} if len(tests) == len(named) == 1 else {}
    for path in named if not files else []:
        numbers = [int(number) for number in FOLD.findall(path.name)]
        if not numbers or numbers[-1] not in tests or numbers[-1] in files:
            raise Wrong(f"{path}: each file must have the number of its own fold in its name")
        files[numbers[-1]] = path
    for fold, rows in tests.items():
        if fold not in files:
            raise Wrong(f"there must be a file of scores for fold {fold}, found none")
        lines = list(read_lines(files[fold]))
        for number, line in enumerate(lines, start=1):
            check_number(line.strip(), files[fold], number)
        if len(lines) != len(rows):
            raise Wrong(f"{files[fold]}: found {len(lines)} scores for {len(rows)} rows")


def check_run(path: Path, tests: Dict[int, Rows]) -> None:  # noqa: UP006
    """Every query of the test parts, no document that is not there, none twice."""
    known = {row for rows in tests.values() for row in rows}
    seen = set()
    for number, line in enumerate(read_lines(path), start=1):
        words = line.split()
        if len(words) != 6:
            raise Wrong(f"{path}:{number}: expected 6 columns, found {len(words)}")
        row = (words[0], words[2])
        if row not in known:
            raise Wrong(f"{path}:{number}: query and document must be of the test part")
        if row in seen:
            raise Wrong(f"{path}:{number}: a document must occur once in its query")
        seen.add(row)
        check_number(words[4], path, number)
    missing = {query for query, _ in known} - {query for query, _ in seen}
    if missing:
        raise Wrong(f"{path}: {len(missing)} queries are missing, one is {min(missing)}")


def check_number(text: str, path: Path, line: int) -> None:
    """A finite number, written as numbers are."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise Wrong(f"{path}:{line}: expected one score, a finite number, found {text[:40]!r}")


def main(words: List[str]) -> int:  # noqa: UP006
    """The exit code: 0 where the submission can be uploaded."""
    is_run = "--run" in words
    paths = [Path(word) for word in words if word != "--run"]
    if not paths or (is_run and len(paths) != 1):
        sys.stderr.write(__doc__ or "")
        return 2
    try:
        tests = read_tests()
        if is_run:
            check_run(paths[0], tests)
        else:
            check_scores(paths, tests)
    except (Wrong, OSError, EOFError) as error:
        sys.stdout.write(f"{error}\n")
        return 1
    sys.stdout.write("ready to be uploaded\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
