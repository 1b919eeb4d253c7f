"""Small figures of notebooks: what they show, as well-formed SVG that holds numbers only."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.tables.notebook import BINS, WIDTH, SmallBar, SmallHistogram, SmallInterval
from tests.reports.made_queries import make_store


def widths(drawing: str) -> list[float]:
    return [float(one.get("width", 0)) for one in ElementTree.fromstring(drawing)]


def test_a_bar_is_as_long_as_its_share() -> None:
    assert widths(SmallBar(1.0, 2.0).draw()) == [WIDTH / 2 - 1]
    assert widths(SmallBar(-1.0, 2.0).draw()) == [WIDTH / 2 - 1]
    assert 'fill="none"' in SmallBar(-1.0, 2.0).draw()
    assert widths(SmallBar(0.0, 0.0).draw()) == [0.0]


def test_a_histogram_counts_every_finite_value_once() -> None:
    found = SmallHistogram.of([0.0, 0.5, 1.0, 1.0, math.nan])
    assert (sum(found.counts), found.counts[0], found.counts[-1]) == (4, 1, 2)
    assert len(widths(found.draw())) == BINS
    assert SmallHistogram.of([-1.0, 3.0])[1:] == (-1.0, 3.0)


def test_an_interval_without_ends_is_not_drawn() -> None:
    assert SmallInterval(0.1, 0.0, 0.2, 0.2).draw().startswith("<svg")
    assert SmallInterval(0.1, -math.inf, 0.2, 0.2).draw() == ""


def test_notebooks_show_figures_beside_the_numbers(tmp_path) -> None:
    data = rw.normalize(make_dataset(12, seed=2), "query-level")
    systems = {f"feature {n}": data.features[:, n] for n in range(3)}
    store = make_store(tmp_path / "results.sqlite")
    shown = [
        rw.evaluate(data, data.features[:, 0], ["MAP", "NDCG@10"]),
        rw.significance(data, systems, "MAP"),
        rw.fit("ridge-regression", data),
        rw.compare(store),
    ]
    with rw.Store.read(store) as opened:
        pages = [*(one._repr_html_() for one in shown), opened._repr_html_()]
    for page in pages:
        assert "<svg" in page
        ElementTree.fromstring(f"<div>{page}</div>")


def test_a_model_shows_what_counts_most_first() -> None:
    model = rw.fit("ridge-regression", rw.normalize(make_dataset(12, seed=2), "query-level"))
    columns, rows = model._shown()
    counts = [abs(row[1]) for row in rows]
    assert counts == sorted(counts, reverse=True)
    assert columns == ("feature", "importance", "")
    assert len(model.to_frame()) == len(counts)


def test_a_closed_store_shows_nothing(tmp_path) -> None:
    store = rw.Store.read(make_store(tmp_path / "results.sqlite"))
    store.close()
    assert "<svg" not in store._repr_html_()
