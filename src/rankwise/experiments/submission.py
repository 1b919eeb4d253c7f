"""A submission bundle: what LETOR asks of who submits results, in one archive.

Qin, Liu, Xu and Li (2010, section 4) ask for a brief document, an executable of the algorithm and a
script that runs it on the data sets, so that others can reproduce what was submitted:

    README.md      the method, its settings on each fold, its figures, what they were made with
    results.csv    the figures of every fold and tool
    models/        the model files, as they are, or those that the store keeps
    reproduce.sh   the commands that train with these settings, score and evaluate again

The same store and models give the same bytes: entries have no time of their own.
"""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.experiments.scored_methods import SCORES
from rankwise.experiments.summary import summarize
from rankwise.experiments.transfer import TARGET_ONLY
from rankwise.files import readable, written_whole
from rankwise.models.model_file import load_model
from rankwise.rankers.registry import RANKERS, find_ranker
from rankwise.results.result_files import format_csv
from rankwise.results.store.store import Store
from rankwise.results.store.stored_values import make_table
from rankwise.results.task_records import StoredTask, TaskValue

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16
_PROGRAM = 0o100755 << 16


@dataclass(frozen=True)
class SubmissionBundle:
    """A bundle that was written: its method, how many tasks it tells of, and its files."""

    output: str
    method: str
    tasks: int
    files: tuple[str, ...]


def write_bundle(
    store: str | Path,
    method: str,
    output: str | Path,
    *,
    models: Sequence[str | Path] = (),
) -> SubmissionBundle:
    """Write the submission bundle of one method of a store.

    Args:
        store: the store of an experiment.
        method: as the store calls it.
        output: the archive, a zip file.
        models: model files of the method, which are read, checked and put in as they are. Without
            any those that the store keeps of its tasks are put in, by the number of the task.
    """
    with Store.read(store) as opened, opened.snapshot():
        tasks = [task for task in opened.tasks() if task.name.method == method]
        done = sorted((task for task in tasks if task.ending == "done"), key=_get_place)
        if not done:
            known = ", ".join(sorted({task.name.method for task in opened.tasks()})) or "none"
            raise RankwiseError(
                f"{store} must have finished tasks of the method {method!r}, found those of {known}"
            )
        values = opened.values(keys=[task.key for task in done])
        environment = opened.environment(done[0].number)
        inputs = [opened.origin(task.number)["inputs"] for task in done]
        kept = _find_kept(opened, done)
    given = _read_models(models, {task.name.ranker for task in done}) or kept
    table = make_table(values, all_tools=True)
    files = {
        "README.md": _format_document(method, done, values, environment, given).encode(),
        "results.csv": format_csv(table).encode(),
        "reproduce.sh": _format_script(done, inputs, values).encode(),
        **{f"models/{name}": content for name, content in given.items()},
    }
    with written_whole(output) as stream:
        stream.write(_pack(files))
    return SubmissionBundle(str(output), method, len(done), tuple(sorted(files)))


def _get_place(task: StoredTask) -> tuple[str, str, str, int, int]:
    name = task.name
    return name.collection, name.dataset, name.version or "", name.fold, name.seed


def _find_kept(store: Store, tasks: Sequence[StoredTask]) -> dict[str, bytes]:
    """The models that the store keeps, named as `reproduce.sh` names what it makes."""
    there = {item.key for item in store.kept() if item.what == "model"}
    return {
        f"{number}-fold{task.name.fold}.json": store.read_kept(task.key, "model")
        for number, task in enumerate(tasks, 1)
        if task.key in there
    }


def _read_models(paths: Iterable[str | Path], rankers: set[str]) -> dict[str, bytes]:
    """The bytes of model files by their names; one of another ranker is refused."""
    found: dict[str, bytes] = {}
    for path in map(Path, paths):
        model = load_model(path)
        if model.ranker not in rankers:
            raise RankwiseError(
                f"{path} must be a model of {', '.join(sorted(rankers))}, found one of "
                f"{model.ranker}"
            )
        if path.name in found:
            raise RankwiseError(f"models must have different names, found {path.name!r} twice")
        with readable(path) as stream:
            found[path.name] = stream.read()
    return found


