from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankwise.cli.rankers.dearank import dearank
from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_writer import write_letor
from rankwise.errors import RankwiseError
from rankwise.experiments.dea_discussion import measure_pool
from tests.cli.whole_program import rankwise
from tests.rankers.test_dea_pool import made


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(dearank, ["analyse", *arguments])
    if isinstance(result.exception, RankwiseError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def written(path: Path, dataset: Dataset) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_letor(dataset, path)
    return str(path)


@pytest.fixture(scope="module")
def folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("folds")
    for number in (1, 2):
        for seed, part in enumerate(("train", "vali", "test")):
            written(home / f"Fold{number}" / f"{part}.txt", made(5, 10 * number + seed))
    return home


def test_a_file_is_judged_on_itself(tmp_path: Path) -> None:
    shown = run(written(tmp_path / "train.txt", made(5))).stdout
    assert "Local overfitting and error diversity (section 5.1)" in shown
    assert "5 raw features as rankers" in shown
    assert "on the training data: DEARank-I" in shown
    for word in ("ccr-i", "ccr-o", "bcc", "additive", "dearank-o-ndcg", "Eq. 15"):
        assert word in shown


def test_json_holds_the_means_over_folds(folds: Path) -> None:
    found = json.loads(run(str(folds), "--format", "json").stdout)
    each = [measure_pool(made(5, seed), "ccr-o").biased for seed in (10, 20)]
    pools = {pool["model"]: pool for pool in found["pools"]}
    assert pools["ccr-o"]["biased"] == pytest.approx(sum(each) / 2)
    assert len(found["variants"]) == 8
    assert found["judged_on"] == "test"
    figure = found["figure_1"]
    assert figure["difference"] == pytest.approx(figure["DEARank-I"] - figure["DEARank-O"])


def test_one_fold_and_pools_only(folds: Path) -> None:
    arguments = (str(folds), "--fold", "2", "--pools-only", "--format", "json")
    found = json.loads(run(*arguments).stdout)
    assert found["pools"][0]["biased"] == pytest.approx(measure_pool(made(5, 20), "ccr-i").biased)
    assert found["variants"] == []
    assert found["figure_1"] is None


def test_figures_are_drawn(folds: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "figures"
    run(str(folds), "--fold", "1", "--out", str(out))
    names = {path.name for path in out.iterdir()}
    kinds = ("local-overfitting", "error-diversity", "ensemble-diversity", "variants")
    assert names == {f"dearank-{kind}.{end}" for kind in kinds for end in ("png", "svg")}


def test_a_reduced_pool_prints_the_row_of_table_8(folds: Path) -> None:
    arguments = (str(folds), "--fold", "1", "--best", "3", "--phi", "linear")
    shown = run(*arguments).stdout
    assert "Change by the reduced pool in percent" in shown
    assert "dearank-o-map, best 3" in shown
    found = json.loads(run(*arguments, "--format", "json").stdout)
    assert list(found["changes"]) == [*(f"NDCG@{cut}" for cut in range(1, 11)), "MAP"]
    assert len(found["variants"]) == 12
    pools = {pool["model"]: pool for pool in found["pools"]}
    expected = measure_pool(made(5, 10), "ccr-o", phi="linear")
    assert pools["ccr-o"]["biased"] == pytest.approx(expected.biased)


def test_a_reduced_pool_is_no_use_without_training(folds: Path) -> None:
    with pytest.raises(RankwiseError, match=r"together with pools only.*leave out best"):
        run(str(folds), "--pools-only", "--best", "3")


def test_efficiency_shows_the_documents_of_a_query(tmp_path: Path) -> None:
    file = written(tmp_path / "test.txt", made(3))
    shown = rankwise("dearank", "efficiency", file, "--query", "1").out
    assert "Documents of query 1" in shown
    assert "cross-efficiency" in shown
    assert "of 12 documents are efficient" in shown
    assert (
        "the data have no query '9'" in rankwise("dearank", "efficiency", file, "--query", "9").err
    )


def test_refusals(folds: Path, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match="has no fold 7"):
        run(str(folds), "--fold", "7")
    file = written(tmp_path / "train.txt", made(2))
    with pytest.raises(RankwiseError, match=r"one fold can be chosen of a folder.*leave out fold"):
        run(file, "--fold", "1")
    assert "leave out --fold" in rankwise("dearank", "analyse", file, "--fold", "1").err
    with pytest.raises(RankwiseError, match="no such file"):
        run(str(tmp_path / "absent.txt"))
    null = tmp_path / "null.txt"
    null.write_text("1 qid:1 1:NULL 2:0.5\n0 qid:1 1:0.1 2:0.2\n")
    with pytest.raises(RankwiseError, match="cannot take NULL features, found some in the train"):
        run(str(null))
