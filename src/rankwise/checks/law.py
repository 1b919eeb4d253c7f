"""What a law is: a name, its meaning and a check that a ranker passes, breaks or is exempt from.

A ranker under examination is set to train quickly, its refusals told apart from its defects: scores
must be what scores must be, and odd data are trained on or refused. The same training also runs in
another process, with another number of threads and another hash seed.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankwise.checks.made import half_way, mean, planted
from rankwise.data.dataset import Dataset
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.models.model import Model
from rankwise.models.model_file import ModelFile, as_text
from rankwise.models.scorers.scorer import scorer_kinds
from rankwise.rankers.parameters import parameters_of
from rankwise.rankers.ranker import Ranker
from rankwise.registry import describe_failure
from rankwise.sanitize import LONGEST_PIECE

Function = TypeVar("Function", bound=Callable[..., None])

REGISTERED: list[Law] = []
"""All laws whose modules have been imported, in their order."""


class CheckFailed(AssertionError):
    """A ranker breaks a law.

    Attributes:
        expected: what must hold.
        found: what was found instead.
        law: the name of the law.
        ranker: the name of the ranker.
    """

    def __init__(self, expected: str, found: object, law: str = "", ranker: str = "") -> None:
        self.expected = expected
        self.found = found
        self.law = law
        self.ranker = ranker
        super().__init__(f"{ranker} breaks the law {law}: expected {expected}, found {found}")


class NotApplicable(Exception):
    """A law says nothing about this ranker; the message says why."""


@dataclass(frozen=True)
class Law:
    """One thing that every ranker must do, and the check of it.

    Attributes:
        name: as in `check_ranker(..., except_for={name: reason})`.
        meaning: the law in a sentence.
        group: what it is about: learning, models, robustness or settings.
    """

    name: str
    meaning: str
    group: str
    _body: Callable[[ExaminedRanker], None]

    def __repr__(self) -> str:
        return f"Law {self.name}: {self.meaning}"

    def check(self, subject: ExaminedRanker) -> None:
        """Return where the law holds, else raise `CheckFailed`, or `NotApplicable` with why."""
        name = subject.ranker.name
        try:
            self._body(subject)
        except NotApplicable:
            raise
        # A ranker whose optional library is absent cannot be examined; its sentence says so.
        except MissingExtra as error:
            raise NotApplicable(str(error)) from error
        except CheckFailed as failure:
            raise CheckFailed(failure.expected, failure.found, self.name, name) from failure
        # A ranker is anybody's code: whatever it raises, it has broken the law.
        except Exception as error:
            expected = f"no error ({self.meaning})"
            raise CheckFailed(expected, describe_failure(error), self.name, name) from error


def law(function: Function) -> Function:
    """Make a function of a subject a law, named as the function; its docstring is the meaning."""
    _register(function.__name__, function, function)
    return function


def law_for_each(cases: Mapping[str, Any]) -> Callable[[Function], Function]:
    """Make a function of a subject and a value a law for each of the named values."""

    def register(function: Function) -> Function:
        for case, value in cases.items():
            _register(f"{function.__name__}_{case}", function, partial(_call, function, value))
        return function

    return register


def require(holds: bool, expected: str, found: object) -> None:
    """Fail the law unless it `holds`."""
    if not holds:
        raise CheckFailed(expected, found)


def refusal(refused: Callable[[], object], expected: str) -> RankwiseError:
    """The error that a user is told; that there is none, or another one, breaks the law."""
    try:
        found = refused()
    # Not what was asked to be refused: nothing was examined.
    except MissingExtra:
        raise
    except RankwiseError as error:
        return error
    raise CheckFailed(f"a RankwiseError: {expected}", f"no error, and {type(found).__name__}")


def require_sentence(error: RankwiseError, *words: str) -> None:
    """What a user may be told: short, one line, naming what is wrong."""
    text = str(error)
    require(20 < len(text) < 400 and "\n" not in text, "one short sentence", repr(text))
    for word in words:
        # Of a long name a sentence shows the beginning.
        known = word in text or word[: LONGEST_PIECE - 1] in text
        require(known, f"a sentence that names {word!r}", repr(text))


def _call(function: Callable[..., None], value: Any, subject: ExaminedRanker) -> None:
    function(subject, value)


def _register(
    name: str, function: Callable[..., None], body: Callable[[ExaminedRanker], None]
) -> None:
    meaning = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
    group = function.__module__.rpartition(".")[2]
    REGISTERED.append(Law(name, meaning.rstrip("."), group, body))


Floats = NDArray[np.float64]


def require_sound(scores: object, data: Dataset) -> None:
    """Finite scores, one per row."""
    require(isinstance(scores, np.ndarray), "an array", type(scores))
    found = np.asarray(scores)
    wanted = (data.n_documents,)
    require(found.shape == wanted, f"scores of the shape {wanted}", found.shape)
    require(found.dtype == np.float64, "scores in double precision", found.dtype)
    require(bool(np.isfinite(found).all()), "finite scores", found)


def train(subject: ExaminedRanker, data: Dataset, validation: Dataset | None = None) -> Floats:
    """The scores of the training data, which must be sound."""
    scores = subject.quick().fit(data, validation).score(data)
    require_sound(scores, data)
    return scores


def require_learned(scores: Floats, data: Dataset) -> None:
    """The planted order must have been found in the training data."""
    found = mean(scores, data=data)
    require(found > half_way(), f"NDCG@5 above {half_way():.4f} on training", f"{found:.4f}")


def train_or_refuse(subject: ExaminedRanker, law: str, data: Dataset, *words: str) -> None:
    """Sound scores, or of rankers that cannot, a sentence; see `ExaminedRanker.refuses`."""
    if subject.refuses is None:
        try:
            train(subject, data)
        except MissingExtra:
            raise
        except RankwiseError as error:
            require_sentence(error)
    elif law in subject.refuses:
        found = refusal(lambda: subject.quick().fit(data), f"what it cannot learn from: {words}")
        skip_without_extra(found)
        require_sentence(found, *words)
    else:
        train(subject, data)


def skip_without_extra(error: RankwiseError) -> None:
    """A ranker whose optional library is absent cannot be examined; its own sentence says so."""
    if isinstance(error, MissingExtra):
        raise NotApplicable(str(error)) from error


_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")


@dataclass(eq=False)
class Elsewhere:
    """Rankers that are trained together, since starting a process costs more than training.

    Attributes:
        rankers: their parameters by the reference under which the other process finds them.
    """

    rankers: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _found: dict[int, dict[str, str]] = field(default_factory=dict)

    def digest(self, reference: str, threads: int) -> str:
        """The digest of a ranker's model and scores, or how its training failed."""
        if threads not in self._found:
            self._found[threads] = self._run(threads)
        return self._found[threads][reference]

    def _run(self, threads: int) -> dict[str, str]:
        told = {f"{library}_NUM_THREADS": str(threads) for library in _LIBRARIES}
        # Another hash seed too: no model may depend on the order of a set.
        told |= {"PYTHONHASHSEED": str(threads), "PYTHONPATH": os.pathsep.join(sys.path)}
        program = [sys.executable, "-m", "rankwise.checks.in_another_process", str(threads)]
        done = subprocess.run([*program, json.dumps(self.rankers)], capture_output=True, text=True,
                              env=os.environ | told)  # fmt: skip
        if done.returncode != 0:
            raise RuntimeError(f"the other process failed: {done.stderr.strip()[-2000:]}")
        # What rankers print comes before.
        found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
        return found


