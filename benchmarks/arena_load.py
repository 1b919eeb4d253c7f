"""An arena under load, on this machine's loopback: readers of the board while teams submit.

    python benchmarks/arena_load.py [--seconds 60] [--readers 100] [--submissions 200] [--kills 20]

`--readers` page views a second from fifty addresses, `--submissions` at once by twenty teams in the
middle of it; then as many again while the server is killed (`kill -9`) `--kills` times and started
anew, each team sending until it has an answer. Printed: how long a board page takes beside the same
bytes from Python's own `http.server` at the same pace, memory, and whether every submission that
was acknowledged is there, once, with a log that audits. Exit 1 where one is not.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from rankwise.arena import OPERATOR, Arena, Rules, create_arena, create_task
from rankwise.data import normalize, read, split_folds, write_folds
from rankwise.data.synthetic import make_dataset

TASK = "load"
TEAMS = 20
ADDRESSES = 50
QUERIES = 400
BOARD = f"/tasks/{TASK}/board"
PEER_SECONDS = 15


@dataclass
class Load:
    """What is sent: tokens of the teams, scores that all differ, and what was answered."""

    folder: Path
    tokens: list[str]
    features: np.ndarray
    acknowledged: dict[int, dict[str, object]] = field(default_factory=dict)

    def scores(self, number: int) -> bytes:
        noise = np.random.default_rng(number).normal(0.0, 0.3, len(self.features))
        values = np.nan_to_num(self.features[:, number % self.features.shape[1]]) + noise
        return "".join(f"{value:.6f}\n" for value in values.tolist()).encode()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--readers", type=int, default=100)
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        load = prepare(Path(place))
        right = run_load(load, given.seconds, given.readers, given.submissions)
        if given.kills:
            right &= run_kills(load, given.submissions, given.kills)
        right &= check(load)
    sys.exit(0 if right else 1)


def prepare(place: Path) -> Load:
    """An arena with one task of made-up data and twenty teams."""
    dataset = normalize(make_dataset(QUERIES, seed=1), "query-level")
    write_folds(split_folds(dataset), place / "folds")
    settings = create_arena(place / "arena")
    create_task(settings, place / "folds", name=TASK, rules=Rules(daily_limit=10_000), seed=1)
    with Arena.open(settings) as arena:
        with zipfile.ZipFile(io.BytesIO(arena.package(TASK).read_bytes())) as archive:
            archive.extractall(place / "package")
        tokens = [
            arena.accept(arena.invite("participant", f"Team {n}", OPERATOR), f"Person {n}")
            for n in range(TEAMS)
        ]
    test = read(place / "package" / TASK / "Fold1" / "test.txt.gz")
    return Load(place / "arena", tokens, test.features)


def run_load(load: Load, seconds: int, readers: int, submissions: int) -> bool:
    """Readers for so long, and all submissions at once after a quarter of it."""
    with serving(load.folder) as (process, port):
        memory: list[int] = []
        done = threading.Event()
        watching = threading.Thread(target=watch_memory, args=(process.pid, memory, done))
        watching.start()
        first = measure_memory(process.pid)
        reads, sent = asyncio.run(both(port, load, seconds, readers, submissions))
        done.set()
        watching.join()
        body = asyncio.run(fetch(port, "127.0.0.1", BOARD))[1]
    with static_peer(body) as peer:
        peers = asyncio.run(read_all(peer, "/board.html", PEER_SECONDS, readers))
    statuses = Counter(status for status, _ in reads)
    taken = Counter(status for status, _, _ in sent)
    print(f"{len(reads)} page views in {seconds} s ({len(body) / 1000:.0f} kB): {dict(statuses)}")
    ours, theirs = quantiles(reads), quantiles(peers)
    print_latencies("board page", ours)
    print_latencies("the same bytes, http.server", theirs)
    print(f"  ratio of the 95th percentiles: {ours[1] / theirs[1]:.1f}")
    waits = sorted(wait for _, _, wait in sent)
    print(
        f"{submissions} submissions at once: {dict(taken)}; answered after {waits[0]:.1f} s to "
        f"{waits[-1]:.1f} s, median {waits[len(waits) // 2]:.1f} s"
    )
    print(f"memory of server and evaluator: {first / 1e6:.0f} MB at first, {max(memory) / 1e6:.0f}")
    right = set(statuses) == {200} and set(taken) == {201}
    return report(right, "every page was sent and every submission taken once")


async def both(
    port: int, load: Load, seconds: int, readers: int, submissions: int
) -> tuple[list[tuple[int, float]], list[tuple[int, int, float]]]:
    reading = asyncio.create_task(read_all(port, BOARD, seconds, readers))
    await asyncio.sleep(seconds / 4)
    sent = await asyncio.gather(*(submit(port, load, number) for number in range(submissions)))
    return await reading, list(sent)


async def read_all(port: int, path: str, seconds: int, readers: int) -> list[tuple[int, float]]:
    """Each reader looks once a second, at its own moment of the second."""

    async def look(number: int) -> list[tuple[int, float]]:
        found = []
        begin = time.perf_counter() + number / readers
        for turn in range(seconds):
            await asyncio.sleep(max(0.0, begin + turn - time.perf_counter()))
            # The moment it was due counts, so that a server that stalls is not let off.
            due = begin + turn
            address = f"127.0.1.{1 + number % ADDRESSES}"
            status, _ = await fetch(port, address, path)
            found.append((status, time.perf_counter() - due))
        return found

    answers = await asyncio.gather(*(look(number) for number in range(readers)))
    return [one for own in answers for one in own]


async def fetch(
    port: int, address: str, path: str, head: str = "GET", body: bytes = b"", more: str = ""
) -> tuple[int, bytes]:
    """One request over a connection of its own; status 0 where the server went away."""
    try:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(address, 0), limit=1 << 24
        )
    except OSError:
        return 0, b""
    try:
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        writer.write(
            f"{head} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{more}{length}\r\n".encode()
            + body
        )
        answer = await reader.read(-1)
    except OSError:
        return 0, b""
    finally:
        writer.close()
    first, _, content = answer.partition(b"\r\n\r\n")
    return (int(first.split()[1]) if len(first.split()) > 1 else 0), content


async def submit(port: int, load: Load, number: int) -> tuple[int, int, float]:
    """Send one submission; what is acknowledged is noted."""
    mark = "----load"
    declaration = json.dumps({"title": f"Method {number}", "cost": {"training_seconds": number}})
    body = (
        f'--{mark}\r\nContent-Disposition: form-data; name="declaration"\r\n\r\n{declaration}\r\n'
        f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="Fold1"\r\n\r\n'
    ).encode() + load.scores(number) + f"\r\n--{mark}--\r\n".encode()  # fmt: skip
    more = (
        f"Content-Type: multipart/form-data; boundary={mark}\r\n"
        f"Authorization: Bearer {load.tokens[number % TEAMS]}\r\n"
    )
    begun = time.perf_counter()
    path = f"/api/tasks/{TASK}/entries"
    status, content = await fetch(port, f"127.0.2.{1 + number % TEAMS}", path, "POST", body, more)
    if status in (200, 201):
        try:
            load.acknowledged[number] = json.loads(content)
        except ValueError:
            status = 0
    return status, number, time.perf_counter() - begun


def run_kills(load: Load, submissions: int, kills: int) -> bool:
    """Send as many new ones while the server is killed again and again."""
    numbers = list(range(10_000, 10_000 + submissions))
    waiting, killed, tries = set(numbers), 0, Counter[int]()
    port = free_port()
    # Spread over the whole work: a kill whenever so many more have been acknowledged.
    every = max(1, submissions // (kills + 1))
    while waiting:
        with serving(load.folder, port) as (process, _):
            killing = killed < kills
            goal = len(waiting) - (every if killing else len(waiting))
            asyncio.run(send_until(port, load, waiting, goal, process if killing else None, tries))
            killed += killing
    print(
        f"{submissions} submissions while the server was killed {killed} times: "
        f"{sum(tries.values())} requests, at most {max(tries.values())} for one"
    )
    return report(killed == kills, f"the server was killed {kills} times")


async def send_until(
    port: int,
    load: Load,
    waiting: set[int],
    goal: int,
    victim: subprocess.Popen[bytes] | None,
    tries: Counter[int],
) -> None:
    """Keep sixteen requests under way until few enough wait; then kill, in the midst of them."""
    turns = asyncio.Semaphore(16)

    async def send(number: int) -> None:
        async with turns:
            if victim is not None and victim.poll() is not None:
                return
            tries[number] += 1
            status, _, _ = await submit(port, load, number)
        if status in (200, 201):
            waiting.discard(number)
        if victim is not None and len(waiting) <= goal and victim.poll() is None:
            victim.send_signal(signal.SIGKILL)
            victim.wait()

    await asyncio.gather(*(send(number) for number in sorted(waiting)))


def check(load: Load) -> bool:
    """Everything that was acknowledged is there, once, and the log audits with all receipts."""
    with Arena.open(load.folder) as arena:
        entries = arena.entries(TASK, OPERATOR)
        receipts = tuple(str(one["receipt"]) for one in load.acknowledged.values())
        audit = arena.audit(receipts)
    there = Counter(entry.id for entry in entries)
    digests = Counter((entry.team, entry.digest) for entry in entries)
    lost = [one for one in load.acknowledged.values() if one["id"] not in there]
    twice = [key for key, count in (*there.items(), *digests.items()) if count > 1]
    print(
        f"{len(load.acknowledged)} acknowledged, {len(entries)} entries, {len(lost)} lost, "
        f"{len(twice)} doubled; audit of {audit.lines} lines: {len(audit.problems)} problems"
    )
    for problem in audit.problems[:5]:
        print(f"  {problem}")
    same = len(entries) == len(load.acknowledged)
    return report(same and not lost and not twice and audit.sound, "nothing is lost or doubled")


@contextmanager
def serving(folder: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The server as anybody starts it."""
    chosen = port or free_port()
    command = [sys.executable, "-m", "rankwise", "serve", str(folder), "--port", str(chosen)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ)
    if process.stdout is None or not process.stdout.readline():
        raise SystemExit("the server did not start")
    try:
        yield process, chosen
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


