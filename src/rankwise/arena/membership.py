"""Invitations and accounts: tokens of 256 random bits, of which the database has the digest only.

A digest of what nobody can guess needs no slow hash: SHA-256 of 256 random bits tells nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import cast

from rankwise.arena import tables
from rankwise.arena.account import (
    BASELINES,
    Account,
    Invitation,
    Role,
    check_name,
    check_role,
)
from rankwise.arena.clock import add_days
from rankwise.arena.database import append
from rankwise.arena.errors import BadRequest, UnknownThing, UnknownToken
from rankwise.arena.sql import Connection, insert, select, update

INVITATION, TOKEN = "rwi_", "rwt_"
_TOKEN_BYTES = 32
_LONGEST_TOKEN = 100


def make_invitation(
    connection: Connection, role: str, team: str, by: Account, time: str, days: int
) -> str:
    """A new invitation; who has it can be the account that it offers."""
    wanted = check_role(role)
    if wanted == "participant":
        team = check_name(team, "a team")
        if team.casefold() == BASELINES.casefold():
            raise BadRequest(f"a team must not be called as the baselines are, found {team!r}")
    elif team:
        raise BadRequest(f"only participants have a team, found one for a {wanted}")
    token = INVITATION + secrets.token_urlsafe(_TOKEN_BYTES)
    expires = add_days(time, days)
    connection.execute(
        insert(tables.invitations).values(
            token_digest=_digest(token), role=wanted, team=team, expires=expires, inviter=by.id
        )
    )
    # All may see the digest of the line: with names alone in it a guess at a team is confirmed.
    facts = {"by": by.id, "role": wanted, "team": team, "invitation": _digest(token)}
    append(connection, time, "invited", facts)
    return token


def look_at_invitation(connection: Connection, token: str, time: str) -> Invitation:
    """What an invitation offers."""
    known = tables.invitations.c
    row = connection.execute(
        select(tables.invitations).where(known.token_digest == _digest(token))
    ).first()
    if row is None or row.account is not None or row.expires <= time:
        raise UnknownToken(
            "an invitation must be one that the arena gave and nobody has accepted, found one that "
            "is unknown, spent or too old; ask an organiser for another"
        )
    return Invitation(cast(Role, row.role), row.team, row.expires)


def accept_invitation(connection: Connection, token: str, name: str, time: str) -> str:
    """Spend an invitation; the token of the new account."""
    offered = look_at_invitation(connection, token, time)
    account = Account(
        f"a{secrets.token_hex(8)}", check_name(name, "a person"), offered.team, offered.role
    )
    own = TOKEN + secrets.token_urlsafe(_TOKEN_BYTES)
    connection.execute(
        insert(tables.accounts).values(**vars(account), token_digest=_digest(own), revoked=False)
    )
    connection.execute(
        update(tables.invitations)
        .where(tables.invitations.c.token_digest == _digest(token))
        .values(account=account.id)
    )
    append(connection, time, "joined", dict(vars(account)))
    return own


def find_account(connection: Connection, token: str) -> Account:
    """The account of a token."""
    known = tables.accounts.c
    row = connection.execute(
        select(known.id, known.name, known.team, known.role).where(
            known.token_digest == _digest(token), known.revoked.is_(False)
        )
    ).first()
    if row is None:
        raise UnknownToken(
            "a token must be one that the arena gave and did not revoke, found another; ask an "
            "organiser for an invitation"
        )
    return Account(row.id, row.name, row.team, cast(Role, row.role))


def read_teams(connection: Connection) -> tuple[str, ...]:
    """The teams that somebody takes part in."""
    known = tables.accounts.c
    return tuple(
        connection.execute(select(known.team).where(known.team != "").distinct()).scalars()
    )


def revoke_account(connection: Connection, account_id: str, by: Account, time: str) -> None:
    """End the token of an account, and its invitations that nobody has accepted yet."""
    known, offered = tables.accounts.c, tables.invitations.c
    changed = connection.execute(
        update(tables.accounts)
        .where(known.id == account_id, known.revoked.is_(False))
        .values(revoked=True)
    )
    if changed.rowcount != 1:
        raise UnknownThing(f"there must be an account {account_id!r} that is not revoked")
    connection.execute(
        update(tables.invitations)
        .where(offered.inviter == account_id, offered.account.is_(None))
        .values(expires=time)
    )
    append(connection, time, "revoked", {"by": by.id, "account": account_id})


def _digest(token: str) -> str:
    return hashlib.sha256(token[:_LONGEST_TOKEN].encode("utf-8", "replace")).hexdigest()
