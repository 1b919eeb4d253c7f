"""`rankwise features`: which features matter, which can go, and what fewer do to the measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click
import numpy as np

from rankwise.cli.options import format_option
from rankwise.cli.output import note, print_json, print_table, progress
from rankwise.cli.own_rankers import apart
from rankwise.cli.rankers.features_output import (
    check_target,
    effect_facts,
    print_choices,
    print_effects,
    write_mapping,
)
from rankwise.collection.feature_names import names_of_build, read_feature_names
from rankwise.data.dataset import Dataset
from rankwise.data.folds import Fold, read_folds, write_folds
from rankwise.data.normalization import count_null, fill_null
from rankwise.errors import RankwiseError
from rankwise.feature_selection import (
    REDUCTIONS,
    SELECTIONS,
    Choice,
    Effect,
    Learner,
    choose_features,
    compare_on_folds,
    fit_reductions,
    permutation_importance,
    single_feature_quality,
)

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_SELECT_HELP = f"""Keep the best features of the folds in DIR and show the effect on the measures.

For each fold the features are chosen on its training part; a ranker is learnt there with all
features and with the chosen ones, and both are measured on the test part. With -o the folds are
written with the chosen features, and features.tsv says which of them was which.

\b
Methods:
{chr(10).join(f"  {name:<8} {summary}" for name, summary in SELECTIONS.items())}

\b
Examples:
  rankwise features select OHSUMED/QueryLevelNorm --keep 10
  rankwise features select MQ2008 --keep 5 --method best --measure NDCG@10
  rankwise features select MQ2008 --keep 3 --method forward -o MQ2008-3
"""

_REDUCE_HELP = f"""Combine the features of the folds in DIR into fewer and show the effect.

The directions are learnt on each fold's training part and applied to all three parts.

\b
Methods:
{chr(10).join(f"  {name:<8} {summary}" for name, summary in REDUCTIONS.items())}

\b
Examples:
  rankwise features reduce OHSUMED/QueryLevelNorm --to 10
  rankwise features reduce OHSUMED/QueryLevelNorm --to 3 --method pls -o reduced
"""

_IMPORTANCE_HELP = """Rank the features of the folds in DIR by how much they tell.

Alone: the measure on the training part when documents are ranked by the feature only (with ↓ where
small values rank first). In the ranker: what the measure loses on the test part when the feature is
shuffled within each query. Both are means over the folds.

\b
Examples:
  rankwise features importance OHSUMED/QueryLevelNorm
  rankwise features importance MQ2008 --measure NDCG@10 --ranker ranksvm-primal