@contextmanager
def static_peer(body: bytes) -> Iterator[int]:
    """The page as a file, from Python's own server, in a process of its own as ours is."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "board.html").write_bytes(body)
        port = free_port()
        program = [sys.executable, "-m", "http.server", str(port), "-d", folder, "-b", "127.0.0.1"]
        process = subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while asyncio.run(fetch(port, "127.0.0.1", "/board.html"))[0] != 200:
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def measure_memory(pid: int) -> int:
    """Resident bytes of a process and those that it started."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        return sum(one.memory_info().rss for one in family if one.is_running())
    except psutil.Error:
        return 0


def watch_memory(pid: int, found: list[int], done: threading.Event) -> None:
    while not done.wait(0.25):
        found.append(measure_memory(pid))


def quantiles(reads: list[tuple[int, float]]) -> tuple[float, float, float]:
    waits = np.array([wait for _, wait in reads])
    middle, high, highest = np.quantile(waits, (0.5, 0.95, 0.99)).tolist()
    return middle, high, highest


def print_latencies(name: str, found: tuple[float, float, float]) -> None:
    middle, high, highest = (1e3 * one for one in found)
    print(f"  {name}: median {middle:.0f} ms, 95 % {high:.0f} ms, 99 % {highest:.0f} ms")


def report(right: bool, claim: str) -> bool:
    print(f"{'yes' if right else 'NO'}: {claim}")
    return right


if __name__ == "__main__":
    main()
