"""Simulated sessions a second: the compiled users beside a loop over sessions in numpy.

    python benchmarks/clicks.py [train.txt] [--sessions 1000000]

The peer is what simulations of online learning usually are: for every session a random query, the
logging ranker's first ten documents, and a vector of coin flips for clicks and for stops. Both are
the navigational user of the dependent click model, both with one logging ranker; the peer runs
fewer sessions and its time is taken a session. Without a file, data are made up.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from pathlib import Path

import numpy as np

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.feedback import make_user
from rankwise.feedback.logging_rankers import logging_scores, order_rows
from rankwise.processes import processors

USER = "dependent-click:navigational"
PEER_SESSIONS = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--sessions", type=int, default=1_000_000)
    given = parser.parse_args()
    data = rw.read(given.data) if given.data else rw.normalize(make_dataset(100), "query-level")
    scores = logging_scores(data, "feature:5")
    peer = seconds_of_peer(data, scores) / PEER_SESSIONS
    digests = set()
    for threads in sorted({1, processors()}):
        begun = time.perf_counter()
        log = rw.simulate_clicks(data, given.sessions, user=USER, logging=scores, threads=threads)
        taken = time.perf_counter() - begun
        digests.add(hashlib.sha256(log.rows.tobytes() + log.clicks.tobytes()).hexdigest())
        print(
            f"{given.sessions:,} sessions on {data.n_queries} queries, {threads} threads: "
            f"{taken:.2f} s, {peer * given.sessions / taken:.0f} times as fast as the numpy loop "
            f"({peer * given.sessions:.0f} s at its pace)"
        )
    print("same bytes with every number of threads:", len(digests) == 1)


def seconds_of_peer(data: rw.Dataset, scores: np.ndarray) -> float:
    """A session at a time, as scripts write it."""
    user = make_user(USER, 3)
    clicks, stops = np.array(user.attraction), np.array(user.tables(10).satisfaction)
    order, offsets = order_rows(data, scores), data.query_offsets
    labels = data.labels.astype(np.int64)
    rng = np.random.default_rng(0)
    begun = time.perf_counter()
    for _ in range(PEER_SESSIONS):
        query = rng.integers(data.n_queries)
        shown = order[offsets[query] : offsets[query + 1]][:10]
        grades = labels[shown]
        clicked = rng.random(len(shown)) < clicks[grades]
        stopped = clicked & (rng.random(len(shown)) < stops[grades])
        if stopped.any():
            clicked[np.argmax(stopped) + 1 :] = False
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
