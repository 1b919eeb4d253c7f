"""Tables in shape: the best marked by what is shown, columns chosen, broken up, turned."""

from __future__ import annotations

import pytest

from rankwise.errors import RankwiseError
from rankwise.tables.table import (
    Estimate,
    Table,
    format_cell,
    format_csv,
    format_latex,
    format_markdown,
    mark_best,
    shape_table,
)

PLAIN = Table(
    ("method", "MAP", "RMSE"),
    ("Method", "MAP", "RMSE"),
    (
        ("a", Estimate(0.41236, 0.01, "+"), 0.5),
        ("b", Estimate(0.41239), 0.25),
        ("c", Estimate(0.3, None, "-"), None),
    ),
)
TABLE = mark_best(PLAIN, {"MAP": False, "RMSE": True})


def test_values_that_look_alike_are_marked_alike() -> None:
    assert TABLE.best == {(0, 1), (1, 1), (1, 2)}
    assert TABLE.second == {(2, 1), (0, 2)}


def test_where_all_are_level_nobody_is_best() -> None:
    level = Table(("m", "x"), ("m", "x"), (("a", 0.5), ("b", 0.50001)))
    assert mark_best(level, {"x": False}).best == frozenset()


def test_latex_has_bold_underline_margins_and_marks() -> None:
    lines = format_latex(TABLE).splitlines()
    assert lines[4] == r"a & \textbf{0.4124}$^{+}$ {\scriptsize$\pm$0.0100} & \underline{0.5000} \\"
    assert lines[6] == r"c & \underline{0.3000}$^{-}$ &  \\"


def test_markdown_has_them_too() -> None:
    lines = format_markdown(TABLE).splitlines()
    assert lines[2] == "| a | **0.4124**<sup>+</sup> ± 0.0100 | *0.5000* |"


def test_programs_get_values_in_full_and_margins_in_columns() -> None:
    assert format_csv(TABLE).splitlines()[:2] == [
        "method,MAP,MAP margin,MAP mark,RMSE",
        "a,0.41236,0.01,+,0.5",
    ]


def test_people_see_marks_as_triangles() -> None:
    assert format_cell(Estimate(0.5, 0.01, "-")) == "0.5000 ± 0.0100 ▼"


def test_columns_are_chosen_by_key_or_title_in_any_case() -> None:
    (chosen,) = shape_table(TABLE, "rmse,Method")
    assert chosen.keys == ("RMSE", "method")
    assert chosen.best == {(1, 0)}
    with pytest.raises(RankwiseError, match=r"method, MAP, RMSE; found 'MAPP'; did you mean"):
        shape_table(TABLE, "MAPP")


def test_a_number_breaks_a_table_up_and_repeats_the_names() -> None:
    first, second = shape_table(TABLE, "1")
    assert (first.keys, second.keys) == (("method", "MAP"), ("method", "RMSE"))
    assert second.best == {(1, 1)}
    with pytest.raises(RankwiseError, match="at least one column"):
        shape_table(TABLE, "0")


def test_a_turned_table_has_methods_across() -> None:
    (turned,) = shape_table(TABLE, None, True)
    assert turned.titles == ("Method", "a", "b", "c")
    assert turned.rows[1] == ("RMSE", 0.5, 0.25, None)
    assert turned.best == {(0, 1), (0, 2), (1, 2)}


def test_a_turned_ranking_is_headed_by_methods() -> None:
    ranking = Table(("rank", "method", "nwn"), ("#", "Method", "NWN"), ((1, "a", 0.5),))
    (turned,) = shape_table(ranking, None, True)
    assert turned.titles == ("Method", "a")
