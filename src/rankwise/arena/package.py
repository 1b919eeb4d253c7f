"""The package that participants download: features without test labels, and how to take part."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from rankwise.arena.preparing import Prepared
from rankwise.arena.task import ArenaTask
from rankwise.data.catalog.checksums import compute_checksum
from rankwise.data.folds.writing import NAMINGS
from rankwise.data.writing import write
from rankwise.files import make_folder, writing_failure, written_whole

CHECK = "check_submission.py"
CARD = "data-card.json"
CHECKSUMS = "SHA256SUMS"
# The same data are the same bytes: a zip file can tell of no time before 1980.
_TIME = (1980, 1, 1, 0, 0, 0)

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
        _write(task, prepared, target)
        return hashlib.sha256(target.read_bytes()).hexdigest()
    except OSError as error:
        raise writing_failure(target, error) from error


def _write(task: ArenaTask, prepared: Prepared, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".package-") as folder:
        home = Path(folder)
        _write_parts(task, prepared, home)
        (home / CHECK).write_bytes((Path(__file__).parent / "package_check.py").read_bytes())
        names = sorted(path.relative_to(home).as_posix() for path in home.rglob("*.*"))
        sums = "".join(f"{compute_checksum(home / name)}  {name}\n" for name in names)
        (home / CHECKSUMS).write_text(sums, "utf-8")
        with written_whole(target) as stream, zipfile.ZipFile(stream, "w") as archive:
            for name in [CHECKSUMS, *names]:
                entry = zipfile.ZipInfo(f"{task.name}/{name}", _TIME)
                entry.external_attr = 0o644 << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, (home / name).read_bytes())


def _write_parts(task: ArenaTask, prepared: Prepared, home: Path) -> None:
    for fold in prepared.folds:
        folder = make_folder(home / f"Fold{fold.number}")
        for part, dataset in fold.parts():
            write(dataset, folder / f"{NAMINGS['letor4'][part]}.gz")
    card = json.dumps(_describe(task, prepared), indent=2, ensure_ascii=False)
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


def _describe(task: ArenaTask, prepared: Prepared) -> dict[str, Any]:
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
