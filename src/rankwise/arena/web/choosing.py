"""What is served: an arena that is there, one that is made of data at once, a demo, a store."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from starlette.types import ASGIApp

from rankwise.arena.account import OPERATOR
from rankwise.arena.creating import create_task
from rankwise.arena.service import Arena
from rankwise.arena.web.application import make_application
from rankwise.arena.web.demonstration import fill_demo
from rankwise.arena.web.links import SiteLinks
from rankwise.arena.web.serving import Listening, run_server
from rankwise.arena.web.settings import WebSettings
from rankwise.arena.web.store_view.store_handlers import make_store_application
from rankwise.errors import RankwiseError

DATA_FOLDER = "arena"
DEMO_FOLDER = "rankwise-demo/arena"
DEMO_TEAM = "Your team"


@dataclass(frozen=True)
class Served:
    """What is served, and where: the address, and invitations by role where the arena is new."""

    address: str
    invitations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Offer:
    """An application, and the paths of invitations to it."""

    application: ASGIApp
    invitations: Mapping[str, str] = field(default_factory=dict)


def serve(
    arena: str | Path | None = None,
    *,
    data: str | Path | None = None,
    store: str | Path | None = None,
    demo: bool = False,
    folder: str | Path | None = None,
    listening: Listening | None = None,
    told: Callable[[Served], None] = lambda served: None,
    stage: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Serve one of an arena, data, a store or the demo until the process is told to stop.

    Args:
        arena: an `arena.toml`, or the folder that holds one.
        data: a folder of folds, or the name of a data set: an arena is made in `folder` with one
            task of it, whose labels are hidden. What is there already is served as it is.
        store: a store of results; its live view is read-only.
        demo: a filled arena of made-up data, in `folder`.
        folder: for an arena that is made; by default `arena`, of the demo `rankwise-demo/arena`.
        listening: where.
        told: is told the address, and for arenas that were made here the invitations.
        stage: is told what is being done before that.
    """
    given = [arena is not None, data is not None, store is not None, demo]
    if sum(given) != 1:
        raise RankwiseError(
            "one thing is served: an arena.toml, data, a store or the demo; "
            f"found {sum(given) or 'none'}"
        )
    chosen = listening or Listening()
    root = chosen.web.root_path
    place = Path(folder or (DEMO_FOLDER if demo else DATA_FOLDER))
    with _offer(arena, data, store, place, chosen.web, stage) as offer:

        def tell(origin: str) -> None:
            invited = {role: f"{origin}{path}" for role, path in offer.invitations.items()}
            told(Served(f"{origin}{root}/", invited))

        run_server(offer.application, chosen, tell)


@contextlib.contextmanager
def _offer(
    arena: str | Path | None,
    data: str | Path | None,
    store: str | Path | None,
    folder: Path,
    web: WebSettings,
    stage: Callable[[str], None],
) -> Iterator[_Offer]:
    if store is not None:
        yield _Offer(make_store_application(store, web))
        return
    if arena is None and data is not None:
        _make_of_data(folder, data, stage)
    elif arena is None:
        fill_demo(folder, told=stage)
    with Arena.open(arena if arena is not None else folder) as opened:
        links = SiteLinks(web.root_path)
        invited = {} if arena is not None else _invite(opened, links)
        yield _Offer(make_application(opened, web), invited)


def _make_of_data(folder: Path, data: str | Path, stage: Callable[[str], None]) -> None:
    """A task of the data in an arena; not again where the arena has tasks."""
    if (folder / "arena.toml").exists():
        with Arena.open(folder) as opened:
            if opened.tasks():
                return
    stage(f"hiding labels of {data} and writing the participants' package")
    create_task(folder, data)


def _invite(arena: Arena, links: SiteLinks) -> dict[str, str]:
    """Paths of invitations for who has just begun: one to organise, one to take part."""
    organiser = arena.invite("organiser", "", OPERATOR)
    participant = arena.invite("participant", DEMO_TEAM, OPERATOR)
    return {
        "organiser": links.invitation(organiser),
        "participant": links.invitation(participant),
    }
