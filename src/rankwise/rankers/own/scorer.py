"""A fitted object of a user's own as a scorer: it scores in memory, and cannot be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.rankers.own.failures import one_sentence
from rankwise.rankers.own.signatures import Signature, score_arguments
from rankwise.rankers.scorers.scorer import Scorer


@dataclass(frozen=True, eq=False)
class OwnScorer(Scorer):
    """f(x) is what the fitted object says.

    Attributes:
        ranker: the name of the ranker, for messages.
        fitted: the object that `fit` was called on, or what it returned.
        width: how many features a document must have.
    """

    kind: ClassVar[str] = "own"
    ranker: str
    fitted: Any
    width: int

    @property
    def n_features(self) -> int:
        """The width of the data that it was learned from."""
        return self.width

    @property
    def row_by_row(self) -> bool:
        """False where it scores whole lists: a document's score may depend on the others'."""
        return not self._signature().needs_queries

    def score(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per row, of a model that needs no queries."""
        signature = self._signature()
        if signature.needs_queries:
            raise RankwiseError(
                f"{signature.what} scores whole lists and needs the queries, found rows alone; "
                "score a data set (in scikit-learn: pass qid)"
            )
        return self._scores(signature, [features], {}, len(features))

    def score_dataset(self, dataset: Dataset) -> NDArray[np.float64]:
        """One score per row; the object is given what its parameters ask for."""
        signature = self._signature()
        given, named = score_arguments(signature, dataset)
        return self._scores(signature, given, named, dataset.n_documents)

    def importance(self) -> NDArray[np.float64]:
        """`feature_importances_`, or else `coef_`."""
        for name in ("feature_importances_", "coef_"):
            found = np.asarray(getattr(self.fitted, name, ()), dtype=np.float64).ravel()
            if len(found) == self.width:
                return found
        raise RankwiseError(
            f"{self.ranker} does not say how much each feature counts; give it "
            "feature_importances_, one number per feature"
        )

    def as_json(self) -> NoReturn:
        """Refused: a model file holds no code."""
        raise RankwiseError(
            f"the model of {self.ranker} cannot be written to a file, which holds numbers and no "
            "code; give the class a method as_scorer() that returns one of Rankwise's scorers, "
            "such as Linear, or evaluate it without a file: rankwise bench"
        )

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> NoReturn:
        """Refused: no file holds one."""
        raise RankwiseError("a model of somebody's own code cannot be read from a file")

    def _signature(self) -> Signature:
        return scoring_signature(self.fitted, self.ranker)

    def _scores(
        self, signature: Signature, given: list[Any], named: dict[str, Any], rows: int
    ) -> NDArray[np.float64]:
        method = signature.what.rpartition(".")[2]
        with one_sentence(self.ranker, method):
            found = np.asarray(getattr(self.fitted, method)(*given, **named), dtype=np.float64)
        if found.shape not in ((rows,), (rows, 1)):
            raise RankwiseError(
                f"{signature.what} must return one score per row ({rows}), found an array of shape "
                f"{found.shape}"
            )
        if not np.isfinite(found).all():
            raise RankwiseError(
                f"{signature.what} must return finite scores, found NaN or infinity"
            )
        # A view of memory that the object may use again would change under its reader.
        return np.array(found.ravel())


def can_score(thing: Any) -> bool:
    """Whether something has a method that scores, or a scorer of ours to give."""
    return any(callable(getattr(thing, name, None)) for name in ("predict", "score", "as_scorer"))


def scoring_signature(thing: Any, ranker: str) -> Signature:
    """The method that scores: `score(dataset)`, else `predict`, else `score(X)`.

    scikit-learn's `score(X, y)` judges predictions and is none.
    """
    bound = not isinstance(thing, type)
    found = {
        name: Signature.of(method, f"{ranker}.{name}", bound=bound)
        for name in ("score", "predict")
        if callable(method := getattr(thing, name, None))
    }
    if "score" in found and (found["score"].whole or "predict" not in found):
        chosen = found["score"]
    elif "predict" in found:
        chosen = found["predict"]
    else:
        raise RankwiseError(f"{ranker} must have predict or score beside fit, found neither")
    chosen.refuse_unfilled(
        {"qid", "group", *chosen.parameters} if chosen.whole else {"qid", "group"},
        0 if chosen.whole else 1,
        "X, or a data set as a parameter named dataset",
    )
    return chosen
