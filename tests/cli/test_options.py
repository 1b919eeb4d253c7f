"""One spelling for one thing in all commands."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest

from rankwise.cli.main import main
from rankwise.cli.options import measure_option, measures_option
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
RETIRED = {
    "--measures",
    "--tools",
    "--rankers",
    "--folds",
    "--seeds",
    "--out",
    "--processes",
    "--metric",
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
    for option in options(name):
        expected = SPELLINGS.get(option.name or "", option.opts)
        if (name, option.name) not in EXCEPTIONS:
            assert option.opts == expected
        assert not set(option.opts) & RETIRED


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
