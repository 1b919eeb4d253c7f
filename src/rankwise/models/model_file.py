"""The model file: one JSON document with everything needed to score, and where it came from.

    format            "rankwise model"
    format_version    1
    rankwise_version  the package that wrote it
    ranker, paper     the method's registered name, or module:Class, and its citation
    parameters        hyper-parameters by name
    features          {"count": n, "names": [...] or null}
    training          what training found out (facts)
    scorer            {"kind": one of `rankwise.models.scorers.scorer.SCORERS`, its values}

Numbers are written in the shortest form that reads back to the same bits. Reading runs nothing from
the file, which may be hostile: it parses JSON that is bounded in size and depth, without NaN and
repeated keys, checks every value, and hands plain numbers to the scorer.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.errors import RankwiseError
from rankwise.files import read_bounded, write_text
from rankwise.models.model import Model
from rankwise.models.scorers.scorer import Scorer, nested_json, read_nested

FORMAT = "rankwise model"
FORMAT_VERSION = 1
_LONGEST_NAME = 1000


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes:
        model: the learned function with its method, parameters and training facts.
        paper: the citation of the method.
        rankwise_version: the package that wrote the file.
    """

    model: Model
    paper: str
    rankwise_version: str = __version__

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """One per feature, where the training data named them."""
        return self.model.feature_names

    @property
    def names(self) -> tuple[str, ...]:
        """Feature names; where none are known their numbers, from 1 as in LETOR files."""
        count = self.model.scorer.n_features
        return self.feature_names or tuple(str(number + 1) for number in range(count))


def save_model(
    model: Model, path: str | Path, *, feature_names: Sequence[str] | None = None
) -> None:
    """Write a model, whole or not at all; `load_model` gives the same scores to the bit.

    `feature_names` stand in place of the model's own.
    """
    if feature_names is not None:
        model = replace(model, feature_names=tuple(feature_names))
    write_text(path, format_model(model))


def format_model(model: Model) -> str:
    """What a model file holds of a model."""
    names, count = model.feature_names, model.scorer.n_features
    if names is not None and len(names) != count:
        raise RankwiseError(
            f"there must be one name per feature, found {len(names)} for {count} features"
        )
    return as_text(ModelFile(model, _paper_of(model)))


def _paper_of(model: Model) -> str:
    """The citation of the method; a registered one's where the model has none."""
    if model.paper is not None:
        return model.paper
    # By its name, as rankers learn models and so lie above them.
    registry = importlib.import_module("rankwise.rankers.registry")
    return str(registry.find_ranker(model.ranker).paper)


def load_model(path: str | Path) -> Model:
    """The model of a file; every way in which the file can be wrong is one sentence."""
    return read_model_file(path).model


def read_model_file(path: str | Path) -> ModelFile:
    """The model of a file, with its citation and feature names."""
    content = read_model_bytes(path)
    try:
        return from_text(content)
    except RankwiseError as error:
        raise RankwiseError(f"{path} is not a model that can be read: {error}") from error


def as_text(file: ModelFile) -> str:
    """The JSON document of a model."""
    scorer = file.model.scorer
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rankwise_version": file.rankwise_version,
        "ranker": file.model.ranker,
        "paper": file.paper,
        "parameters": dict(file.model.parameters),
        "features": {
            "count": scorer.n_features,
            "names": None if file.feature_names is None else list(file.feature_names),
        },
        "training": dict(file.model.facts),
        "scorer": nested_json(scorer),
    }
    members = (f"{json.dumps(key)}: {_value_text(value)}" for key, value in document.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def from_text(content: bytes | str) -> ModelFile:
    """The inverse of `as_text`; a RankwiseError says what does not fit."""
    document = parse_json(content)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise RankwiseError(f'it must be a JSON object with "format": "{FORMAT}"')
    _check_version(document.get("format_version"))
    scorer = _scorer(_mapping(document, "scorer"))
    paper = _text(document, "paper")
    model = Model(
        ranker=_text(document, "ranker"),
        parameters=_mapping(document, "parameters"),
        scorer=scorer,
        facts=_mapping(document, "training"),
        paper=paper,
        feature_names=_feature_names(_mapping(document, "features"), scorer.n_features),
    )
    return ModelFile(model, paper, _text(document, "rankwise_version"))


def _value_text(value: object) -> str:
    """One line a member, so that files can be compared; NaN has no place in JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise RankwiseError(
            f"a model must consist of finite numbers, texts, lists and mappings: {error}"
        ) from error


def _check_version(found: object) -> None:
    if type(found) is not int or found < 1:
        raise RankwiseError(f"its format_version must be a whole number, found {found!r}"[:200])
    if found > FORMAT_VERSION:
        raise RankwiseError(
            f"it has format version {found}, this package reads up to {FORMAT_VERSION}; "
            "install a newer rankwise"
        )


def _scorer(values: dict[str, Any]) -> Scorer:
    if not isinstance(values.get("kind"), str):
        raise RankwiseError("its scorer must have a kind")
    return read_nested(values, "under 'scorer'")


def _feature_names(features: Mapping[str, Any], expected: int) -> tuple[str, ...] | None:
    count, names = features.get("count"), features.get("names")
    if type(count) is not int or count != expected:
        raise RankwiseError(
            f"its features must number {expected}, as its scorer needs, found {count!r}"[:200]
        )
    if names is None:
        return None
    if (
        not isinstance(names, list)
        or len(names) != count
        or not all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in names)
    ):
        raise RankwiseError(f"its feature names must be a list of {count} texts")
    return tuple(names)


def _mapping(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = document.get(key)
    if not isinstance(found, dict):
        raise RankwiseError(f"it must hold an object under {key!r}")
    return found


def _text(document: Mapping[str, Any], key: str) -> str:
    found = document.get(key)
    if not isinstance(found, str) or len(found) > _LONGEST_NAME:
        raise RankwiseError(f"it must hold a short text under {key!r}")
    return found


# A LambdaMART model of 10,000 trees with 31 leaves takes some 40 MB.
MOST_BYTES = 512 * 2**20
# More than any index needs; larger numbers are written with an exponent.
_MOST_DIGITS = 20


def read_model_bytes(path: str | Path) -> bytes:
    """The bytes of a file that is not larger than any sensible model."""
    return read_bounded(path, MOST_BYTES, "model file")


def parse_json(content: bytes | str) -> Any:
    """The values of one JSON document in UTF-8."""
    try:
        text = content if isinstance(content, str) else content.decode("utf-8")
        return json.loads(
            text,
            object_pairs_hook=_unrepeated,
            parse_constant=_refuse_constant,
            parse_int=_bounded_integer,
        )
    except UnicodeDecodeError as error:
        raise RankwiseError("it must be text in UTF-8") from error
    except json.JSONDecodeError as error:
        raise RankwiseError(
            f"it must be JSON, found a mistake in line {error.lineno}, column {error.colno}"
        ) from error
    except RecursionError as error:
        raise RankwiseError("its values are nested too deeply") from error


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RankwiseError("an object in it has a key more than once")
    return found


def _refuse_constant(name: str) -> Any:
    raise RankwiseError(f"its numbers must be finite, found {name}")


def _bounded_integer(text: str) -> int:
    """A double cannot hold whole numbers of hundreds of digits, and reading them takes long."""
    if len(text) > _MOST_DIGITS:
        raise RankwiseError(f"it holds a whole number of {len(text)} digits")
    return int(text)
