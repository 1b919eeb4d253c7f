"""Simulated users: click models say who examines which position, clicks and stops.

A user is written `model` or `model:setting` and made by `make_user`. Every model gives its chances
by grade and position as tables, which compiled code reads, and its expected clicks in closed form.

The types of users in simulations of online learning have chances of clicks and stops by grade.
They are those of Hofmann, Whiteson, de Rijke (2013). Balancing exploration and exploitation in
listwise and pairwise online learning to rank for information retrieval. Information Retrieval 16,
for two and three grades; of Oosterhuis, de Rijke (2018). Differentiable unbiased online learning
to rank. CIKM, for five; almost random: Schuth, Oosterhuis, Whiteson, de Rijke (2016). Multileave
gradient descent for fast online learning to rank. WSDM.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.errors import RankwiseError
from rankwise.registry import Registry

CLICK_MODELS: Registry[type[ClickModel]] = Registry(
    "click model",
    {
        "position-based": "rankwise.feedback.users:PositionBased",
        "cascade": "rankwise.feedback.users:Cascade",
        "dependent-click": "rankwise.feedback.users:DependentClick",
        "dynamic-bayesian": "rankwise.feedback.users:DynamicBayesian",
    },
)
_MOST_GRADES = 32


def find_click_model(name: str) -> type[ClickModel]:
    """The class of a registered name; a misspelt one suggests the nearest."""
    return CLICK_MODELS[name]


def make_user(user: str | ClickModel, grades: int, noise: float | None = None) -> ClickModel:
    """The user `model:setting` for labels 0 to `grades` − 1; a model comes back as it is.

    `noise` replaces that of the setting.
    """
    if isinstance(user, str):
        name, _, setting = user.partition(":")
        model = find_click_model(name)
        known = model.settings(grades)
        setting = setting or model.default_setting
        if setting not in known:
            raise RankwiseError(f"{name} has no setting {setting!r}; it has {', '.join(known)}")
        user = known[setting]
    if len(user.attraction) < grades:
        raise RankwiseError(
            f"{user.name}: there must be a chance for each of the {grades} grades of the labels, "
            f"found {len(user.attraction)}"
        )
    return user if noise is None else replace(user, noise=noise)


def count_grades(dataset: Dataset) -> int:
    """How many grades the labels have, which must be whole numbers from 0."""
    labels = dataset.labels
    lowest, highest = labels.min(initial=0.0), labels.max(initial=0.0)
    if lowest < 0.0 or highest >= _MOST_GRADES or np.any(labels != np.floor(labels)):
        raise RankwiseError(
            f"simulated users need labels that are whole numbers from 0 to {_MOST_GRADES - 1}, "
            f"found {lowest:g} to {highest:g}, or fractions"
        )
    return max(2, int(highest) + 1)


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UserTables:
    """A user as tables, which is all that compiled code knows of one.

    With `independent`, position k is examined with chance positions[k], whatever happens elsewhere.
    Else a user begins at the top; after a click on grade g at position k the next position is
    examined with chance (1 − satisfaction[g]) · positions[k], after none with `perseverance`. An
    examined document of grade g is clicked with chance attraction[g].
    """

    independent: bool
    attraction: Floats
    satisfaction: Floats
    positions: Floats
    perseverance: float = 1.0


@dataclass(frozen=True)
class ClickModel(ABC):
    """A user of ranked lists, with the chances that the model's papers name.

    Attributes:
        attraction: by grade, the chance of a click on an examined document.
        noise: the share of clicks that no grade decides: attraction a becomes
            (1 − noise) · a + noise / 2.
    """

    name: ClassVar[str]
    paper: ClassVar[str]
    default_setting: ClassVar[str]

    attraction: tuple[float, ...]
    noise: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            values = getattr(self, field.name)
            for value in values if isinstance(values, tuple) else (values,):
                if field.name not in self._unbounded() and not 0.0 <= value <= 1.0:
                    raise RankwiseError(
                        f"{self.name}: {field.name} must be chances from 0 to 1, found {value:g}"
                    )

    @classmethod
    @abstractmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """The published settings for labels 0 to `grades` − 1, by name."""

    @abstractmethod
    def tables(self, shown: int) -> UserTables:
        """The user of lists of `shown` positions."""

    @abstractmethod
    def expected_clicks(self, grades: Integers) -> Floats:
        """The chance of a click at every position of a list of these grades, in closed form."""

    @property
    def clicked(self) -> Floats:
        """By grade, the chance of a click on an examined document, noise included."""
        return (1.0 - self.noise) * np.array(self.attraction) + self.noise / 2.0

    @classmethod
    def _unbounded(cls) -> tuple[str, ...]:
        """Fields that are no chances."""
        return ()


def examine_in_turn(onward: Floats) -> Floats:
    """The chance that each position is examined, `onward` being that of going on from it."""
    return np.concatenate([np.ones(1), np.cumprod(onward[:-1])])


@dataclass(frozen=True)
class PositionBased(ClickModel):
    """P(click at k) = θ_k · a(grade), θ_k = (1 / k)^η.

    The settings are those of Joachims et al. (2017), who vary η and click an examined document
    without relevance with chance ε = 0.1; for more than two grades a(y) = ε + (1 − ε) (2^y − 1) /
    (2^highest − 1), as Ai et al. (2018). `mild`, `usual` and `severe` have η = 0.5, 1 and 2;
    `clean` is `usual` with ε = 0. `labels` examines everything and clicks every label above 0:
    feedback that is the judgements themselves.

    Richardson, Dominowska, Ragno (2007). Predicting clicks. WWW. Joachims, Swaminathan, Schnabel
    (2017). Unbiased learning-to-rank with biased feedback. WSDM. Ai, Bi, Luo, Guo, Croft (2018).
    Unbiased learning to rank with unbiased propensity estimation. SIGIR.
    """

    name: ClassVar[str] = "position-based"
    paper: ClassVar[str] = "Joachims, Swaminathan and Schnabel (2017), WSDM"
    default_setting: ClassVar[str] = "usual"

    severity: float = 1.0
    """η: 0 examines everything."""

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """`mild`, `usual`, `severe`, `clean` and `labels`."""
        noisy, clean = _grade_attraction(grades, 0.1), _grade_attraction(grades, 0.0)
        judged = tuple(float(grade > 0) for grade in range(grades))
        return {
            "mild": cls(noisy, severity=0.5),
            "usual": cls(noisy),
            "severe": cls(noisy, severity=2.0),
            "clean": cls(clean),
            "labels": cls(judged, severity=0.0),
        }

    def examination(self, shown: int) -> Floats:
        """θ_k for k = 1 to `shown`."""
        return np.arange(1.0, shown + 1.0) ** -self.severity

    def tables(self, shown: int) -> UserTables:
        """Independent examination."""
        clicked = self.clicked
        return UserTables(True, clicked, np.zeros(len(clicked)), self.examination(shown))

    def expected_clicks(self, grades: Integers) -> Floats:
        """θ_k · a(grade)."""
        return self.examination(len(grades)) * self.clicked[grades]

    @classmethod
    def _unbounded(cls) -> tuple[str, ...]:
        return ("severity",)


def _grade_attraction(grades: int, least: float) -> tuple[float, ...]:
    highest = 2.0 ** (grades - 1) - 1.0
    shares = [(2.0**grade - 1.0) / highest if highest else 0.0 for grade in range(grades)]
    return tuple(least + (1.0 - least) * share for share in shares)


@dataclass(frozen=True)
class Cascade(ClickModel):
    """P(click at k) = a_k Π_{i < k} (1 − a_i), a_i being the attraction of the grade at i.

    The settings take their chances of clicks from the users of online learning
    (`rankwise.feedback.users`), the stop is certain.

    Craswell, Zoeter, Taylor, Ramsey (2008). An experimental comparison of click position-bias
    models. WSDM.
    """

    name: ClassVar[str] = "cascade"
    paper: ClassVar[str] = "Craswell, Zoeter, Taylor and Ramsey (2008), WSDM"
    default_setting: ClassVar[str] = "navigational"

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """One for each type of user."""
        return {name: cls(user.click) for name, user in find_user_types(grades).items()}

    def tables(self, shown: int) -> UserTables:
        """Examination in turn that never goes on after a click."""
        clicked = self.clicked
        return UserTables(False, clicked, np.zeros(len(clicked)), np.zeros(shown))

    def expected_clicks(self, grades: Integers) -> Floats:
        """a_k Π_{i < k} (1 − a_i)."""
        chances = self.clicked[grades]
        return chances * examine_in_turn(1.0 - chances)


@dataclass(frozen=True)
class DependentClick(ClickModel):
    """P(click at k) = e_k a_k, e_{k+1} = e_k (1 − a_k (1 − λ_k)), e_1 = 1.

    λ_k is the chance of going on after a click at k: that of the position in Guo et al. (2009),
    1 − stop(grade) in simulations of online learning, whose users are the settings; here it is the
    product of both, one of which is 1.

    Guo, Liu, Wang (2009). Efficient multiple-click models in web search. WSDM. Hofmann, Whiteson,
    de Rijke (2013). Information Retrieval 16.
    """

    name: ClassVar[str] = "dependent-click"
    paper: ClassVar[str] = "Guo, Liu and Wang (2009), WSDM"
    default_setting: ClassVar[str] = "navigational"

    stop: tuple[float, ...] = ()
    """By grade; none: only the position decides."""
    onward: tuple[float, ...] = ()
    """λ by position, the last one for all that follow; none: 1."""

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """One for each type of user."""
        users = find_user_types(grades)
        return {name: cls(user.click, stop=user.stop) for name, user in users.items()}

    def tables(self, shown: int) -> UserTables:
        """Examination in turn that may go on after a click."""
        return UserTables(False, self.clicked, self._stops(), self._onward(shown))

    def expected_clicks(self, grades: Integers) -> Floats:
        """e_k a_k."""
        chances = self.clicked[grades]
        going_on = (1.0 - self._stops()[grades]) * self._onward(len(grades))
        return examine_in_turn(1.0 - chances * (1.0 - going_on)) * chances

    def _stops(self) -> Floats:
        return np.array(self.stop) if self.stop else np.zeros(len(self.attraction))

    def _onward(self, shown: int) -> Floats:
        known = self.onward or (1.0,)
        return np.array([known[min(place, len(known) - 1)] for place in range(shown)])


@dataclass(frozen=True)
class DynamicBayesian(ClickModel):
    """P(click at k) = e_k a_k, e_{k+1} = e_k γ (1 − a_k s_k), e_1 = 1.

    a is the attraction of a grade, s the chance that a click on it satisfies, γ that of going on
    where nothing did. γ = 0.9 is what Chapelle and Zhang use. They learn a and s for each document;
    the settings take them, as chances of clicks and stops, from the users of online learning
    (`rankwise.feedback.users`).

    Chapelle, Zhang (2009). A dynamic Bayesian network click model for web search ranking. WWW.
    """

    name: ClassVar[str] = "dynamic-bayesian"
    paper: ClassVar[str] = "Chapelle and Zhang (2009), WWW"
    default_setting: ClassVar[str] = "navigational"

    satisfaction: tuple[float, ...] = ()
    perseverance: float = 0.9

    @classmethod
    def settings(cls, grades: int) -> Mapping[str, Self]:
        """One for each type of user."""
        users = find_user_types(grades)
        return {name: cls(user.click, satisfaction=user.stop) for name, user in users.items()}

    def tables(self, shown: int) -> UserTables:
        """Examination in turn that goes on with γ where nothing satisfied."""
        onward = np.full(shown, self.perseverance)
        return UserTables(False, self.clicked, self._satisfied(), onward, self.perseverance)

    def expected_clicks(self, grades: Integers) -> Floats:
        """e_k a_k."""
        chances = self.clicked[grades]
        satisfied = chances * self._satisfied()[grades]
        return examine_in_turn(self.perseverance * (1.0 - satisfied)) * chances

    def _satisfied(self) -> Floats:
        known = self.satisfaction
        return np.array(known) if known else np.zeros(len(self.attraction))


class UserType(NamedTuple):
    """By grade: the chance of a click on an examined document, and of stopping after one."""

    click: tuple[float, ...]
    stop: tuple[float, ...]


_USER_TYPES_BY_GRADES = {
    "perfect": (
        UserType((0.0, 1.0), (0.0, 0.0)),
        UserType((0.0, 0.5, 1.0), (0.0, 0.0, 0.0)),
        UserType((0.0, 0.2, 0.4, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0, 0.0)),
    ),
    "navigational": (
        UserType((0.05, 0.95), (0.2, 0.9)),
        UserType((0.05, 0.5, 0.95), (0.2, 0.5, 0.9)),
        UserType((0.05, 0.3, 0.5, 0.7, 0.95), (0.2, 0.3, 0.5, 0.7, 0.9)),
    ),
    "informational": (
        UserType((0.4, 0.9), (0.1, 0.5)),
        UserType((0.4, 0.7, 0.9), (0.1, 0.3, 0.5)),
        UserType((0.4, 0.6, 0.7, 0.8, 0.9), (0.1, 0.2, 0.3, 0.4, 0.5)),
    ),
    "almost-random": (
        UserType((0.4, 0.6), (0.5, 0.5)),
        UserType((0.4, 0.5, 0.6), (0.5, 0.5, 0.5)),
        UserType((0.4, 0.45, 0.5, 0.55, 0.6), (0.5, 0.5, 0.5, 0.5, 0.5)),
    ),
}
USER_TYPES = tuple(_USER_TYPES_BY_GRADES)


def find_user_types(grades: int) -> dict[str, UserType]:
    """All types for labels 0 to `grades` − 1; they are published for 2, 3 and 5 grades."""
    places = {2: 0, 3: 1, 5: 2}
    if grades not in places:
        raise RankwiseError(
            f"the users {', '.join(USER_TYPES)} are published for 2, 3 and 5 grades of labels, "
            f"found {grades}; give the chances by grade in Python, or use position-based"
        )
    return {name: types[places[grades]] for name, types in _USER_TYPES_BY_GRADES.items()}
