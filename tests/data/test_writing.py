"""What `write` puts into a file is what `read` finds in it, whatever the name ends with."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from rankwise.cli.main import main
from rankwise.data import Dataset, convert, read, write
from rankwise.data.formats.compression import is_compressed
from rankwise.data.table_columns import ARROW_TABLES, COMPRESSED_ENDINGS, TEXT_ENDINGS, TEXT_TABLES
from rankwise.errors import RankwiseError

TEXTS = (*TEXT_ENDINGS, *TEXT_TABLES, "", ".fold1")
ENDINGS = [
    *(f"{text}{packed}" for text in TEXTS for packed in ("", *COMPRESSED_ENDINGS)),
    *ARROW_TABLES,
    ".rwd",
]
DATA = Dataset.from_arrays(
    np.array([[0.1, math.nan], [1e300, -0.0], [3.0, 5e-324]]), [2.5, 0, 1], ["a", "a", "q, 2"],
    document_ids=["d1", 'say "d2"', ""],
)  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read(ending: str, tmp_path: Path) -> None:
    path, compressed = tmp_path / f"d{ending}", ending.endswith(COMPRESSED_ENDINGS)
    plain = ending.removesuffix(f".{ending.rpartition('.')[2]}") if compressed else ending
    table = plain in (*TEXT_TABLES, *ARROW_TABLES)
    ids = DATA.query_ids if table else ["a", "q2"]
    data = Dataset.from_arrays(DATA.features, DATA.labels, group=[2, 1])
    data = Dataset(**{**_fields(data), "query_ids": type(DATA.query_ids).from_texts(ids)})
    if table:
        data = Dataset(**{**_fields(data), "document_ids": DATA.document_ids})
    write(data, path)
    assert is_compressed(path) == compressed
    assert read(path).equals(data)


def _fields(data: Dataset) -> dict[str, object]:
    return {
        "features": data.features, "labels": data.labels, "query_offsets": data.query_offsets,
        "query_ids": data.query_ids,
    }  # fmt: skip


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_tables_of_text_hold_every_double(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    path = tmp_path_factory.mktemp("t") / "d.csv"
    data = Dataset.from_arrays(np.array(values)[:, np.newaxis], np.zeros(len(values)),
                               group=[len(values)])  # fmt: skip
    write(data, path)
    np.testing.assert_array_equal(read(path).features, data.features)


@pytest.mark.parametrize(
    "name", ["d.json", "d.zip", "d.xlsx", "d.npz.gz", "d.parquet.gz", "d.rwd.xz"]
)
def test_names_of_other_formats_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"data are written as a table .*name another file$"):
        write(DATA, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_table_is_converted_to_a_table(tmp_path: Path) -> None:
    write(DATA, tmp_path / "x.csv")
    found = CliRunner().invoke(
        main, ["data", "convert", str(tmp_path / "x.csv"), str(tmp_path / "y.tsv")]
    )
    assert found.exit_code == 0, found.output
    header, first, *_ = (tmp_path / "y.tsv").read_text().splitlines()
    assert header == "label\tqid\tdocument\t1\t2" and first == "2.5\ta\td1\t0.1\t"
    assert convert(tmp_path / "y.tsv", tmp_path / "z.feather").equals(DATA)
    assert read(tmp_path / "z.feather").equals(DATA)
