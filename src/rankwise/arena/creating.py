"""Making an arena, and tasks in it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from rankwise.arena.clock import format_time
from rankwise.arena.database import Database
from rankwise.arena.errors import BadRequest
from rankwise.arena.evaluator import check_rules
from rankwise.arena.package import write_package
from rankwise.arena.preparing import Prepared, prepare
from rankwise.arena.sealing import make_key, read_key
from rankwise.arena.settings import FILE_NAME, ArenaSettings, read_settings, write_settings
from rankwise.arena.task import ArenaTask, HiddenFold, Rules
from rankwise.arena.task_rows import add_task, check_task_name, read_tasks
from rankwise.data.folds.reading import read_fold
from rankwise.data.sources import DataSource, find_source
from rankwise.errors import RankwiseError
from rankwise.files import is_file, is_there, make_folder, plain_name, resolve, write_text

OWN_TOOL = "own"


def create_arena(folder: str | Path, **settings: str | int | bool) -> ArenaSettings:
    """Make the folder of an arena with `arena.toml` and a key; what is there already stays.

    `settings` are fields of `ArenaSettings`, for a new arena only.
    """
    home = resolve(folder)
    if (home / FILE_NAME).exists():
        if settings:
            raise RankwiseError(
                f"the settings of a new arena must come with it, found {home / FILE_NAME} already; "
                "change that file"
            )
        return read_settings(home)
    made = replace(ArenaSettings(home), **settings)  # type: ignore[arg-type]
    with _removed_on_failure(made.key_file, home):
        make_folder(home)
        if not made.key_file.exists():
            make_key(made.key_file)
        write_text(home / FILE_NAME, write_settings(made))
    return made


def create_task(
    arena: str | Path | ArenaSettings,
    data: str | Path,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str = "",
    rules: Rules | None = None,
    hidden_share: float = 0.5,
    public_share: float = 0.5,
    version: str | None = None,
    seed: int | None = None,
    clock: Callable[[], float] | None = None,
) -> ArenaTask:
    """Make a task of a data set in an arena, which is made where there is none.

    Args:
        arena: the folder of the arena, its `arena.toml`, or its settings.
        data: a folder of folds, or the name of a data set in the data home.
        name: of the task; by default that of the data set.
        title, description: for people.
        rules: what is allowed; the tool `own`, the default here, is that of the data set.
        hidden_share: of all queries, where folds overlap and a share must be held out.
        public_share: of the hidden queries, those of the public half.
        version: of a data set that the data home has in several.
        seed: of all that is drawn. Who knows it knows the halves: by default nobody does.
        clock: seconds since 1970.
    """
    with _removed_on_failure(*_list_places(arena)):
        settings = _find_settings(arena)
        source = find_source(data, version=version)
        chosen = rules or Rules(tool=OWN_TOOL)
        if chosen.tool == OWN_TOOL:
            chosen = replace(chosen, tool=source.tool)
        check_rules(chosen)
        wanted = check_task_name(name or plain_name(source.dataset).lower().replace("_", "-"))
        rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
        prepared = prepare(
            [read_fold(files) for files in source.folds()],
            rng,
            hidden_share=hidden_share,
            public_share=public_share,
        )
        now = format_time(_clock(clock)())
        task = _describe(prepared, source, wanted, title, description, chosen, now)
        return _keep(settings, task, prepared)


def _find_settings(arena: str | Path | ArenaSettings) -> ArenaSettings:
    if isinstance(arena, ArenaSettings):
        return arena
    path = Path(arena)
    return read_settings(path) if path.is_file() else create_arena(path)


def _describe(
    prepared: Prepared,
    source: DataSource,
    name: str,
    title: str | None,
    description: str,
    rules: Rules,
    created: str,
) -> ArenaTask:
    public = int(prepared.hidden.public.sum())
    tests = [(fold.number, fold.test) for fold in prepared.folds]
    return ArenaTask(
        name=name,
        title=title or source.dataset,
        description=description,
        collection=source.collection,
        dataset=source.dataset,
        version=source.version,
        features=tests[0][1].n_features,
        folds=tuple(HiddenFold(number, test.n_queries, test.n_documents) for number, test in tests),
        public_queries=public,
        private_queries=len(prepared.hidden.public) - public,
        rules=rules,
        created=created,
        revealed=None,
        package_checksum="",
    )


def _keep(settings: ArenaSettings, task: ArenaTask, prepared: Prepared) -> ArenaTask:
    seal = read_key(settings.key_file)
    database = Database(settings.database_address)
    try:
        with database.reading() as connection:
            if task.name in {one.name for one in read_tasks(connection)}:
                raise BadRequest(
                    f"each task must have a name of its own, found {task.name!r} already"
                )
        package = settings.packages_folder / f"{task.name}.zip"
        with _removed_on_failure(package, settings.packages_folder):
            checksum = write_package(task, prepared, package)
            made = replace(task, package_checksum=checksum)
            with database.writing() as connection:
                add_task(connection, made, prepared.hidden, seal)
        return made
    finally:
        database.close()


def _list_places(arena: str | Path | ArenaSettings) -> tuple[Path, ...]:
    """What a task makes beside its package where the arena is made with it: the folder last."""
    if isinstance(arena, ArenaSettings) or is_file(arena) or is_file(Path(arena) / FILE_NAME):
        return ()
    made = ArenaSettings(resolve(arena))
    database = [made.folder / f"arena.sqlite{ending}" for ending in ("-wal", "-shm", "")]
    return *database, made.folder / FILE_NAME, made.key_file, made.folder


@contextlib.contextmanager
def _removed_on_failure(*places: Path) -> Iterator[None]:
    """Where not all can be made, remove those of the places that were not there before."""
    fresh = [place for place in places if not is_there(place)]
    try:
        yield
    except BaseException:
        for place in fresh:
            with contextlib.suppress(OSError):
                place.rmdir() if place.is_dir() else place.unlink()
        raise


def _clock(clock: Callable[[], float] | None) -> Callable[[], float]:
    import time

    return clock or time.time
