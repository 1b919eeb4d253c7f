"""Files of results: what is written is read back; what cannot be read gets a sentence."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankwise.errors import FormatError, MissingExtra, RankwiseError
from rankwise.results import inspect_results, read_results, result_files, write_results
from rankwise.results.result_table import ResultTable
from rankwise.results.result_validation import TableError

HEADER = "collection,dataset,method,measure,value"
LINE = "LETOR 3.0,TD2004,A,MAP,0.25"
ENDINGS = ["csv", "tsv", "jsonl", "parquet"]

names = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp")),
    min_size=1,
    max_size=8,
).filter(lambda name: name == name.strip())
rows = st.fixed_dictionaries(
    {
        "collection": st.sampled_from(["", "LETOR 3.0"]),
        "dataset": names,
        "method": names,
        "measure": st.sampled_from(["MAP", "NDCG@10"]),
        "value": st.floats(0, 1),
        "fold": st.none() | names,
        "note": st.none() | names,
    }
)


def write(folder: Path, text: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_back(
    ending: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("tables") / f"table.{ending}"

    @given(st.lists(rows, max_size=5, unique_by=lambda row: (row["dataset"], row["method"])))
    def law(written: list[dict[str, object]]) -> None:
        table = ResultTable.from_rows(written)
        write_results(table, path)
        assert inspect_results(path).table == table

    law()


@pytest.mark.parametrize("ending", ENDINGS)
def test_formulas_and_markup_stay_text(ending: str, tmp_path: Path) -> None:
    hostile = [
        "=1+1",
        "@SUM(A1)",
        "<b>x</b>",
        "[red]x[/red]",
        '"; DROP',
        "a,b\\",
        "'",
        "NA",
        "null",
    ]
    basis = {"collection": "c", "dataset": "d", "measure": "MAP", "value": 0.5}
    table = ResultTable.from_rows([{**basis, "method": name} for name in hostile])
    write_results(table, tmp_path / f"t.{ending}")
    assert read_results(tmp_path / f"t.{ending}").method.tolist() == hostile


def test_the_real_compilation_reads_without_a_problem(shared: Path) -> None:
    table = read_results(shared / "literature/compiled/tax2015_results.csv")
    assert (len(table), len(table.methods()), len(table.datasets())) == (1050, 87, 19)
    assert sorted(table.measures()) == ["MAP", "NDCG@10", "NDCG@3", "NDCG@5"]


def test_the_larger_compilation_holds_22_results_twice(shared: Path) -> None:
    inspection = inspect_results(shared / "literature/compiled/published_results.csv")
    assert len(inspection.table) == 3261
    assert [problem.kind for problem in inspection.problems] == ["duplicate"] * 22


def test_the_header_may_be_in_any_order_and_case_with_aliases_and_a_mark(tmp_path: Path) -> None:
    text = "\ufeffValue,Measure,METHOD, data set ,Collection\r\n0.25,map,A,TD2004,LETOR 3.0\r\n\r\n"
    table = read_results(write(tmp_path, text))
    assert table.rows() == [
        {
            "collection": "LETOR 3.0",
            "dataset": "TD2004",
            "method": "A",
            "measure": "MAP",
            "value": 0.25,
        }
    ]


def write_columns(folder: Path, ending: str, columns: dict[str, str]) -> Path:
    """One result in a file of the given format, with the columns as they are named here."""
    path = folder / f"old.{ending}"
    if ending == "parquet":
        pytest.importorskip("pyarrow")
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({n: [c] for n, c in columns.items()}), path)
        return path
    separator = {"csv": ",", "tsv": "\t"}.get(ending)
    lines = [json.dumps(columns)] if separator is None else [
        separator.join(columns), separator.join(columns.values())
    ]  # fmt: skip
    return write(folder, "\n".join(lines), path.name)


COLUMNS = {"collection": "c", "data set": "d", "method": "m", "metric": "map", "value": "0.25"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_other_names_of_columns_are_read_and_ours_are_written(ending: str, tmp_path: Path) -> None:
    table = read_results(write_columns(tmp_path, ending, COLUMNS))
    assert (table.dataset.tolist(), table.measure.tolist()) == (["d"], ["MAP"])
    write_results(table, tmp_path / "new.csv")
    header, _ = (tmp_path / "new.csv").read_text().splitlines()
    assert header == HEADER


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_column_under_two_names_is_refused(ending: str, tmp_path: Path) -> None:
    path = write_columns(tmp_path, ending, {**COLUMNS, "measure": "NDCG@3"})
    with pytest.raises(FormatError, match="the column measure must appear once"):
        read_results(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must have the columns"),
        ("method,TD2003,TD2004\nA,.1,.2\n", "is it a wide table"),
        (f"{HEADER},sorce\n", "no column 'sorce'; did you mean source?"),
        (f"{HEADER},value\n", "the column value must appear once"),
        (
            f"{HEADER}\n{LINE}\n{LINE},x\n",
            ":3: every row must have the 5 cells of the header, found 6",
        ),
        (f'{HEADER}\n{LINE}\n"{LINE}\n', ":3: the row cannot be split into cells"),
        (f"{HEADER}\n{LINE}\nLETOR,d,{'x' * 140_000},MAP,1\n", ":3: the row cannot be split"),
        (
            HEADER.encode() + b"\nL,d,Alc\xe2ntara,MAP,.1\n",
            ":2:8: the file must be UTF-8 text, found the byte 0xE2",
        ),
        (",".join(f"c{n}" for n in range(10_001)), "at most 10000 columns"),
    ],
)
def test_a_file_without_a_layout_gets_a_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(FormatError) as raised:
        read_results(write(tmp_path, text))
    assert words in str(raised.value)


def test_problems_carry_the_line_even_after_a_cell_of_two_lines(tmp_path: Path) -> None:
    text = f'{HEADER},note\n{LINE},"two\nlines"\n{LINE.replace("0.25", "7")},\n'
    with pytest.raises(TableError) as raised:
        read_results(write(tmp_path, text))
    places = [line.rpartition("t.csv:")[2].split(":")[0] for line in str(raised.value).splitlines()]
    assert places == ["2", "4"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "one JSON object, found another value"),
        ("{", "the line must be one JSON object: "),
        ("[" * 100_000, "nested too deep"),
        ('{"method": {"a": 1}}', "'method' must be a text or a number"),
        ('{"method": true}', "'method' must be a text or a number"),
        ('{"method": "A"}', "are missing"),
    ],
)
def test_a_json_line_that_is_no_result_gets_a_sentence(
    tmp_path: Path, line: str, words: str
) -> None:
    with pytest.raises(FormatError) as raised:
        read_results(write(tmp_path, line, "t.jsonl"))
    assert words in str(raised.value)
    assert raised.value.line == 1


def test_json_numbers_are_judged_as_written(tmp_path: Path) -> None:
    line = '{{"collection":"c","dataset":"d","method":"{}","measure":"MAP","value":{}}}'
    values = ["0.1", "NaN", "-Infinity", "1e999", "9" * 5000, "1", '"0.5"', "null"]
    text = "\n".join(line.format(number, value) for number, value in enumerate(values))
    inspection = inspect_results(write(tmp_path, text, "t.jsonl"))
    assert inspection.table.value.tolist() == [0.1, 1.0, 0.5]
    kinds = {problem.row: problem.kind for problem in inspection.problems}
    assert kinds == {2: "non-finite", 3: "non-finite", 4: "non-finite", 5: "number", 8: "missing"}


def test_a_parquet_file_that_is_none_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"t\.parquet: the file must be Parquet"):
        read_results(write(tmp_path, b"PAR1 not really PAR1", "t.parquet"))


def test_parquet_rows_are_counted_from_one(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow
    import pyarrow.parquet

    columns = {
        "collection": ["c"] * 2,
        "dataset": ["d"] * 2,
        "method": ["A", "B"],
        "measure": ["MAP"] * 2,
    }
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({**columns, "value": [0.5, None]}), path)
    with pytest.raises(TableError, match=r"t\.parquet:2: every result must have a value"):
        read_results(path)


def test_a_parquet_file_that_unpacks_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    write_results(
        ResultTable.from_rows([dict(zip(HEADER.split(","), LINE.split(","), strict=True))]), path
    )
    monkeypatch.setattr("rankwise.results.result_files.LARGEST_FILE", 10)
    with pytest.raises(FormatError, match="may unpack to"):
        read_results(path)


@pytest.mark.parametrize("limit", ["LARGEST_FILE", "LONGEST_LINE"])
def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    path = write(tmp_path, f"{HEADER}\n{LINE}\n")
    monkeypatch.setattr(result_files, limit, 30)
    with pytest.raises(RankwiseError, match="goes beyond"):
        read_results(path)


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_line_may_have_a_megabyte_with_its_end(tmp_path: Path, beyond: int) -> None:
    row = json.dumps(dict(zip(HEADER.split(","), LINE.split(","), strict=True)))
    text = f"{row:{2**20 - 1 + beyond}}\n"
    path = write(tmp_path, text, "t.jsonl")
    if beyond:
        with pytest.raises(RankwiseError, match="lines of 1 MB, line 1 goes beyond"):
            read_results(path)
    else:
        assert len(read_results(path)) == 1


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="the extra 'parquet'; install them: pip install"):
        read_results(write(tmp_path, b"", "t.parquet"))


def test_an_unknown_ending_and_a_missing_file_get_sentences(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").touch()
    with pytest.raises(RankwiseError, match=r"must end in \.csv, \.tsv, \.jsonl or \.parquet"):
        read_results(tmp_path / "t.xlsx")
    with pytest.raises(RankwiseError, match=r"must end in \.csv"):
        write_results(ResultTable.empty(), tmp_path / "t.xlsx")
    with pytest.raises(RankwiseError, match="there is no such file"):
        read_results(tmp_path / "absent.csv")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("text", ["two\nlines", "\x1b[31m", "a\u202eb"])
def test_what_could_not_be_read_back_is_not_written(text: str, ending: str, tmp_path: Path) -> None:
    cells = {"collection": "c", "dataset": "d", "method": "m", "measure": "MAP", "value": 0.5}
    for column in ("dataset", "method", "note"):
        row = {name: [cell] for name, cell in {**cells, column: text}.items()}
        with pytest.raises(RankwiseError, match=rf"a {column} must be printable text"):
            write_results(ResultTable.from_columns(**row), tmp_path / f"t.{ending}")
    assert list(tmp_path.iterdir()) == []


def test_of_two_cells_of_a_json_object_none_is_taken(tmp_path: Path) -> None:
    cells = '"collection": "", "dataset": "d", "method": "A", "measure": "MAP"'
    path = write(tmp_path, f'{{{cells}, "value": 0.25, "value": 0.75}}\n', "t.jsonl")
    with pytest.raises(FormatError, match=r"t\.jsonl:1: .*a name comes twice"):
        read_results(path)
