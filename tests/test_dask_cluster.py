"""Connecting to a cluster, and what its workers answer when they are asked for their code."""

from __future__ import annotations

import pickle
import re
from types import SimpleNamespace
from typing import Any

import pytest

from rankwise.cluster import (
    WAIT_SECONDS,
    KnownWorkers,
    NoWorkers,
    WrongCode,
    await_return,
    await_workers,
    parse_wait,
    refuse_other_code,
)
from rankwise.errors import RankwiseError


class Cluster:
    """Answers as a Dask client does."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[list[str]] = []
        self.scheduler = SimpleNamespace(address="tcp://head:8786")

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.answers, 2)

    def run(
        self, question: Any, *arguments: Any, workers: list[str] | None, on_error: str
    ) -> dict[str, Any]:
        assert (on_error, arguments) == ("return", ("of a ranker",))
        self.asked.append(sorted(workers or self.answers))
        return {address: self.answers[address] for address in workers or self.answers}


def ask(cluster: Cluster) -> None:
    refuse_other_code(cluster, "1+a", str, "of a ranker")


def test_workers_with_the_same_code_are_taken() -> None:
    ask(Cluster(a="1+a", b="1+a"))


def test_a_worker_that_is_gone_has_nothing_to_answer_for() -> None:
    ask(Cluster(a="1+a", b=OSError("closed")))


@pytest.mark.parametrize("answer", ["1+b", ImportError("no rankwise"), Exception("no rankwise")])
def test_other_code_and_none_are_refused(answer: Any) -> None:
    expected = re.escape(f"found: {answer} at b;")
    with pytest.raises(WrongCode, match=rf"must have Rankwise 1\+a .*{expected}"):
        ask(Cluster(a="1+a", b=answer))


def test_a_sentence_of_the_workers_own_stays() -> None:
    with pytest.raises(RankwiseError, match=r"^the ranker is not there$"):
        ask(Cluster(a=RankwiseError("the ranker is not there")))


def test_a_refusal_says_the_same_in_another_process() -> None:
    refusal = WrongCode.of("0.0.1 at a")
    assert str(pickle.loads(pickle.dumps(refusal))) == str(refusal)


def test_only_new_workers_are_asked() -> None:
    cluster = Cluster(a="1+a")
    known = KnownWorkers(cluster, 0)
    assert known.ask_new("1+a", str, "of a ranker") == {"a": 2}
    cluster.answers["b"] = "1+a"
    assert known.ask_new("1+a", str, "of a ranker") == {"a": 2, "b": 2}
    assert known.ask_new("1+a", str, "of a ranker") == {"a": 2, "b": 2}
    assert cluster.asked == [["a"], ["b"]]


def test_a_worker_that_comes_back_is_asked_again() -> None:
    cluster = Cluster(a="1+a")
    known = KnownWorkers(cluster, 0)
    known.ask_new("1+a", str, "of a ranker")
    cluster.answers = {"b": "1+a"}
    known.ask_new("1+a", str, "of a ranker")
    cluster.answers["a"] = "1+b"
    with pytest.raises(WrongCode):
        known.ask_new("1+a", str, "of a ranker")


class Waiting(Cluster):
    """A cluster, empty at first, whose workers come at a time of a clock that waiting moves."""

    def __init__(self, *arrivals: float) -> None:
        super().__init__()
        self.arrivals, self.now = arrivals, 0.0

    def nthreads(self) -> dict[str, int]:
        return {f"tcp://{come}": 1 for come in self.arrivals if come <= self.now}

    def wait_for_workers(self, count: int, timeout: float) -> None:
        latest = sorted(self.arrivals)[count - 1] if count <= len(self.arrivals) else float("inf")
        if latest > self.now + timeout:
            self.now += timeout
            raise TimeoutError
        self.now = max(self.now, latest)

    def clock(self) -> float:
        return self.now


def test_a_cluster_with_workers_is_not_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    await_workers(Waiting(0.0), 90.0, pytest.fail)
    assert caplog.text == ""


def test_the_first_worker_is_waited_for_and_that_is_said(caplog: pytest.LogCaptureFixture) -> None:
    cluster, ticks = Waiting(89.5), []
    await_workers(cluster, 90.0, lambda: ticks.append(cluster.now), cluster.clock)
    assert cluster.now == 89.5
    assert ticks == [float(second) for second in range(1, 90)]
    assert "tcp://head:8786 has no workers; waiting 90 seconds for the first" in caplog.text


@pytest.mark.parametrize("seconds", [0.0, 90.0])
def test_a_cluster_that_stays_without_workers_is_a_sentence(seconds: float) -> None:
    cluster = Waiting(95.0)
    with pytest.raises(NoWorkers) as caught:
        await_workers(cluster, seconds, clock=cluster.clock)
    assert cluster.now == seconds
    assert str(caught.value) == (
        f"the cluster of tcp://head:8786 must have workers, found none in {seconds:g} seconds; "
        "start some: dask worker tcp://head:8786; wait longer for them: wait='10m'"
    )


def test_a_wait_ends_by_what_its_tick_raises() -> None:
    def press() -> None:
        raise KeyboardInterrupt

    cluster = Waiting()
    with pytest.raises(KeyboardInterrupt):
        await_workers(cluster, 90.0, press, cluster.clock)
    assert cluster.now == 1.0


@pytest.mark.parametrize(("arrival", "waited"), [(12.0, 12.0), (300.0, 30.0)])
def test_a_lost_worker_gets_half_a_minute_to_come_back(arrival: float, waited: float) -> None:
    cluster = Waiting(0.0, arrival)
    await_return(cluster, 2, clock=cluster.clock)
    assert cluster.now == waited


def test_times_to_wait_are_written_as_people_do() -> None:
    assert parse_wait(None) == WAIT_SECONDS
    assert [parse_wait(one) for one in (0, "0", "90", "90s", "10m", "1h30m", 2.5)] == [
        0, 0, 90, 90, 600, 5400, 2.5,
    ]  # fmt: skip
    for wrong in ("soon", "-1", -1, float("inf"), float("nan")):
        with pytest.raises(RankwiseError, match=r"a time must be .* as 90s, 10m or 1h30m, found"):
            parse_wait(wrong)
