"""`rankwise rankers`: the methods, their papers, parameters and what they can be exported to."""

from __future__ import annotations

import click

from rankwise.cli.options import format_option
from rankwise.cli.output import print_json, print_table, say
from rankwise.rankers import Parameter, RankerDescription, describe_ranker, ranker_names


@click.group()
def rankers() -> None:
    """The methods that can be trained.

    \b
    Examples:
      rankwise rankers list
      rankwise rankers show lambdamart
    """


@rankers.command("list")
@click.option(
    "--family",
    type=click.Choice(["pointwise", "pairwise", "listwise", "wrapper"]),
    help="Only this family.",
)
@format_option(own=("markdown",))
def list_command(family: str | None, output_format: str) -> None:
    """List the methods with their families, papers and export layouts.

    \b
    Examples:
      rankwise rankers list --family listwise
      rankwise rankers list --format markdown    # the whole reference
    """
    found = [describe_ranker(name) for name in ranker_names()]
    chosen = [ranker for ranker in found if family in (None, ranker.family)]
    if output_format == "json":
        print_json([ranker.as_dict() for ranker in chosen])
    elif output_format == "markdown":
        say(reference(chosen), nl=False)
    else:
        rows = [[one.name, one.family, one.paper, one.specified, _exports(one)] for one in chosen]
        print_table(["ranker", "family", "paper", "specified", "exports"], rows)


@rankers.command()
@click.argument("name")
@format_option(own=("markdown",))
def show(name: str, output_format: str) -> None:
    """Show one method: what it minimises, its paper, its parameters.

    NAME is a registered one, or your own as module:Name.

    \b
    Examples:
      rankwise rankers show ranksvm
      rankwise rankers show mine:MyRanker        # your own, imported and so run
      rankwise rankers show ranksvm --format json
    """
    ranker = describe_ranker(name)
    if output_format == "json":
        print_json(ranker.as_dict())
    elif output_format == "markdown":
        say(section(ranker), nl=False)
    else:
        say(f"{ranker.name} ({ranker.family})\n\n{ranker.description}\n")
        say("\n".join(f"{what}: {value}" for what, value in _remarks(ranker)))
        rows = [_parameter_row(one) for one in ranker.parameters]
        print_table(["parameter", "default", "allowed", "tried by tuning", "meaning"], rows)


def reference(chosen: list[RankerDescription]) -> str:
    """The Markdown page of all methods, as docs/rankers/reference.md holds it."""
    head = (
        "# The rankers\n\nMade by `rankwise rankers list --format markdown`: what each method "
        "minimises, where it\ndeviates from its paper, and its parameters. Methods of the "
        "comparison that are not here, and why:\n[not built](not-built.md).\n"
    )
    return "\n".join([head, *map(section, chosen)])


def section(ranker: RankerDescription) -> str:
    """One method in Markdown."""
    lines = [
        f"## {ranker.name}",
        "",
        ranker.description,
        "",
        *(f"- {what}: {value}" for what, value in _remarks(ranker)),
        "",
        "| parameter | default | allowed | tried by tuning | meaning |",
        "| --- | --- | --- | --- | --- |",
    ]
    for one in ranker.parameters:
        cells = (str(cell).replace("|", "\\|") for cell in _parameter_row(one))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _remarks(ranker: RankerDescription) -> list[tuple[str, str]]:
    return [
        ("family", ranker.family),
        ("paper", ranker.paper),
        (
            "specified",
            "; ".join(["with guesses", *ranker.guesses] if ranker.guesses else ["fully"]),
        ),
        ("NULL features", "handled" if ranker.handles_null else "refused, fill them first"),
        ("weights", "taken" if ranker.takes_weights else "refused"),
        ("continues other models", "yes" if ranker.takes_start else "no"),
        ("looks at a measure", "yes, --measure and --tool" if ranker.uses_measure else "no"),
        ("draws random numbers", _randomness(ranker)),
        ("exports", _exports(ranker)),
    ]


def _randomness(ranker: RankerDescription) -> str:
    if ranker.random:
        return "yes, --seed"
    return "no" if ranker.random_with is None else f"with {ranker.random_with}, --seed"


def _exports(ranker: RankerDescription) -> str:
    if not ranker.model_kinds:
        return "depends on the parameters"
    return ", ".join(ranker.exports) or "none"


def _parameter_row(one: Parameter) -> list[str]:
    bounds = [f"≥ {one.lowest:g}"] if one.lowest is not None else []
    bounds += [f"≤ {one.highest:g}"] if one.highest is not None else []
    allowed = ", ".join(map(str, one.choices)) or ", ".join(bounds)
    return [one.name, str(one.default), allowed, ", ".join(map(str, one.grid)), one.meaning]
