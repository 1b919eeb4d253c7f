"""Making an arena and its tasks: what is hidden of data, and what participants get of it.

In cross-validation the test queries of one fold are training queries of the others, whose labels
would be in the package. Where that is so, a share of all queries is held out instead, and the rest
makes one fold to train and validate on. Whatever may tell of labels beside the features is taken
away: queries and documents get new ids, comments are dropped, and hidden queries, and documents in
them, come in a random order, since many files list relevant documents first.

The package has the features without test labels, and says how to take part.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.arena.arena_settings import FILE_NAME, ArenaSettings, read_settings, write_settings
from rankwise.arena.evaluator import check_rules
from rankwise.arena.hidden_data import HiddenTest
from rankwise.arena.participation import ArenaTask, BadRequest, HiddenFold, Rules
from rankwise.arena.storage.database import Database
from rankwise.arena.storage.encryption import make_key, read_key
from rankwise.arena.storage.event_log import format_time
from rankwise.arena.storage.stored_records import add_task, check_task_name, read_tasks
from rankwise.data.dataset import Dataset, as_features
from rankwise.data.folds import NAMINGS, Fold, read_fold
from rankwise.data.joining import concatenate
from rankwise.data.reading import write
from rankwise.data.sources import DataSource, find_source
from rankwise.data.text import TextColumn
from rankwise.errors import RankwiseError
from rankwise.files import (
    compute_checksum,
    is_file,
    is_there,
    make_folder,
    plain_name,
    resolve,
    write_text,
    writing_failure,
    written_whole,
)

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
        now = format_time(_choose_clock(clock)())
        task = _describe_task(prepared, source, wanted, title, description, chosen, now)
        return _keep_task(settings, task, prepared)


def _find_settings(arena: str | Path | ArenaSettings) -> ArenaSettings:
    if isinstance(arena, ArenaSettings):
        return arena
    path = Path(arena)
    return read_settings(path) if path.is_file() else create_arena(path)


def _describe_task(
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


def _keep_task(settings: ArenaSettings, task: ArenaTask, prepared: Prepared) -> ArenaTask:
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


def _choose_clock(clock: Callable[[], float] | None) -> Callable[[], float]:
    import time

    return clock or time.time


VALIDATION_SHARE = 0.2
FEWEST_QUERIES = 4

Generator = np.random.Generator


@dataclass(frozen=True, eq=False)
class Prepared:
    """The parts of a task: folds whose test labels are 0, and what those labels are."""

    folds: tuple[Fold, ...]
    hidden: HiddenTest


def prepare(
    folds: Iterable[Fold], rng: Generator, *, hidden_share: float = 0.5, public_share: float = 0.5
) -> Prepared:
    """Hide the test labels of folds, or of a share of the queries where folds overlap."""
    for what, share in (("hidden", hidden_share), ("public", public_share)):
        if not 0.0 < share < 1.0:
            raise BadRequest(f"the {what} share must lie between 0 and 1, found {share:g}")
    given = list(folds)
    if overlap(given):
        given = [_hold_out(_gather_queries(given), rng, hidden_share)]
    named = _rename_ids([_scramble(fold, rng) for fold in given])
    return Prepared(
        tuple(_blank_test(fold) for fold in named), _make_hidden_test(named, rng, public_share)
    )


def overlap(folds: list[Fold]) -> bool:
    """Whether a test query of one fold has its labels in another's training or validation part."""
    for fold in folds:
        tested = set(fold.test.query_ids)
        for other in folds:
            parts = [other.train, *([other.validation] if other.validation else [])]
            if any(not tested.isdisjoint(part.query_ids) for part in parts):
                return True
    return False


def _gather_queries(folds: list[Fold]) -> Dataset:
    """Every query once."""
    seen: set[str] = set()
    parts: list[Dataset] = []
    for fold in folds:
        for _, part in fold.parts():
            fresh = [place for place, query in enumerate(part.query_ids) if query not in seen]
            if fresh:
                parts.append(part.select_queries(np.array(fresh, dtype=np.int64)).without_texts())
                seen.update(part.query_ids)
    return concatenate(parts)


