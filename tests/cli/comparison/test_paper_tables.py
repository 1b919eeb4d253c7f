"""Tables for papers by command: results show, significance and compare in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import click
import pytest

from rankwise.cli.options import FORMATS
from tests.cli.test_options import COMMANDS
from tests.cli.whole_program import rankwise
from tests.reports.made_queries import METHODS, make_store

# What prints no table, or writes files and says so.
WITHOUT_TABLES = {
    "arena export", "arena invite", "arena revoke", "clicks convert", "completion", "demo",
    "literature cite", "model export", "results check", "results convert", "results export",
    "results extract", "results gc", "results merge", "score", "serve", "train",
}  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_store(tmp_path_factory.mktemp("paper") / "results.sqlite"))


def ask(*words: str) -> str:
    ended = rankwise(*words)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.parametrize("name", [one for one in COMMANDS if one not in WITHOUT_TABLES])
def test_formats_are_the_same_set_everywhere(name: str) -> None:
    option = next(one for one in COMMANDS[name].params if one.name == "output_format")
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices[: len(FORMATS)]) == FORMATS


def test_the_best_is_bold_and_the_second_underlined(store: str) -> None:
    latex = ask("results", "show", store, "--format", "latex")
    better = next(line for line in latex.splitlines() if line.startswith("better"))
    assert better.count(r"\textbf{") == 2
    assert latex.count(r"\underline{") == 2
    markdown = ask("results", "show", store, "--format", "markdown")
    assert len(re.findall(r"\*\*0\.\d{4}\*\*", markdown)) == 2
    assert len(re.findall(r"(?<!\*)\*0\.\d{4}\*(?!\*)", markdown)) == 2


def test_marks_and_margins_are_asked_for(store: str) -> None:
    words = ("results", "show", store, "--against", "bm25", "--margin")
    assert "<sup>+</sup> ± 0." in ask(*words, "folds", "--format", "markdown")
    rows = list(csv.DictReader(io.StringIO(ask(*words, "queries", "--format", "csv"))))
    assert {row["method"]: row["MAP mark"] for row in rows}["better"] == "+"
    assert all(float(row["MAP margin"]) > 0 for row in rows)
    assert "▲" in ask(*words, "folds")


@pytest.mark.parametrize("form", ["table", "csv", "latex", "markdown"])
def test_every_format_says_what_margins_are(store: str, form: str) -> None:
    ended = rankwise("results", "show", store, "--margin", "queries", "--format", form)
    assert "is half of the 95" in ended.out + ended.err
    rows = list(csv.reader(io.StringIO(ended.out))) if form == "csv" else [[]]
    assert len({len(row) for row in rows}) == 1


def test_a_method_that_is_not_there_is_named(store: str) -> None:
    ended = rankwise("results", "show", store, "--against", "nobody")
    assert ended.code == 2
    assert "must be one of" in ended.err and "found 'nobody'" in ended.err


def test_columns_and_transposed_tables(store: str) -> None:
    turned = ask("results", "show", store, "--transpose", "--columns", "method,MAP",
                 "--format", "csv")  # fmt: skip
    assert set(turned.splitlines()[0].split(",")) == {"method", *METHODS}
    assert len(turned.splitlines()) == 2
    parts = ask("compare", store, "--format", "latex", "--columns", "3")
    assert parts.count(r"\begin{tabular}") == 3
    chosen = ask("significance", store, "-m", "MAP", "--columns", "system,change", "--format",
                 "markdown")  # fmt: skip
    assert "| System | Change |" in chosen


def test_significance_has_its_paper_table(store: str) -> None:
    latex = ask("significance", store, "-m", "MAP", "--format", "latex")
    assert r"\textbf{" in latex and "$^{+}$" in latex and r"$\pm$" in latex
    pairs = ask("significance", store, "-m", "MAP", "--all-pairs", "--format", "markdown")
    assert pairs.count("\n| ") == 1 + 3


def test_any_table_can_be_had_for_programs_and_papers(store: str) -> None:
    listed = rankwise("results", "list", store, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(listed.out)))
    assert len(rows) == len(json.loads(ask("results", "list", store, "--format", "json")))
    assert {row["method"] for row in rows} == set(METHODS)
    assert ask("measures", "--format", "latex").count(r"\toprule") >= 1
    assert ask("rankers", "list", "--format", "csv").count("\n") > 20


def test_sentences_do_not_stand_among_the_rows(store: str) -> None:
    ended = rankwise("data", "list", "--format", "csv")
    width = len(next(csv.reader(io.StringIO(ended.out))))
    rows = [row for row in csv.reader(io.StringIO(ended.out)) if row]
    assert all(len(row) == width for row in rows)


def test_a_terminal_shows_the_best_in_bold(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = ask("results", "show", store)
    assert shown.count("\x1b[1m0.") == 2
    assert shown.count("\x1b[4m0.") == 2
    assert "\x1b[1m" in ask("compare", store)


def test_a_report_names_the_command_that_was_typed_and_the_day(tmp_path: Path, store: str) -> None:
    ask("compare", store, "-o", str(tmp_path / "report"), "--figures", "none")
    page = (tmp_path / "report/report.html").read_text()
    assert f'"made":"Made on 2023-11-14 by: rankwise compare {store} -o ' in page
