"""Rankers that break laws on purpose, each with the names of the laws that it breaks."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.models.model import Model
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.trees import Trees
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Learned, Ranker, Round, Training, Watch, never_stop

LEARNING = (
    "learns_the_planted_order", "learns_without_validation_data",
    "the_order_of_rows_teaches_nothing_best_first", "the_order_of_rows_teaches_nothing_best_last",
    "a_constant_feature_0", "a_constant_feature_7.5", "a_feature_that_is_constant_within_queries",
    "duplicate_features", "five_levels_of_labels", "two_levels_of_labels", "unscaled_features",
    "null_features_are_handled_or_the_remedy_is_named",
)  # fmt: skip
TRAINING = (
    "only_constant_features", "one_document_queries_among_others",
    "nothing_but_one_document_queries", "queries_of_one_label_among_others",
    "validation_without_a_relevant_document", "a_single_query", "all_labels_equal_0",
    "all_labels_equal_1", "a_single_feature", "a_thousand_features",
)  # fmt: skip
_calls = itertools.count()


class Learner(Ranker):
    """Keeps the laws: the planted weights."""

    breaks: ClassVar[tuple[str, ...]] = ()

    def _learn(self, training: Training) -> Learned[Linear]:
        return Learned(Linear(self._weights(training.train, training.rng)), {})

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return planted_weights(train)


def planted_weights(train: Dataset) -> np.ndarray:
    weights = np.zeros(train.n_features)
    weights[0] = 1.0
    return weights


class Constant(Learner):
    breaks = LEARNING
    handles_null = True

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return np.zeros(train.n_features)


class Curt(Learner):
    breaks = TRAINING

    def _learn(self, training: Training) -> Any:
        raise RankwiseError("no")


class SecretlyRandom(Learner):
    breaks = ("only_rankers_that_say_so_draw_random_numbers",)

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return planted_weights(train) * rng.random()


class Restless(Learner):
    breaks = ("trains_the_same_twice", "training_changes_no_data_and_no_global_state",
              "watching_changes_nothing_and_sees_rounds")  # fmt: skip

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return planted_weights(train) * (1.0 + np.random.random())


class OfItsProcess(Learner):
    breaks = ("trains_the_same_in_another_process_with_threads_1",
              "trains_the_same_in_another_process_with_threads_3")  # fmt: skip

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return planted_weights(train) * os.getpid()


class OfTheFirstQuery(Learner):
    breaks = ("the_order_of_queries_hardly_matters",)

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        rising = train.features[0, 0] < train.features[-14, 0]
        return planted_weights(train) * (1.0 if rising else -1.0)


class Deaf(Learner):
    breaks = ("a_watch_that_says_stop_is_obeyed", "watching_changes_nothing_and_sees_rounds")

    def _learn(self, training: Training) -> Any:
        for number in (3, 2, 1):
            training.watch(Round(number, 3))
        return Learned(Linear(planted_weights(training.train)), {})


class Miscounting(Learner):
    breaks = ("watching_changes_nothing_and_sees_rounds",)

    def _learn(self, training: Training) -> Any:
        training.watch(Round(4, 3))
        return Learned(Linear(planted_weights(training.train)), {})


class Sulking(Learner):
    breaks = ("a_stop_in_the_first_round_leaves_a_model",)

    def _learn(self, training: Training) -> Any:
        if training.watch(Round(1, 1)):
            raise RankwiseError("the training was stopped before there was a model")
        return Learned(Linear(planted_weights(training.train)), {})


class Heedless(Learner):
    breaks = ("heavy_queries_are_followed", "a_query_of_weight_two_counts_twice")
    takes_weights = True
    weighs_as_copies = True


class Unasked(Learner):
    breaks = ("weights_are_taken_or_refused",)

    def fit(self, train: Dataset, *rest: Any, **how: Any) -> Model:
        return super().fit(replace(train, weights=None), *rest, **how)


class Weighty(Learner):
    breaks = ("equal_weights_change_nothing",)
    takes_weights = True

    def fit(self, train: Dataset, *rest: Any, **how: Any) -> Model:
        times = 1.0 if train.weights is None else 2.0
        return Model(self.name, {}, Linear(times * planted_weights(train)))


class Obliging(Learner):
    breaks = ("a_start_is_taken_or_refused",)

    def fit(self, train: Dataset, *rest: Any, start: Any = None, **how: Any) -> Model:
        return super().fit(train, *rest, **how)


class Unmoved(Learner):
    breaks = ("a_start_is_left_where_much_is_learnt",)
    takes_start = True

    def _learn(self, training: Training) -> Any:
        if training.start is not None:
            return Learned(training.start, {})
        return super()._learn(training)


class Anew(Learner):
    breaks = ("a_start_is_kept_where_little_is_learnt",)
    takes_start = True

    def _learn(self, training: Training) -> Any:
        if training.start is not None:
            return Learned(Linear(-planted_weights(training.train)), {})
        return super()._learn(training)


class Plain:
    """Fit and predict that keep the laws."""

    breaks: ClassVar[tuple[str, ...]] = ()

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        pass

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0].copy()


class SometimesInfinite(Plain):
    breaks = ("scores_are_finite_and_one_per_row",)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.where(np.arange(len(X)) == 90, np.inf, X[:, 0])


class Relative(Plain):
    breaks = ("a_score_does_not_depend_on_the_other_rows",)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] - X[:, 0].min()


class Positional(Plain):
    breaks = ("a_score_does_not_depend_on_the_other_rows",)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] + np.arange(len(X))


class ByPlace(Plain):
    """Scores whole lists, and counts the places in them."""

    breaks = ("the_order_of_documents_moves_no_score",)

    def predict(self, X: np.ndarray, group: np.ndarray) -> np.ndarray:
        return X[:, 0] - 0.001 * np.concatenate([np.arange(length) for length in group])


class Counting(Plain):
    breaks = ("scoring_changes_nothing",)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] + next(_calls)


class Rounded(Linear):
    def as_json(self) -> dict[str, Any]:
        return {"weights": np.round(self.weights, 1).tolist(), "intercept": 0.0}


class BadlyWritten(Learner):
    breaks = ("a_file_gives_the_same_scores_to_the_bit",)

    def _learn(self, training: Training) -> Any:
        return Learned(Rounded(planted_weights(training.train) / 3.0), {})


class Objective(Learner):
    breaks = ("facts_and_parameters_are_plain_values",)

    def _learn(self, training: Training) -> Any:
        return Learned(Linear(planted_weights(training.train)), {"rounds": (1, 2)})


class Nameless(Learner):
    breaks = ("facts_and_parameters_are_plain_values",)

    def fit(self, train: Dataset, *rest: Any, **how: Any) -> Model:
        return Model("another name", {}, Linear(planted_weights(train)))


class LooseModel(Model):
    def score(self, dataset: Dataset) -> np.ndarray:
        return dataset.features[:, 0].copy()


class Loose(Learner):
    breaks = ("data_of_another_width_are_refused",)

    def fit(self, train: Dataset, *rest: Any, **how: Any) -> Model:
        return LooseModel(self.name, {}, Linear(planted_weights(train)))


class Misjudging(Learner):
    breaks = ("importance_has_one_figure_per_feature",)

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return planted_weights(train)[::-1]


class Misdeclared(Learner):
    breaks = ("the_form_of_the_model_is_declared",)

    def _learn(self, training: Training) -> Learned[Trees]:
        return Learned(Linear(planted_weights(training.train)), {})  # type: ignore[arg-type]


class Unquestioning(Learner):
    breaks = ("infinite_features_are_refused", "no_features_are_refused",
              "validation_data_of_another_width_are_refused",
              "null_features_are_handled_or_the_remedy_is_named")  # fmt: skip

    def fit(
        self, train: Dataset, validation: Dataset | None = None, *, seed: int = 0,
        watch: Watch = never_stop,
    ) -> Model:  # fmt: skip
        return Model(self.name, {}, Linear(np.ones(train.n_features)))


class Forgetful(Learner):
    breaks = ("a_data_set_is_not_kept_in_the_model",)

    def _weights(self, train: Dataset, rng: np.random.Generator) -> np.ndarray:
        return planted_weights(train) * (1.0 if train.feature_names is None else 2.0)


@dataclass(frozen=True)
class Unbounded(Learner):
    breaks = ("every_number_has_a_bound_and_every_parameter_a_meaning",)

    depth: int = parameter(3, "how deep it goes")


@dataclass(frozen=True)
class Unexplained(Learner):
    breaks = ("every_number_has_a_bound_and_every_parameter_a_meaning",)

    depth: int = parameter(3, "", lowest=1)


@dataclass(frozen=True)
class Unchecked(Learner):
    breaks = ("parameters_out_of_bounds_are_one_sentence",)

    depth: int = parameter(3, "how deep it goes", lowest=1)

    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True)
class HalfChosen(Learner):
    breaks = ("every_choice_and_every_tuned_value_trains",)

    way: str = parameter("here", "where to go", choices=("here", "there"))

    def _learn(self, training: Training) -> Any:
        if self.way == "there":
            raise NotImplementedError
        return Learned(Linear(planted_weights(training.train)), {})


@dataclass(frozen=True)
class Trusting(Learner):
    breaks = ("unknown_measures_and_tools_are_one_sentence",)
    uses_measure = True

    measure: str = parameter("MAP", "what it looks at")
    tool: str = parameter("definition", "whose convention of it")


BREAKERS = (
    Constant, Curt, SecretlyRandom, Restless, OfItsProcess, OfTheFirstQuery, Deaf, Miscounting,
    Sulking, SometimesInfinite, Relative, Positional, ByPlace, Counting, BadlyWritten, Objective,
    Nameless, Loose, Misjudging, Misdeclared, Unquestioning, Forgetful, Unbounded, Unexplained,
    Unchecked, HalfChosen, Trusting, Heedless, Unasked, Weighty,
    Obliging, Unmoved, Anew,
)  # fmt: skip
