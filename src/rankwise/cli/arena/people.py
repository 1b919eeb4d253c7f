"""`rankwise arena invite|revoke`: who takes part."""

from __future__ import annotations

from pathlib import Path

import click

from rankwise.arena import OPERATOR, ROLES
from rankwise.cli.arena.arena_options import arena_argument
from rankwise.cli.output import note, say


@click.command("invite")
@arena_argument
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="participant",
    show_default=True,
    help="What the account may do.",
)
@click.option("--team", default="", help="The team of a participant.")
def invite_command(arena: Path, role: str, team: str) -> None:
    """Print an invitation that one person can accept once, on its page or by the API.

    The page is ADDRESS/invitations/INVITATION, where ADDRESS is that of the server.

    \b
    Examples:
      rankwise arena invite myarena --team "Team one"
      rankwise arena invite myarena --role organiser
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        invitation = opened.invite(role, team, OPERATOR)
        days = opened.settings.invitation_days
    say(invitation)
    note(f"it can be accepted once, within {days} days, at ADDRESS/invitations/{invitation}")


@click.command("revoke")
@arena_argument
@click.argument("account", metavar="ACCOUNT")
def revoke_command(arena: Path, account: str) -> None:
    """End the token and the open invitations of ACCOUNT, an id of the log; its entries stay.

    \b
    Examples:
      rankwise arena revoke myarena a3f09c2277d1e5b60
    """
    from rankwise.arena import Arena

    with Arena.open(arena) as opened:
        opened.revoke(account, OPERATOR)
    note(f"{account} can do nothing any more")