# Parameters that say how long to train; the laws do not need long training.
_LENGTHS = {"rounds": 60, "trees": 20, "epochs": 20, "restarts": 1, "starts": 1, "steps": 5,
            "n_estimators": 60, "bags": 5, "generations": 20}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ExaminedRanker:
    """A ranker and how it is examined.

    Attributes:
        ranker: the class.
        reference: by which another process finds it.
        parameters: hyper-parameters that it is examined with.
        refuses: names of the laws on data without an order in which it must refuse to train, and
            trains in all others; None allows both.
        elsewhere: the other processes in which it is trained.
    """

    ranker: type[Ranker]
    reference: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    refuses: frozenset[str] | None = None
    elsewhere: Elsewhere = field(default_factory=Elsewhere)

    def quick(self, **changes: Any) -> Ranker:
        """The ranker with its defaults, but short training."""
        short = {
            one.name: min(one.default, _LENGTHS[one.name])
            for one in parameters_of(self.ranker)
            if one.name in _LENGTHS and isinstance(one.default, int)
        }
        return self.ranker(**{**short, **self.parameters, **changes})

    @cached_property
    def trained(self) -> Model:
        """One model for the laws that only look at models."""
        return self.quick().fit(planted(), planted(12, seed=1), seed=3)

    @cached_property
    def trained_alone(self) -> Model:
        """One model without validation data, for the laws that compare others with it."""
        return self.quick().fit(planted())

    @property
    def declares_bounds(self) -> bool:
        """Whether its parameters say what values they may have; those of a signature do not."""
        return not any(one.free for one in parameters_of(self.ranker))


def is_writable(model: Model) -> bool:
    """Whether a model file can hold it."""
    return model.scorer.kind in scorer_kinds()


def fingerprint(model: Model, data: Dataset) -> bytes:
    """Everything that the model file would hold, where there can be one, and the scores."""
    content = as_text(ModelFile(model, "")).encode() if is_writable(model) else b""
    return content + model.score(data).tobytes()
