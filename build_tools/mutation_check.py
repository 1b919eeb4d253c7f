"""Change the code at random, one place at a time, and see whether the room's tests notice.

    python build_tools/mutation_check.py --seed 7 --changes 120 --jobs 2 -o changes.jsonl

Each change is made in a copy of the last commit: a comparison, an operator, a constant, a condition
or a returned value becomes another one. The tests whose files name the module run first, then those
of its room; the first failure ends them. A line of the output says what was changed and what became
of it: caught, lived, or not caught within the limit. Whether a change that lived changes any
behaviour, a reader must say. What the output already has is not run again, so that a run can be
continued.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).resolve().parents[1]
COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=",
               ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is", ast.In: "not in",
               ast.NotIn: "in"}  # fmt: skip
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*",
             ast.BitAnd: "|", ast.BitOr: "&"}  # fmt: skip
C_CHANGES = {"<=": "<", ">=": ">", "<": "<=", ">": ">=", "==": "!=", "!=": "==", "+": "-", "-": "+",
             "*": "+", "&&": "||", "||": "&&"}  # fmt: skip
# What pytest returns where all tests of its files are slow ones.
NO_TESTS = 5
# Rooms whose tests stand elsewhere than in the folder of their name.
TESTS = {
    "evaluation": ["tests/test_evaluation.py", "tests/test_judged_values.py", "tests/measures",
                   "tests/test_query_check.py", "tests/test_query_tables.py",
                   "tests/test_own_results.py", "tests/cli/measures"],
    "sklearn_adapter": ["tests/test_sklearn_adapter.py"],
    "rankers": ["tests/rankers", "tests/conformance", "tests/checks"],
    "native": ["tests/native", "tests/data", "tests/measures"],
    "": sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("test_*.py")),
}  # fmt: skip


@dataclass(frozen=True)
class Change:
    """One place of one file, and what stands there after the change."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str


def find_changes(path: Path) -> Iterator[Change]:
    """Every change that can be made in a file."""
    text = path.read_text("utf-8")
    relative = path.relative_to(ROOT).as_posix()
    places = _c_places(text) if path.suffix in {".c", ".h"} else _python_places(text)
    for start, end, after in places:
        yield Change(relative, text.count("\n", 0, start) + 1, start, end, text[start:end], after)


def _c_places(text: str) -> Iterator[tuple[int, int, str]]:
    code = re.sub(r"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"|^\s*#[^\n]*", lambda m: " " * len(m[0]), text,
                  flags=re.S | re.M)  # fmt: skip
    for match in re.finditer(r" (<=|>=|==|!=|&&|\|\||[<>+*-]) ", code):
        yield match.start(1), match.end(1), C_CHANGES[match[1]]


