"""Growing trees with LightGBM, round by round, the best round chosen by any measure.

LightGBM grows; the measure that chooses is Rankwise's own, under the tool that is named; what comes
out are plain arrays that score without LightGBM. An OwnGradientRanker's trees follow a loss of its
own, which LightGBM does not have.

Ke, Meng, Finley, Wang, Chen, Ma, Ye, Liu (2017). LightGBM: a highly efficient gradient boosting
decision tree. NeurIPS.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.measures.tools.registry import find_tool
from rankwise.models.formats.lightgbm_text import trees_of_text
from rankwise.models.scorers.trees import Trees, join_trees
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import convention, parameter
from rankwise.rankers.ranker import Learned, Ranker, Round, Training, looks_at_figures
from rankwise.rankers.training.preferences import refuse_equal_labels
from rankwise.rankers.training.training_measure import FollowedMeasure, TrainingMeasure
from rankwise.rankers.trees.tree_parameters import learning_rate, refuse_categories

if TYPE_CHECKING:
    import lightgbm


# Below so many feature values one thread is faster than several, often many times.
_CELLS_WORTH_A_THREAD = 10_000_000

STEADY_SETTINGS: Mapping[str, Any] = {
    "verbosity": -1,
    "metric": "None",
    "deterministic": True,
    "force_col_wise": True,
}
"""What makes LightGBM quiet, and its trees the same with any number of threads.

`deterministic` fixes the order of sums. LightGBM would otherwise also time both layouts of its
histograms and take the faster, which may differ from run to run; column-wise needs less memory.
"""


Gradients = Callable[[Floats], tuple[Floats, Floats]]
"""Slopes and second derivatives of a loss in the scores of the training documents."""


@dataclass(frozen=True)
class Growth:
    """What to grow, and who chooses where it ends.

    Attributes:
        ranker: the name of the method, for messages.
        settings: LightGBM's parameters beyond those of `common_settings`.
        rounds: trees at most.
        patience: rounds without a better value on validation before growth ends.
        measure: what judges a round on validation; none where all trees are kept.
        tool: whose convention of the measure is followed.
        gradients: the loss that trees follow, in place of one of LightGBM's own; growth starts at
            scores of 0.
        reading: the scores of documents, where these are not LightGBM's predictions themselves.
        start: the trees that others are added to; None grows from the mean label, or from 0.
        categories: the columns that hold categories, from 0.
        gain: what labels are worth to an objective of LightGBM's own that takes whole numbers
            alone: fractions are numbered for it, each with its gain.
    """

    ranker: str
    settings: Mapping[str, Any]
    rounds: int
    patience: int = 0
    measure: str | None = None
    tool: str = "definition"
    gradients: Gradients | None = None
    reading: Callable[[Floats], Floats] | None = None
    start: Trees | None = None
    categories: tuple[int, ...] = ()
    gain: Callable[[Floats], Floats] | None = None

    @property
    def categorical_feature(self) -> Any:
        """The columns of categories as LightGBM asks for them; it looks for none in plain rows."""
        return list(self.categories) or "auto"

    def refusal(self, error: Exception) -> RankwiseError:
        """The sentence for what LightGBM says against the data, or against the device."""
        device = self.settings.get("device_type")
        if device is None:
            return RankwiseError(
                f"{self.ranker}: the training data must suit LightGBM, which says: {error}"
            )
        said = str(error).partition("\n")[0].rstrip(".")
        return RankwiseError(
            f"{self.ranker}: device={device} needs a LightGBM that was built for it, and such a "
            f"device, found one that says: {said}; give device=cpu"
        )


def grow_trees(training: Training, growth: Growth) -> Learned[Trees]:
    """The trees up to the best round on validation, or all where there is no validation.

    The first of equally good rounds is taken. The figure of the training data is computed only
    for a watch that shows it, as it costs a pass over them and chooses nothing. Where growth has a
    start, that alone is round 0, which validation may choose too.
    """
    text, facts = grow_text(training, growth)
    grown = trees_of_text(text, training.train.n_features)
    if growth.start is None:
        return Learned(grown, facts)
    validation = training.validation
    before = None if validation is None else _value(growth.start, validation, growth)
    if before is not None and before >= facts.get("selection", -np.inf):
        return Learned(growth.start, {**facts, "round": 0, "selection": before})
    return Learned(join_trees([growth.start, grown]), facts)


def grow_text(training: Training, growth: Growth) -> tuple[str, dict[str, Any]]:
    """As `grow_trees`, but LightGBM's model text, whose trees may stand for several classes."""
    try:
        import lightgbm
    except ImportError as error:
        raise MissingExtra(growth.ranker, "trees") from error
    if growth.measure is not None:
        # A misspelt name is told even where there is no validation to use it on.
        find_tool(growth.tool).measure(growth.measure)
    try:
        booster = _booster(training.train, training.validation, growth)
        values, rounds = _grow(booster, training, growth)
        kept = int(np.argmax(values)) + 1 if values else rounds
        text = booster.model_to_string(num_iteration=kept)
    except lightgbm.basic.LightGBMError as error:
        raise growth.refusal(error) from error
    facts: dict[str, Any] = {"round": kept, "rounds": rounds}
    if values:
        facts["selection"] = values[kept - 1]
    return text, facts


