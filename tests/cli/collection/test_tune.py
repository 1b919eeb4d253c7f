"""`rankwise build tune`: what it says and writes are the chosen constants."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.data.build_commands import build
from tests.collection.built import make_build

VALUES = ("--values", "k1=0.5,3", "--values", "mu=5,10", "--values", "lambda=0.1,0.9")


@pytest.fixture(scope="module")
def meta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_build(tmp_path_factory.mktemp("made of words")) / "Meta"


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(build, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def test_the_command_that_is_named_writes_what_an_output_folder_gets(
    meta: Path, tmp_path: Path
) -> None:
    advice = run("tune", meta, *VALUES).stderr.split("with these: ")[1]
    words = shlex.split(advice)
    assert words[:5] == ["rankwise", "build", "features", "--from-metadata", str(meta)]
    here, there = tmp_path / "here", tmp_path / "there"
    run(*(str(here) if word == "OUT" else word for word in words[2:]))
    said = run("tune", meta, *VALUES, "-o", there).stderr
    assert f"written with these constants: {there}" in said
    assert "rankwise build features" not in said
    files = sorted(path.relative_to(here) for path in here.rglob("*.txt"))
    assert files
    assert [(here / name).read_bytes() for name in files] == [
        (there / name).read_bytes() for name in files
    ]
