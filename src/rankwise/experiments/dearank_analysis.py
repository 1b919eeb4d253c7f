"""What the DEARank paper discusses, computed on any data, averaged over folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from rankwise.data.catalog.home import locate
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, find_folds, read_fold
from rankwise.data.reading import read
from rankwise.data.sources import from_folder, name_file
from rankwise.errors import Advice, RankwiseError
from rankwise.experiments.dea_discussion import (
    VARIANTS,
    FeatureSpread,
    PoolFacts,
    VariantFacts,
    compare_roles,
    measure_changes,
    measure_features,
    measure_pool,
    train_variants,
)
from rankwise.files import is_folder
from rankwise.progress import Stage, silent_stage
from rankwise.rankers.dea.programs import LOGARITHMIC, PHIS
from rankwise.tables.notebook import Rows, Tabular, shortened

MODELS = ("ccr-i", "ccr-o", "bcc", "additive")
OWN_TOOL = "own"


@dataclass(frozen=True)
class DEARankAnalysis(Tabular):
    """Facts averaged over the folds; `variants` is empty where none were trained.

    Attributes:
        pools: of weak rankers, one for each data envelopment model.
        spread: how the raw features do as rankers.
        variants: the trained variants under both weightings.
        judged_on: `test`, or `training data` of a single file.
    """

    pools: tuple[PoolFacts, ...]
    spread: FeatureSpread
    variants: tuple[VariantFacts, ...]
    judged_on: str

    def __repr__(self) -> str:
        sizes = ", ".join(f"{pool.model} {pool.candidates}" for pool in self.pools)
        return shortened(f"DEARank's pools: {sizes}; {len(self.variants)} variants trained")

    def figure_1(self) -> dict[str, float] | None:
        """DEARank-I and DEARank-O as in Figure 1 of the paper, and their difference."""
        if not self.variants:
            return None
        inputs, outputs = compare_roles(list(self.variants))
        return {"DEARank-I": inputs, "DEARank-O": outputs, "difference": inputs - outputs}

    def changes(self) -> dict[str, float] | None:
        """Table 8's row of percentages; None where no reduced pool was tried."""
        return measure_changes(self.variants)

    def as_dict(self) -> dict[str, Any]:
        """Everything under plain names."""
        return {
            "pools": [asdict(pool) for pool in self.pools],
            "raw_features": asdict(self.spread),
            "variants": [asdict(variant) for variant in self.variants],
            "judged_on": self.judged_on if self.variants else None,
            "figure_1": self.figure_1(),
            "changes": self.changes(),
        }

    def _table(self) -> Rows:
        return tuple(PoolFacts.__dataclass_fields__), [
            tuple(vars(pool).values()) for pool in self.pools
        ]


def analyse_dearank(
    data: str | Path | Dataset | Sequence[Fold],
    *,
    tool: str = "definition",
    fold: int | None = None,
    solver: str = "compiled",
    pools_only: bool = False,
    phi: str = LOGARITHMIC,
    best: int = 0,
    stage: Stage = silent_stage,
) -> DEARankAnalysis:
    """Local overfitting and error diversity of DEARank's pools, and what its variants reach.

    Args:
        data: a data set or its file, on which variants are judged that learned from it; or folds or
            their folder, over which figures are averaged.
        tool: whose measures count.
        fold: look at this fold of a folder only.
        solver: who solves the linear programs, `compiled` or `highs`.
        pools_only: do not train the variants.
        phi: the output that a label stands for in CCR-O and BCC (`rankers.dea.label_outputs`).
        best: train the variants with this many of the candidates, too (Table 8); 0: do not.
        stage: is told how far it is.
    """
    _refuse_idle(pools_only, phi, best)
    folds = _folds(data, fold)
    trained = 0 if pools_only else len(VARIANTS) * (3 if best else 2)
    advance = stage("analysing", len(folds) * (len(MODELS) + trained))
    pools: list[list[PoolFacts]] = []
    variants: list[list[VariantFacts]] = []
    done = 0
    for one in folds:
        _refuse_null(one)
        pools.append([])
        for model in MODELS:
            pools[-1].append(measure_pool(one.train, model, tool, solver, phi))
            advance(done := done + 1)
        variants.append([])
        if not pools_only:
            parts = one.train, one.validation, one.test
            for facts in train_variants(*parts, tool, solver, phi, best):
                variants[-1].append(facts)
                advance(done := done + 1)
    spreads = [measure_features(one.train, tool) for one in folds]
    judged_on = "training data" if folds[0].test is folds[0].train else "test"
    return DEARankAnalysis(tuple(_means(pools)), _mean(spreads), tuple(_means(variants)), judged_on)


