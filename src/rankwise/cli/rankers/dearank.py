"""`rankwise dearank`: what the DEARank paper discusses, computed on any data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.errors import RankwiseError

if TYPE_CHECKING:
    from rankwise.data.folds import Fold
    from rankwise.experiments.dea_discussion import FeatureSpread, PoolFacts, VariantFacts
    from rankwise.reports.figures import Bars

_MODELS = ("ccr-i", "ccr-o", "bcc", "additive")
_VARIANTS = 8
_BAR_CELLS = 20


@click.group()
def dearank() -> None:
    """DEARank (Jiang and Lin 2014): look into its pools of weak rankers.

    To train it, name dearank-i-map, dearank-i-ndcg, dearank-o-map or dearank-o-ndcg as the ranker
    of any command that trains.

    \b
    Examples:
      rankwise dearank analyse Fold1/train.txt
      rankwise dearank analyse OHSUMED/QueryLevelNorm --tool letor3 --out figures
    """


@dearank.command()
@click.argument("data", type=click.Path(), metavar="DATA")
@click.option("--tool", default="definition", show_default=True, help="Whose measures count.")
@click.option("--fold", "number", type=click.IntRange(1), help="Look at this fold of DATA only.")
@click.option(
    "--solver",
    type=click.Choice(["compiled", "highs"]),
    default="compiled",
    show_default=True,
    help="Who solves the linear programs.",
)
@click.option("--pools-only", is_flag=True, help="Do not train the variants.")
@click.option("--out", type=click.Path(), metavar="FOLDER", help="Draw the figures into FOLDER.")
@format_option("table", "json")
def analyse(
    data: str,
    tool: str,
    number: int | None,
    solver: str,
    pools_only: bool,
    out: str | None,
    output_format: str,
) -> None:
    """Show the local overfitting and error diversity of DEARank's pools on DATA, and what they do.

    DATA is a file to learn from, or a folder with folds, over which figures are averaged. The pools
    are those of CCR-I, CCR-O, BCC and the additive model. The variants are trained with the weights
    of Eq. 9 and with those of Eq. 15, and judged on the test part of each fold; on a single file,
    on the very data they learned from.

    \b
    Examples:
      rankwise dearank analyse train.txt --pools-only
      rankwise dearank analyse MQ2008 --tool letor4 --fold 1 --out figures
    """
    folds = _folds(data, number)
    total = len(folds) * (len(_MODELS) + (0 if pools_only else _VARIANTS))
    with progress("analysing", total) as advance:
        found = _analysis(folds, tool, solver, not pools_only, advance)
    if output_format == "json":
        print_json(found.as_json())
    else:
        _print(found)
    if out is not None:
        _draw(found, out)


@dataclass(frozen=True)
class _Analysis:
    """Facts averaged over the folds; `variants` is empty where none were trained."""

    pools: list[PoolFacts]
    spread: FeatureSpread
    variants: list[VariantFacts]
    judged_on: str

    def as_json(self) -> dict[str, Any]:
        """Everything under plain names."""
        return {
            "pools": [asdict(pool) for pool in self.pools],
            "raw_features": asdict(self.spread),
            "variants": [asdict(variant) for variant in self.variants],
            "judged_on": self.judged_on if self.variants else None,
            "figure_1": self.figure_1(),
        }

    def figure_1(self) -> dict[str, float] | None:
        """DEARank-I and DEARank-O as in Figure 1 of the paper, and their difference."""
        from rankwise.experiments.dea_discussion import role_difference

        if not self.variants:
            return None
        i, o = role_difference(self.variants)
        return {"DEARank-I": i, "DEARank-O": o, "difference": i - o}


def _folds(data: str, number: int | None) -> list[Fold]:
    from rankwise.data.folds import Fold, find_folds, read_fold
    from rankwise.data.reading import read

    if not Path(data).is_dir():
        if number is not None:
            raise RankwiseError(f"--fold needs a folder with folds, found the file {data}")
        whole = read(data)
        return [Fold(1, whole, None, whole)]
    files = [one for one in find_folds(data) if number in (None, one.number)]
    if not files:
        raise RankwiseError(f"{data} has no fold {number}")
    return [read_fold(one) for one in files]


def _analysis(
    folds: list[Fold], tool: str, solver: str, train: bool, advance: Callable[[float], None]
) -> _Analysis:
    from rankwise.experiments.dea_discussion import feature_spread, pool_facts, variant_facts

    pools: list[list[PoolFacts]] = []
    variants: list[list[VariantFacts]] = []
    done = 0
    for fold in folds:
        _refuse_null(fold)
        pools.append([])
        for model in _MODELS:
            pools[-1].append(pool_facts(fold.train, model, tool, solver))
            advance(done := done + 1)
        variants.append([])
        if train:
            for facts in variant_facts(fold.train, fold.validation, fold.test, tool, solver):
                variants[-1].append(facts)
                advance(done := done + 1)
    spreads = [feature_spread(fold.train, tool) for fold in folds]
    judged_on = "training data" if folds[0].test is folds[0].train else "test"
    return _Analysis(_means(pools), _mean(spreads), _means(variants), judged_on)


def _refuse_null(fold: Fold) -> None:
    import numpy as np

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
    first = same[0]
    values = {}
    for name, value in asdict(first).items():
        numbers = [getattr(one, name) for one in same if getattr(one, name) is not None]
        if isinstance(value, str) or not numbers:
            values[name] = value
        else:
            mean = sum(numbers) / len(numbers)
            values[name] = round(mean) if isinstance(value, int) else mean
    return type(first)(**values)


def _print(found: _Analysis) -> None:
    _print_pools(found.pools)
    spread = found.spread
    click.echo(
        f"{spread.features} raw features as rankers: NDCG@10 {spread.mean:.4f} on average, "
        f"standard deviation {spread.deviation:.4f}"
    )
    difference = found.figure_1()
    if difference is None:
        return
    click.echo(
        f"mean of NDCG@1-10 and MAP on the {found.judged_on}: DEARank-I "
        f"{difference['DEARank-I']:.4f}, DEARank-O {difference['DEARank-O']:.4f}, "
        f"difference {difference['difference']:+.4f}"
    )
    _print_variants(found.variants, found.judged_on)


def _print_pools(pools: list[PoolFacts]) -> None:
    print_table(
        ["Pool", "Candidates", "Better at home", "", "MAP home", "all", "Correlation", "Spread"],
        [
            [
                pool.model,
                pool.candidates,
                f"{pool.biased:.1%}",
                "█" * round(pool.biased * _BAR_CELLS),
                f"{pool.at_home:.4f}",
                f"{pool.everywhere:.4f}",
                "-" if pool.correlation is None else f"{pool.correlation:.3f}",
                f"{pool.spread:.3f}",
            ]
            for pool in pools
        ],
        title="Local overfitting and error diversity (section 5.1)",
        numeric=(1, 2, 4, 5, 6, 7),
    )


def _print_variants(variants: list[VariantFacts], judged_on: str) -> None:
    pairs = list(zip(variants[::2], variants[1::2], strict=True))
    print_table(
        ["Variant", "MAP, Eq. 9", "Eq. 15", "NDCG@10, Eq. 9", "Eq. 15"],
        [
            [
                plain.variant,
                f"{plain.map:.4f}",
                f"{by_feature.map:.4f}",
                f"{plain.ndcg_at_10:.4f}",
                f"{by_feature.ndcg_at_10:.4f}",
            ]
            for plain, by_feature in pairs
        ],
        title=f"Weak rankers weighted as a whole and feature by feature (section 5.2), {judged_on}",
        numeric=(1, 2, 3, 4),
    )


def _draw(found: _Analysis, folder: str) -> None:
    from rankwise.files import make_folder
    from rankwise.reports.matplotlib_renderer import save

    home = make_folder(folder)
    for figure in _figures(found):
        for path in save(figure, home, ["png", "svg"]):
            note(f"wrote {path}")


def _figures(found: _Analysis) -> list[Bars]:
    from rankwise.reports.figures import Axis, Bar, Bars

    biased = Bars(
        "dearank-local-overfitting",
        "Candidates that do better on their home query",
        "The share of candidates with a higher average precision on the query they come from than "
        "on the average of all queries; Figure 2 of Jiang and Lin (2014).",
        Axis("share of candidates better at home", 0.0, 1.0),
        tuple(Bar(pool.model, pool.biased) for pool in found.pools),
    )
    diverse = Bars(
        "dearank-error-diversity",
        "Correlation of the candidates' errors",
        "The mean correlation of the errors of two candidates over the queries: lower is more "
        "diverse.",
        Axis("mean correlation of errors", 0.0, 1.0),
        tuple(Bar(pool.model, pool.correlation or 0.0) for pool in found.pools),
    )
    return [biased, diverse, *_variant_figures(found.variants)]


def _variant_figures(variants: list[VariantFacts]) -> list[Bars]:
    from rankwise.reports.figures import Axis, Bar, Bars

    if not variants:
        return []
    values = [one.figure_1 for one in variants]
    bars = tuple(
        Bar(f"{one.variant}, Eq. {'9' if one.weighting == 'program' else '15'}", one.figure_1)
        for one in variants
    )
    return [
        Bars(
            "dearank-variants",
            "The variants of DEARank",
            "The mean of NDCG@1-10 and MAP, as in Figure 1 of Jiang and Lin (2014), with weak "
            "rankers weighted as a whole (Eq. 9) and feature by feature (Eq. 15).",
            Axis("mean of NDCG@1-10 and MAP", min(values), max(values)),
            bars,
        )
    ]
