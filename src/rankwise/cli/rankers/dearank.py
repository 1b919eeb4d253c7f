"""`rankwise dearank`: what the DEARank paper discusses, computed on any data."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.cli.options import format_option, output_option, tool_option
from rankwise.cli.output import note, print_json, say, shown_stages
from rankwise.cli.rankers.dearank_efficiency import efficiency
from rankwise.cli.rankers.dearank_output import print_analysis
from rankwise.experiments import analyse_datasets
from rankwise.tables import shown


@click.group()
def dearank() -> None:
    """DEARank (Jiang and Lin 2014): look into its pools of weak rankers.

    To train it, name dearank-i-map, dearank-i-ndcg, dearank-o-map or dearank-o-ndcg as the ranker
    of any command that trains.

    \b
    Examples:
      rankwise dearank analyse Fold1/train.txt
      rankwise dearank analyse OHSUMED/QueryLevelNorm --tool letor3 -o figures
      rankwise dearank efficiency Fold1/test.txt
    """


dearank.add_command(efficiency)


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
@click.option(
    "--phi",
    type=click.Choice(["logarithmic", "linear", "square-root", "exponential"]),
    default="logarithmic",
    show_default=True,
    help="The output of a label in CCR-O and BCC: ln(1 + y), y, its square root or 2^y - 1.",
)
@click.option(
    "--best",
    type=click.IntRange(1),
    help="Train with only the best so many candidates, too, and show what changes (Table 8).",
)
@output_option("Draw the figures into FOLDER.", "FOLDER", former=("--out",))
@format_option()
def analyse(
    data: tuple[str, ...],
    tool: str,
    fold: int | None,
    solver: str,
    pools_only: bool,
    phi: str,
    best: int | None,
    output: Path | None,
    output_format: str,
) -> None:
    """Show the local overfitting and error diversity of DEARank's pools on DATA, and what they do.

    DATA is a file to learn from, or a folder with folds, over which figures are averaged. The pools
    are those of CCR-I, CCR-O, BCC and the additive model. The variants are trained with the weights
    of Eq. 9 and with those of Eq. 15, and judged on the test part of each fold; on a single file,
    on the very data they learned from. There, too, the diversity of the weak rankers in each
    ensemble is measured. Several DATA are set side by side: with -o as in Figures 1 and 2 of the
    paper, beside what it published.

    \b
    Examples:
      rankwise dearank analyse train.txt --pools-only
      rankwise dearank analyse MQ2008 --tool letor4 --fold 1 --best 100 -o figures
      rankwise dearank analyse OHSUMED/QueryLevelNorm MQ2007 MQ2008 --tool own -o figures
    """
    with shown_stages() as stage:
        found = analyse_datasets(
            data,
            tool=tool,
            fold=fold,
            solver=solver,
            pools_only=pools_only,
            phi=phi,
            best=best or 0,
            stage=stage,
        )
    several = len(found) > 1
    if output_format == "json":
        facts = {name: one.as_dict() for name, one in found.items()}
        print_json(facts if several else next(iter(facts.values())))
    else:
        for name, one in found.items():
            if several:
                say(shown(name))
            print_analysis(name, one)
    if output is not None:
        from rankwise.reports import draw_dearank

        for path in draw_dearank(found if several else next(iter(found.values())), output):
            note(f"wrote {path}")
