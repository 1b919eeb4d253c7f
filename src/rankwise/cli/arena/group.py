"""`rankwise arena`: what an organiser does on the machine of an arena."""

from __future__ import annotations

import click

from rankwise.cli.loading import LoadingGroup

HOMES = {
    "new": "arena.new:new_command",
    "baselines": "arena.new:baselines_command",
    "invite": "arena.people:invite_command",
    "revoke": "arena.people:revoke_command",
    "board": "arena.boards:board_command",
    "duplicates": "arena.boards:duplicates_command",
    "reveal": "arena.ending:reveal_command",
    "audit": "arena.ending:audit_command",
    "export": "arena.ending:export_command",
}


@click.command(cls=LoadingGroup, homes=HOMES)
def arena() -> None:
    """Organise an arena: tasks with hidden labels, invitations, boards, the audit of its log."""
