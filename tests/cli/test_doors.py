"""Every command: one value of an option that takes one, and no work for nothing to write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankwise.checks.made import planted
from rankwise.cli.main import main
from rankwise.cli.options import writable, writable_folder
from rankwise.data.folds import split_folds, write_folds
from rankwise.data.reading import write
from rankwise.errors import RankwiseError
from tests.cli.command import run
from tests.cli.whole_program import rankwise

WRITTEN = ("output", "target")


def _commands(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        else:
            yield (*words, name)


def _command(words: tuple[str, ...]) -> click.Command:
    found: click.Command = main
    for word in words:
        assert isinstance(found, click.Group)
        found = found.get_command(click.Context(found), word) or found
    return found


COMMANDS = list(_commands(main))


def _values(option: click.Option) -> list[str]:
    """Two values that the option would take."""
    if isinstance(option.type, click.Choice):
        return [str(option.type.choices[0])] * 2
    return ["1", "2"]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_option_that_takes_one_value_lets_the_last_of_two_win(words: tuple[str, ...]) -> None:
    for option in _command(words).params:
        if not isinstance(option, click.Option) or option.multiple or option.is_flag:
            continue
        name = max(option.opts, key=len)
        given = [word for value in _values(option) for word in (name, value)]
        found = CliRunner().invoke(main, [*words, *given])
        assert found.exit_code == 2
        assert f"takes one value of {name}, found 2" in found.output


def test_significance_takes_one_tool(tmp_path: Path) -> None:
    found = run(main, "significance", "data", "a", "b", "--tool", "letor3", "--tool", "letor4")
    assert found.exit_code == 2
    assert "significance takes one value of --tool, found 2" in found.output


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_looks_at_what_it_is_to_write_before_it_works(words: tuple[str, ...]) -> None:
    for parameter in _command(words).params:
        if parameter.name in WRITTEN or (words == ("data", "split") and parameter.name == "dir"):
            assert parameter.callback in (writable, writable_folder), parameter.name


@pytest.mark.parametrize(
    "words",
    [
        ("train", "none.txt", "--ranker", "ridge-regression", "-o"),
        ("score", "none.json", "none.txt", "-o"),
        ("data", "convert", "none.txt"),
        ("data", "normalize", "none.txt", "--to", "min"),
        ("results", "convert", "none.csv"),
    ],
    ids=" ".join,
)
def test_files_that_cannot_be_written_are_told_before_anything_is_read(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for wrong, why in (
        (tmp_path / "absent" / "out", "does not exist"),
        (tmp_path, "it is a directory"),
        (tmp_path / "file" / "out", "does not exist"),
    ):
        with pytest.raises(RankwiseError, match=f"cannot write {wrong}: .*{why}"):
            run(main, *words, wrong)


@pytest.mark.parametrize(
    "words",
    [
        ("bench", "--data", "none", "--ranker", "ridge-regression", "-o"),
        ("build", "none", "--queries", "none", "--qrels", "none", "-o"),
        ("compare", "-o"),
        ("data", "split", "none.txt"),
        ("demo", "-o"),
    ],
    ids=" ".join,
)
def test_folders_that_cannot_be_made_are_told_before_anything_is_read(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "file", tmp_path / "file" / "folder"):
        with pytest.raises(RankwiseError, match=f"cannot write {wrong}: .*file is a file"):
            run(main, *words, wrong)


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may write everywhere, so that the system is asked in their place."""
    monkeypatch.setattr("rankwise.files.os.access", lambda *given: False)
    write(planted(3), tmp_path / "data.txt")
    for out in ("model.json", tmp_path / "model.json"):
        with pytest.raises(RankwiseError, match="permission denied in"):
            run(main, "train", tmp_path / "data.txt", "--ranker", "ridge-regression", "-o", out)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_option_that_takes_a_number_takes_nan(words: tuple[str, ...]) -> None:
    """It would pass every limit, and every difference would be within it."""
    command = _command(words)
    needed = [one for one in command.params if one.required]
    filled: list[str] = []
    for one in needed:
        value = _values(one)[0] if isinstance(one, click.Option) else "none"
        filled += [max(one.opts, key=len), value] if isinstance(one, click.Option) else [value]
    for option in command.params:
        if isinstance(option, click.Option) and isinstance(option.type, click.types.FloatParamType):
            name = max(option.opts, key=len)
            more = ["none"] * (sum(one.nargs for one in needed if one.nargs > 1))
            found = CliRunner().invoke(main, [*words, *filled, *more, name, "nan"])
            assert found.exit_code == 2
            assert f"{name} must be a number, found nan" in found.output


@pytest.mark.parametrize("seed", ["1" * 5000, "9" * 19, "-1", "1.5", "x"])
def test_seeds_of_a_bench_are_numbers_that_a_store_can_hold(seed: str, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="--seed must be whole numbers of at most 18 digits"):
        run(main, "bench", "--data", tmp_path, "--ranker", "listnet", "--seed", seed)


def test_bench_takes_the_scores_of_a_method_once(tmp_path: Path) -> None:
    folds = tmp_path / "folds"
    write_folds(split_folds(planted(10)), folds)
    given = ("bench", "--data", folds, "--ranker", "best-feature", "--dry-run")
    with pytest.raises(RankwiseError, match="--scores must name a method once, found 'a' again"):
        run(main, *given, "--scores", "a=x{fold}", "--scores", "a=y{fold}")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_names_that_no_system_takes_are_one_sentence(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too long for a file, wherever a file is named: for reading, and before work for writing."""
    monkeypatch.chdir(tmp_path)
    takes_none = (
        "demo",
        "completion",
        "measures",
        "rankers list",
        "literature list",
        "literature marks",
    )
    if " ".join(words) in takes_none:
        return
    long = "y" * 300
    given: list[str] = []
    for one in _command(words).params:
        if isinstance(one, click.Argument):
            given += [long] * max(1, one.nargs)
        elif one.required or one.name in ("data", "scores", "store", *WRITTEN):
            choices = one.type.choices if isinstance(one.type, click.Choice) else ()
            given += [max(one.opts, key=len), str(choices[0]) if choices else _fitting(one, long)]
    ended = rankwise(*words, *given)
    assert ended.code == 2, ended
    assert ended.err.splitlines()[-1].startswith(("rankwise: ", "Error: "))
    assert len(ended.err) < 1500 and list(tmp_path.iterdir()) == []


def _fitting(option: click.Parameter, text: str) -> str:
    """A value that the option takes, as long as it takes it."""
    return "1" if isinstance(option.type, click.types.IntParamType) else text
