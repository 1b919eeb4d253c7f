"""What the tests of the pages share: a small arena with a few entries, and a browser's client."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra 'arena' is not installed")
pytest.importorskip("sqlalchemy", reason="the extra 'arena' is not installed")

from starlette.testclient import TestClient

from rankwise.arena import (
    OPERATOR,
    Arena,
    Cost,
    Declaration,
    Rules,
    Submission,
    WebSettings,
    make_application,
)
from rankwise.arena.task_creation import create_arena, create_task
from rankwise.data import read, split_folds, write_folds
from rankwise.data.synthetic import make_dataset

TASK = "small"
HOSTILE = "<script>window.hurt=1</script>\"'><img src=x onerror=window.hurt=2>{{7*7}}"


@dataclass(frozen=True)
class Made:
    """An open arena with the features of its hidden documents, and tokens by team."""

    arena: Arena
    features: Any
    folder: Path
    tokens: dict[str, str]

    def scores(self, feature: int, noise: int | None = None) -> bytes:
        """Scores by one feature, with noise of a seed where asked for."""
        values = np.nan_to_num(self.features[:, feature])
        if noise is not None:
            values = values + np.random.default_rng(noise).normal(size=len(values))
        return "".join(f"{value!r}\n" for value in values.tolist()).encode()

    def submit(self, team: str, title: str, scores: bytes, **more: Any) -> Any:
        """A submission without HTTP."""
        account = self.arena.authenticate(self.tokens[team])
        cost = Cost(training_seconds=more.pop("seconds", None))
        declaration = Declaration(title, cost=cost, **more)
        return self.arena.submit(account, TASK, Submission({"Fold1.scores": scores}, declaration))

    def join(self, role: str, team: str = "") -> str:
        """The token of a new account."""
        return self.arena.accept(self.arena.invite(role, team, OPERATOR), team or role)


def make_arena(folder: Path, **rules: Any) -> Made:
    """A task of sixty made-up queries, two teams, a reader and an organiser; no entries."""
    folds = folder / "folds"
    write_folds(split_folds(make_dataset(60, seed=1)), folds)
    settings = create_arena(folder / "arena", title="A small arena")
    create_task(
        settings, folds, name=TASK, title="Small & made up", description="One.\n\nTwo <b>bold</b>.",
        rules=Rules(**{"daily_limit": 50, "ladder": False, **rules}), seed=2,
    )  # fmt: skip
    arena = Arena.open(settings)
    with zipfile.ZipFile(io.BytesIO(arena.package(TASK).read_bytes())) as archive:
        archive.extractall(folder / "package")
    test = read(folder / "package" / TASK / "Fold1" / "test.txt.gz")
    made = Made(arena, test.features, folder, {})
    made.tokens.update(
        {
            "One": made.join("participant", "One"),
            "Two": made.join("participant", "Two"),
            "reader": made.join("reader"),
            "organiser": made.join("organiser"),
        }
    )
    return made


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """An arena with three entries, one of them called by markup; tests only add to it."""
    found = make_arena(tmp_path_factory.mktemp("arena"), board_measures=("MAP", "P@5"))
    found.submit("One", "By BM25", found.scores(4), seconds=3.0, code="https://example.org/code")
    found.submit("One", "By noise", found.scores(11), seconds=0.5)
    found.submit(
        "Two", HOSTILE, found.scores(6), seconds=40.0, description=HOSTILE, paper=HOSTILE,
        code="javascript:window.hurt=3", training_data=HOSTILE, parameters={HOSTILE: HOSTILE},
    )  # fmt: skip
    yield found
    found.arena.close()


@pytest.fixture(scope="package")
def revealed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """An arena whose task is closed, with one entry that the Ladder showed and one it hid."""
    found = make_arena(tmp_path_factory.mktemp("revealed"), ladder=True)
    shown = found.submit("One", "Shown", found.scores(4))
    hidden = found.submit("One", "Hidden", found.scores(4, noise=7))
    assert shown.shown and not hidden.shown
    found.arena.reveal(TASK, OPERATOR)
    yield found
    found.arena.close()


@pytest.fixture
def application(made: Made) -> Any:
    return make_application(made.arena, WebSettings())


@pytest.fixture
def client(application: Any) -> Iterator[TestClient]:
    """A browser without an account; redirects are shown, not followed."""
    with TestClient(application, base_url="http://arena.test", follow_redirects=False) as opened:
        yield opened


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def find_mark(page: str) -> str:
    """The mark of the page's first form."""
    return page.split('name="form_mark" value="', 1)[1].split('"', 1)[0]


def sign_in(client: TestClient, token: str) -> None:
    page = client.get("/sign-in").text
    answer = client.post("/sign-in", data={"form_mark": find_mark(page), "token": token})
    assert answer.status_code == 303, answer.text
