"""One spelling for one thing in all commands; former spellings are understood and not shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rankwise.cli.main import main
from rankwise.cli.options import Option, measure_option, measures_option, output_option
from tests.cli.command import run

SPELLINGS = {
    "measure": ["-m", "--measure"],
    "measures": ["-m", "--measure"],
    "tool": ["--tool"],
    "tools": ["--tool"],
    "output": ["-o", "--output"],
    "output_format": ["--format"],
    "seed": ["--seed"],
    "seeds": ["--seed"],
    "jobs": ["--jobs"],
    "rankers": ["--ranker"],
    "folds": ["--fold"],
}
FORMER = {
    "bench": {"--measures", "--tools", "--rankers", "--folds", "--seeds", "--out"},
    "build corpus": {"--processes"},
    "compare": {"--out"},
    "demo": {"--out"},
    "explain": {"--tools"},
    "literature check": {"--metric"},
    "literature show": {"--metric"},
    "results merge": {"--out"},
    "tune": {"--folds", "--validation"},
}
# A wide table has one measure, which is a fact about it and no choice among its measures.
EXCEPTIONS = {("results convert", "measure")}


def commands(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, (*path, name))


COMMANDS = dict(commands(main))


def options(name: str) -> list[click.Option]:
    return [one for one in COMMANDS[name].params if isinstance(one, click.Option)]


@pytest.mark.parametrize("name", COMMANDS)
def test_one_spelling_for_one_thing(name: str) -> None:
    retired = {spelling for spellings in FORMER.values() for spelling in spellings}
    for option in options(name):
        expected = SPELLINGS.get(option.name or "", option.opts)
        if (name, option.name) not in EXCEPTIONS:
            assert option.opts == expected
        assert not set(option.opts) & retired


@pytest.mark.parametrize("name", COMMANDS)
def test_former_spellings_are_understood_and_not_shown(name: str) -> None:
    found = {spelling: one for one in options(name) for spelling in getattr(one, "former", ())}
    assert set(found) == FORMER.get(name, set())
    context = click.Context(COMMANDS[name])
    shown = COMMANDS[name].get_help(context).split()
    for spelling, option in found.items():
        assert spelling not in shown
        for written in (spelling, option.opts[-1]):
            parser = COMMANDS[name].make_parser(context)
            given, _, _ = parser.parse_args([written, "value"])
            assert given[option.name] in ("value", ["value"])


def test_former_spellings_run(tmp_path: Path) -> None:
    @click.command()
    @output_option("Where.", former=("--out",))
    @measures_option("What.", former=("--measures",))
    def command(output: Path, measures: tuple[str, ...]) -> None:
        click.echo(json.dumps([str(output), measures]))

    for words in (("-o", "x"), ("--output", "x"), ("--out", "x"), ("--out=x",)):
        assert json.loads(run(command, *words).stdout) == ["x", []]
    assert json.loads(run(command, "-o", "x", "--measures", "MAP", "-m", "P@1").stdout) == [
        "x", ["MAP", "P@1"]]  # fmt: skip
    assert isinstance(command.params[0], Option)
    assert run(command, "--oot", "x").exit_code == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), []),
        (("-m", "NDCG@5,MAP"), ["NDCG@5", "MAP"]),
        (("-m", "NDCG@5", "-m", "MAP"), ["NDCG@5", "MAP"]),
        (("-m", " NDCG@5 , MAP ,"), ["NDCG@5", "MAP"]),
        (
            ("-m", "NDCG@5(gain=linear, discount=log2),MAP"),
            ["NDCG@5(gain=linear, discount=log2)", "MAP"],
        ),
    ],
)
def test_commas_stand_between_measures_but_not_in_parentheses(
    words: tuple[str, ...], expected: list[str]
) -> None:
    @click.command()
    @measures_option("What.")
    def command(measures: tuple[str, ...]) -> None:
        click.echo(json.dumps(measures))

    assert json.loads(run(command, *words).stdout) == expected


def test_a_command_of_one_measure_says_so() -> None:
    @click.command()
    @measure_option("What.")
    def command(measure: str) -> None:
        click.echo(measure)

    assert run(command, "-m", "NDCG@5(gain=linear, ties=worst)").stdout.startswith("NDCG@5(gain")
    refused = run(command, "-m", "NDCG@5,MAP")
    assert refused.exit_code == 2
    assert "command takes one value of --measure, found 'NDCG@5,MAP'" in refused.stderr
