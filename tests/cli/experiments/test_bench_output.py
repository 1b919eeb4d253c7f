from __future__ import annotations

from dataclasses import replace

import pytest

from rankwise.cli import output
from rankwise.cli.experiments.bench_command import narrowed, print_summaries
from rankwise.experiments.summary import DatasetSummary, Row, summarize
from rankwise.reports.bench_report import tabulate_summary
from rankwise.results.task_records import TaskName, TaskValue

MEASURES = ("MAP", "NDCG@1", "NDCG@3", "NDCG@10", "P@10")


def summary(published: float | None, name: str = "a method") -> DatasetSummary:
    row = Row(name, 5, (0.25,) * 5, (published,) * 5)
    return DatasetSummary("data", None, "letor4", "test", MEASURES, (row,))


@pytest.mark.parametrize(
    ("published", "width", "kept"),
    [
        (None, 80, MEASURES),
        (0.449, 83, ("MAP", "NDCG@1", "P@10")),
        (0.449, 82, ("MAP", "P@10")),
        (0.449, 62, ("MAP", "P@10")),
        (0.449, 61, ("P@10",)),
        (0.449, 30, ("P@10",)),
    ],
)
def test_a_narrow_terminal_shows_the_first_measures_and_the_last(
    published: float | None, width: int, kept: tuple[str, ...]
) -> None:
    assert narrowed(summary(published), width).measures == kept


def test_measures_without_room_are_named_with_how_to_have_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rankwise.cli.experiments.bench_command.terminal_width", lambda: 83)
    print_summaries([summary(0.449)], "table", naming="name them with -m, or ")
    assert capsys.readouterr().err == (
        "not shown for want of room: NDCG@3, NDCG@10 (name them with -m, or --format markdown)\n"
    )
    print_summaries([summary(0.449)], "markdown")
    assert capsys.readouterr().err == ""


def test_seeds_stand_beside_folds_where_there_are_several() -> None:
    one = summary(None)
    assert tabulate_summary(one)[0][:3] == ["method", "folds", "MAP"]
    rows = tuple(replace(one.rows[0], seeds=seeds) for seeds in ((3, 4), (4, 4)))
    titles, lines = tabulate_summary(replace(one, rows=rows))
    assert titles[:3] == ["method", "folds", "seeds"]
    assert [line[2] for line in lines] == ["3–4", "4"]


def test_published_figures_keep_the_decimals_they_were_printed_with() -> None:
    _, (line,) = tabulate_summary(summary(0.449))
    assert line[2:4] == ["0.2500", "0.449"]
    _, (line,) = tabulate_summary(summary(0.4491))
    assert line[3] == "0.4491"


@pytest.mark.parametrize("width", [60, 80, 100])
def test_figures_are_whole_beside_names_of_any_length(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "terminal_width", lambda: width)
    monkeypatch.setattr("rankwise.cli.experiments.bench_command.terminal_width", lambda: width)
    name = TaskName("", "data", None, 1, "long " * 20, "best-feature", 0, "letor4")
    means = [TaskValue(1, name, "test", "letor4", measure, 0.1234) for measure in MEASURES]
    print_summaries(summarize(means), "table")
    printed = capsys.readouterr().out
    assert "0.1234" in printed and "long" in printed
    assert all(len(line) <= width for line in printed.splitlines())
