"""The readers of models, of configurations and of archives that hold a data set."""

from __future__ import annotations

import io
import shutil
import tarfile
import zipfile
from pathlib import Path
from random import Random
from unittest import mock

import numpy as np

from rankwise.data.catalog.importing import import_dataset
from rankwise.data.reading import read_feature_names
from rankwise.experiments.planning import plan
from rankwise.models.model_file import as_text, read_model_file
from tests.data.catalog import little
from tests.fuzz.mutators import BINARY, MUTATORS, STRUCTURED, mutate
from tests.fuzz.reader import Reader
from tests.models.made import made_models, model_file, scores_of

CONFIGURATIONS = (
    b'name = "mine"\nmeasures = ["MAP", "NDCG@10"]\ntools = ["own", "yahoo"]\nfolds = [1, 2]\n'
    b'seeds = [0, 1]\n\n[selection]\nmeasure = "NDCG@10"\ntool = "own"\n\n[limits]\nseconds = 600\n'
    b'memory = "2 GB"\n\n[[data]]\npath = "data"\ndataset = "made"\n\n[[rankers]]\n'
    b'name = "ridge-regression"\nlabel = "Ridge"\nset = { regularization = 0.1 }\n',
    b'[[data]]\npath = "data"\n\n[[rankers]]\nname = "listnet,best-feature"\n\n[[rankers]]\n'
    b'name = "listnet"\nlabel = "drawn"\ngrid = { rounds = [5, 10] }\n'
    b"draw = { learning_rate = { low = 0.01, high = 0.3, logarithmic = true } }\ndraws = 3\n",
)


def _read_model(path: Path, rng: Random) -> None:
    """A model that is read scores rows, with numbers that are missing among them."""
    scorer = read_model_file(path).model.scorer
    rows = np.array([[0.0], [np.nan], [1e300]]) * np.ones(scorer.n_features)
    with np.errstate(all="ignore"):
        scores_of(scorer, rows)


def _plan(path: Path, rng: Random) -> None:
    folder = path.parent / "data"
    if not folder.exists():
        little.write_folds(folder)
    plan(path)


def _archive_seeds() -> tuple[bytes, ...]:
    return (little.rows(little.QUERIES[0]).encode(),)


def _import(path: Path, rng: Random) -> None:
    """An archive with a valid data set but for one file of it, or damaged itself."""
    members = {
        f"MQ2008/Fold{fold + 1}/{name}": little.rows(little.QUERIES[(fold + step) % 3]).encode()
        for fold in range(little.FOLDS)
        for step, name in enumerate(("train.txt", "vali.txt", "test.txt"))
    }
    whole = rng.random() < 0.4
    if not whole:
        # In the place of the file that it was, where it is still that one.
        members["MQ2008/Fold1/train.txt"] = path.read_bytes()
    content = rng.choice((_zip, _tar))(members, rng)
    if whole or rng.random() < 0.2:
        content = mutate(content, (content,), rng, BINARY)
    path.write_bytes(content)
    home = path.parent / "home"
    try:
        with mock.patch("os.fsync"):
            import_dataset(little.ENTRY, path, home=home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _zip(members: dict[str, bytes], rng: Random) -> bytes:
    content = io.BytesIO()
    kind = rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(content, "w", kind) as archive:
        for name, text in members.items():
            # With a date of its own an archive would not be the same every time.
            archive.writestr(zipfile.ZipInfo(name), text, kind)
    return content.getvalue()


def _tar(members: dict[str, bytes], rng: Random) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    import bz2
    import gzip
    import lzma

    packers = (bytes, lambda text: gzip.compress(text, mtime=0), bz2.compress, lzma.compress)
    return bytes(rng.choice(packers)(content.getvalue()))


OTHER_READERS = {
    "models": Reader(
        lambda: tuple(as_text(model_file(one)).encode() for one in made_models().values()),
        _read_model,
        STRUCTURED,
    ),
    "toml": Reader(lambda: CONFIGURATIONS, _plan, STRUCTURED, ".toml"),
    "archives": Reader(_archive_seeds, _import, MUTATORS),
    "feature-names": Reader(
        lambda: (b"bm25\ntf idf\nlength\n", b"1\ta\n2\tb\n3\tc\n"),
        lambda path, rng: read_feature_names(path, 3),
        STRUCTURED,
    ),
}
