"""Who acts in an arena: accounts with a role, and the invitations that they begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rankwise.arena.errors import BadRequest, NotAllowed

Role = Literal["organiser", "participant", "reader"]
ROLES: tuple[Role, ...] = get_args(Role)
LONGEST_NAME = 80
BASELINES = "Rankwise baselines"
"""The team of baselines, which nobody can be invited to."""


@dataclass(frozen=True)
class Account:
    """Somebody who was invited.

    Attributes:
        id: what the log calls the account; it says nothing of who it is.
        name: as the person gave it.
        team: whose submissions count together; empty for organisers and readers.
        role: `organiser` runs the arena and sees everything but private figures before they are
            revealed; `participant` submits for a team; `reader` sees boards that are not public.
    """

    id: str
    name: str
    team: str
    role: Role

    @property
    def organises(self) -> bool:
        """Whether the account runs the arena."""
        return self.role == "organiser"


OPERATOR = Account("operator", "operator", "", "organiser")
"""Whoever runs commands on the arena's own machine, where the key and the database lie."""


@dataclass(frozen=True)
class Invitation:
    """What an invitation offers: a role in a team, until it is accepted or runs out."""

    role: Role
    team: str
    expires: str


def require_organiser(account: Account | None, what: str) -> Account:
    """The account, where it may run the arena."""
    if account is None or not account.organises:
        raise NotAllowed(f"only an organiser of the arena may {what}")
    return account


def check_name(name: str, what: str) -> str:
    """A name of a person or a team: something to read, on one line, of bounded length."""
    tidy = " ".join(name.split())
    if not tidy or not tidy.isprintable() or len(tidy) > LONGEST_NAME:
        raise BadRequest(
            f"the name of {what} must have 1 to {LONGEST_NAME} printable characters, found {name!r}"
        )
    return tidy


def check_role(role: str) -> Role:
    """A role by its name."""
    for known in ROLES:
        if role == known:
            return known
    raise BadRequest(f"the role must be one of {', '.join(ROLES)}, found {role!r}")