def _python_places(text: str) -> Iterator[tuple[int, int, str]]:
    # Columns of a syntax tree are bytes, and places in these files are characters.
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    lines = text.splitlines()

    def at(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    def begin(node: ast.expr) -> int:
        return at(node.lineno, node.col_offset)

    def end(node: ast.expr) -> int:
        return at(node.end_lineno or 0, node.end_col_offset or 0)

    def between(left: ast.expr, right: ast.expr, pattern: str) -> tuple[int, int] | None:
        match = re.search(pattern, text[end(left) : begin(right)])
        return match and (end(left) + match.start(), end(left) + match.end())

    for node in _executed(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            span = between(node.left, node.comparators[0], r"[<>=!]=?|is not|is|not in|in")
            if span:
                yield *span, COMPARISONS[type(node.ops[0])]
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            span = between(node.left, node.right, r"//|[-+*/&|]")
            if span:
                yield *span, OPERATORS[type(node.op)]
        elif isinstance(node, ast.BoolOp):
            span = between(node.values[0], node.values[1], r"\b(and|or)\b")
            if span:
                yield *span, "or" if isinstance(node.op, ast.And) else "and"
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield begin(node), begin(node.operand), ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield begin(node), end(node), str(not node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            number = text[begin(node) : end(node)]
            yield (
                begin(node),
                end(node),
                f"({number} {'+ 1' if isinstance(node.value, int) else '* 2'})",
            )
        elif isinstance(node, ast.If | ast.IfExp):
            yield begin(node.test), end(node.test), "True"
            yield begin(node.test), end(node.test), "False"
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call | ast.Name):
            yield begin(node.value), end(node.value), "None"


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below `node` that run: no annotations, formatted text, or types' own imports."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params"} or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.AST):
                yield child
                yield from _executed(child)


def select_tests(path: str) -> tuple[list[str], list[str]]:
    """The tests whose files name a module, and the others of its room."""
    parts = Path(path).with_suffix("").parts[2:]
    room = parts[0] if len(parts) > 1 else ""
    if parts[0] == "cli" and len(parts) > 2:
        folders = [
            f"tests/cli/{parts[1]}" if Path(ROOT, "tests/cli", parts[1]).is_dir() else "tests/cli"
        ]
    else:
        folders = TESTS.get(room, [f"tests/{room}"])
    module = re.compile(rf"\b{parts[-1]}\b")
    files: list[Path] = []
    for folder in folders:
        place = ROOT / folder
        files += sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
    named = [test for test in (ROOT / "tests").rglob("test_*.py")
             if f"rankwise.{'.'.join(parts)}" in test.read_text("utf-8")]  # fmt: skip
    named += [test for test in files if module.search(test.stem)]
    named += [test for test in files if module.search(test.read_text("utf-8"))]
    first = dict.fromkeys(test.relative_to(ROOT).as_posix() for test in named)
    others = dict.fromkeys(test.relative_to(ROOT).as_posix() for test in files)
    return list(first), [test for test in others if test not in first]


def try_change(change: Change, copy: Path, limit: float) -> str:
    """What the tests say of the change, made in `copy` and taken back."""
    path = copy / change.path
    text = path.read_text("utf-8")
    path.write_text(text[: change.start] + change.after + text[change.end :], "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        if path.suffix in {".c", ".h"}:
            _build(copy)
        end = time.monotonic() + limit
        for tests in filter(None, select_tests(change.path)):
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
            done = subprocess.run(command, cwd=copy, env=environment, capture_output=True,
                                  text=True, timeout=max(end - time.monotonic(), 1.0))  # fmt: skip
            if done.returncode not in (0, NO_TESTS):
                failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.M)
                return f"caught by {failed[1]}" if failed else f"caught: exit {done.returncode}"
        return "lived"
    except subprocess.TimeoutExpired:
        return "not caught within the limit"
    except subprocess.CalledProcessError:
        return "does not compile"
    finally:
        path.write_text(text, "utf-8")
        if path.suffix in {".c", ".h"}:
            _build(copy)


def _build(copy: Path) -> None:
    """Make the compiled core of `copy` from the C that stands there now."""
    build = [sys.executable, "build_tools/compile_core.py"]
    subprocess.run(build, cwd=copy, check=True, capture_output=True)


def main() -> None:
    """Draw the changes, try them, and print the count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--changes", type=int, default=120)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for one change")
    parser.add_argument("-o", "--output", type=Path, required=True)
    given = parser.parse_args()
    sources = sorted(
        path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".c", ".h"}
    )
    every = [change for path in sources for change in find_changes(path)]
    drawn = random.Random(given.seed).sample(every, given.changes)
    lines = given.output.read_text("utf-8").splitlines() if given.output.exists() else []
    results = {json.dumps(json.loads(line)["change"]): json.loads(line)["result"] for line in lines}
    copies: Queue[Path] = Queue()

    def run(change: Change) -> None:
        key = json.dumps(asdict(change))
        if key in results:
            return
        copy = copies.get()
        result = try_change(change, copy, given.limit)
        copies.put(copy)
        results[key] = result
        with given.output.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"change": asdict(change), "result": result}) + "\n")
        sys.stdout.write(
            f"{change.path}:{change.line} {change.before!r} -> {change.after!r}: {result}\n"
        )
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.jobs):
            copy = Path(folder) / str(number)
            subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
            _build(copy)
            copies.put(copy)
        with ThreadPoolExecutor(given.jobs) as pool:
            list(pool.map(run, drawn))
    caught = sum(result.startswith("caught") for result in results.values())
    sys.stdout.write(f"{len(results)} changes: {caught} caught, {len(results) - caught} not\n")


if __name__ == "__main__":
    main()
