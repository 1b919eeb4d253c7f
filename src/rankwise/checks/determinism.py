"""The same seed gives the same model to the bit: again, elsewhere, with other thread counts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from rankwise.checks.in_another_process import digest
from rankwise.checks.law import NotApplicable, law, law_for_each, require
from rankwise.checks.made import planted, unseen
from rankwise.checks.subject import ExaminedRanker, fingerprint


@law_for_each({"1": 1, "3": 3})
def trains_the_same_in_another_process_with_threads(subject: ExaminedRanker, threads: int) -> None:
    """Another process with another number of threads trains the same model to the bit."""
    if subject.reference not in subject.elsewhere.rankers:
        raise NotApplicable(
            f"another process cannot make {subject.reference}: it must stand in a module, and its "
            "parameters be numbers, texts and lists"
        )
    here = digest(subject)
    there = subject.elsewhere.digest(subject.reference, threads)
    require(there == here, f"the digest {here}", there)


@law
def trains_the_same_twice(subject: ExaminedRanker) -> None:
    """Two trainings with one seed give the same model to the bit."""
    models = (subject.trained_alone, subject.quick().fit(planted()))
    first, second = (fingerprint(model, unseen()) for model in models)
    require(first == second, "the same model of the same seed", "another one")


@law
def training_changes_no_data_and_no_global_state(subject: ExaminedRanker) -> None:
    """Training leaves the data, and the global random state of Python and numpy, as they are."""
    train, validation = planted(8), planted(4, seed=1)
    before = train.features.tobytes() + validation.features.tobytes() + train.labels.tobytes()
    state = _global_state()
    subject.quick().fit(train, validation)
    after = train.features.tobytes() + validation.features.tobytes() + train.labels.tobytes()
    require(after == before, "the data as they were", "other values in them")
    require(_global_state() == state, "an untouched global random state", "another one")


@law
def only_rankers_that_say_so_draw_random_numbers(subject: ExaminedRanker) -> None:
    """A ranker whose `random` is false trains the same model with every seed."""
    if subject.ranker.random:
        raise NotApplicable("draws random numbers, as it says")
    models = (subject.trained_alone, subject.quick().fit(planted(), seed=2))
    first, second = (fingerprint(model, unseen()) for model in models)
    require(first == second, "one model for all seeds, or random = True", "different ones")


def _global_state() -> str:
    """With the place in the block of numbers: a single draw moves nothing else."""
    state: Any = np.random.get_state(legacy=False)
    key = state["state"]["key"].tobytes().hex()
    numpys = (key, state["state"]["pos"], state["has_gauss"], state["gauss"])
    return repr((numpys, random.getstate()))
