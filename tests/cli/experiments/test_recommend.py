from __future__ import annotations

import csv
import json
import math
from io import StringIO
from pathlib import Path

import click
import pytest

from rankwise.cli.rankers.ranker_commands import recommend
from rankwise.errors import RankwiseError
from rankwise.experiments import recommend as order_methods
from rankwise.reports import make_cost_plane
from rankwise.reports.figures import FRONT
from rankwise.results import write_dense
from tests.cli.command import run
from tests.experiments.made_evidence import RANKERS, SIZES, make_table

STRENGTH = dict(zip(RANKERS, (0.40, 0.50, 0.42, 0.43, 0.41, 0.44), strict=True))
SIZE = ("--documents", 20_000, "--features", 46)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """LambdaMART is best and slow; list net failed once."""
    folder = tmp_path_factory.mktemp("table")
    made = make_table(
        lambda number, ranker: STRENGTH[ranker] - 0.01 * number,
        seconds=lambda number, ranker: (40.0 if ranker == "lambdamart" else 1.0)
        * SIZES[number][0] * SIZES[number][1] / 5e5,
        failures={(3, "listnet"): "error: no step"},
        names={"lambdamart": "LambdaMART"},
        query_noise=0.05,
    )  # fmt: skip
    write_dense(made, folder)
    return folder


def test_the_first_method_and_its_command_are_told(table: Path) -> None:
    result = run(recommend, *SIZE, "--table", table)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    first = next(line for line in lines if line[:1] == ["1"])
    assert first[:4] == ["1", "LambdaMART", "0.0", "%"] and first[-1] == "lambdamart"
    assert "Try first: rankwise tune DATA --ranker lambdamart --cross-validate 5" in result.stdout
    assert "listnet failed on 1 of 7 data sets" in result.stderr
    assert "times are of one core of the machine that ran the table" in result.stderr


def test_what_takes_too_long_stands_below(table: Path) -> None:
    result = run(recommend, *SIZE, "--table", table, "--time", "60s")
    above, _, below = result.stdout.partition("May take longer than 60 s")
    assert "LambdaMART" in below and "LambdaMART" not in above
    assert "Try first: rankwise tune DATA --ranker coordinate-ascent" in below
    none = run(recommend, *SIZE, "--table", table, "--time", "1s")
    assert "No method here is sure to end within 1 s." in none.stdout
    assert "Try first" not in none.stdout


def test_accuracy_is_drawn_against_cost(table: Path, tmp_path: Path) -> None:
    result = run(recommend, *SIZE, "--table", table, "-o", tmp_path / "figures")
    assert f"wrote {tmp_path / 'figures' / 'accuracy-against-cost.png'}" in result.stderr
    found = order_methods(documents=20_000, features=46, table=table)
    plane = make_cost_plane(found)
    points = {point.name: point for point in plane.points}
    slow, fast = points["LambdaMART"], points["coordinate-ascent"]
    # It takes 40 times as long, to the hundredth of a second that the table keeps.
    assert fast.x - slow.x == pytest.approx(math.log10(40.0), abs=0.01)
    assert slow.y == pytest.approx(100.0)
    on_front = {point.name for point in plane.points if point.front == FRONT}
    assert on_front == {
        name
        for name, one in points.items()
        if not any(other.x >= one.x and other.y >= one.y
                   for other in points.values() if other is not one)
    }  # fmt: skip
    assert {"LambdaMART"} < on_front < set(points)
    refused = run(recommend, "--check", "--table", table, "-o", tmp_path / "other")
    assert "--check is about the table, not about data; leave --output out" in refused.output


def test_only_so_many_are_shown(table: Path) -> None:
    result = run(recommend, *SIZE, "--table", table, "--limit", 2)
    assert "and 4 more; see --limit" in result.stdout
    assert "ridge-regression" not in result.stdout


def test_the_check_shows_every_order_and_every_rival(table: Path) -> None:
    result = run(recommend, "--check", "--table", table, "--format", "csv")
    rows = {row["Way"]: row for row in csv.DictReader(StringIO(result.stdout))}
    orders = ["mean-loss", "median-loss", "scaled-loss", "mean-rank", "shrunk-loss", "similar-data"]
    assert list(rows) == [
        *orders, "best order of the others", "always lambdamart", "always ridge-regression",
        "at random",
    ]  # fmt: skip
    assert all(rows[name]["Regret"] == "0.0 %" for name in orders)
    assert rows["always ridge-regression"]["Regret"] != "0.0 %"
    assert "wrong by a factor of 1.00" in result.stderr


def test_json_has_the_facts_of_the_data_and_null_for_what_is_unknown(table: Path) -> None:
    found = json.loads(run(recommend, *SIZE, "--table", table, "--format", "json").stdout)
    assert found["data"]["documents"] == 20_000 and found["data"]["queries"] is None
    # The losses of the first are all alike, which gives no interval.
    assert found["methods"][0]["loss_low"] is None


def test_what_cannot_be_asked(table: Path) -> None:
    with pytest.raises(RankwiseError, match="the number of documents must be at least 1, found 0"):
        run(recommend, "--documents", 0, "--features", 3, "--table", table)
    with pytest.raises(RankwiseError, match="a time must be"):
        run(recommend, *SIZE, "--time", "-10m", "--table", table)
    refused = run(recommend, "data.txt", "--check", "--table", table)
    assert refused.exit_code == 2 and isinstance(refused.exception, SystemExit)
    assert "--check is about the table, not about data; leave DATA out" in refused.output
    assert isinstance(recommend, click.Command)
