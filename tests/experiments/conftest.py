"""A small data set in five folds, and short ways to plans and runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankwise.data.folds import compose_folds, cut_into_parts, write_folds
from rankwise.data.normalization.normalizing import normalize
from rankwise.data.synthetic import make_dataset


@pytest.fixture(scope="session")
def folds(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("data") / "small"
    dataset = normalize(make_dataset(25, seed=3), "query-level")
    write_folds(compose_folds(cut_into_parts(dataset)), folder)
    return folder