def _hold_out(whole: Dataset, rng: Generator, hidden_share: float) -> Fold:
    order = rng.permutation(whole.n_queries)
    hidden = round(hidden_share * whole.n_queries)
    validation = max(1, round(VALIDATION_SHARE * (whole.n_queries - hidden)))
    if hidden < FEWEST_QUERIES or whole.n_queries - hidden <= validation:
        raise BadRequest(
            f"a task must have at least {FEWEST_QUERIES} hidden queries and two others, found "
            f"{whole.n_queries} queries in all"
        )
    # Parts that are trained on keep the order of the data.
    test, rest = order[:hidden], order[hidden:]
    return Fold(
        1,
        whole.select_queries(np.sort(rest[validation:])),
        whole.select_queries(np.sort(rest[:validation])),
        whole.select_queries(test),
    )


def _scramble(fold: Fold, rng: Generator) -> Fold:
    """The test part with its queries, and the documents of each, in a random order."""
    if fold.test.n_queries < FEWEST_QUERIES:
        raise BadRequest(
            f"a fold of a task must hide at least {FEWEST_QUERIES} queries, found "
            f"{fold.test.n_queries} in fold {fold.number}"
        )
    test = fold.test.without_texts().select_queries(rng.permutation(fold.test.n_queries))
    order = np.lexsort((rng.random(test.n_documents), test.query_of_rows))
    scrambled = Dataset(
        test.features[order],
        test.labels[order],
        test.query_offsets,
        test.query_ids,
        feature_names=test.feature_names,
    )
    validation = None if fold.validation is None else fold.validation.without_texts()
    return Fold(fold.number, fold.train.without_texts(), validation, scrambled)


def _rename_ids(folds: list[Fold]) -> list[Fold]:
    """New ids for queries, in all folds the same for the same query, and for test documents."""
    ids: dict[str, str] = {}
    for fold in folds:
        for _, part in fold.parts():
            for query in part.query_ids:
                ids.setdefault(query, str(len(ids) + 1))
    documents = 0
    renamed = []
    for fold in folds:
        parts = {name: _with_ids(part, ids) for name, part in fold.parts()}
        test = parts["test"]
        names = (f"d{documents + row + 1}" for row in range(test.n_documents))
        named = Dataset(
            test.features, test.labels, test.query_offsets, test.query_ids,
            document_ids=TextColumn.from_texts(names), feature_names=test.feature_names,
        )  # fmt: skip
        documents += test.n_documents
        renamed.append(Fold(fold.number, parts["train"], parts.get("validation"), named))
    return renamed


def _with_ids(part: Dataset, ids: dict[str, str]) -> Dataset:
    named = TextColumn.from_texts(ids[query] for query in part.query_ids)
    return Dataset(
        as_features(part.stored),
        part.labels,
        part.query_offsets,
        named,
        feature_names=part.feature_names,
    )


def _blank_test(fold: Fold) -> Fold:
    """The fold as participants get it."""
    test = fold.test
    blank = Dataset(
        test.features, np.zeros(test.n_documents), test.query_offsets, test.query_ids,
        document_ids=test.document_ids, feature_names=test.feature_names,
    )  # fmt: skip
    return Fold(fold.number, fold.train, fold.validation, blank)