def common_settings(train: Dataset) -> dict[str, Any]:
    """`STEADY_SETTINGS`, and as many threads as the data are worth."""
    sparse = train.sparse
    cells = train.n_documents * train.n_features if sparse is None else sparse.values.size
    small = cells < _CELLS_WORTH_A_THREAD
    return {**STEADY_SETTINGS, "num_threads": 1 if small else 0}


def is_patience_over(values: Sequence[float], patience: int) -> bool:
    """Whether the last `patience` rounds brought nothing better than the one before them."""
    return len(values) - 1 - int(np.argmax(values)) >= patience


def _booster(train: Dataset, validation: Dataset | None, growth: Growth) -> lightgbm.Booster:
    import lightgbm

    settings = common_settings(train) | dict(growth.settings)
    refuse_categories(train, growth.categories, growth.ranker)
    if growth.gradients is not None:
        # Without a feature to split on LightGBM takes no gradients: it must keep all that vary,
        # and where none does, any objective of its own gives the same single leaf.
        settings |= {"feature_pre_filter": False}
        settings |= {} if _some_feature_varies(train) else {"objective": "regression"}
    labels: NDArray[Any] = train.labels
    if growth.gain is not None and np.any(labels % 1):
        levels, labels = np.unique(train.labels, return_inverse=True)
        settings |= {"label_gain": growth.gain(levels).tolist()}
    data = lightgbm.Dataset(
        _rows(train),
        labels,
        weight=train.weights,
        group=train.query_lengths,
        init_score=_scores(growth.start, train),
        categorical_feature=growth.categorical_feature,
        params=settings,
    )
    booster = lightgbm.Booster(settings, data)
    if validation is not None and growth.measure is not None:
        judged = lightgbm.Dataset(
            _rows(validation),
            validation.labels,
            init_score=_scores(growth.start, validation),
            reference=data,
            params=settings,
        )
        booster.add_valid(judged, "validation")
    return booster


def _scores(start: Trees | None, dataset: Dataset) -> Floats | None:
    return None if start is None else start.score_dataset(dataset)


def _value(start: Trees, validation: Dataset, growth: Growth) -> float | None:
    """What the trees to start from reach on validation, where a measure judges it."""
    if growth.measure is None:
        return None
    measure = TrainingMeasure.of(validation, growth.measure, growth.tool)
    return float(measure.mean(start.score_dataset(validation)))


def _rows(dataset: Dataset) -> Any:
    """The features as LightGBM takes them: an array, sparse rows of scipy, or rows in a file."""
    sparse = dataset.sparse
    if dataset.in_file is not None:
        from rankwise.rankers.trees.lightgbm_rows import FileRows

        return FileRows(dataset.in_file)
    if sparse is None:
        return dataset.features
    from scipy.sparse import csr_matrix

    return csr_matrix((sparse.values, sparse.columns, sparse.row_offsets), sparse.shape)


