"""The constants of features, k1, b, k3, μ, λ, δ and α, chosen on validation queries.

    python studies/feature_constants.py META [--fold N] [--measure MAP] [--stream NAME]
        [--values NAME=V,V,… …] [-o FOLDER]

META is the Meta folder of a build, or LETOR's; with -o features are written with what was chosen.
Each formula is tuned by itself as a ranker of its own: BM25 by k1, b and k3 together, the language
models by μ, λ and δ, propagation by its rates α. A constant takes the value at which its feature
ranks the validation queries of one fold best; the value that the build has wins ties. LETOR (Qin,
Liu, Xu and Li 2010, section 3.3.1) prints the constants that it chose and not how.

Only the queries of one validation part are looked at. In other folds these queries are tested on,
so that figures of those folds with constants from here are not clean.

The page is docs/collection/building.md.
"""

from __future__ import annotations

import argparse
import itertools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankwise.collection import build_features, open_metadata
from rankwise.collection.features.definition import (
    Feature,
    Parameters,
    StreamView,
    find_feature,
    make_stream_view,
)
from rankwise.collection.features.feature_sets import EXTRACTED_TITLE
from rankwise.collection.from_metadata import Metadata, read_metadata
from rankwise.collection.metadata import read_queries
from rankwise.data.dataset import Dataset
from rankwise.data.folds import compose_fold, cut_into_parts
from rankwise.errors import Advice, RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.tables.terminal import Column, Look, lay_out

GRIDS: dict[str, tuple[float, ...]] = {
    "k1": (0.4, 0.8, 1.2, 1.6, 2.0, 2.5),
    "b": (0.2, 0.4, 0.6, 0.75, 0.8, 0.9, 1.0),
    "k3": (0.0, 7.0, 1000.0),
    "mu": (10.0, 50.0, 100.0, 500.0, 1000.0, 2000.0, 5000.0),
    "lambda_": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "delta": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "sitemap_rate": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
    "hyperlink_rate": (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95),
}
"""The values that are tried of each constant where no others are given."""

_OF_LINKS = ("sitemap_rate", "hyperlink_rate")
_FORMULAS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("bm25", ("k1", "b", "k3")),
    ("lmir-dir", ("mu",)),
    ("lmir-jm", ("lambda_",)),
    ("lmir-abs", ("delta",)),
    ("sitemap-score-propagation", ("sitemap_rate",)),
    ("score-propagation-weighted-in-link", ("hyperlink_rate",)),
)
_FOLDS = 5


@dataclass(frozen=True)
class TunedConstant:
    """One constant: the feature that chose it, and the feature's figures on validation queries."""

    constant: str
    feature: str
    before: float
    chosen: float
    figure_before: float
    figure: float
    tried: int


@dataclass(frozen=True)
class ConstantTuning:
    """The constants that validation queries chose, with what they chose by."""

    metadata: str
    stream: str
    measure: str
    fold: int
    queries: int
    constants: tuple[TunedConstant, ...]

    @property
    def chosen(self) -> dict[str, float]:
        """The value of each constant, as `open_metadata` and `build` take them."""
        return {one.constant: one.chosen for one in self.constants}


