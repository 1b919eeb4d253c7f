"""Tokens and invitations: forged, replayed, spent, old, revoked; what the database has of them."""

from __future__ import annotations

import pytest

from rankwise.arena.arena import Arena
from rankwise.arena.participation import OPERATOR, BadRequest, UnknownThing, UnknownToken
from tests.arena.conftest import MakeArena
from tests.arena.playing import Clock, join, noise, submit


def test_an_invitation_is_accepted_once(arena: Arena) -> None:
    invitation = arena.invite("participant", "Once", OPERATOR)
    offered = arena.invitation(invitation)
    assert (offered.role, offered.team) == ("participant", "Once")
    token = arena.accept(invitation, "  First   one ")
    account = arena.authenticate(token)
    assert (account.name, account.team, account.role) == ("First one", "Once", "participant")
    for replay in (
        lambda: arena.accept(invitation, "Second"),
        lambda: arena.invitation(invitation),
    ):
        with pytest.raises(UnknownToken, match="unknown, spent or too old"):
            replay()


def test_forged_tokens_are_nobody(arena: Arena) -> None:
    invitation = arena.invite("reader", "", OPERATOR)
    token = arena.accept(invitation, "Reader")
    forged = [
        "", "rwt_", token[:-1], token + "x", token.upper(), token.replace("rwt_", "rwi_"),
        invitation, "rwt_" + "A" * 43, "' OR 1=1 --", "\x00", "ü" * 50, token + "\n", "x" * 10**6,
        "operator",
    ]  # fmt: skip
    for wrong in forged:
        with pytest.raises(UnknownToken):
            arena.authenticate(wrong)
        with pytest.raises(UnknownToken):
            arena.accept(wrong, "Somebody")
    assert arena.authenticate(token).name == "Reader"


def test_a_token_is_no_invitation_and_tokens_are_long(arena: Arena) -> None:
    tokens = [arena.accept(arena.invite("reader", "", OPERATOR), "r") for _ in range(3)]
    assert len(set(tokens)) == 3
    assert all(token.startswith("rwt_") and len(token) == 4 + 43 for token in tokens)


def test_an_old_invitation_is_refused(make_arena: MakeArena) -> None:
    clock = Clock()
    arena = make_arena(clock=clock)
    invitation = arena.invite("participant", "Late", OPERATOR)
    clock.pass_days(arena.settings.invitation_days)
    with pytest.raises(UnknownToken):
        arena.accept(invitation, "Late")


def test_a_revoked_account_can_do_nothing_but_its_entries_stay(arena: Arena) -> None:
    token = arena.accept(arena.invite("participant", "Gone", OPERATOR), "gone")
    account = arena.authenticate(token)
    entry = submit(arena, account, noise(arena, 1))
    arena.revoke(account.id, OPERATOR)
    with pytest.raises(UnknownToken):
        arena.authenticate(token)
    assert arena.entry(entry.id).id == entry.id
    with pytest.raises(UnknownThing):
        arena.revoke(account.id, OPERATOR)


def test_a_revoked_organiser_comes_back_by_no_invitation_of_their_own(arena: Arena) -> None:
    organiser, other = (
        arena.authenticate(arena.accept(arena.invite("organiser", "", OPERATOR), name))
        for name in ("gone", "stays")
    )
    own = arena.invite("organiser", "", organiser)
    accepted = arena.accept(arena.invite("reader", "", organiser), "reader")
    theirs = arena.invite("reader", "", other)
    arena.revoke(organiser.id, OPERATOR)
    with pytest.raises(UnknownToken, match="unknown, spent or too old"):
        arena.accept(own, "back again")
    assert arena.authenticate(accepted).role == "reader"
    assert arena.accept(theirs, "somebody").startswith("rwt_")
    assert arena.audit().sound


def test_no_token_is_kept_or_logged(make_arena: MakeArena) -> None:
    arena = make_arena()
    invitation = arena.invite("participant", "Quiet", OPERATOR)
    token = arena.accept(invitation, "quiet")
    arena.close()
    files = arena.settings.folder.glob("arena.sqlite*")
    content = b"".join(path.read_bytes() for path in files)
    assert b"Quiet" in content
    for secret in (invitation, token):
        assert secret.encode() not in content and secret[4:].encode() not in content


def test_names_are_short_and_printable_and_none_is_the_baselines(arena: Arena) -> None:
    for team in ("", " ", "x" * 81, "a\x1bb", "a\x00b", "rankwise BASELINES", "\u202eabc"):
        with pytest.raises(BadRequest):
            arena.invite("participant", team, OPERATOR)
    with pytest.raises(BadRequest):
        arena.invite("reader", "a team", OPERATOR)
    with pytest.raises(BadRequest):
        arena.invite("king", "", OPERATOR)
    with pytest.raises(BadRequest):
        arena.accept(arena.invite("participant", "T", OPERATOR), "\n")
    assert join(arena, "Ünïcode & <b>").team == "Ünïcode & <b>"
