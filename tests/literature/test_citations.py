"""Who to cite: every paper that a shipped table names is known."""

from __future__ import annotations

import re

import pytest

from rankwise.errors import RankwiseError
from rankwise.rankers.registry import ranker_names
from rankwise.results import (
    SHIPPED,
    cite,
    cite_source,
    cite_sources,
    cite_table,
    find_citation,
    find_citations,
    find_papers,
    read_shipped,
    read_shipped_rows,
    split_sources,
)
from rankwise.results.published.citations import Citation, _read_citations, cite_ranker


def test_every_method_of_table_a5_has_its_papers_and_sources() -> None:
    for row in read_shipped_rows("tax2015_table_a5"):
        labels = [paper.label for paper in find_citations(row["method"])]
        if row["original_paper"]:
            assert labels == row["original_paper"].split("; ")
        assert cite_sources(row["method"])
    unnamed = {
        row["method"]
        for row in read_shipped_rows("tax2015_table_a5")
        if not find_citations(row["method"])
    }
    assert unnamed == {"Best Single Feature"}


def test_sources_of_table_a5_are_split_at_commas_and_semicolons() -> None:
    labels = [paper.label for paper in cite_sources("AdaRank-NDCG")]
    assert labels == ["L2", "L3", "L4", "Busa-Fekete et al. (2013)", "Tan et al. (2013)"]


def test_every_method_of_the_shipped_results_has_a_paper() -> None:
    assert all(cite(method) for method in read_shipped().methods())


@pytest.mark.parametrize("name", [one.name for one in SHIPPED if one.kind == "results"])
def test_every_source_of_a_result_has_its_papers(name: str) -> None:
    sources = {source for source in read_shipped(name).source if source}
    for source in sources:
        assert len(cite_source(source)) == len(split_sources(source)) > 0
        assert find_papers(source).proposed == tuple(cite_source(source))


def test_an_official_baseline_is_cited_as_the_page_of_its_collection() -> None:
    assert cite_source("official LETOR 3.0 baseline") == [find_citation("L3")]


def test_the_two_svms_are_cited_as_jiang_and_lin_do() -> None:
    assert [paper.key for paper in cite("RankSVM-Primal")] == ["ChapelleKeerthi2010"]
    assert [paper.key for paper in cite("RankSVM-Struct")] == ["Joachims2006"]


def test_every_shipped_table_has_a_paper() -> None:
    assert all(cite_table(table.name) for table in SHIPPED)


@pytest.mark.parametrize("spelling", ["listnet", "List Net", "LIST-NET"])
def test_case_blanks_and_dashes_do_not_matter(spelling: str) -> None:
    assert cite(spelling) == [find_citation("Cao et al. (2007)")]


def test_a_reference_as_text() -> None:
    assert find_citation("Tax, Bockting and Hiemstra (2015)").text() == (
        "Tax, N., Bockting, S. and Hiemstra, D. (2015). A cross-benchmark comparison of 87 "
        "learning to rank methods. Information Processing & Management, 51(6):757-772."
    )


def test_a_reference_as_bibtex() -> None:
    assert find_citation("Tax, Bockting and Hiemstra (2015)").bibtex().splitlines() == [
        "@article{Tax2015,",
        "  author = {Tax, N. and Bockting, S. and Hiemstra, D.},",
        "  title = {{A cross-benchmark comparison of 87 learning to rank methods}},",
        r"  journal = {Information Processing \& Management},",
        "  volume = {51},",
        "  number = {6},",
        "  pages = {757--772},",
        "  year = {2015},",
        "}",
    ]


def test_an_institution_is_not_parted_into_names() -> None:
    assert "author = {{Microsoft Research Asia}}" in find_citation("L3").bibtex()


@pytest.mark.parametrize("paper", _read_citations().values(), ids=lambda paper: paper.key)
def test_every_entry_is_whole(paper: Citation) -> None:
    year = re.search(r"\((\d{4})[a-c]?\)", paper.label)
    assert paper.authors
    assert paper.title
    if year:
        assert paper.year == int(year[1])
        assert paper.venue or paper.eprint
        surname = paper.authors[0].partition(",")[0]
        assert paper.label.startswith(surname)
    braces = paper.bibtex().replace(r"\{", "").replace(r"\}", "")
    assert braces.count("{") == braces.count("}")


def test_keys_and_labels_are_unique() -> None:
    keys = [paper.key for paper in _read_citations().values()]
    assert len(set(keys)) == len(keys) == 105


def test_an_unknown_method_gets_the_nearest_name_or_no_paper() -> None:
    with pytest.raises(RankwiseError, match="did you mean 'LambdaMART'"):
        cite("LambdaMARS")
    with pytest.raises(RankwiseError, match="name no original paper for 'Best Single Feature'"):
        cite("Best Single Feature")
    assert find_citations("my own method") == []
    with pytest.raises(RankwiseError, match="no paper is known as"):
        find_citation("Nobody (1900)")


@pytest.mark.parametrize("name", ranker_names())
def test_every_ranker_has_a_paper(name: str) -> None:
    (first, *_) = find_papers(name).proposed
    assert first.text() and first.bibtex().startswith("@")


def test_a_ranker_that_no_table_names_says_whom_to_cite() -> None:
    found = cite_ranker("mart")
    assert found is not None
    assert (found.label, found.year, found.venue) == (
        "Friedman (2001)", 2001, "Annals of Statistics 29(5)",
    )  # fmt: skip
    assert cite_ranker("no such ranker") is None


def test_citations_that_were_checked_against_their_publishers() -> None:
    by_label = {label: find_citation(label) for label in (
        "Chen et al. (2017)", "Cormack, Clarke and Büttcher (2009)",
        "Pobrotyn and Bialobrzeski (2021)", "Swezey et al. (2021)",
    )}  # fmt: skip
    chen, cormack, pobrotyn, swezey = by_label.values()
    assert (chen.doi, chen.volume) == ("10.1155/2017/4629534", "2017")
    assert (cormack.doi, cormack.pages) == ("10.1145/1571941.1572114", "758-759")
    assert pobrotyn.eprint == "arXiv:2102.07831"
    assert (swezey.kind, swezey.eprint) == ("inproceedings", "arXiv:2012.06731")
    assert "NeurIPS" in str(swezey.venue)
