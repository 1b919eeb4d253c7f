"""The LETOR versions and the other scales, against the literal definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import rankwise as rw
from rankwise.data import feature_matrix
from rankwise.data.dataset import Dataset
from rankwise.data.normalization import blocks
from rankwise.data.normalization.normalizing import NORMALIZATIONS, normalize
from rankwise.data.normalization.scales import (
    FILL_RULES,
    SCALING_KINDS,
    FillRule,
    count_null,
    fill_null,
    fit_scaling,
    parse_fill_rule,
    query_level_norm,
    query_level_sum,
    query_level_z_score,
)
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError

NULL = math.nan
LARGEST = float(np.finfo(np.float64).max)
SMALLEST = 5e-324

QUERY_SCALES = {
    "query-level": query_level_norm,
    "z-score": query_level_z_score,
    "sum": query_level_sum,
}


def make(*queries: list[list[float]]) -> Dataset:
    """A data set from the feature rows of each query."""
    features = np.array([row for query in queries for row in query], np.float64)
    lengths = [len(query) for query in queries]
    return Dataset(
        features=features.reshape(sum(lengths), -1),
        labels=np.zeros(sum(lengths)),
        query_offsets=np.cumsum([0, *lengths]),
        query_ids=TextColumn.from_texts(str(number) for number in range(1, len(queries) + 1)),
    )


def column(dataset: Dataset, feature: int = 1) -> list[float]:
    return [float(value) for value in dataset.features[:, feature - 1]]


def is_same(found: list[float], expected: list[float]) -> bool:
    return np.array_equal(found, expected, equal_nan=True)


finite = st.floats(-1e6, 1e6, allow_subnormal=False)
values = st.one_of(finite, st.sampled_from([0.0, 1.0, NULL, NULL]))


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    width = draw(st.integers(1, 3))
    row = st.lists(values, min_size=width, max_size=width)
    return make(*draw(st.lists(st.lists(row, min_size=1, max_size=6), min_size=1, max_size=5)))


@pytest.fixture(params=[1, 1 << 20], ids=["a query a block", "one block"])
def block_cells(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_matrix, "BLOCK_CELLS", request.param)


def test_blocks_are_as_many_whole_queries_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature_matrix, "BLOCK_CELLS", 4)
    dataset = make([[1.0]], [[2.0]] * 3, [[3.0]] * 9, [[4.0]] * 2, [[5.0]] * 3)
    found = [[*block.query_ids] for block in blocks.blocks(dataset)]
    assert found == [["1", "2"], ["3"], ["4"], ["5"]]


class TestFillNull:
    def test_the_papers_rule_is_the_minimum_within_the_query(self, block_cells: None) -> None:
        dataset = make([[3.0], [NULL], [2.0]], [[-7.0], [NULL]])
        assert column(fill_null(dataset)) == [3.0, 2.0, 2.0, -7.0, -7.0]

    def test_a_feature_that_is_null_in_the_whole_query_becomes_zero(
        self, block_cells: None
    ) -> None:
        dataset = make([[NULL, 1.0], [NULL, NULL]], [[5.0, 2.0], [NULL, 2.0]])
        filled = fill_null(dataset)
        assert column(filled, 1) == [0.0, 0.0, 5.0, 5.0]
        assert column(filled, 2) == [1.0, 1.0, 2.0, 2.0]

    def test_the_files_rule_puts_zero_for_bm25_and_its_logarithm_only(self) -> None:
        dataset = make([[-2.0] * 45, [NULL] * 45])
        filled = fill_null(dataset, "letor3-files").features[1]
        zero = [feature for feature in range(1, 46) if filled[feature - 1] == 0.0]
        assert zero == [11, 12, 26, 27, 41, 42]
        assert set(np.delete(filled, np.array(zero) - 1)) == {-2.0}

    def test_the_files_rule_is_refused_for_other_data(self) -> None:
        with pytest.raises(RankwiseError, match=r"for data with 45 features, found 1;.*11=zero"):
            fill_null(make([[NULL]]), "letor3-files")

    def test_a_rule_per_feature(self) -> None:
        dataset = make([[NULL, NULL, NULL], [4.0, 4.0, 4.0]])
        filled = fill_null(dataset, "minimum,2=zero,3=-1.5")
        assert list(filled.features[0]) == [4.0, 0.0, -1.5]

    def test_data_without_null_are_not_copied(self) -> None:
        dataset = make([[1.0], [2.0]])
        assert fill_null(dataset) is dataset

    def test_null_is_counted(self, block_cells: None) -> None:
        assert count_null(make([[NULL, 1.0]], [[NULL, NULL]])) == 3

    @given(datasets())
    def test_only_null_changes_and_takes_the_smallest_present_value(self, dataset: Dataset) -> None:
        filled = fill_null(dataset)
        assert count_null(filled) == 0
        for before, after in zip(dataset.queries(), filled.queries(), strict=True):
            for old, new in zip(before.features.T, after.features.T, strict=True):
                present = old[~np.isnan(old)]
                fill = min(present) if len(present) else 0.0
                assert list(new) == [fill if math.isnan(x) else x for x in old]

    @given(datasets())
    def test_filling_twice_is_filling_once(self, dataset: Dataset) -> None:
        filled = fill_null(dataset)
        assert fill_null(filled) is filled


class TestFillRules:
    @pytest.mark.parametrize("name", FILL_RULES)
    def test_a_named_rule_is_found_by_its_name(self, name: str) -> None:
        assert parse_fill_rule(name) is FILL_RULES[name]

    def test_a_number_is_a_rule(self) -> None:
        assert parse_fill_rule("-2.5") == FillRule("-2.5", -2.5)

    def test_exceptions_are_added_to_a_named_rule(self) -> None:
        rule = parse_fill_rule("letor3-files, 11=minimum, 13=7")
        assert rule.n_features == 45
        assert dict(rule.exceptions)[11] == "minimum"
        assert dict(rule.exceptions)[12] == 0.0
        assert dict(rule.exceptions)[13] == 7.0

    @pytest.mark.parametrize(
        "text", ["", "mean", "minimum,11", "minimum,x=0", "inf", "minimum,1=nan"]
    )
    def test_anything_else_is_one_sentence_with_the_text(self, text: str) -> None:
        with pytest.raises(RankwiseError, match=r"fill") as caught:
            parse_fill_rule(text)
        assert repr(text) in str(caught.value)

    def test_a_feature_that_is_not_there(self) -> None:
        with pytest.raises(RankwiseError, match=r"names feature 3, but .* are 1 to 1"):
            fill_null(make([[NULL]]), "minimum,3=0")


class TestQueryLevelNorm:
    def test_from_zero_to_one_within_each_query(self, block_cells: None) -> None:
        dataset = make([[1.0], [4.0], [2.0]], [[10.0], [20.0]])
        assert column(query_level_norm(dataset)) == [0.0, 1.0, (2 - 1) / (4 - 1), 0.0, 1.0]

    def test_a_constant_feature_becomes_zero(self) -> None:
        assert column(query_level_norm(make([[0.1], [0.1]], [[7.0]]))) == [0.0, 0.0, 0.0]

    def test_null_stays_and_takes_no_part(self) -> None:
        dataset = make([[NULL], [1.0], [3.0]], [[NULL], [NULL]])
        assert is_same(column(query_level_norm(dataset)), [NULL, 0.0, 1.0, NULL, NULL])

    def test_a_range_beyond_the_largest_double(self) -> None:
        assert column(query_level_norm(make([[-LARGEST], [0.0], [LARGEST]]))) == [0.0, 0.5, 1.0]

    def test_the_smallest_range(self) -> None:
        assert column(query_level_norm(make([[0.0], [SMALLEST]]))) == [0.0, 1.0]

    @given(datasets())
    def test_it_is_the_formula_to_the_bit(self, dataset: Dataset) -> None:
        norm = query_level_norm(dataset)
        for before, after in zip(dataset.queries(), norm.queries(), strict=True):
            for old, new in zip(before.features.T, after.features.T, strict=True):
                assert is_same(list(new), [_literal_norm(x, old) for x in old])

    @given(datasets())
    def test_it_lies_between_zero_and_one_and_doing_it_twice_changes_nothing(
        self, dataset: Dataset
    ) -> None:
        once = query_level_norm(fill_null(dataset))
        assert np.all((once.features >= 0) & (once.features <= 1))
        assert query_level_norm(once).equals(once)


def _literal_norm(x: float, feature: NDArray[np.float64]) -> float:
    if math.isnan(x):
        return NULL
    least, greatest = np.nanmin(feature), np.nanmax(feature)
    return 0.0 if greatest == least else float((x - least) / (greatest - least))


class TestQueryLevelZScore:
    def test_by_the_deviation_with_n_minus_one(self, block_cells: None) -> None:
        dataset = make([[1.0], [2.0], [6.0]], [[5.0], [7.0]])
        deviation = math.sqrt(((1 - 3) ** 2 + (2 - 3) ** 2 + (6 - 3) ** 2) / 2)
        expected = [
            -2 / deviation,
            -1 / deviation,
            3 / deviation,
            -1 / math.sqrt(2),
            1 / math.sqrt(2),
        ]
        assert column(query_level_z_score(dataset)) == pytest.approx(expected, rel=1e-15)

    @pytest.mark.parametrize("constant", [0.1, 1 / 3, -LARGEST, SMALLEST, 0.0])
    def test_a_constant_feature_becomes_zero(self, constant: float) -> None:
        dataset = make([[constant]] * 7, [[constant]])
        assert column(query_level_z_score(dataset)) == [0.0] * 8

    def test_null_stays_and_takes_no_part(self) -> None:
        found = column(query_level_z_score(make([[NULL], [1.0], [3.0]], [[NULL]])))
        assert is_same(found, [NULL, -1 / math.sqrt(2), 1 / math.sqrt(2), NULL])

    @pytest.mark.parametrize("size", [LARGEST, 1.0, 1e-200, SMALLEST])
    def test_the_unit_does_not_matter(self, size: float) -> None:
        found = column(query_level_z_score(make([[-size], [0.0], [size]])))
        assert found == [-1.0, 0.0, 1.0]

    @given(st.lists(finite, min_size=2, max_size=30))
    def test_mean_zero_and_deviation_one(self, feature: list[float]) -> None:
        spread = max(feature) - min(feature)
        # Where the values differ in their last bits only, the mean itself is rounded away.
        if 0 < spread < 1e-6 * max(map(abs, feature)):
            return
        found = query_level_z_score(make([[x] for x in feature])).features[:, 0]
        assert abs(found.mean()) < 1e-8
        assert found.std(ddof=1) == pytest.approx(1.0 if spread else 0.0, abs=1e-8)


class TestQueryLevelSum:
    def test_by_the_sum_of_absolute_values(self, block_cells: None) -> None:
        dataset = make([[1.0], [-3.0]], [[2.0], [2.0], [4.0]])
        assert column(query_level_sum(dataset)) == [1 / 4, -3 / 4, 2 / 8, 2 / 8, 4 / 8]

    def test_zero_and_null_stay(self) -> None:
        assert is_same(column(query_level_sum(make([[0.0], [0.0], [NULL]]))), [0.0, 0.0, NULL])

    @pytest.mark.parametrize("size", [LARGEST, SMALLEST])
    def test_extreme_values(self, size: float) -> None:
        found = column(query_level_sum(make([[size], [size], [-size], [size]])))
        assert found == [1 / 4, 1 / 4, -1 / 4, 1 / 4]

    @given(datasets())
    def test_absolute_values_add_up_to_one(self, dataset: Dataset) -> None:
        for before, after in zip(
            dataset.queries(), query_level_sum(dataset).queries(), strict=True
        ):
            expected = np.where(np.nansum(np.abs(before.features), axis=0) > 0, 1.0, 0.0)
            found = np.nansum(np.abs(after.features), axis=0)
            assert found == pytest.approx(expected, abs=1e-12)


class TestScaling:
    def test_min_max_of_the_training_part_only(self, block_cells: None) -> None:
        scaling = fit_scaling(make([[2.0], [4.0]], [[6.0]]), "min-max")
        assert column(scaling.apply(make([[2.0], [6.0], [10.0], [0.0]]))) == [0.0, 1.0, 2.0, -0.5]

    def test_z_score_of_the_training_part_only(self, block_cells: None) -> None:
        scaling = fit_scaling(make([[1.0], [2.0]], [[6.0]]), "z-score")
        deviation = math.sqrt(((1 - 3) ** 2 + (2 - 3) ** 2 + (6 - 3) ** 2) / 3)
        found = column(scaling.apply(make([[3.0], [13.0]])))
        assert found == pytest.approx([0.0, 10 / deviation], rel=1e-15)

    @pytest.mark.parametrize("kind", SCALING_KINDS)
    @pytest.mark.parametrize("constant", [0.1, 1 / 3, -LARGEST, SMALLEST, 0.0])
    def test_a_feature_constant_in_training_becomes_zero_everywhere(
        self, kind: str, constant: float
    ) -> None:
        scaling = fit_scaling(make([[constant]] * 7), kind)
        assert is_same(column(scaling.apply(make([[constant], [9.0], [NULL]]))), [0.0, 0.0, NULL])

    @pytest.mark.parametrize("kind", SCALING_KINDS)
    def test_null_takes_no_part_and_stays(self, kind: str) -> None:
        with_null = fit_scaling(make([[NULL], [1.0], [3.0]], [[NULL]]), kind)
        without = fit_scaling(make([[1.0], [3.0]]), kind)
        assert with_null.center == without.center
        assert with_null.spread == without.spread
        assert math.isnan(column(with_null.apply(make([[NULL]])))[0])

    @pytest.mark.parametrize("kind", SCALING_KINDS)
    def test_a_feature_without_any_value_becomes_zero(self, kind: str) -> None:
        scaling = fit_scaling(make([[NULL], [NULL]]), kind)
        assert is_same(column(scaling.apply(make([[3.0], [NULL]]))), [0.0, NULL])

    @pytest.mark.parametrize("size", [LARGEST, 1e-200])
    def test_z_score_does_not_depend_on_the_unit(self, size: float) -> None:
        train = make([[-size], [size]])
        assert column(fit_scaling(train, "z-score").apply(train)) == [-1.0, 1.0]

    def test_a_difference_beyond_the_largest_double_is_scaled_all_the_same(self) -> None:
        scaling = fit_scaling(make([[-LARGEST], [0.0]]), "min-max")
        assert column(scaling.apply(make([[LARGEST], [-LARGEST]]))) == [2.0, 0.0]

    def test_a_quotient_beyond_the_largest_double_becomes_the_largest(self) -> None:
        scaling = fit_scaling(make([[0.0], [0.5]]), "min-max")
        assert column(scaling.apply(make([[LARGEST], [-LARGEST]]))) == [LARGEST, -LARGEST]

    def test_a_range_beyond_the_largest_double_is_refused(self) -> None:
        with pytest.raises(RankwiseError, match=r"feature 2 goes from -1.79769e\+308 to 1.79769e"):
            fit_scaling(make([[0.0, -LARGEST], [0.0, LARGEST]]), "min-max")

    def test_other_data_must_have_as_many_features(self) -> None:
        with pytest.raises(RankwiseError, match=r"fitted on 1 features .* data with 2"):
            fit_scaling(make([[1.0]]), "min-max").apply(make([[1.0, 2.0]]))

    def test_an_unknown_kind(self) -> None:
        with pytest.raises(RankwiseError, match="one of min-max, z-score, found 'robust'"):
            fit_scaling(make([[1.0]]), "robust")

    def test_the_fitted_figures_are_fixed(self) -> None:
        scaling = fit_scaling(make([[1.0], [2.0]]), "z-score")
        with pytest.raises(ValueError, match="read-only"):
            scaling.center[0] = 0.0

    @given(datasets())
    def test_blocks_do_not_matter_for_min_max(self, dataset: Dataset) -> None:
        scaling = fit_scaling(dataset, "min-max")
        present = [x[~np.isnan(x)] for x in dataset.features.T]
        assert list(scaling.center) == [min(x, default=0.0) for x in present]
        assert list(scaling.spread) == [max(x, default=0.0) - min(x, default=0.0) for x in present]


class TestNormalize:
    @pytest.mark.parametrize("name", QUERY_SCALES)
    def test_null_is_filled_by_the_papers_rule_first(self, name: str) -> None:
        dataset = make([[NULL], [1.0], [4.0]], [[2.0]])
        assert normalize(dataset, name).equals(QUERY_SCALES[name](fill_null(dataset)))

    def test_min_is_the_filled_data(self) -> None:
        dataset = make([[NULL, NULL], [1.0, 3.0]])
        assert normalize(dataset, "min", fill_rule="zero").equals(fill_null(dataset, "zero"))

    def test_null_can_be_kept(self) -> None:
        dataset = make([[NULL], [1.0], [4.0]])
        found = column(normalize(dataset, "query-level", fill_rule=None))
        assert is_same(found, [NULL, 0.0, 1.0])

    @pytest.mark.parametrize("kind", SCALING_KINDS)
    def test_a_fitted_scale_fills_both_parts(self, kind: str) -> None:
        train, test = make([[NULL], [2.0], [4.0]]), make([[NULL], [3.0], [5.0]])
        found = normalize(test, f"dataset-{kind}", fit_on=train)
        assert found.equals(fit_scaling(fill_null(train), kind).apply(fill_null(test)))

    def test_a_fitted_scale_can_be_fitted_on_the_data_themselves(self) -> None:
        train = make([[NULL], [2.0], [4.0]])
        assert column(normalize(train, "dataset-min-max", fit_on=train)) == [0.0, 0.0, 1.0]

    @pytest.mark.parametrize("name", [n for n, entry in NORMALIZATIONS.items() if entry.fitted])
    def test_a_fitted_scale_needs_a_training_part(self, name: str) -> None:
        with pytest.raises(RankwiseError, match=f"{name} is fitted on a training part"):
            normalize(make([[1.0]]), name)

    @pytest.mark.parametrize("name", [n for n, entry in NORMALIZATIONS.items() if not entry.fitted])
    def test_the_others_refuse_one(self, name: str) -> None:
        with pytest.raises(RankwiseError, match="cannot be fitted"):
            normalize(make([[1.0]]), name, fit_on=make([[1.0]]))

    def test_an_unknown_name(self) -> None:
        with pytest.raises(RankwiseError, match=r"one of min, query-level, .*, found 'max'"):
            normalize(make([[1.0]]), "max")

    @pytest.mark.parametrize("name", [name for name in NORMALIZATIONS if name != "min"])
    def test_an_infinite_value_is_named_by_its_place(self, name: str, block_cells: None) -> None:
        dataset = make([[1.0, 2.0]], [[3.0, 4.0], [5.0, -math.inf]])
        train = make([[1.0, 2.0]]) if NORMALIZATIONS[name].fitted else None
        with pytest.raises(RankwiseError, match="found -inf as feature 2 of row 3, query '2'"):
            normalize(dataset, name, fit_on=train)

    @pytest.mark.parametrize("name", NORMALIZATIONS)
    def test_all_but_the_features_is_kept(self, name: str) -> None:
        dataset = Dataset(
            features=np.array([[1.0, NULL], [2.0, 5.0]]),
            labels=np.array([1.0, 0.0]),
            query_offsets=np.array([0, 2]),
            query_ids=TextColumn.from_texts(["q"]),
            document_ids=TextColumn.from_texts(["a", "b"]),
            comments=TextColumn.from_texts(["docid = a", "docid = b"]),
            feature_names=("one", "two"),
        )
        train = dataset if NORMALIZATIONS[name].fitted else None
        found = normalize(dataset, name, fit_on=train)
        assert found.with_features(dataset.features).equals(dataset)


@pytest.mark.parametrize("size", [1.0, 3e8, 1e300])
@pytest.mark.parametrize("to", ["z-score", "dataset-z-score"])
def test_z_scores_keep_their_digits_where_values_differ_by_little(size: float, to: str) -> None:
    """Values that agree in twelve digits have the scores of what they differ by."""
    steps = np.array([0.0, 3.0, 1.0, 7.0, 2.0, 5.0, 11.0])
    values = size + steps * np.spacing(size) * 2**12
    near, plain = (
        rw.Dataset(one[:, None], np.zeros(7), np.array([0, 7]), ("1",)) for one in (values, steps)
    )
    scores = [
        rw.normalize(one, to, fit_on=None if to == "z-score" else one) for one in (near, plain)
    ]
    # The mean itself is a double of this size: half its last digit is 2**-13 of a step.
    assert scores[0].features == pytest.approx(
        scores[1].features, abs=1e-12 if to == "z-score" else 1e-4
    )
