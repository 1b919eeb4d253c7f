"""Certificates: what stands beside an exported file, and what verifying it finds."""

from __future__ import annotations

import json
import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from rankwise.data.dataset import Dataset
from rankwise.data.reading import read, write
from rankwise.errors import RankwiseError
from rankwise.models import export_model, read_certificate, save_model, verify_export
from rankwise.models.golden_rows import (
    GROUPS,
    compare_scores,
    count_order_changes,
    golden_text,
    make_golden_rows,
    read_golden_rows,
)
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from tests.models.made import made_models

NAMES = ("title", "body", "links", "age")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    found = Model("lambdamart", {}, made_models()["trees"])
    save_model(found, path, feature_names=NAMES)
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(200, 4)).astype(np.float32).astype(np.float64)
    rows[rng.random(rows.shape) < 0.05] = np.nan
    dataset = Dataset.from_arrays(rows, np.zeros(200), group=[20] * 10)
    write(dataset, tmp_path / "data.txt")
    return tmp_path / "data.txt"


def test_what_stands_beside_an_export(model: Path, tmp_path: Path) -> None:
    output = tmp_path / "solr.json"
    exported = export_model(model, "solr", output, store="shop")
    document = json.loads(output.read_text("utf-8"))
    assert (document["store"], document["name"]) == ("shop", "lambdamart")
    features = json.loads((tmp_path / "solr.json.features.json").read_text("utf-8"))
    assert [(one["store"], one["name"]) for one in features] == [("shop", n) for n in NAMES]
    golden = (tmp_path / "solr.json.golden.csv").read_text("utf-8").splitlines()
    assert golden[0] == "group,title,body,links,age,score"
    assert len(golden) == 1 + 50
    certificate = read_certificate(output)
    assert certificate == exported.certificate
    assert certificate.computed_by == "format checked, not run in Solr"
    assert certificate.treatment["missing"] == "an absent feature is 0"
    assert certificate.golden["NULL"].greatest_difference > 0.01
    assert certificate.golden["between"].greatest_difference < 1e-5
    assert certificate.model == "model.json"