"""


@click.group()
def features() -> None:
    """Select, reduce and weigh the features of data sets in folds."""


def _shared_options(command: Decorated) -> Decorated:
    options = (
        click.argument("directory", metavar="DIR", type=click.Path(path_type=Path)),
        click.option(
            "--measure", default="MAP", show_default=True, help="What is to be kept high."
        ),
        click.option(
            "--tool", default="definition", show_default=True, help="Whose convention of it."
        ),
        click.option(
            "--ranker",
            default="ridge-regression",
            show_default=True,
            help="What is learnt: a registered ranker, or your own as module:Name.",
        ),
        click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True),
        format_option("table", "json"),
    )
    for option in reversed(options):
        command = option(command)
    return command


_names_option = click.option(
    "--names",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names of the features, one a line.  [default: the data card beside DIR, if any]",
)
_output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the folds with the new features to this folder.",
)


@features.command("select", help=_SELECT_HELP)
@_shared_options
@_names_option
@click.option("--keep", required=True, type=click.IntRange(min=1), help="How many features.")
@click.option(
    "--method", type=click.Choice(list(SELECTIONS)), default="gas", show_default=True, help="How."
)
@click.option(
    "--similarity-weight",
    type=click.FloatRange(min=0),
    help="gas: how much being like a chosen feature counts against one.  "
    "[default: what is best on validation]",
)
@_output_option
def select_command(
    directory: Path,
    measure: str,
    tool: str,
    ranker: str,
    seed: int,
    names: Path | None,
    output_format: str,
    keep: int,
    method: str,
    similarity_weight: float | None,
    output: Path | None,
) -> None:
    """Choose on training parts, learn twice, compare on test parts."""
    check_target(output)
    learn = _learner(ranker, seed)
    choices: dict[int, Choice] = {}

    def change(fold: Fold) -> Fold:
        choices[fold.number] = choose_features(
            fold.train, method, keep, measure=measure, tool=tool,
            similarity_weight=similarity_weight, trial=_trial(fold, learn, measure, tool),
        )  # fmt: skip
        return _changed(fold, choices[fold.number].apply)

    folds = _folds(directory, names)
    effects = _effects(folds, change, learn, measure, tool)
    known = folds[0].train.feature_names
    if output is not None:
        write_folds((_changed(f, choices[f.number].apply) for f in folds), output)
        write_mapping(output, choices, known)
    if output_format == "json":
        return print_json(_selection(method, choices, known, effects))
    print_choices(choices, method, known)
    return print_effects(effects, f"{keep} features", ranker)


def _selection(
    method: str, choices: dict[int, Choice], names: Sequence[str] | None, effects: list[Effect]
) -> dict[str, object]:
    chosen = {number: [n + 1 for n in choice.features] for number, choice in choices.items()}
    used = sorted({n for numbers in chosen.values() for n in numbers})
    named = {} if names is None else {"names": {n: names[n - 1] for n in used}}
    return {"method": method, "features": chosen, **named, "effect": effect_facts(effects)}


@features.command("reduce", help=_REDUCE_HELP)
@_shared_options
@click.option("--to", "keep", required=True, type=click.IntRange(min=1), help="How many features.")
@click.option(
    "--method", type=click.Choice(list(REDUCTIONS)), default="pca", show_default=True, help="How."
)
@_output_option
def reduce_command(
    directory: Path,
    measure: str,
    tool: str,
    ranker: str,
    seed: int,
    output_format: str,
    keep: int,
    method: str,
    output: Path | None,
) -> None:
    """Fit on training parts, learn twice, compare on test parts."""
    check_target(output)
    folds = _folds(directory)
    fitted = fit_reductions([fold.train for fold in folds], method, keep)
    reductions = {fold.number: found for fold, found in zip(folds, fitted, strict=True)}
    reached = fitted[0].n_components
    if reached < keep:
        note(
            f"{reached} instead of {keep} features in all folds: {method} finds no more in one of "
            "them, as the rest does not vary with the labels"
        )

    def change(fold: Fold) -> Fold:
        return _changed(fold, reductions[fold.number].apply)

    effects = _effects(folds, change, _learner(ranker, seed), measure, tool)
    if output is not None:
        write_folds((change(fold) for fold in folds), output)
    explained = {number: r.explained.tolist() for number, r in reductions.items()}
    if output_format == "json":
        facts = {"method": method, "kept": reached, "explained": explained}
        return print_json({**facts, "effect": effect_facts(effects)})
    rows = [(number, f"{100 * sum(shares):.1f}") for number, shares in explained.items()]
    print_table(("fold", "% of the variance within queries"), rows, numeric=(0, 1))
    return print_effects(effects, f"{reached} by {method}", ranker)


@features.command("importance", help=_IMPORTANCE_HELP)
@_shared_options
@_names_option
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How often each feature is shuffled.",
)
def importance_command(
    directory: Path,
    measure: str,
    tool: str,
    ranker: str,
    seed: int,
    names: Path | None,
    output_format: str,
    repeats: int,
) -> None:
    """Weigh features alone and in a ranker, over the folds."""
    folds = _folds(directory, names)
    learn = _learner(ranker, seed)
    alone, ascending, losses = [], [], []
    with progress("Weighing features", len(folds)) as advance:
        for done, fold in enumerate(folds, 1):
            quality = single_feature_quality(fold.train, measure, tool)
            alone.append(quality.values)
            ascending.append(quality.ascending)
            score = learn(fold.train, fold.validation)
            losses.append(
                permutation_importance(score, fold.test, measure, tool, seed=seed, repeats=repeats)
            )
            advance(done)
    rows = _importance_rows(np.array(alone), np.array(ascending), np.array(losses))
    known = folds[0].train.feature_names
    if output_format == "json":
        return print_json([_weighed(row, known) for row in rows])
    shown = [
        (n, *(() if known is None else (known[n - 1],)), f"{v:.4f}{' ↓' if down else '  '}",
         f"{loss:+.4f}")
        for n, v, down, loss in rows
    ]  # fmt: skip
    headings = ["feature", f"{measure} alone", f"{measure} lost when shuffled"]
    title = f"{ranker}, {len(folds)} folds"
    if known is None:
        return print_table(headings, shown, numeric=(0, 1, 2), title=title)
    return print_table(["feature", "name", *headings[1:]], shown, numeric=(0, 2, 3), title=title)


def _weighed(row: tuple[int, float, bool, float], names: Sequence[str] | None) -> dict[str, object]:
    number, alone, ascending, loss = row
    named = {} if names is None else {"name": names[number - 1]}
    return {"feature": number, **named, "alone": alone, "ascending": ascending, "loss": loss}


def _importance_rows(
    alone: Any, ascending: Any, losses: Any
) -> list[tuple[int, float, bool, float]]:
    order = np.argsort(-alone.mean(axis=0), kind="stable")
    return [
        (
            int(number) + 1,
            float(alone[:, number].mean()),
            bool(ascending[:, number].mean() > 0.5),
            float(losses[:, number].mean()),
        )
        for number in order
    ]


def _folds(directory: Path, names: Path | None = None) -> list[Fold]:
    folds = read_folds(directory)
    n_features = folds[0].train.n_features
    known = (
        names_of_build(directory, n_features)
        if names is None
        else read_feature_names(names, n_features)
    )
    if any(count_null(part) for fold in folds for _, part in fold.parts()):
        note("NULL values were filled with the query's minimum of the feature")
    filled = [_changed(fold, fill_null) for fold in folds]
    if known is None:
        return filled
    return [_changed(fold, lambda part: replace(part, feature_names=known)) for fold in filled]


def _changed(fold: Fold, change: Callable[[Dataset], Dataset]) -> Fold:
    validation = None if fold.validation is None else change(fold.validation)
    return Fold(fold.number, change(fold.train), validation, change(fold.test))


def _learner(name: str, seed: int) -> Learner:
    from rankwise.rankers.registry import find_ranker

    ranker = find_ranker(name)()

    def learn(train: Dataset, validation: Dataset | None) -> Callable[[Dataset], Any]:
        with apart(ranker):
            return ranker.fit(train, validation, seed=seed).score

    return learn


def _trial(fold: Fold, learn: Learner, measure: str, tool: str) -> Callable[[list[int]], float]:
    """What a set of features reaches on the validation part."""
    from rankwise.evaluation import evaluate

    validation = fold.validation

    def figure(numbers: list[int]) -> float:
        if validation is None:
            raise RankwiseError(
                f"fold {fold.number} must have a validation part to choose features on, found "
                "none; use --method best, or gas with --similarity-weight"
            )
        some = Choice(tuple(numbers), ())
        kept = some.apply(validation)
        score = learn(some.apply(fold.train), kept)
        return next(
            iter(evaluate(kept, score(kept), measure, tool=tool, ties="expected").means().values())
        )

    return figure


def _effects(
    folds: Sequence[Fold], change: Callable[[Fold], Fold], learn: Learner, measure: str, tool: str
) -> list[Effect]:
    measures = list(dict.fromkeys((measure, "MAP", "NDCG@10")))
    with progress("Learning", len(folds)) as advance:
        return compare_on_folds(folds, change, learn, measures, tool, advance)
