"""The settings of a build from choices by name, over a preset or the defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from rankwise.collection.analysis import STOP_WORDS, Analysis, read_stop_words
from rankwise.collection.building import PRESETS, Settings
from rankwise.collection.features import FEATURE_SETS, read_feature_files, read_query_classes
from rankwise.collection.index import IndexingWorkers
from rankwise.collection.losses import MOST_LOST
from rankwise.errors import Advice, RankwiseError
from rankwise.processors import processors

NO_DEPTH = "judged"
_DEMO_DEPTH = 200
_MOST_PROCESSES = 8


class BuildChoices(TypedDict, total=False):
    """The choices of a build; every keyword has a default.

    Attributes:
        preset: a key of `PRESETS`, LETOR's choices for a corpus.
        features: a key of `FEATURE_SETS`.
        constants: of the features' formulas, by name: k1, b, k3, mu, lambda_, delta, sitemap_rate,
            hyperlink_rate.
        feature_files: Python files of own features, which are run.
        query_classes: a file of the classes of queries.
        sampling: a key of `SAMPLINGS`, which documents a query gets.
        depth: how many of the best by BM25.
        tokenizer: a key of `TOKENIZERS`.
        stop_words: a key of `STOP_WORDS`, or a file of words.
        stemmer: a key of `STEMMERS`.
        streams: those of the whole document.
        classify: whether documents without a category get that of their words.
        similarity: whether to write similarity matrices.
        seed: draws the parts of the folds; None cuts runs of queries.
        jobs: how many processes analyse documents.
        dask: the address of a cluster that analyses them instead.
        wait: how long it is waited for while it has no workers: seconds, or `10m`; by default two
            minutes.
        strict: whether a broken document stops the build.
        lost_judgements: the share of judgements that may be lost before the build stops.
    """

    preset: str | None
    features: str | None
    constants: Mapping[str, float]
    feature_files: Sequence[str | Path]
    query_classes: str | Path | None
    sampling: str | None
    depth: int | None
    tokenizer: str
    stop_words: str | Path
    stemmer: str
    streams: Sequence[str]
    classify: bool
    similarity: bool | None
    seed: int | None
    jobs: int | None
    dask: str | None
    wait: float | str | None
    strict: bool
    lost_judgements: float


def choose_settings(*, demo: bool = False, **choices: Unpack[BuildChoices]) -> Settings:
    """The settings that choices describe.

    For the `demo` it is web features of shallow samples, where nothing else is asked for.
    """
    if demo:
        choices = _demo_choices(choices)
    chosen = _preset(choices)
    features = choices.get("features") or chosen.features
    constants: dict[str, Any] = dict(choices.get("constants") or {})
    parameters = replace(FEATURE_SETS[features].parameters, **constants)
    method, depth = _method(choices), choices.get("depth")
    if method == NO_DEPTH and depth is not None:
        raise RankwiseError(
            f"the sampling {method} takes all judged documents and has no depth",
            Advice("leave out {}", "depth"),
            Advice("choose {}", "sampling", ("top", "pool")),
        )
    similarity, classes = choices.get("similarity"), choices.get("query_classes")
    jobs = choices.get("jobs")
    processes = min(processors(), _MOST_PROCESSES) if jobs is None else jobs
    return replace(
        chosen,
        features=features,
        parameters=parameters,
        feature_files=read_feature_files([Path(file) for file in choices.get("feature_files", ())]),
        query_classes=read_query_classes(Path(classes)) if classes else None,
        sampling=replace(
            chosen.sampling,
            method=method,
            depth=chosen.sampling.depth if depth is None else depth,
            parameters=parameters,
        ),
        analysis=_analysis(choices),
        streams=tuple(choices.get("streams", ())),
        classify=choices.get("classify", False),
        similarity=chosen.similarity if similarity is None else similarity,
        seed=choices.get("seed"),
        engine=IndexingWorkers(processes, choices.get("dask"), choices.get("wait")),
        strict=choices.get("strict", False),
        lost_judgements=choices.get("lost_judgements", MOST_LOST),
    )


def _demo_choices(choices: BuildChoices) -> BuildChoices:
    chosen: BuildChoices = {**choices, "preset": choices.get("preset") or "gov"}
    usual = None if _method(chosen) == NO_DEPTH else _DEMO_DEPTH
    depth = choices.get("depth")
    return {**chosen, "depth": usual if depth is None else depth}


def _preset(choices: BuildChoices) -> Settings:
    name = choices.get("preset")
    return PRESETS[name][1] if name else Settings()


def _method(choices: BuildChoices) -> str:
    return choices.get("sampling") or _preset(choices).sampling.method


def _analysis(choices: BuildChoices) -> Analysis:
    tokenizer, stemmer = choices.get("tokenizer", "words"), choices.get("stemmer", "porter")
    stop_words = str(choices.get("stop_words", "english"))
    if stop_words in STOP_WORDS:
        return Analysis(tokenizer, stop_words, stemmer)
    return Analysis(tokenizer, "file", stemmer, read_stop_words(stop_words))
