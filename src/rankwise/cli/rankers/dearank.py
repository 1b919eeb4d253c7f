"""`rankwise dearank`: what the DEARank paper discusses, computed on any data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from rankwise.cli.options import format_option, output_option, tool_option
from rankwise.cli.output import note, print_json, print_table, say
from rankwise.cli.stages import shown_stages
from rankwise.experiments import DEARankAnalysis, PoolFacts, VariantFacts, analyse_datasets
from rankwise.reports import shown

_BAR_CELLS = 20


@click.group()
def dearank() -> None:
    """DEARank (Jiang and Lin 2014): look into its pools of weak rankers.

    To train it, name dearank-i-map, dearank-i-ndcg, dearank-o-map or dearank-o-ndcg as the ranker
    of any command that trains.

    \b
    Examples:
      rankwise dearank analyse Fold1/train.txt
      rankwise dearank analyse OHSUMED/QueryLevelNorm --tool letor3 -o figures
    """


@dearank.command()
@click.argument("data", nargs=-1, required=True, type=click.Path(), metavar="DATA...")
@tool_option("Whose measures count; own is each data set's own tool.", default="definition")
@click.option("--fold", type=click.IntRange(1), help="Look at this fold of DATA only.")
@click.option(
    "--solver",
    type=click.Choice(["compiled", "highs"]),
    default="compiled",
    show_default=True,
    help="Who solves the linear programs.",
)
@click.option("--pools-only", is_flag=True, help="Do not train the variants.")
@output_option("Draw the figures into FOLDER.", "FOLDER", former=("--out",))
@format_option()
def analyse(
    data: tuple[str, ...],
    tool: str,
    fold: int | None,
    solver: str,
    pools_only: bool,
    output: Path | None,
    output_format: str,
) -> None:
    """Show the local overfitting and error diversity of DEARank's pools on DATA, and what they do.

    DATA is a file to learn from, or a folder with folds, over which figures are averaged. The pools
    are those of CCR-I, CCR-O, BCC and the additive model. The variants are trained with the weights
    of Eq. 9 and with those of Eq. 15, and judged on the test part of each fold; on a single file,
    on the very data they learned from. Several DATA are set side by side: with -o as in Figures 1
    and 2 of the paper, beside what it published.

    \b
    Examples:
      rankwise dearank analyse train.txt --pools-only
      rankwise dearank analyse MQ2008 --tool letor4 --fold 1 -o figures
      rankwise dearank analyse OHSUMED/QueryLevelNorm MQ2007 MQ2008 --tool own -o figures
    """
    with shown_stages() as stage:
        found = analyse_datasets(
            data, tool=tool, fold=fold, solver=solver, pools_only=pools_only, stage=stage
        )
    several = len(found) > 1
    if output_format == "json":
        facts = {name: one.as_dict() for name, one in found.items()}
        print_json(facts if several else next(iter(facts.values())))
    else:
        for name, one in found.items():
            if several:
                say(shown(name))
            _print(one)
    if output is not None:
        from rankwise.reports import draw_dearank

        for path in draw_dearank(found if several else next(iter(found.values())), output):
            note(f"wrote {path}")


def _print(found: DEARankAnalysis) -> None:
    _print_pools(found.pools)
    spread = found.spread
    say(
        f"{spread.features} raw features as rankers: NDCG@10 {spread.mean:.4f} on average, "
        f"standard deviation {spread.deviation:.4f}"
    )
    difference = found.figure_1()
    if difference is None:
        return
    say(
        f"mean of NDCG@1-10 and MAP on the {found.judged_on}: DEARank-I "
        f"{difference['DEARank-I']:.4f}, DEARank-O {difference['DEARank-O']:.4f}, "
        f"difference {difference['difference']:+.4f}"
    )
    _print_variants(found.variants, found.judged_on)


def _print_pools(pools: Sequence[PoolFacts]) -> None:
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


def _print_variants(variants: Sequence[VariantFacts], judged_on: str) -> None:
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