def _make_hidden_test(folds: list[Fold], rng: Generator, public_share: float) -> HiddenTest:
    tests = [fold.test for fold in folds]
    lengths = np.concatenate([test.query_lengths for test in tests])
    count = len(lengths)
    public = np.zeros(count, dtype=bool)
    public[rng.permutation(count)[: min(max(round(public_share * count), 2), count - 2)]] = True
    return HiddenTest(
        np.concatenate([test.labels for test in tests]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        tuple(query for test in tests for query in test.query_ids),
        tuple(document for test in tests for document in test.document_ids or ()),
        public,
    )


CHECK = "check_submission.py"
CARD = "data-card.json"
CHECKSUMS = "SHA256SUMS"
# The same data are the same bytes: a zip file can tell of no time before 1980.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)

_README = """{title}

{description}

Learn on FoldN/train.txt.gz, choose on FoldN/vali.txt.gz, score the rows of FoldN/test.txt.gz: LETOR
text, `label qid:QUERY index:value ... #docid = DOCUMENT`. The labels of the test part are hidden:
each is written as 0.

A submission is one file of scores for each fold, one score a line in the order of the rows of
test.txt, or one TREC run of all folds (`query Q0 document rank score tag`). Check it before upload:

    python check_submission.py my.scores
    python check_submission.py --run my.run

and send it by the arena's page or by

    rankwise submit ADDRESS {name} my.scores --title "What it is called"

Judged by {measure} as {tool} computes it, on a public half of the test queries now and on a private
half in the end. A team may submit {limit} times a day; the same scores again, and files that cannot
be read, do not count.
"""


def write_package(task: ArenaTask, prepared: Prepared, target: Path) -> str:
    """Write the package as a zip file, whole or not at all; its SHA-256."""
    make_folder(target.parent)
    try:
        _write_zip(task, prepared, target)
        return hashlib.sha256(target.read_bytes()).hexdigest()
    except OSError as error:
        raise writing_failure(target, error) from error


def _write_zip(task: ArenaTask, prepared: Prepared, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".package-") as folder:
        home = Path(folder)
        _write_parts(task, prepared, home)
        (home / CHECK).write_bytes((Path(__file__).parent / "package_check.py").read_bytes())
        names = sorted(path.relative_to(home).as_posix() for path in home.rglob("*.*"))
        sums = "".join(f"{compute_checksum(home / name)}  {name}\n" for name in names)
        (home / CHECKSUMS).write_text(sums, "utf-8")
        with written_whole(target) as stream, zipfile.ZipFile(stream, "w") as archive:
            for name in [CHECKSUMS, *names]:
                entry = zipfile.ZipInfo(f"{task.name}/{name}", _ZIP_TIME)
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, (home / name).read_bytes())


def _write_parts(task: ArenaTask, prepared: Prepared, home: Path) -> None:
    for fold in prepared.folds:
        folder = make_folder(home / f"Fold{fold.number}")
        for part, dataset in fold.parts():
            write(dataset, folder / f"{NAMINGS['letor4'][part]}.gz")
    card = json.dumps(_describe_package(task, prepared), indent=2, ensure_ascii=False)
    (home / CARD).write_text(card + "\n", "utf-8")
    (home / "README.txt").write_text(
        _README.format(
            title=task.title,
            description=task.description,
            name=task.name,
            measure=task.rules.measure,
            tool=task.rules.tool,
            limit=task.rules.daily_limit,
        ),
        "utf-8",
    )


def _describe_package(task: ArenaTask, prepared: Prepared) -> dict[str, Any]:
    """The data card: counts and labels of what is public, and nothing of what is hidden."""
    return {
        "name": task.name,
        "title": task.title,
        "collection": task.collection,
        "dataset": task.dataset,
        "version": task.version,
        "features": task.features,
        "rules": asdict(task.rules),
        "hidden": "test labels; queries and documents have new ids and a random order",
        "folds": [
            {
                "number": fold.number,
                **{
                    part: {
                        "queries": dataset.n_queries,
                        "documents": dataset.n_documents,
                        **({} if part == "test" else {"labels": _count_labels(dataset.labels)}),
                    }
                    for part, dataset in fold.parts()
                },
            }
            for fold in prepared.folds
        ],
    }


def _count_labels(labels: Any) -> dict[str, int]:
    values, counts = np.unique(labels, return_counts=True)
    return {f"{value:g}": count for value, count in zip(values, counts.tolist(), strict=True)}