def _format_document(
    method: str,
    tasks: Sequence[StoredTask],
    values: Sequence[TaskValue],
    environment: object,
    models: dict[str, bytes],
) -> str:
    ranker = tasks[0].name.ranker
    paper = f" {find_ranker(ranker).paper}." if ranker in RANKERS else ""
    lines = [f"# {_make_plain(method)}", "", f"Ranker `{_make_plain(ranker)}`.{paper}", ""]
    lines += ["## Settings", ""]
    lines += ["| data set | fold | seed | parameters |", "|---|---|---|---|"]
    for task in tasks:
        name = task.name
        subject = _make_plain(_name_subject(task))
        chosen = _make_plain(json.dumps(task.parameters, sort_keys=True, ensure_ascii=False))
        lines.append(f"| {subject} | {name.fold} | {name.seed} | `{chosen}` |")
    lines += ["", "## Figures", "", "Means over the folds above, on their test parts.", ""]
    for summary in summarize(values, all_tools=True):
        version = f", {summary.version}" if summary.version else ""
        subject = _make_plain(f"{summary.dataset}{version}")
        lines += [f"{subject}, by the tool {summary.tool}:", ""]
        lines += [f"| folds | {' | '.join(summary.measures)} |"]
        lines += ["|---" * (len(summary.measures) + 1) + "|"]
        for row in summary.rows:
            shown = ("" if one is None else f"{one:.4f}" for one in row.figures)
            lines += [f"| {row.folds} | {' | '.join(shown)} |", ""]
    held = (
        ", ".join(f"`models/{_make_plain(name)}`" for name in sorted(models)) or "none were given"
    )
    made_with = json.dumps(environment, sort_keys=True, ensure_ascii=False, default=str)
    lines += ["## Models", "", f"{held}.", "", "## Made with", "", f"    {made_with}", ""]
    return "\n".join(lines)


def _find_hindrance(task: StoredTask, inputs: dict[str, Any]) -> str | None:
    """Why the fold's files alone do not give the values of a task again, where they do not."""
    if task.name.ranker == SCORES:
        return "the method is known by its scores, which no command makes"
    if transfer := inputs.get("transfer"):
        return (
            f"the method learns from {transfer['share']:g} % of the training part"
            + (
                f" and from other data ({transfer['way']})"
                if transfer["way"] != TARGET_ONLY
                else ""
            )
            + ": run its experiment, a [[transfer]] of a configuration, by rankwise bench"
        )
    return None


def _format_script(
    tasks: Sequence[StoredTask], inputs: Sequence[dict[str, Any]], values: Sequence[TaskValue]
) -> str:
    """Commands for whoever has the data, with one paragraph a data set, fold and seed.

    A task that these do not give again ends the script with the reason.
    """
    measures = ",".join(dict.fromkeys(value.measure for value in values))
    tools = ",".join(dict.fromkeys(value.tool for value in values))
    subjects = list(dict.fromkeys(map(_name_subject, tasks)))
    lines = [
        "#!/bin/sh",
        "# Train with the settings of README.md, score and evaluate again; what is made goes to "
        "./again.",
        "# reproduce.sh FOLDS..., the folder of Fold1, Fold2, ... of each of these data sets:",
        *(f"#   {place}. {json.dumps(subject)}" for place, subject in enumerate(subjects, 1)),
        "set -eu",
        f'test $# -eq {len(subjects)} || {{ echo "$0 must be given the folds of {len(subjects)} '
        'data sets, found $# folders; its first lines name them" >&2; exit 2; }',
        "mkdir -p again",
    ]
    for number, (task, known) in enumerate(zip(tasks, inputs, strict=True), 1):
        if hindrance := _find_hindrance(task, known):
            said = f"fold {task.name.fold} cannot be made again from its files: {hindrance}"
            lines += ["", f"echo {shlex.quote(said)} >&2", "exit 1"]
            break
        name, subject = task.name, _name_subject(task)
        shown = json.dumps(subject)
        part = f'"${{{subjects.index(subject) + 1}}}"/Fold{name.fold}'
        made = f"again/{number}-fold{name.fold}"
        chosen = " ".join(
            word
            for key, value in sorted(task.parameters.items())
            for word in ("--set", shlex.quote(f"{key}={_as_text(value)}"))
        )
        lines += [
            "",
            f"# {shown}, fold {name.fold}, seed {name.seed}",
            f"rankwise train {part}/train* --validate {part}/vali* "
            f"--ranker {shlex.quote(name.ranker)} {chosen} --seed {name.seed} -o {made}.json",
            f"rankwise score {made}.json {part}/test* -o {made}.scores",
            f"rankwise evaluate {part}/test* {made}.scores "
            f"-m {shlex.quote(measures)} --tool {shlex.quote(tools)}",
        ]
    return "\n".join(lines) + "\n"


def _name_subject(task: StoredTask) -> str:
    name = task.name
    return "/".join(filter(None, (name.collection, name.dataset, name.version)))


def _make_plain(text: str) -> str:
    """A line for a document: stores may hold names that would steer a terminal or break a table."""
    return "".join(mark if mark.isprintable() and mark != "|" else "?" for mark in text)


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _pack(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.create_system = 3
            entry.external_attr = _PROGRAM if name.endswith(".sh") else _PLAIN_FILE
            packed.writestr(entry, files[name], zipfile.ZIP_STORED)
    return content.getvalue()
