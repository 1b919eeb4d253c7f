"""What boosted trees may be asked for beyond their number and size.

Some hyper-parameters name features: which may only raise the score, which hold categories. They are
texts, so that a command, a plan, a model file and a wrapped ranker hold them alike: `monotone` is
`bm25:+,price:-`, or LightGBM's list `0,1,-1` of all features; `categorical` is `brand,colour`. A
feature goes by its name where the data name theirs, and by its number from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.native.arrays import Floats
from rankwise.rankers.parameters import parameter
from rankwise.sanitize import brief

DEVICES = ("cpu", "gpu", "cuda")


def learning_rate(default: float, *, grid: Sequence[float] = ()) -> Any:
    """η of boosted trees."""
    meaning = "η, the share of each tree that is added"
    return parameter(default, meaning, grid=grid, lowest=1e-6, highest=1.0)


def l2() -> Any:
    """λ of the leaves."""
    meaning = "λ, added to the second derivatives of a leaf: higher is smoother"
    return parameter(0.0, meaning, lowest=0.0)


def feature_fraction() -> Any:
    """The share of the features that a tree sees."""
    meaning = "share of the features, drawn anew for each tree by the seed, that it may split on"
    return parameter(1.0, meaning, lowest=0.001, highest=1.0)


def monotone() -> Any:
    """Which features may only raise or only lower the score."""
    return parameter(
        "", "features that may only raise or only lower the score, by name or number: 3:+,price:-"
    )


def categorical() -> Any:
    """Which features hold categories."""
    return parameter(
        "", "features that hold categories, whole numbers from 0, by name or number: brand,7"
    )


def device() -> Any:
    """Where histograms are computed."""
    return parameter(
        "cpu", "where trees are grown: cpu, or gpu or cuda where the installed LightGBM can"
    )


@dataclass(frozen=True)
class TreeChoices:
    """The hyper-parameters of these names, as LambdaMART and MART have them.

    Attributes:
        ranker: the name of the method, for messages.
        l2: λ, which is added to the second derivatives of every leaf: Σ slopes / (Σ curves + λ).
        feature_fraction: the share of the features, drawn anew for each tree, that it may split on.
        monotone: which features may only raise or only lower the score; see `feature_choices`.
        categorical: which features hold categories rather than quantities.
        device: where histograms are computed.
    """

    ranker: str
    l2: float
    feature_fraction: float
    monotone: str
    categorical: str
    device: str

    @classmethod
    def of(cls, ranker: Any) -> TreeChoices:
        """Those of a ranker that has them all."""
        names = ("l2", "feature_fraction", "monotone", "categorical", "device")
        return cls(ranker.name, *(getattr(ranker, name) for name in names))

    def settings(
        self, width: int, names: tuple[str, ...] | None, rng: np.random.Generator
    ) -> dict[str, Any]:
        """LightGBM's parameters for data of `width` features; none where nothing is asked for.

        Only `feature_fraction` draws a random number, and only where it is below 1.
        """
        found: dict[str, Any] = {}
        if self.l2:
            found["lambda_l2"] = self.l2
        if self.feature_fraction < 1.0:
            seed = int(rng.integers(2**31))
            found |= {"feature_fraction": self.feature_fraction, "feature_fraction_seed": seed}
        directions = monotone_directions(self.monotone, width, names, self.ranker)
        if any(directions):
            self._refuse_ordered_categories(directions, self.columns(width, names))
            found["monotone_constraints"] = directions
        if self.device != "cpu":
            found["device_type"] = self.device
        return found

    def columns(self, width: int, names: tuple[str, ...] | None) -> tuple[int, ...]:
        """The columns of the features that hold categories."""
        return tuple(categorical_columns(self.categorical, width, names, self.ranker))

    def _refuse_ordered_categories(self, directions: list[int], columns: tuple[int, ...]) -> None:
        for column in columns:
            if directions[column]:
                raise RankwiseError(
                    f"{self.ranker}: categories have no order for a score to follow, found feature "
                    f"{column + 1} in both monotone and categorical; leave it out of one"
                )


def settle_tree_choices(ranker: Any) -> None:
    """Make texts of `monotone` and `categorical`, and tell `random`, as a frozen ranker begins.

    Devices are no declared choices of a hyper-parameter, since not all can be had everywhere.
    """
    if ranker.device not in DEVICES:
        raise RankwiseError(
            f"{ranker.name}: device must be one of {', '.join(DEVICES)}, found "
            f"{brief(ranker.device)}"
        )
    for name, write in (("monotone", monotone_text), ("categorical", categorical_text)):
        object.__setattr__(ranker, name, write(getattr(ranker, name), ranker.name))
    # Of this ranker, whatever others of its class do: nothing is drawn where all features are seen.
    object.__setattr__(ranker, "random", ranker.feature_fraction < 1.0)


HIGHEST_CATEGORY = 65_535
"""LightGBM keeps a bit for every whole number up to the highest category, at every split."""

_LISTED = {"1": 1, "+1": 1, "-1": -1, "0": 0}
_NAMED = {"+": 1, "+1": 1, "1": 1, "-": -1, "-1": -1}
_SIGNS = {1: "+", -1: "-"}


def monotone_text(given: Any, ranker: str) -> str:
    """The text of directions that may also come as a list for all features, by name, or as None."""
    if given is None:
        return ""
    if isinstance(given, Mapping):
        pairs = [(str(name), _direction(value, ranker)) for name, value in given.items()]
        _refuse_commas([name for name, _ in pairs], "monotone", ranker)
        return ",".join(f"{name}:{_SIGNS[value]}" for name, value in pairs if value)
    if not isinstance(given, str):
        return ",".join(str(_direction(one, ranker)) for one in _listed(given, "monotone", ranker))
    if not _is_list(given):
        for part in _listed_parts(given):
            _named_direction(part, ranker)
    return given


def categorical_text(given: Any, ranker: str) -> str:
    """The text of features that may also come as a list of names and numbers from 1, or None."""
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    names = [str(one) for one in _listed(given, "categorical", ranker)]
    _refuse_commas(names, "categorical", ranker)
    return ",".join(names)


def monotone_directions(
    text: str, width: int, names: tuple[str, ...] | None, ranker: str
) -> list[int]:
    """1, −1 or 0 for each of `width` features."""
    if _is_list(text):
        found = [_LISTED[part] for part in _listed_parts(text)]
        if len(found) != width:
            raise RankwiseError(
                f"{ranker}: a list of monotone must have a number for each of the {width} "
                f"features, found {len(found)}; or name features: price:-"
            )
        return found
    directions = [0] * width
    for part in _listed_parts(text):
        name, direction = _named_direction(part, ranker)
        column = _column(name, width, names, "monotone", ranker)
        if directions[column]:
            raise RankwiseError(
                f"{ranker}: monotone must name a feature once, found {brief(name)} again"
            )
        directions[column] = direction
    return directions


def categorical_columns(
    text: str, width: int, names: tuple[str, ...] | None, ranker: str
) -> list[int]:
    """The columns, from 0 and ascending, of the features that are named."""
    found = [_column(part, width, names, "categorical", ranker) for part in _listed_parts(text)]
    twice = next((column for column in found if found.count(column) > 1), None)
    if twice is not None:
        raise RankwiseError(
            f"{ranker}: categorical must name a feature once, found feature {twice + 1} again"
        )
    return sorted(found)


def refuse_categories(train: Dataset, columns: Iterable[int], ranker: str) -> None:
    """Refuse training data whose categories are not whole numbers, or are too large."""
    for column in columns:
        values = _column_values(train, column)
        wrong = values[(values < 0) | (values > HIGHEST_CATEGORY) | (values % 1 != 0)]
        if len(wrong):
            name = train.feature_names[column] if train.feature_names else str(column + 1)
            raise RankwiseError(
                f"{ranker}: the categories of feature {brief(name)} must be whole numbers from 0 "
                f"to {HIGHEST_CATEGORY:,}, or NULL, found {wrong[0]:g}; number them, or take it "
                "out of categorical"
            )


def _column_values(train: Dataset, column: int) -> Floats:
    """What a column holds, without NULL; of sparse data what they store, zeros being one."""
    sparse = train.sparse
    values = train.column(column) if sparse is None else sparse.values[sparse.columns == column]
    return np.asarray(values[~np.isnan(values)], dtype=np.float64)


def _column(name: str, width: int, names: tuple[str, ...] | None, what: str, ranker: str) -> int:
    if names is not None and name in names:
        return names.index(name)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= width:
        return int(name) - 1
    known = f"names of features or numbers from 1 to {width}"
    if names is None:
        known = f"numbers of features from 1 to {width}, as the data name none"
    raise RankwiseError(f"{ranker}: {what} must hold {known}, found {brief(name)}")


def _named_direction(part: str, ranker: str) -> tuple[str, int]:
    name, colon, sign = (one.strip() for one in part.rpartition(":"))
    if not colon or not name or sign not in _NAMED:
        raise RankwiseError(
            f"{ranker}: monotone must be written feature:+ or feature:-, several with commas, or "
            f"as a list of 1, 0 and -1, found {brief(part)}"
        )
    return name, _NAMED[sign]


def _direction(value: Any, ranker: str) -> int:
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    found = {**_NAMED, **_LISTED}.get(text)
    if found is None:
        raise RankwiseError(
            f"{ranker}: monotone must be 1, 0 or -1 for each feature, found {brief(value)}"
        )
    return found


def _listed(given: Any, what: str, ranker: str) -> list[Any]:
    if isinstance(given, Iterable):
        return list(given)
    raise RankwiseError(f"{ranker}: {what} must be a text or a list, found {brief(given)}")


def _refuse_commas(names: Iterable[str], what: str, ranker: str) -> None:
    for name in names:
        if "," in name:
            raise RankwiseError(
                f"{ranker}: {what} parts features by commas, found one in {brief(name)}; give the "
                "number of the feature"
            )


def _is_list(text: str) -> bool:
    parts = _listed_parts(text)
    return bool(parts) and all(part in _LISTED for part in parts)


def _listed_parts(text: str) -> list[str]:
    """What stands between commas; the brackets of other libraries' lists are left out."""
    bare = text.strip()
    if bare[:1] + bare[-1:] in ("()", "[]"):
        bare = bare[1:-1]
    return [part.strip() for part in bare.split(",")] if bare.strip() else []
