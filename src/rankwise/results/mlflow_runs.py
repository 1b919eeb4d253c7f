"""The tasks of a store as plain files in the layout of MLflow's file store, one run a task.

    DIR/EXPERIMENT/meta.yaml                a data set
    DIR/EXPERIMENT/RUN/meta.yaml            a task: one method on one fold with one seed
    DIR/EXPERIMENT/RUN/{params,metrics,tags}/NAME
    DIR/EXPERIMENT/RUN/artifacts            model.json and scores, where the store keeps them

A metric is called `PART.TOOL.MEASURE`. MLflow's names have letters, digits and `_.- `: other
characters become `_`, with a digest behind names that this would make equal, so that no name of a
store leads out of the folder. Texts in meta.yaml are JSON, which is YAML too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.files import (
    is_folder,
    is_there,
    make_folder,
    resolve,
    unfinished_folder,
    writing_failure,
)
from rankwise.results.artifacts import FILE_NAMES, format_kept
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredTask, Subject, TaskValue, name_subjects

_STATUS = {"done": 3, "failed": 4}
_LOCAL = 4
_LONGEST_NAME = 120
_LONGEST_VALUE = 6000


def export_runs(store: str | Path, folder: str | Path) -> int:
    """Write the tasks that count into a new folder, whole or not at all; how many they are."""
    target = Path(folder)
    if is_there(target) and (not is_folder(target) or any(target.iterdir())):
        raise RankwiseError(f"cannot write runs to {target}: it is not empty; name a new folder")
    with Store.read(store) as opened, opened.snapshot():
        tasks = opened.tasks()
        values = [*opened.values(part="test"), *opened.values(part="validation")]
        try:
            with unfinished_folder(target) as holder:
                made = make_folder(holder / "mlruns")
                _write_all(made, resolve(target).as_uri(), tasks, values)
                _write_kept(made, opened)
                if is_folder(target):
                    target.rmdir()
                made.rename(target)
        except OSError as error:
            raise writing_failure(target, error) from error
    return len(tasks)


def _write_all(home: Path, address: str, tasks: list[StoredTask], values: list[TaskValue]) -> None:
    subjects = name_subjects(Subject.of(task.name) for task in tasks)
    for subject, name in subjects.items():
        number = _number(subject)
        own = [task for task in tasks if Subject.of(task.name) == subject]
        ends = [_find_times(task)[1] for task in own]
        _write_meta(
            make_folder(home / number),
            {"artifact_location": f"{address}/{number}", "creation_time": min(ends),
             "experiment_id": number, "last_update_time": max(ends),
             "lifecycle_stage": "active", "name": name},
        )  # fmt: skip
        for task in own:
            found = [value for value in values if value.task == task.number]
            _write_run(home / number, address, task, found)


def _write_run(home: Path, address: str, task: StoredTask, values: list[TaskValue]) -> None:
    run = _name_run(task.key)
    folder = make_folder(home / run)
    begun, ended = _find_times(task)
    _write_meta(
        folder,
        {"artifact_uri": f"{address}/{home.name}/{run}/artifacts", "end_time": ended,
         "entry_point_name": "", "experiment_id": home.name, "lifecycle_stage": "active",
         "run_id": run, "run_name": str(task.name), "run_uuid": run, "source_name": "rankwise",
         "source_type": _LOCAL, "source_version": "", "start_time": begun,
         "status": _STATUS[task.ending], "tags": [], "user_id": "rankwise"},
    )  # fmt: skip
    measured = {f"{one.part}.{one.tool}.{one.measure}": one.value for one in values}
    measured |= {"seconds": task.seconds, "processor_seconds": task.cpu_seconds}
    _write_facts(folder / "metrics", {k: f"{ended} {v!r} 0\n" for k, v in measured.items()})
    _write_facts(folder / "params", {k: _write_value(v) for k, v in task.parameters.items()})
    tags = {"rankwise.key": task.key, "mlflow.runName": str(task.name), "reason": task.reason,
            **{name: getattr(task.name, name) for name in vars(task.name)}}  # fmt: skip
    _write_facts(folder / "tags", {k: _write_value(v) for k, v in tags.items() if v is not None})
    make_folder(folder / "artifacts")


def _write_kept(home: Path, store: Store) -> None:
    """Models and scores, one after the other, under names that no store chooses."""
    for item in store.kept():
        place = home / _number(Subject.of(item.name)) / _name_run(item.key) / "artifacts"
        (place / FILE_NAMES[item.what]).write_bytes(format_kept(store, item.key, item.what))


def _name_run(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def _write_meta(folder: Path, entries: Mapping[str, Any]) -> None:
    lines = [f"{name}: {json.dumps(value)}\n" for name, value in entries.items()]
    (folder / "meta.yaml").write_text("".join(lines), "utf-8")


def _write_facts(folder: Path, facts: Mapping[str, str]) -> None:
    make_folder(folder)
    taken: set[str] = set()
    for name, text in facts.items():
        plain = _make_plain(name)
        # Disks that do not tell cases apart must not lose one of two names either.
        if plain.casefold() in taken:
            plain = f"{plain}-{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:12]}"
        taken.add(plain.casefold())
        (folder / plain).write_text(text, "utf-8", errors="replace")


def _make_plain(name: str) -> str:
    """A name of one file, whatever a store holds."""
    return re.sub(r"[^A-Za-z0-9_.\- ]|^[. ]+|[. ]+$", "_", name)[:_LONGEST_NAME] or "_"


def _write_value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text[:_LONGEST_VALUE]


def _number(subject: Subject) -> str:
    """MLflow's numbers of experiments are digits."""
    text = json.dumps(list(subject))
    return str(int(hashlib.sha256(text.encode()).hexdigest()[:14], 16))


def _find_times(task: StoredTask) -> tuple[int, int]:
    """When it began and ended, in milliseconds."""
    ended = round(datetime.fromisoformat(task.finished).timestamp() * 1000)
    return ended - round(task.seconds * 1000), ended
