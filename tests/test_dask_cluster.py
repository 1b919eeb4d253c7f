"""Connecting to a cluster, and what its workers answer when they are asked for their code."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest

from rankwise.dask_cluster import KnownWorkers, WrongCode, refuse_other_code
from rankwise.errors import RankwiseError


class Cluster:
    """Answers as a Dask client does."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[list[str]] = []

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
    known = KnownWorkers(cluster)
    assert known.ask_new("1+a", str, "of a ranker") == {"a": 2}
    cluster.answers["b"] = "1+a"
    assert known.ask_new("1+a", str, "of a ranker") == {"a": 2, "b": 2}
    assert known.ask_new("1+a", str, "of a ranker") == {"a": 2, "b": 2}
    assert cluster.asked == [["a"], ["b"]]


def test_a_worker_that_comes_back_is_asked_again() -> None:
    cluster = Cluster(a="1+a")
    known = KnownWorkers(cluster)
    known.ask_new("1+a", str, "of a ranker")
    del cluster.answers["a"]
    assert known.ask_new("1+a", str, "of a ranker") == {}
    cluster.answers["a"] = "1+b"
    with pytest.raises(WrongCode):
        known.ask_new("1+a", str, "of a ranker")