def test_same_model_same_files(model: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        export_model(model, "vespa", tmp_path / name / "m.profile")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")
def test_data_tell_how_many_queries_change(model: Path, data: Path, tmp_path: Path) -> None:
    lossy = export_model(model, "solr", tmp_path / "solr.json", data=data).certificate
    exact = export_model(model, "c", tmp_path / "model.c", data=data).certificate
    assert lossy is not None and lossy.data is not None
    assert exact is not None and exact.data is not None
    assert lossy.data.orders.first_ten_changed > 0
    assert lossy.data.with_null > 0
    assert (exact.data.orders.changed, exact.data.scores.equal) == (0, 200)


def test_verifying_an_export(model: Path, data: Path, tmp_path: Path) -> None:
    output = tmp_path / "model.py"
    written = export_model(model, "python", output)
    found = verify_export(output, data)
    assert (found.agrees, found.changed, found.ran) == (True, False, True)
    assert found.computed_by.startswith("run in Python 3")
    assert found.certificate == written.certificate
    assert found.data is not None and found.data.orders.changed == 0
    assert "agrees, run in Python" in repr(found)
    assert list(found.to_frame()["rows of"])[:2] == ["at", "beside"]


def test_data_are_named_by_their_file_where_they_have_one(
    model: Path, data: Path, tmp_path: Path
) -> None:
    output = tmp_path / "model.py"
    export_model(model, "python", output)
    for given, name in ((data, str(data)), (str(data), str(data)), (read(data), "data")):
        found = verify_export(output, given)
        assert found.data is not None and found.data.file == name


def test_another_model_in_the_file_is_found_out(model: Path, tmp_path: Path) -> None:
    output = tmp_path / "model.py"
    export_model(model, "python", output)
    changed = output.read_text("utf-8").replace("LEAVES = (", "LEAVES = (\n    9.0,")
    output.write_text(changed, "utf-8")
    found = verify_export(output)
    assert (found.agrees, found.changed) == (False, True)


def test_the_model_must_be_the_one_that_was_exported(
    model: Path, data: Path, tmp_path: Path
) -> None:
    output = tmp_path / "model.py"
    export_model(model, "python", output)
    other = tmp_path / "other.json"
    save_model(Model("lambdamart", {}, made_models()["stumps"]), other)
    with pytest.raises(RankwiseError, match=r"other\.json is not the model that .* written from"):
        verify_export(output, data, model=other)
    model.rename(tmp_path / "moved.json")
    with pytest.raises(RankwiseError, match="data are compared with the model, found no"):
        verify_export(output, data)
    assert verify_export(output, data, model=tmp_path / "moved.json").agrees


def test_without_a_certificate(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("")
    with pytest.raises(RankwiseError, match="must have its certificate beside it"):
        verify_export(tmp_path / "model.py")
    (tmp_path / "model.py.certificate.json").write_text("{}")
    with pytest.raises(RankwiseError, match="is no certificate that can be read"):
        verify_export(tmp_path / "model.py")


def test_a_runtime_that_is_not_installed(
    model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    certificate = export_model(model, "onnx", tmp_path / "model.onnx").certificate
    assert certificate is not None
    assert certificate.computed_by.startswith("not computed: running an ONNX file needs")
    assert (certificate.golden, certificate.greatest_difference) == ({}, None)
    with pytest.raises(RankwiseError, match="install them: pip install 'onnx"):
        export_model(model, "onnx", tmp_path / "model.onnx", data=data)


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler here")
def test_names_of_the_engine_beside_names_of_the_data(data: Path, tmp_path: Path) -> None:
    """Data go by the model's names, the exported file by those of the engine."""
    save_model(Model("ridge-regression", {}, Linear(np.arange(1.0, 5.0))), tmp_path / "m.json")
    (tmp_path / "names.txt").write_text("d\nc\nb\na\n")
    names = tmp_path / "names.txt"
    found = export_model(tmp_path / "m.json", "c", tmp_path / "m.c", feature_names=names, data=data)
    assert found.certificate is not None and found.certificate.data is not None
    assert found.certificate.features == ("d", "c", "b", "a")
    assert found.certificate.data.scores.equal == 200


def test_an_intercept_that_is_left_out_is_no_difference(tmp_path: Path) -> None:
    scorer = Linear(np.array([0.5, 2.0]), intercept=7.0)
    save_model(Model("ridge-regression", {}, scorer), tmp_path / "m.json")
    found = export_model(tmp_path / "m.json", "solr", tmp_path / "solr.json")
    assert found.left_out == 7.0
    assert found.certificate is not None
    assert found.certificate.golden["between"].greatest_difference < 1e-6


def test_golden_rows_are_read_as_they_were_written() -> None:
    for scorer in made_models().values():
        if scorer.needs_relations:
            with pytest.raises(RankwiseError, match="needs a data set with relations"):
                make_golden_rows(scorer)
            continue
        golden = make_golden_rows(scorer)
        again = read_golden_rows(golden_text(golden, ('a,"', "b", "c", "d")), 4)
        assert again.groups == golden.groups
        np.testing.assert_array_equal(again.features, golden.features)
        np.testing.assert_array_equal(again.scores, golden.scores)
    assert sum(GROUPS.values()) == 50


def test_orders_and_scores_are_compared() -> None:
    expected = np.array([3.0, 2.0, 1.0, 5.0, 4.0, np.nan])
    found = np.array([3.0, 1.0, 1.0, 4.0, 5.0, 1.0])
    orders = count_order_changes(np.array([0, 3, 6]), expected, found)
    assert (orders.queries, orders.changed, orders.first_ten_changed) == (2, 1, 1)
    scores = compare_scores(expected, found)
    assert (scores.rows, scores.equal, scores.greatest_difference, scores.unlike) == (6, 2, 1.0, 1)
    assert scores.largest_score == 5.0


@pytest.mark.parametrize(
    "text", ["", "group,a,score\n", "group,a,b,c,d,score\nat,1,2,3,4,x\n", '"' * 9 + "\n\n"]
)
def test_golden_rows_that_cannot_be_read(text: str) -> None:
    with pytest.raises(RankwiseError, match="the golden rows cannot be read"):
        read_golden_rows(text, 4)


@pytest.mark.parametrize("program", ["def score_rows(rows): return rows[0]", "1 / 0", "x = ("])
def test_python_that_is_no_export(program: str, model: Path, tmp_path: Path) -> None:
    output = tmp_path / "model.py"
    export_model(model, "python", output)
    output.write_text(program)
    with pytest.raises(RankwiseError, match=r"one score a row|is no exported Python file"):
        verify_export(output)


def test_a_device_gets_the_model_alone(model: Path) -> None:
    exported = export_model(model, "ranklib", "/dev/null")
    assert exported.text.startswith("## LambdaMART")
    assert exported.certificate is None
    assert not Path("/dev/null.certificate.json").exists()


def _edited(path: Path, pattern: str, found: str) -> None:
    """One number of an exported file becomes another."""
    text = path.read_text("utf-8")
    changed = re.sub(pattern, found, text, count=1)
    assert changed != text
    path.write_text(changed, "utf-8")


def _certify_anew(path: Path) -> None:
    """The certificate takes the file for its own, so that only scores can tell."""
    place = Path(f"{path}.certificate.json")
    document = json.loads(place.read_text("utf-8"))
    document["sha256"] = sha256(path.read_bytes()).hexdigest()
    place.write_text(json.dumps(document), "utf-8")


@pytest.mark.parametrize("honest", [True, False])
@pytest.mark.parametrize(
    ("target", "pattern"),
    [
        ("python", r"(?<=THRESHOLDS = \(\n)( *)[-\d.e]+"),
        ("elasticsearch", r'(?<=\\"leaf\\": )()[-\d.e]+'),
        ("xgboost-json", r'(?<="leaf": )()[-\d.e]+'),
        ("solr", r'(?<="threshold": ")()[-\d.e]+'),
    ],
)
def test_a_file_of_which_one_number_was_changed_does_not_pass(
    target: str, pattern: str, honest: bool, model: Path, tmp_path: Path
) -> None:
    """Neither by its digest nor, where the certificate was changed as well, on rows of the data."""
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(500, 4)).astype(np.float32).astype(np.float64)
    dataset = Dataset.from_arrays(rows, np.zeros(500), group=[20] * 25)
    output = tmp_path / "exported"
    export_model(model, target, output)
    assert verify_export(output).agrees
    assert verify_export(output, dataset).agrees
    _edited(output, pattern, r"\g<1>0.0125")
    if honest:
        assert not verify_export(output).agrees
        return
    _certify_anew(output)
    found = verify_export(output, dataset)
    assert found.data is not None
    assert found.data.scores.greatest_difference > 1e-3
    assert (found.changed, found.agrees) == (False, False)


def test_a_copy_of_another_export_does_not_pass(model: Path, tmp_path: Path) -> None:
    """Scores are the same, the bytes are not those that were certified."""
    export_model(model, "python", tmp_path / "model.py")
    (tmp_path / "model.py").write_text((tmp_path / "model.py").read_text() + "\n")
    found = verify_export(tmp_path / "model.py")
    assert all(one.equal == one.rows for one in found.golden.values())
    assert (found.changed, found.agrees) == (True, False)


def test_rows_that_a_reader_treats_otherwise_pass_as_they_were_certified(
    model: Path, data: Path, tmp_path: Path
) -> None:
    """Solr reads NULL as 0: data with NULL do not score as the model does, unless that was said."""
    output = tmp_path / "solr.json"
    export_model(model, "solr", output)
    assert verify_export(output).agrees
    assert not verify_export(output, data).agrees
    export_model(model, "solr", output, data=data)
    assert verify_export(output, data).agrees


def test_golden_rows_beside_thresholds_count(model: Path, tmp_path: Path) -> None:
    """Every group does, not only the rows between thresholds."""
    output = tmp_path / "model.py"
    export_model(model, "python", output)
    golden = Path(f"{output}.golden.csv")
    rows = golden.read_text("utf-8").splitlines()
    for group in GROUPS:
        place = next(n for n, row in enumerate(rows) if row.startswith(group))
        changed = [*rows[:place], f"{rows[place].rpartition(',')[0]},77.0", *rows[place + 1 :]]
        golden.write_text("\n".join(changed), "utf-8")
        assert not verify_export(output).agrees, group


def test_golden_rows_that_nobody_scored_at_first(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the runtime came later, rows count that its treatment of features leaves alone."""
    pytest.importorskip("onnxruntime")
    for target in ("onnx", "onnx-float32"):
        output = tmp_path / target
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, "onnxruntime", None)
            certificate = export_model(model, target, output).certificate
        assert certificate is not None and not certificate.golden
        assert verify_export(output).agrees
