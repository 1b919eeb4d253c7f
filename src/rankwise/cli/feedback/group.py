"""`rankwise clicks`: simulated users, click logs, and what can be learned from them."""

from __future__ import annotations

import click

from rankwise.cli.loading import LoadingGroup

HOMES = {
    "simulate": "rankwise.cli.feedback.logs:simulate_command",
    "propensities": "rankwise.cli.feedback.logs:propensities_command",
    "convert": "rankwise.cli.feedback.logs:convert_command",
    "evaluate": "rankwise.cli.feedback.judging:evaluate_command",
    "interleave": "rankwise.cli.feedback.judging:interleave_command",
    "online": "rankwise.cli.feedback.learning:online_command",
    "offline": "rankwise.cli.feedback.learning:offline_command",
}


@click.command(cls=LoadingGroup, homes=HOMES)
def clicks() -> None:
    """Simulate users, read click logs, learn and evaluate from them.

    \b
    Examples:
      rankwise clicks simulate MQ2008 --sessions 100000 -o 'logs/fold{fold}.parquet'
      rankwise clicks propensities log.csv --method em -o propensities.json
      rankwise clicks convert log.csv --propensities propensities.json -o clicks
      rankwise clicks online MQ2008 --learner pdgd,dueling-bandit --sessions 10000
    """
