"""`rankwise model`: look into model files, explain them, write them for other tools."""

from __future__ import annotations

import click

from rankwise.cli.loading import LoadingGroup

HOMES = {
    "show": "rankwise.cli.rankers.model_show:show",
    "export": "rankwise.cli.rankers.model_export:export_command",
    "verify": "rankwise.cli.rankers.model_export:verify",
    "cost": "rankwise.cli.rankers.model_cost:cost",
    "importance": "rankwise.cli.rankers.model_explain:importance",
    "contributions": "rankwise.cli.rankers.model_explain:contributions",
    "dependence": "rankwise.cli.rankers.model_explain:dependence",
    "why": "rankwise.cli.rankers.model_explain:why",
}


@click.command(cls=LoadingGroup, homes=HOMES)
def model() -> None:
    """Look into models, explain them, and write them for search engines and other tools.

    \b
    Examples:
      rankwise model show model.json
      rankwise model export model.json --to onnx --data test.txt -o model.onnx
      rankwise model verify model.onnx --data test.txt
      rankwise model why model.json test.txt --query 17
    """
