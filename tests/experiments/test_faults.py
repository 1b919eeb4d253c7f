"""Faults made for real: processes killed, disks full, stores locked, read-only or too new."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from tests.experiments.coordinator import coordinated
from tests.experiments.running import HERE, figures, planned, run, run_here
from tests.stores import reading

ROOT = Path(__file__).parents[2]


FOR_EVER = 10.0**6
GUARD_SECONDS = 600.0


def coordinator(
    folds: Path, store: Path, seeds: int, jobs: int, pause: float = 0.0, stay: bool = False
) -> subprocess.Popen[bytes]:
    """One that `stay`s does not store its last task, so that it is there to be killed."""
    words = ["-m", "tests.experiments.coordinator", folds, store, seeds, jobs, pause, int(stay)]
    return subprocess.Popen([sys.executable, *map(str, words)], cwd=ROOT, stderr=subprocess.PIPE)


def killed_and_continued(folds: Path, tmp_path: Path, seeds: int, kills: int) -> None:
    """Kill a run after a random number of further tasks and a random wait, then let it end."""
    calm, disturbed = tmp_path / "calm.sqlite", tmp_path / "disturbed.sqlite"
    run_here(coordinated(folds, seeds), calm)
    moments, most = random.Random(7), 5 * seeds - 1
    for _ in range(kills):
        process = coordinator(folds, disturbed, seeds, 2, 0.1, stay=True)
        further = 1 + moments.randrange(5 * seeds // (kills + 1))
        wanted = min(most, _stored(disturbed) + further)
        try:
            assert _wait_for(lambda: _stored(disturbed) >= wanted)  # noqa: B023
            time.sleep(moments.uniform(0.0, 0.2))
        finally:
            process.kill()
            process.wait()
    assert 0 < _stored(disturbed) < 5 * seeds
    run(coordinated(folds, seeds, 0.1), disturbed, jobs=2)
    assert len(reading(disturbed).tasks()) == 5 * seeds
    assert _values(disturbed) == _values(calm)


def _stored(store: Path) -> int:
    """How many tasks there are; a store that is just being made has none."""
    try:
        return len(reading(store).tasks())
    except RankwiseError:
        return 0


def _values(store: Path) -> dict[object, float]:
    return {(name.fold, name.seed, *rest): v for (name, *rest), v in figures(store).items()}


def test_a_killed_coordinator_continues_to_the_same_table(folds: Path, tmp_path: Path) -> None:
    killed_and_continued(folds, tmp_path, seeds=2, kills=1)


@pytest.mark.slow
def test_twenty_kills_of_the_coordinator(folds: Path, tmp_path: Path) -> None:
    killed_and_continued(folds, tmp_path, seeds=24, kills=20)


def test_workers_leave_when_their_coordinator_is_killed(folds: Path, tmp_path: Path) -> None:
    process = coordinator(folds, tmp_path / "s.sqlite", 2, 1, FOR_EVER)
    workers = _wait_for(lambda: _children(process.pid))
    process.kill()
    process.wait()
    assert workers
    assert _wait_for(lambda: not any(_runs(pid) for pid in workers))


def test_a_second_coordinator_is_refused(folds: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    first = coordinator(folds, store, 1, 1, FOR_EVER)
    try:
        assert _wait_for(lambda: bool(_children(first.pid)))
        with pytest.raises(RankwiseError, match="being written by another run"):
            run(planned(folds, "OneFeature", folds=[1]), store)
    finally:
        first.kill()
        first.wait()
    assert run_here(planned(folds, "OneFeature", folds=[1]), store).done == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of six megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_a_sentence_and_loses_nothing(folds: Path, small_disk: Path) -> None:
    store = small_disk / "s.sqlite"
    plan = planned(folds, "OneFeature", seeds=list(range(40)), folds=[1])
    filler = small_disk / "filler"

    def fill(progress: object) -> None:
        if getattr(progress, "done") == 3 and not filler.exists():  # noqa: B009
            with pytest.raises(OSError, match="space"):
                filler.write_bytes(b"x" * (8 << 20))

    with pytest.raises(RankwiseError, match="disk is full"):
        run(plan, store, watch=fill)
    filler.unlink()
    kept = len(reading(store).tasks())
    assert kept >= 3
    assert run_here(plan, store).kept == kept
    assert len(reading(store).tasks()) == 40


def test_no_room_for_the_shared_arrays_is_a_sentence(folds: Path, small_disk: Path) -> None:
    store = small_disk / "s.sqlite"
    (small_disk / "filler").write_bytes(b"x" * (5800 << 10))
    with pytest.raises(RankwiseError, match=r"shared arrays .*(disk is full|No space)"):
        run(planned(folds, "OneFeature", folds=[1, 2, 3]), store)


def test_a_store_that_may_only_be_read_is_a_sentence(folds: Path, tmp_path: Path) -> None:
    folder = tmp_path / "fixed"
    folder.mkdir()
    store = folder / "s.sqlite"
    plan = planned(folds, "OneFeature", folds=[1])
    run_here(plan, store)
    if os.getuid() == 0:
        command = ["mount", "--bind", "-o", "ro", str(folder), str(folder)]
        if subprocess.run(command, capture_output=True).returncode != 0:
            pytest.skip("root can write everywhere, and nothing can be mounted here")
    else:
        folder.chmod(0o500)
        store.chmod(0o400)
    try:
        with pytest.raises(RankwiseError, match="cannot write"):
            run(planned(folds, "OneFeature", folds=[2]), store)
        assert len(reading(store).tasks()) == 1
    finally:
        if os.getuid() == 0:
            subprocess.run(["umount", str(folder)], check=True)
        else:
            folder.chmod(0o700)
            store.chmod(0o600)


def test_a_worker_killed_from_outside_loses_nothing(folds: Path, tmp_path: Path) -> None:
    store, sign, go = (tmp_path / name for name in ("s.sqlite", "sign", "go"))
    patient = {"name": f"{HERE}:Patient", "set": {"sign": str(sign), "go": str(go)}}

    def kill() -> None:
        assert _wait_for(sign.exists)
        os.kill(int(sign.read_text()), 9)
        go.touch()

    killer = threading.Thread(target=kill)
    killer.start()
    progress = run(planned(folds, patient, folds=[1, 2]), store)
    killer.join()
    assert (progress.done, progress.lost_workers, progress.begun_again.total()) == (2, 1, 1)
    assert [task.ending for task in reading(store).tasks()] == ["done"] * 2


def _children(pid: int) -> list[int]:
    """The workers of a coordinator, without the tracker of multiprocessing."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                status = (entry / "stat").read_text().rpartition(")")[2].split()
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if int(status[1]) == pid and b"spawn_main" in line:
                found.append(int(entry.name))
    return found


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_for(condition):  # type: ignore[no-untyped-def]
    end = time.monotonic() + GUARD_SECONDS
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def test_the_trial_rankers_can_be_named(folds: Path) -> None:
    assert planned(folds, "Mortal").tasks[0].ranker == f"{HERE}:Mortal"