def _grow(booster: lightgbm.Booster, training: Training, growth: Growth) -> tuple[list[float], int]:
    """The values of all rounds on validation, if any, and the number of rounds."""
    shown = _figure(training.train, growth) if looks_at_figures(training.watch) else None
    judge = _figure(training.validation, growth)
    values: list[float] = []
    followed = None
    if growth.gradients is not None and _some_feature_varies(training.train):
        followed = _objective(growth.gradients)
    for number in range(1, growth.rounds + 1):
        finished = booster.update(fobj=followed)
        if judge is not None and booster.current_iteration() == number:
            values.append(booster.eval_valid(judge)[0][2])
        reached = None if shown is None else booster.eval_train(shown)[0][2]
        last = values[-1] if values else None
        if training.watch(Round(number, growth.rounds, reached, last)) or finished:
            break
        if values and is_patience_over(values, growth.patience):
            break
    return values, booster.current_iteration()


def _some_feature_varies(train: Dataset) -> bool:
    """Whether a column has two values, of which NULL may be one."""
    first = None
    for _, _, features in train.to_dense().row_blocks():
        first = features[0] if first is None else first
        same = (features == first) | (np.isnan(features) & np.isnan(first))
        if not same.all():
            return True
    return False


def weigh_gradients(gradients: Gradients, weights: Floats) -> Gradients:
    """The same loss with weights of documents, which LightGBM leaves to whoever gives gradients."""

    def weighed(scores: Floats) -> tuple[Floats, Floats]:
        slopes, curves = gradients(scores)
        return weights * slopes, weights * curves

    return weighed


def _objective(gradients: Gradients) -> Any:
    """The loss as LightGBM asks for it."""

    def objective(scores: Floats, data: lightgbm.Dataset) -> Any:
        return gradients(scores)

    return objective


def _figure(dataset: Dataset | None, growth: Growth) -> Any:
    """The mean of the measure as LightGBM asks for it: from the scores that it keeps up to date."""
    if dataset is None or growth.measure is None:
        return None
    measure = FollowedMeasure(TrainingMeasure.of(dataset, growth.measure, growth.tool))

    def figure(scores: Floats, data: lightgbm.Dataset) -> tuple[str, float, bool]:
        found = scores if growth.reading is None else growth.reading(scores)
        return "measure", measure.mean(found), True

    return figure


@dataclass(frozen=True)
class OwnGradientRanker(Ranker):
    """F_t = F_{t−1} + η v_t, v_t a regression tree of the slopes of a loss at F_{t−1}.

    Trees are grown best first to `leaves` leaves on binned features (LightGBM), each leaf holding
    the Newton step −Σ slopes / Σ second derivatives. F_0 = 0. The round is chosen by `measure` on
    validation.
    """

    handles_null: ClassVar[bool] = True
    uses_measure: ClassVar[bool] = True

    rounds: int = parameter(300, "trees at most; the best round is chosen on validation", lowest=1)
    patience: int = parameter(50, "rounds without a better one before training ends", lowest=1)
    learning_rate: float = learning_rate(0.1)
    leaves: int = parameter(7, "leaves of a tree at most", grid=(4, 10), lowest=2, highest=131072)
    leaf_documents: int = parameter(50, "documents that a leaf must hold", lowest=1)
    measure: str = parameter("MAP", "the measure that chooses the round")
    tool: str = convention()

    @abstractmethod
    def _gradients(self, train: Dataset) -> Gradients:
        """Slopes and second derivatives of the loss in the scores of these documents."""

    def _learn(self, training: Training) -> Learned[Trees]:
        refuse_equal_labels(training.train, self.name)
        settings = {
            "objective": "none",
            "learning_rate": self.learning_rate,
            "num_leaves": self.leaves,
            "min_data_in_leaf": self.leaf_documents,
        }
        growth = Growth(
            self.name,
            settings,
            self.rounds,
            self.patience,
            self.measure,
            self.tool,
            self._gradients(training.train),
        )
        return grow_trees(training, growth)
