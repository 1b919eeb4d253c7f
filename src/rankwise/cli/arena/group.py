"""`rankwise arena`: what an organiser does on the machine of an arena."""

from __future__ import annotations

import click

from rankwise.cli.loading import LoadingGroup

HOMES = {
    "new": "rankwise.cli.arena.new:new_command",
    "baselines": "rankwise.cli.arena.new:baselines_command",
    "invite": "rankwise.cli.arena.people:invite_command",
    "revoke": "rankwise.cli.arena.people:revoke_command",
    "board": "rankwise.cli.arena.boards:board_command",
    "duplicates": "rankwise.cli.arena.boards:duplicates_command",
    "reveal": "rankwise.cli.arena.ending:reveal_command",
    "audit": "rankwise.cli.arena.ending:audit_command",
    "export": "rankwise.cli.arena.ending:export_command",
}


@click.command(cls=LoadingGroup, homes=HOMES)
def arena() -> None:
    """Organise an arena: tasks with hidden labels, invitations, boards, the audit of its log."""
