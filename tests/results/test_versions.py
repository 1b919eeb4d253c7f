from __future__ import annotations

import pytest

from rankwise.results import separate_versions
from rankwise.results.result_table import ResultTable


@pytest.mark.parametrize(
    ("versions", "names"),
    [
        (("MIN", "QueryLevelNorm"), ["OHSUMED, MIN", "OHSUMED, QueryLevelNorm"]),
        (("MIN", "MIN"), ["OHSUMED", "OHSUMED"]),
        # Published figures name no version, and are those of QueryLevelNorm.
        (("QueryLevelNorm", None), ["OHSUMED", "OHSUMED"]),
        (("MIN", None), ["OHSUMED, MIN", "OHSUMED"]),
        (("MIN", "QueryLevelNorm", None),
         ["OHSUMED, MIN", "OHSUMED, QueryLevelNorm", "OHSUMED, QueryLevelNorm"]),
    ],
)  # fmt: skip
def test_versions_are_data_sets_of_their_own(
    versions: tuple[str | None, ...], names: list[str]
) -> None:
    rows = [{"collection": "LETOR 3.0", "dataset": "OHSUMED", "method": "a", "measure": "MAP",
             "value": 0.5, "version": version} for version in versions]  # fmt: skip
    found = separate_versions(ResultTable.from_rows(rows))
    assert found.dataset.tolist() == names
    assert found.version.tolist() == list(versions)
