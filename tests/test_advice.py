"""What messages advise: the argument in Python, in a command the flag that this command has."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

import rankwise
from rankwise.cli.main import flags_of, main, named_command
from rankwise.errors import Advice, FormatError, MissingExtra, RankwiseError
from rankwise.files import CannotWrite
from tests.cli.test_options import COMMANDS

SOURCES = Path(rankwise.__file__).parent
FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[mo])(?![\w=-])")
LOOKS_LIKE_ADVICE = re.compile(r"--|-[mo]|Advice")
COMMAND = re.compile(r"rankwise ((?:[a-z]+ ?)+)[^';]*")
# Programs of others, of which messages name an option.
OTHERS = {"--memory-limit"}


def has_flag(name: str) -> set[str]:
    return {
        spelling for one in COMMANDS[name].params for spelling in (*one.opts, *one.secondary_opts)
    }


def texts(tree: ast.Module) -> Iterator[str]:
    """All texts of a file but docstrings; of texts with values the parts between these, joined."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = list(ast.walk(tree))
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    left_out = docstrings | inner
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
            yield "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in left_out
        ):
            yield node.value


def advice_calls(tree: ast.Module) -> Iterator[str]:
    """The arguments that `Advice(clause, argument, …)` names."""
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Advice"
        if is_call and len(node.args) > 1:
            assert isinstance(node.args[1], ast.Constant), ast.unparse(node)
            yield str(node.args[1].value)


@cache
def library() -> tuple[tuple[str, ast.Module], ...]:
    """Every file but those of commands and those in which nothing looks like a flag or advice."""
    sources = (
        (path.relative_to(SOURCES), path.read_text("utf-8"))
        for path in sorted(SOURCES.rglob("*.py"))
    )
    return tuple(
        (str(path), ast.parse(source))
        for path, source in sources
        if "cli" not in path.parts and LOOKS_LIKE_ADVICE.search(source)
    )


@cache
def advised() -> frozenset[tuple[str, str]]:
    """The files and the arguments that they advise."""
    return frozenset(
        (name, argument) for name, tree in library() for argument in advice_calls(tree)
    )


def is_sentence(text: str) -> bool:
    return " " in text and re.search("[a-z]{2}", text) is not None


def find_named_commands(text: str) -> Iterator[str]:
    """The commands that a text names in full, `rankwise data convert IN OUT …`."""
    for found in COMMAND.finditer(text):
        words = found[1].split()
        names = [" ".join(words[:length]) for length in (2, 1)]
        known = next((name for name in names if name in COMMANDS), None)
        if known is not None or words[:1] == ["build"]:
            yield known or "build corpus"


def test_the_library_names_flags_only_of_commands_that_it_names_in_full() -> None:
    wrong = []
    for name, tree in library():
        for text in filter(is_sentence, texts(tree)):
            of_commands = {flag for one in find_named_commands(text) for flag in has_flag(one)}
            wrong += [(name, flag, text) for flag in FLAG.findall(text)
                      if flag not in of_commands | OTHERS]  # fmt: skip
    assert not wrong


def test_what_is_advised_is_an_argument_of_some_command() -> None:
    known = {one.name for command in COMMANDS.values() for one in command.params}
    assert {argument for _, argument in advised()} >= {"zero_based", "reading", "nan", "conflicts"}
    assert not {(name, argument) for name, argument in advised() if argument not in known}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_names_a_flag_that_it_has_not(name: str) -> None:
    arguments = {argument for _, argument in advised()}
    error = RankwiseError("it", *(Advice("{}", argument, True) for argument in sorted(arguments)))
    said = error.in_command(flags_of(COMMANDS[name]))
    assert set(FLAG.findall(said)) <= has_flag(name)
    for parameter in COMMANDS[name].params:
        mentioned = set(FLAG.findall(getattr(parameter, "help", None) or ""))
        assert mentioned <= has_flag(name) | {"--memory-limit"}


def test_an_argument_is_written_as_python_or_as_a_flag() -> None:
    error = RankwiseError(
        "the scores are NaN",
        Advice("correct them"),
        Advice("say {}", "nan", ("last", "zero")),
        Advice("{} helps", "zero_based", True, "another command helps"),
        Advice("name it: {}", "dataset", "NAME"),
    )
    assert str(error) == (
        "the scores are NaN; correct them, or say nan='last' or 'zero', or zero_based=True helps, "
        "or name it: dataset"
    )
    flags = {"nan": "--nan", "dataset": "--dataset"}.get
    assert error.in_command(flags) == (
        "the scores are NaN; correct them, or say --nan last or zero, or another command helps, or "
        "name it: --dataset NAME"
    )


@pytest.mark.parametrize(
    "line, name",
    [
        ("evaluate data scores", "evaluate"),
        ("data convert IN OUT", "data convert"),
        ("build corpus.jsonl -o x", "build corpus"),
        ("build --demo", "build corpus"),
        ("build features --list", "build features"),
    ],
)
def test_the_command_of_a_line_is_found(line: str, name: str) -> None:
    found: click.Command = named_command(main, line.split())
    assert found.params == COMMANDS[name].params


@pytest.mark.parametrize(
    "error",
    [
        RankwiseError("plain", Advice("do {}", "this")),
        FormatError("wrong", "data.txt", 3, 4, advice=(Advice("look at it"),)),
        MissingExtra("drawing", "figures"),
        CannotWrite("model.json", "No space left on device"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_come_whole_out_of_other_processes(error: RankwiseError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))
