from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from rankwise.comparison.method_ranking import Comparison
from rankwise.reports.comparison_report import Report
from rankwise.reports.page.content import embed_json, make_page, make_page_data

from .conftest import HOSTILE, METHODS


class Page(HTMLParser):
    """The elements of a page and the text of those that hold raw text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.raw.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.raw[-1] += data


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3)))
def test_embedded_json_reads_back_and_holds_no_markup(value: object) -> None:
    text = embed_json(value)
    assert json.loads(text) == value
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_no_name_becomes_an_element(made_report: Report) -> None:
    page = Page(make_page(made_report))
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert {"img", "b", "i", "iframe", "object"}.isdisjoint(tag for tag, _ in page.tags)


def test_the_title_is_text(made_report: Report) -> None:
    assert "<h1>Made &lt;b&gt;up&lt;/b&gt; &amp; compared</h1>" in make_page(made_report)


def test_nothing_refers_to_an_address_outside(made_report: Report) -> None:
    page = Page(make_page(made_report))
    for tag, attributes in page.tags:
        for name in ("src", "href", "action", "srcset", "data", "poster"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), (tag, attributes)
    style = page.raw[0]
    assert "url(" not in style
    assert "@import" not in style
    addresses = set(re.findall(r"https?://[^\s\"'`]+", page.raw[2]))
    assert addresses == {"http://www.w3.org/2000/svg"}, "only the name of the SVG language"


def test_the_policy_knows_style_and_script_by_their_hashes(made_report: Report) -> None:
    page = Page(make_page(made_report))
    (policy,) = (
        attributes["content"] or ""
        for tag, attributes in page.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    style, data, script = page.raw
    assert "default-src 'none'" in policy
    for kind, text in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert json.loads(data)["methods"]


def test_the_script_never_writes_markup(made_report: Report) -> None:
    script = Page(make_page(made_report)).raw[2]
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function"
    assert not re.search(forbidden, script)
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(", script)


def test_equal_reports_give_equal_pages(made_report: Report) -> None:
    assert make_page(made_report) == make_page(made_report)


def test_the_page_holds_every_result_once(made: Comparison, made_report: Report) -> None:
    data = make_page_data(made_report)
    found = {
        (data["datasets"][column["dataset"]]["name"], data["measures"][column["measure"]],
         data["methods"][method], value)
        for column in data["columns"]
        for method, value in zip(column["methods"], column["values"], strict=True)
    }  # fmt: skip
    rows = made.table.rows()
    assert found == {
        (f"{row['collection']} {row['dataset']}", row["measure"], row["method"], row["value"])
        for row in rows
    }
    assert sum(len(column["methods"]) for column in data["columns"]) == len(rows)


def test_wins_of_the_page_add_up_to_the_ranking(made: Comparison, made_report: Report) -> None:
    data = make_page_data(made_report)
    wins = dict.fromkeys(METHODS, 0)
    for column in data["columns"]:
        for method, won, lost in zip(
            column["methods"], column["wins"], column["losses"], strict=True
        ):
            wins[data["methods"][method]] += won
            assert won + lost <= len(column["methods"]) - 1
    assert wins == {row.method: row.wn for row in made.rows}


def test_sources_and_citations_are_there(made_report: Report) -> None:
    data = make_page_data(made_report)
    lonely = next(c for c in data["columns"] if len(c["methods"]) == 1)
    assert data["sources"][lonely["sources"][0]] == "Study 9"
    cited = dict(zip(data["methods"], data["citations"], strict=True))
    assert cited["Linear Regression"]
    assert all(cited[name] is None for name in HOSTILE)
