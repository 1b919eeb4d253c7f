"""A ranker added as CONTRIBUTING says, a file and a line, is listed, trained and keeps the laws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankwise.data.normalization import normalize
from rankwise.data.synthetic import make_dataset
from rankwise.data.writing import write
from tests.contributing.package_copy import PackageCopy

RANKER = '''"""Correlations of the features with the labels."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.rankers.ranker import Family, Ranker, Watch
from rankwise.rankers.scorers.linear import Linear


@dataclass(frozen=True)
class Correlation(Ranker):
    """w_j = cov(x_j, y) / var(x_j), each feature by itself."""

    name: ClassVar[str] = "correlation"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Nobody (2026)"

    def _learn(
        self, train: Dataset, validation: Dataset | None, rng: np.random.Generator, watch: Watch
    ) -> tuple[Linear, dict[str, Any]]:
        centred = train.features - train.features.mean(axis=0)
        spread = (centred**2).sum(axis=0)
        weights = (train.labels - train.labels.mean()) @ centred / np.where(spread, spread, 1.0)
        return Linear(weights), {}
'''


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> PackageCopy:
    copy = PackageCopy(tmp_path_factory.mktemp("package"))
    copy.write("rankers/pointwise/correlation.py", RANKER)
    copy.insert_line(
        "rankers/registry.py",
        '    "mart": "pointwise.mart:Mart",\n',
        '    "correlation": "pointwise.correlation:Correlation",\n',
    )
    return copy


def test_it_is_listed_and_trained_by_command_and_by_function(
    extended: PackageCopy, tmp_path: Path
) -> None:
    write(normalize(make_dataset(12, seed=3), "query-level"), tmp_path / "data.txt")
    listed = extended.run("-m", "rankwise", "rankers", "list", "--format", "json").stdout
    assert "correlation" in [one["name"] for one in json.loads(listed)]
    model = tmp_path / "model.json"
    extended.run("-m", "rankwise", "train", str(tmp_path / "data.txt"), "--ranker", "correlation",
                 "-o", str(model))  # fmt: skip
    program = (
        "import rankwise as rw, sys\n"
        "data = rw.read(sys.argv[1])\n"
        "here = rw.fit('correlation', data).score(data)\n"
        "assert (rw.load_model(sys.argv[2]).score(data) == here).all()"
    )
    extended.run("-c", program, str(tmp_path / "data.txt"), str(model))


def test_it_keeps_the_laws(extended: PackageCopy) -> None:
    program = (
        "from rankwise.checks import check_ranker\n"
        "print(sum(one.reason is None for one in check_ranker('correlation', refuses=[])))"
    )
    # No parameters that lack a bound, but none that are refused a value either; no measure.
    assert extended.run("-c", program).stdout.split()[-1] == "46"