def tune_constants(
    metadata: str | Path,
    *,
    fold: int = 1,
    measure: str = "MAP",
    stream: str | None = None,
    grids: Mapping[str, Sequence[float]] | None = None,
) -> ConstantTuning:
    """Choose the constants of features on the validation queries of one fold.

    Args:
        metadata: the Meta folder of a build, or LETOR's.
        fold: whose validation part, as the folds of the build are, or runs of LETOR's queries.
        measure: what a feature is judged by, by the definition.
        stream: on which stream; by default the whole document.
        grids: values to try by constant instead of `GRIDS`.
    """
    known = read_metadata(Path(metadata))
    chosen_grids = _check_grids(grids or {}, known)
    place = _find_stream(known, stream)
    queries = _read_validation(known, fold, place)
    base = known.features(None, {}).parameters
    formulas = [one for one in _FORMULAS if known.related or one[1][0] not in _OF_LINKS]
    found: list[TunedConstant] = []
    for name, constants in formulas:
        tried = {constant: chosen_grids[constant] for constant in constants}
        # Propagation carries BM25, so that it is tuned with the constants that BM25 has now.
        best = {one.constant: one.chosen for one in found}
        found += _tune(find_feature(name), tried, _set(base, best), base, queries, measure)
    return ConstantTuning(
        str(metadata), known.collection.stream_names[place], measure, fold,
        queries.dataset.n_queries, tuple(found),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Queries:
    """The validation queries: a view of one stream of each, and all their rows with labels."""

    views: tuple[StreamView, ...]
    dataset: Dataset

    def judge(self, feature: Feature, parameters: Parameters, measure: str) -> float:
        """The mean of the measure when the feature ranks; documents without a value come last."""
        values = [feature.values(view, parameters) for view in self.views]
        scores = np.concatenate([_rank_null_last(column) for column in values])
        return evaluate(self.dataset, scores, [measure])[measure].mean


def _tune(
    feature: Feature,
    grids: Mapping[str, Sequence[float]],
    start: Parameters,
    base: Parameters,
    queries: _Queries,
    measure: str,
) -> list[TunedConstant]:
    own = {constant: float(getattr(base, constant)) for constant in grids}
    combinations = [dict(zip(grids, values, strict=True))
                    for values in itertools.product(*grids.values())]  # fmt: skip
    before = best = queries.judge(feature, start, measure)
    chosen = own
    for combination in combinations:
        figure = queries.judge(feature, _set(start, combination), measure)
        if figure > best:
            best, chosen = figure, combination
    return [
        TunedConstant(
            constant, feature.name, own[constant], chosen[constant], before, best,
            len(combinations),
        )
        for constant in grids
    ]  # fmt: skip


def _set(parameters: Parameters, values: Mapping[str, Any]) -> Parameters:
    return replace(parameters, **values)


def _rank_null_last(column: NDArray[np.float64]) -> NDArray[np.float64]:
    known = column[~np.isnan(column)]
    lowest = float(known.min()) - 1.0 if len(known) else 0.0
    return np.where(np.isnan(column), lowest, column)


def _check_grids(given: Mapping[str, Sequence[float]], known: Metadata) -> dict[str, list[float]]:
    for name, values in given.items():
        if name not in GRIDS:
            raise RankwiseError(f"a constant is one of {', '.join(GRIDS)}, found {name!r}")
        if not values:
            raise RankwiseError(f"there must be a value of {name} to try, found none")
        if name in _OF_LINKS and known.related is None:
            raise RankwiseError(
                f"{name} needs links, Relations/hyperlinks.tsv and sitemap.tsv beside the "
                "metadata, found none; leave it out"
            )
        for value in values:
            _set(Parameters(), {name: value})  # which refuses what is out of bounds
    return {name: list(given.get(name, usual)) for name, usual in GRIDS.items()}


def _find_stream(known: Metadata, name: str | None) -> int:
    """The place of the stream; by default the whole document, the last but the extracted title."""
    names = [one.lower() for one in known.collection.stream_names]
    if name is None:
        return max(place for place, one in enumerate(names) if one != EXTRACTED_TITLE)
    if name.lower() not in names:
        raise RankwiseError(
            f"the metadata must have the stream {name!r}, found "
            f"{', '.join(known.collection.stream_names)}"
        )
    return names.index(name.lower())


def _read_validation(known: Metadata, fold: int, place: int) -> _Queries:
    if not 1 <= fold <= _FOLDS:
        raise RankwiseError(
            f"a fold must be from 1 to {_FOLDS}, found {fold}", Advice("choose another {}", "fold")
        )
    wanted = _list_validation_ids(known, fold)
    views, labels, ids = [], [], []
    for query in read_queries(known.folder, known.collection):
        if query.query_id in wanted:
            evidence = known.evidence(query)
            views.append(make_stream_view(known.collection, query, place, evidence))
            labels.append(np.asarray(query.labels, dtype=np.float64))
            ids += [query.query_id] * query.n_documents
    rows = np.concatenate(labels)
    return _Queries(tuple(views), Dataset.from_arrays(np.zeros((len(rows), 1)), rows, ids))


def _list_validation_ids(known: Metadata, fold: int) -> set[str]:
    """The validation queries of a fold, cut as the versions of the build are."""
    ids = known.query_ids
    one_row_each = Dataset.from_arrays(np.zeros((len(ids), 1)), np.zeros(len(ids)), ids)
    parts = cut_into_parts(one_row_each, _FOLDS, seed=known.seed)
    validation = compose_fold(parts, fold).validation
    return set() if validation is None else set(validation.query_ids)


def _print_constants(found: ConstantTuning) -> None:
    print(f"{found.queries} validation queries of fold {found.fold}, {found.stream}\n")
    titles = ("constant", "by the feature", "before", "chosen", f"{found.measure} before",
              found.measure, "tried")  # fmt: skip
    columns = [Column(name, place > 1, False) for place, name in enumerate(titles)]
    rows = [
        (one.constant.rstrip("_"), one.feature, f"{one.before:g}", f"{one.chosen:g}",
         f"{one.figure_before:.4f}", f"{one.figure:.4f}", str(one.tried))
        for one in found.constants
    ]  # fmt: skip
    print("\n".join(lay_out(columns, rows, None, Look(100))))


def _parse_values(text: str) -> tuple[str, list[float]]:
    name, _, numbers = text.partition("=")
    return "lambda_" if name == "lambda" else name, [float(part) for part in numbers.split(",")]


def main(argv: Sequence[str] | None = None) -> None:
    """Tune, print what was chosen, and perhaps build."""
    parser = argparse.ArgumentParser(description="Choose constants of features on validation.")
    parser.add_argument("metadata", type=Path)
    parser.add_argument("--fold", type=int, default=1, help="whose validation queries choose")
    parser.add_argument("--measure", default="MAP", help="what chooses, by the definition")
    parser.add_argument("--stream", help="on which stream; by default the whole document")
    parser.add_argument("--values", type=_parse_values, action="append", default=[],
                        metavar="NAME=V,V,…", help="other values to try of a constant")  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, help="write features to this folder")
    given = parser.parse_args(argv)
    found = tune_constants(
        given.metadata, fold=given.fold, measure=given.measure, stream=given.stream,
        grids=dict(given.values),
    )  # fmt: skip
    _print_constants(found)
    if given.output is not None:
        build_features(open_metadata(given.metadata, constants=found.chosen), given.output)
        return
    flags = " ".join(
        f"--{name.rstrip('_').replace('_', '-')} {value:g}" for name, value in found.chosen.items()
    )
    source = shlex.quote(str(given.metadata))
    print(f"\nwith these: rankwise build features --from-metadata {source} -o OUT {flags}")


if __name__ == "__main__":
    main()
