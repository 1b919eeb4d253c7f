"""The title of a page: informative titles, and the most prominent line of pages without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.collection.corpora.document import Document
from rankwise.collection.corpora.html import is_informative, make_page_document


def extracted(markup: str) -> str:
    page = make_page_document("p", "http://a.org/", markup.encode(), "here")
    assert isinstance(page, Document)
    return page.streams["extracted title"]


@pytest.mark.parametrize("title", ["Geology of Utah", "Home - NASA", "Page 3 of the report",
                                   "Água", "index of economic freedom", "A"])  # fmt: skip
def test_titles_that_say_something_are_taken(title: str) -> None:
    assert is_informative(title)
    assert extracted(f"<title>{title}</title><h1>Another</h1>") == title


@pytest.mark.parametrize("title", ["", " ", "2003", "***", "Untitled Document", "UNTITLED-1",
                                   "New Page 1", "Welcome!", "index.html", "C:\\x\\a.wpd",
                                   "http://a.org/x", "home  page", "[Insert Title Here]",
                                   ])  # fmt: skip
def test_titles_that_say_nothing_give_way_to_the_page(title: str) -> None:
    assert not is_informative(title)
    assert extracted(f"<title>{title}</title><p>text<h2>Rivers of Ohio</h2>") == "Rivers of Ohio"


# Each line is more prominent than the one before it.
RISING = [
    "<p>plain</p>",
    "<h6>six</h6>",
    "<h5>five</h5>",
    "<h4>four</h4>",
    "<h3>three</h3>",
    "<h2>two</h2>",
    "<h1>one</h1>",
    "<h1 align=center>middle</h1>",
]
FORMATS = [
    "plain<br>",
    "<b>bold</b><br>",
    "<center><strong>centre</strong></center>",
    "<p align='center'><b><font size=4>four</font></b></p>",
    "<div align=center><b><font size='+2'>five</font></b></div>",
    "<center><big><b><font size=6>six</font></b></big></center>",
]


@pytest.mark.parametrize("lines", [RISING, FORMATS])
@pytest.mark.parametrize("backwards", [False, True])
def test_the_most_prominent_line_is_the_title(lines: list[str], backwards: bool) -> None:
    for length in range(2, len(lines) + 1):
        last = lines[length - 1]
        word = last.partition("</")[0].rpartition(">")[2]
        page = lines[:length][::-1] if backwards else lines[:length]
        assert extracted("".join(page)) == word
    assert extracted(lines[0]) == ""


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<h2>First</h2><h2>Second</h2>", "First"),
        ("<h1>About <a href=us>us</a><br>and <i>you</i></h1>", "About us and you"),
        ("<h1><img src=logo></h1><h2>Real</h2>", "Real"),
        ("<h1>* * *</h1><h3>Words</h3>", "Words"),
        ("A sentence with a <b>bold</b> word.<p><b>All bold</b></p>", "All bold"),
        ("<h1>Never closed<p>text<p>more", "Never closed"),
        ("</b></center></h1><font></font></font><b>Closed too often</b>", "Closed too often"),
        ("<font size=huge><font size=2>small</font></font>", ""),
        ("<p align=center>Middle<p>not", "Middle"),
        ("<h1>Tom &amp; Jerry</h1>", "Tom & Jerry"),
        ("<b>" + "long " * 100 + "</b><p><big>Short</big></p>", "Short"),
        ("<p>x</p>" * 60 + "<b>far below</b>", ""),
        ("<p>x</p>" * 60 + "<h3>far below</h3>", "far below"),
        ("<!-- <h1>no</h1> --><script><h1>no</h1></script><h4>Yes</h4>", "Yes"),
    ],
)
def test_pages_of_all_kinds(markup: str, title: str) -> None:
    assert extracted(markup) == title


tags = st.sampled_from(["<h1>", "</h1>", "<b>", "</b>", "<font size=7>", "</font>", "<center>",
                        "</center>", "<br>", "<p align=center>", "</p>", "<a href=x>", "</a>",
                        "<title>", "</title>", "word", " ", "&lt;", "<!ENTITY x 'y'>&x;",
                        ])  # fmt: skip


@given(st.lists(tags | st.text(max_size=5), max_size=40))
def test_any_page_gives_a_line_of_its_own_words(parts: list[str]) -> None:
    page = make_page_document("p", "http://a.org/", "".join(parts).encode("utf-8", "replace"), "x")
    if isinstance(page, Document):
        found = page.streams["extracted title"]
        assert found == " ".join(found.split())
        own = (page.streams["title"] + page.streams["body"]).replace(" ", "")
        assert found.replace(" ", "") in own