def _refuse_idle(pools_only: bool, phi: str, best: int) -> None:
    """Options that nobody would use."""
    if phi not in PHIS:
        raise RankwiseError(f"phi must be one of {', '.join(PHIS)}, found {phi!r}")
    if best < 0:
        raise RankwiseError(f"a reduced pool must have candidates, found {best}")
    if best and pools_only:
        raise RankwiseError(
            "a reduced pool is for training, found it together with pools only",
            Advice("leave out {}", "best"),
        )


def _folds(data: str | Path | Dataset | Sequence[Fold], number: int | None) -> list[Fold]:
    if isinstance(data, str | Path):
        if is_folder(locate(data)):
            files = [one for one in find_folds(data) if number in (None, one.number)]
            if not files:
                raise RankwiseError(f"{data} has no fold {number}")
            return [read_fold(one) for one in files]
        if number is not None:
            raise RankwiseError(
                f"one fold can be chosen of a folder with folds, found the file {data}",
                Advice("leave out {}", "fold"),
            )
        data = read(data)
    if isinstance(data, Dataset):
        return [Fold(1, data, None, data)]
    return [one for one in data if number in (None, one.number)]


def _refuse_null(fold: Fold) -> None:
    for name, part in fold.parts():
        if not np.isfinite(part.features).all():
            raise RankwiseError(
                f"DEARank cannot take NULL features, found some in the {name} data; fill them "
                "first: rankwise data normalize IN OUT --to min"
            )


def _means(folds: list[list[Any]]) -> list[Any]:
    """The mean over folds of each of the things that every fold has, field by field."""
    return [_mean(list(same)) for same in zip(*folds, strict=True)]


def _mean(same: list[Any]) -> Any:
    """Numbers are averaged, those of tuples and of dataclasses within too; None counts nowhere."""
    known = [one for one in same if one is not None]
    if not known or isinstance(known[0], str):
        return same[0]
    first = known[0]
    if is_dataclass(first):
        names = [one.name for one in fields(first)]
        means = {name: _mean([getattr(one, name) for one in known]) for name in names}
        return replace(cast("Any", first), **means)
    if isinstance(first, tuple):
        return tuple(_mean(list(values)) for values in zip(*known, strict=True))
    mean = sum(known) / len(known)
    return round(mean) if isinstance(first, int) else mean


def analyse_datasets(
    data: Sequence[str | Path], *, tool: str = "definition", **how: Any
) -> dict[str, DEARankAnalysis]:
    """The analyses of several data sets by name, as Figures 1 and 2 of the paper set them side
    by side; the tool `own` is each data set's own. The further keywords are those of
    `analyse_dearank`.
    """
    found: dict[str, DEARankAnalysis] = {}
    for one in data:
        name, own = _name_data(one)
        if name in found:
            raise RankwiseError(f"every data set must be named once, found {name} again ({one})")
        found[name] = analyse_dearank(one, tool=own if tool == OWN_TOOL else tool, **how)
    return found


def _name_data(data: str | Path) -> tuple[str, str]:
    """What a file or a folder of folds is called, and its own tool."""
    if is_folder(locate(data)):
        source = from_folder(data)
    else:
        source, _ = name_file(data)
    return source.dataset, source.tool
