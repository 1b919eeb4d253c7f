"""A full disk: one sentence that is true, and nothing left that was only begun."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rankwise.collection import build
from rankwise.comparison import compare
from rankwise.errors import RankwiseError
from rankwise.files import make_folder, write_text, written_together
from rankwise.models import export_model, save_model
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from rankwise.reports import report
from tests.full_disk import largest_file


def list_names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# The model, the features' definitions, the golden rows and the certificate fail in turn.
@pytest.mark.parametrize("size", [10, 500, 1000, 2000])
@pytest.mark.parametrize("before", ["", "older"])
def test_an_export_is_written_with_all_that_is_beside_it_or_not_at_all(
    before: str, size: int, tmp_path: Path
) -> None:
    model, output = tmp_path / "model.json", tmp_path / "out" / "solr.json"
    save_model(Model("ridge-regression", {}, Linear(np.arange(3.0))), model)
    output.parent.mkdir()
    if before:
        export_model(model, "solr", output, store=before)
    found = {path: path.read_bytes() for path in output.parent.iterdir()}
    with (
        largest_file(size),
        pytest.raises(RankwiseError, match=r"cannot write .*out/solr\.json: .*nothing was left"),
    ):
        export_model(model, "solr", output, store="newer" * 20)
    assert {path: path.read_bytes() for path in output.parent.iterdir()} == found


def test_an_export_whose_data_cannot_be_scored_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PMML without Java: what has no certificate is not left behind."""
    monkeypatch.setenv("PATH", "")
    model = tmp_path / "model.json"
    save_model(Model("ridge-regression", {}, Linear(np.arange(2.0))), model)
    (tmp_path / "data.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:3\n")
    (tmp_path / "out").mkdir()
    with pytest.raises(RankwiseError, match="running a PMML document needs"):
        export_model(model, "pmml", tmp_path / "out" / "m.pmml", data=tmp_path / "data.txt")
    assert list_names(tmp_path / "out") == []
    certificate = export_model(model, "pmml", tmp_path / "out" / "m.pmml").certificate
    assert certificate is not None and certificate.computed_by.startswith("not computed")


@pytest.mark.parametrize("size", [1000, 60_000])
def test_a_report_is_written_whole_or_not_at_all(size: int, tmp_path: Path) -> None:
    found = compare("dearank_tables_2_to_5")
    report(found, tmp_path / "there", formats=[])
    older = (tmp_path / "there" / "report.html").read_bytes()
    for folder in (tmp_path / "deep" / "new", tmp_path / "there"):
        with (
            largest_file(size),
            pytest.raises(RankwiseError, match=r"report\.html: File too large; nothing was left"),
        ):
            report(found, folder, formats=[], title="newer")
    assert not (tmp_path / "deep").exists()
    assert (tmp_path / "there" / "report.html").read_bytes() == older
    assert not [name for name in list_names(tmp_path / "there") if "unfinished" in name]


def write_collection(home: Path) -> dict[str, Path]:
    """Documents of many words, so that indexes take more room than what stands beside them."""
    words = [f"word{number}" for number in range(1500)]
    rows = [
        f"<DOC>\n<DOCNO>d{n}</DOCNO>\n<TEXT>{' '.join(words[n :: n + 1])}</TEXT>\n</DOC>\n"
        for n in range(40)
    ]
    (home / "corpus.trec").write_text("".join(rows))
    (home / "queries.tsv").write_text("".join(f"{q}\tword{q} word{q + 5}\n" for q in range(1, 9)))
    pairs = [f"{q} 0 d{n} {n % 2}\n" for q in range(1, 9) for n in range(10)]
    (home / "qrels.txt").write_text("".join(pairs))
    return {
        "corpus": home / "corpus.trec",
        "queries": home / "queries.tsv",
        "qrels": home / "qrels.txt",
    }


# A segment, the words of the merged index, and files of the data set.
@pytest.mark.parametrize("size", [2000, 4000, 20_000])
def test_a_build_says_what_stays_and_goes_on_from_it(size: int, tmp_path: Path) -> None:
    given, home = write_collection(tmp_path), tmp_path / "built"
    with (
        largest_file(size),
        pytest.raises(
            RankwiseError, match=r"cannot write .*built: .*; what is finished stays there, and"
        ),
    ):
        build(**given, output=home)
    assert not (home / ".building").exists()
    build(**given, output=home)
    build(**given, output=tmp_path / "other")
    for name in ("queries.tsv", "Meta/query-1.xml"):
        assert (home / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_files_and_folders_are_moved_together(tmp_path: Path) -> None:
    with written_together(tmp_path / "page.html") as work:
        write_text(make_folder(work / "figures") / "one.txt", "one")
        write_text(work / "page.html", "page")
        assert len(list(tmp_path.iterdir())) == 1
    assert list_names(tmp_path) == ["figures", "figures/one.txt", "page.html"]
    with pytest.raises(RankwiseError, match="it is a directory"), written_together(tmp_path):
        pass
    with (
        pytest.raises(RankwiseError, match=r"the folder .* does not exist"),
        written_together(tmp_path / "none" / "page.html"),
    ):
        pass
