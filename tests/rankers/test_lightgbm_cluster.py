"""LambdaMART over a cluster of two processes: the same as locally where it must be, never stuck."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rankwise.checks.made import planted
from rankwise.data.dataset import Dataset
from rankwise.data.formats.letor_chunks import LetorFile
from rankwise.data.reading import read, write
from rankwise.errors import MissingExtra, RankwiseError
from rankwise.measures.evaluation import evaluate
from rankwise.models import load_model, save_model
from rankwise.models.model import Model
from rankwise.rankers.distributed import ClusterLost, SpreadData, Workers, _homes_of_shares, spread
from rankwise.rankers.ranker import Round, Watch
from rankwise.rankers.trees import lightgbm_dask
from rankwise.rankers.trees.lambdamart import LambdaMART
from rankwise.rankers.trees.lightgbm_dask import _values
from rankwise.rankers.trees.lightgbm_training import Growth

pytest.importorskip("lightgbm", reason="the extra 'trees' is not installed")
pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
pytest.importorskip("dask.dataframe", reason="the extra 'spread' is not installed")

SMALL = {
    "rounds": 12, "leaf_documents": 5, "leaves": 7, "measure": "NDCG@5", "lambdas": "lightgbm",
}  # fmt: skip
ENDLESS = {**SMALL, "rounds": 1_000_000}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    from tests.rankers.local_cluster import local_client

    with local_client(2) as found:
        yield found


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a busy machine takes to start a worker anew, it is waited for."""
    monkeypatch.setattr("rankwise.rankers.distributed._RETURN_SECONDS", 600.0)


@pytest.fixture
def haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """Endless rounds take both processors: the watch is told soon, and nobody waits for an end."""
    monkeypatch.setattr("rankwise.rankers.distributed._LOOK_SECONDS", 0.1)
    monkeypatch.setattr(lightgbm_dask, "_PATIENCE_SECONDS", 0.0)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("spread")
    write(planted(60), folder / "train.txt")
    write(planted(20, seed=1), folder / "vali.txt")
    return folder / "train.txt", folder / "vali.txt"


def fitted(client: Any, files: tuple[Path, Path], shares: int | None = None, **other: Any) -> Model:
    train = spread(client, files[0], shares=shares)
    return LambdaMART(**SMALL | other).fit_on_cluster(train, read(files[1]))


def spread_text(client: Any, folder: Path, text: str, **options: Any) -> SpreadData:
    (folder / "data.txt").write_text(text)
    return spread(client, folder / "data.txt", **options)


def test_one_worker_gives_the_model_of_local_training(
    client: Any, files: tuple[Path, Path], tmp_path: Path
) -> None:
    train, validation = map(read, files)
    for changes in (
        {},
        {"patience": 2},
        {"query_norm": False, "tool": "yahoo", "leaves": 3},
        {"l2": 2.0, "monotone": "1:+,2:-"},
    ):
        here = LambdaMART(**SMALL | changes).fit(train, validation)
        there = fitted(client, files, shares=1, **changes)
        assert there.score(train).tobytes() == here.score(train).tobytes()
        assert (there.ranker, there.parameters) == (here.ranker, here.parameters)
        assert there.scorer.as_json() == here.scorer.as_json()
        same = ("round", "selection")
        assert [there.facts[name] for name in same] == [here.facts[name] for name in same]
        assert (there.facts["workers"], there.facts["shares"]) == (1, 1)
    save_model(there, tmp_path / "model.json")
    assert (
        load_model(tmp_path / "model.json").score(train).tobytes() == there.score(train).tobytes()
    )


def test_categories_reach_the_workers_and_random_features_are_refused(
    client: Any, files: tuple[Path, Path], tmp_path: Path
) -> None:
    plain = planted(60)
    rows = np.column_stack([np.arange(plain.n_documents) % 6, plain.features[:, 1:]])
    labels = ((rows[:, 0] == 1) | (rows[:, 0] == 4)) * 1.0
    write(Dataset.from_arrays(rows, labels, group=plain.query_lengths), tmp_path / "train.txt")
    train = read(tmp_path / "train.txt")
    ranker = LambdaMART(**SMALL, categorical="1")
    here = ranker.fit(train)
    there = ranker.fit_on_cluster(spread(client, tmp_path / "train.txt", shares=1))
    assert there.scorer.as_json() == here.scorer.as_json()
    assert set(here.scorer.as_json()["categories"]) == {1, 4}
    for changes, said in (
        ({"feature_fraction": 0.5}, "over a cluster all features must be there for each tree"),
        ({"categorical": "1"}, "categories of feature '1' must be whole numbers"),
        ({"monotone": "9:+"}, "numbers of features from 1 to 5"),
    ):
        with pytest.raises(RankwiseError, match=said):
            fitted(client, files, **changes)


def test_two_workers_give_a_model_as_good_as_the_local_one(client: Any, tmp_path: Path) -> None:
    # With 20 validation queries other bins alone move NDCG@5 by 0.02, with 400 by 0.004 at most.
    write(planted(60, seed=103), tmp_path / "train.txt")
    train, validation = read(tmp_path / "train.txt"), planted(400, seed=303)
    ranker = LambdaMART(**SMALL)

    def figure(model: Model) -> float:
        return evaluate(validation, model.score(validation), ["NDCG@5"])["NDCG@5"].mean

    here = figure(ranker.fit(train, validation))
    there = ranker.fit_on_cluster(spread(client, tmp_path / "train.txt"), validation)
    assert (there.facts["workers"], there.facts["shares"], there.facts["rounds"]) == (2, 2, 12)
    assert figure(there) == there.facts["selection"]
    assert figure(there) == pytest.approx(here, abs=0.005)
    # The bound would notice that the documents of one worker did not count.
    half = ranker.fit(train.select_queries(slice(0, 30)), validation)
    assert figure(half) < here - 0.01


def test_lambdas_of_a_tool_are_not_claimed_on_a_cluster(
    client: Any, files: tuple[Path, Path]
) -> None:
    with pytest.raises(RankwiseError, match="give lambdas=lightgbm, or train on one machine"):
        fitted(client, files, lambdas="measure")


def test_two_workers_give_the_same_model_again(client: Any, files: tuple[Path, Path]) -> None:
    train = read(files[0])
    first = fitted(client, files).score(train).tobytes()
    # In more shares each worker holds the same documents, so the trees are the same.
    for shares in (2, 6, 2, 2):
        again = fitted(client, files, shares=shares)
        assert again.facts["shares"] == shares
        assert again.score(train).tobytes() == first


def test_each_worker_finds_the_bins_of_its_features_from_its_own_share(
    client: Any, tmp_path: Path
) -> None:
    # What the documentation warns of: constant on the second worker, lost for the first one, too.
    made = planted(80, features=4)
    hidden = made.features.sum(axis=1)
    varied = np.arange(len(hidden))[:, None] < 0.4 * len(hidden)
    features = np.where(varied, np.round(made.features, 4), 0.1234)
    labels = (hidden > np.median(hidden)).astype(np.float64)
    write(replace(made, features=features, labels=labels), tmp_path / "sorted.txt")
    train = spread(client, tmp_path / "sorted.txt")
    assert train.each(_is_constant) == [False, True]
    here = LambdaMART(**SMALL).fit(read(tmp_path / "sorted.txt"))
    there = LambdaMART(**SMALL).fit_on_cluster(train)
    assert set(here.scorer.columns.tolist()) == {0, 1, 2, 3}
    assert set(there.scorer.columns.tolist()) == {0, 1}


def _is_constant(share: Dataset) -> bool:
    return bool(np.all(share.features == share.features[0]))


def test_all_rounds_are_kept_without_validation(client: Any, files: tuple[Path, Path]) -> None:
    train = spread(client, files[0], shares=1)
    model = LambdaMART(**SMALL).fit_on_cluster(train)
    here = LambdaMART(**SMALL).fit(read(files[0]))
    known = {"round": 12, "rounds": 12, "workers": 1, "shares": 1}
    # That nothing could tell when to stop is said here as it is on one machine.
    assert model.facts == known | {"remarks": here.facts["remarks"]}
    assert (train.n_documents, train.n_queries, train.n_features) == (840, 60, 5)
    assert model.scorer.as_json() == here.scorer.as_json()


def test_the_coordinator_never_reads_the_training_file(
    client: Any, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    validation = read(files[1])

    def refuse(self: LetorFile, *arguments: Any) -> None:
        raise AssertionError("the training file is read here")

    # The workers are other processes, which this does not reach.
    monkeypatch.setattr(LetorFile, "parse", refuse)
    train = spread(client, files[0])
    assert LambdaMART(**SMALL).fit_on_cluster(train, validation).facts["workers"] == 2


def test_sparse_shares_are_made_equally_wide(client: Any, tmp_path: Path) -> None:
    text = "".join(f"{row % 2} qid:{row // 4} {1 + row // 20}:{row}\n" for row in range(40))
    train = spread_text(client, tmp_path, text)
    assert train.each(_width) == [2, 2]
    assert train.n_features == 2
    wider = spread(client, tmp_path / "data.txt", n_features=4)
    assert wider.each(_width) == [4, 4]


def _width(share: Dataset) -> int:
    return share.n_features


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("31 qid:1 1:1\n1 qid:1 1:1\n", r"labels must be .*numbers from 0 to 30, found 31"),
        ("1 qid:1 1:1\n0 qid:1 1:inf\n", "training data must be finite, found infinite"),
        ("1 qid:1\n0 qid:1\n", "training data must have features, found none"),
    ],
)
def test_what_local_training_refuses_is_refused(
    client: Any, tmp_path: Path, text: str, sentence: str
) -> None:
    rows = "".join(f"{row % 2} qid:{8 + row // 4}{' 1:1' * ('1:' in text)}\n" for row in range(20))
    for whole in (text + rows, rows + text):
        train = spread_text(client, tmp_path, whole)
        with pytest.raises(RankwiseError, match=sentence):
            LambdaMART(**SMALL).fit_on_cluster(train)
        with pytest.raises(RankwiseError, match=sentence):
            LambdaMART(**SMALL).fit(read(tmp_path / "data.txt"))


def test_fractional_labels_are_taken_on_one_machine_alone(client: Any, tmp_path: Path) -> None:
    rows = "".join(f"{row % 2 / 2} qid:{row // 4} 1:{row}\n" for row in range(20))
    train = spread_text(client, tmp_path, rows)
    with pytest.raises(RankwiseError, match=r"must be whole numbers from 0 to 30, found 0\.5"):
        LambdaMART(**SMALL).fit_on_cluster(train)
    assert LambdaMART(**SMALL).fit(read(tmp_path / "data.txt")).scorer.n_features == 1


def test_equal_labels_are_refused_only_where_no_share_has_others(
    client: Any, tmp_path: Path
) -> None:
    equal = "".join(f"1 qid:{row // 4} 1:{row}\n" for row in range(40))
    with pytest.raises(RankwiseError, match="different labels, found none in 10: there is no"):
        LambdaMART(**SMALL).fit_on_cluster(spread_text(client, tmp_path, equal))
    other = equal + "0 qid:9 1:50\n"
    model = LambdaMART(**SMALL, tool="letor4").fit_on_cluster(spread_text(client, tmp_path, other))
    assert model.facts["workers"] == 2


def test_files_that_workers_cannot_take_are_sentences(client: Any, tmp_path: Path) -> None:
    rows = [f"{row % 2} qid:{row // 4} 1:{row}\n" for row in range(40)]
    with pytest.raises(RankwiseError, match=r"data\.txt:41:3: after the label must come qid:ID"):
        spread_text(client, tmp_path, "".join(rows) + "1 1:1")
    with pytest.raises(RankwiseError, match="found query '0' in two shares of the file"):
        spread_text(client, tmp_path, "".join(rows) + "1 qid:0 1:1")
    few = spread_text(client, tmp_path, "".join(rows[:4]) + "1 qid:9 1:1\n", shares=5)
    with pytest.raises(RankwiseError, match="at least 2 documents, found one with 1"):
        LambdaMART(**SMALL).fit_on_cluster(few)


def test_validation_is_checked_as_locally(client: Any, files: tuple[Path, Path]) -> None:
    train, validation = spread(client, files[0], shares=1), read(files[1])
    with pytest.raises(RankwiseError, match="equally many features, found 5 and 6"):
        LambdaMART(**SMALL).fit_on_cluster(train, validation.widened(6))
    endless = validation.with_features(np.full_like(validation.features, np.inf))
    with pytest.raises(RankwiseError, match="the validation data must be finite"):
        LambdaMART(**SMALL).fit_on_cluster(train, endless)
    with pytest.raises(RankwiseError, match="NDGC"):
        LambdaMART(**SMALL | {"measure": "NDGC"}).fit_on_cluster(train)


def test_workers_without_a_share_may_go(client: Any, files: tuple[Path, Path]) -> None:
    train = spread(client, files[0], shares=1)
    (idle,) = set(client.nthreads()) - set(train.homes)
    there = Workers.of(client).only([idle])
    os.kill(client.run(os.getpid, workers=[idle])[idle], signal.SIGKILL)
    # Another may take its place at once, even its address.
    while not there.lost():
        time.sleep(0.05)
    assert LambdaMART(**SMALL).fit_on_cluster(train).facts["workers"] == 1


def test_a_killed_worker_ends_training_with_a_sentence(
    client: Any, files: tuple[Path, Path], haste: None
) -> None:
    client.wait_for_workers(2, timeout=600)
    train = spread(client, files[0])
    victims = [client.run(os.getpid)[train.homes[1]]]

    def kill(progress: Round) -> bool:
        if victims and progress.total == ENDLESS["rounds"]:
            os.kill(victims.pop(), signal.SIGKILL)
        return False

    ranker = LambdaMART(**ENDLESS)
    # LightGBM may end the other worker, too, when its connection breaks.
    with pytest.raises(ClusterLost, match=rf"until training ends, found .*{train.homes[1]}.* gone"):
        ranker.fit_on_cluster(train, watch=kill)
    # What the dead worker held is not waited for either.
    with pytest.raises(ClusterLost, match="gone"):
        ranker.fit_on_cluster(train)
    client.wait_for_workers(2, timeout=600)
    assert fitted(client, files).facts["workers"] == 2


def test_a_watch_that_says_stop_frees_the_workers(
    client: Any, files: tuple[Path, Path], haste: None
) -> None:
    client.wait_for_workers(2, timeout=600)
    train = spread(client, files[0])
    with pytest.raises(RankwiseError, match="stopped before its end, so there is no model"):
        LambdaMART(**ENDLESS).fit_on_cluster(
            train, watch=lambda progress: progress.total == ENDLESS["rounds"]
        )
    client.wait_for_workers(2, timeout=600)
    # The scheduler hears of cancelled calls, and of workers that left, a little later.
    guard = time.monotonic() + 600
    while any(client.processing().values()) and time.monotonic() < guard:
        time.sleep(0.05)
    assert not any(client.processing().values())
    assert fitted(client, files).facts["workers"] == 2


def test_a_restarted_cluster_ends_training_with_a_sentence(
    client: Any, files: tuple[Path, Path], haste: None
) -> None:
    def restart(progress: Round) -> bool:
        # A nanny that restarts a worker while LightGBM ends it may lose it for good (Dask's race),
        # so this test is the last of the cluster, and nobody waits for its workers.
        if progress.total == ENDLESS["rounds"]:
            with contextlib.suppress(TimeoutError):
                client.restart(timeout=60, wait_for_workers=False)
        return False

    client.wait_for_workers(2, timeout=600)
    train = spread(client, files[0])
    with pytest.raises(ClusterLost, match="must stay until training ends"):
        LambdaMART(**ENDLESS).fit_on_cluster(train, watch=restart)


def test_shares_that_follow_each_other_go_to_one_worker() -> None:
    assert _homes_of_shares(4, ["a", "b"]) == ["a", "a", "b", "b"]
    assert _homes_of_shares(2, ["a", "b", "c"]) == ["a", "b"]
    assert _homes_of_shares(7, ["a", "b", "c"]) == ["a", "a", "a", "b", "b", "c", "c"]


def test_the_round_is_chosen_as_locally_whatever_the_patience() -> None:
    train, validation = planted(30), planted(10, seed=5)
    every = LambdaMART(**SMALL | {"rounds": 40, "patience": 1000}).fit(train)
    for patience in (1, 2, 5, 100):
        ranker = LambdaMART(**SMALL | {"rounds": 40, "patience": patience})
        here = ranker.fit(train, validation)
        told: list[Round] = []
        growth = Growth("lambdamart", {}, 40, patience, "NDCG@5")
        values = _values(every.scorer, 40, validation, growth, _telling(told))
        assert len(values) == here.facts["rounds"] == len(told)
        assert int(np.argmax(values)) + 1 == here.facts["round"]
        assert max(values) == here.facts["selection"]


def _telling(told: list[Round]) -> Watch:
    def watch(progress: Round) -> bool:
        told.append(progress)
        return False

    return watch


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightgbm_dask, "_NEEDED", ("lightgbm", "there.is.no.such.package"))
    with pytest.raises(MissingExtra, match=r"lambdamart over a cluster.*the extra 'spread'"):
        lightgbm_dask._require_packages("lambdamart")


@pytest.mark.parametrize(
    ("place", "error", "raised"),
    [
        ("watch", RankwiseError("time is up"), RankwiseError),
        ("watch", KeyboardInterrupt(), KeyboardInterrupt),
        ("training", KeyboardInterrupt(), KeyboardInterrupt),
        ("training", OSError("what follows from a loss"), ClusterLost),
    ],
)
def test_ctrl_c_and_what_the_watch_raises_are_not_taken_for_a_loss(
    monkeypatch: pytest.MonkeyPatch, place: str, error: BaseException, raised: type[BaseException]
) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise error

    class Ranker:
        def __init__(self, client: Any, **settings: Any) -> None:
            self.client = client

        def fit(self, *arrays: Any, **options: Any) -> None:
            self.client.gather([])

    ended: list[Any] = []
    workers = SimpleNamespace(
        client=SimpleNamespace(as_current=contextlib.nullcontext),
        refuse_loss=_lose,
        first_answers=lambda futures, tick: tick() if place == "watch" else fail(),
        end=lambda calls, patience: ended.append(calls),
    )
    monkeypatch.setattr("lightgbm.DaskLGBMRanker", Ranker)
    monkeypatch.setattr(lightgbm_dask, "_refuse_single_rows", lambda train, ranker: None)
    monkeypatch.setattr(lightgbm_dask, "_arrays", lambda train: ([], [], []))
    train: Any = SimpleNamespace(workers=workers)
    with pytest.raises(raised) as found:
        lightgbm_dask._grown(train, Growth("lambdamart", {}, 1, 1, None), fail)
    assert type(found.value) is raised
    assert ended == [[]]


def _lose(ask: bool) -> None:
    assert ask
    raise ClusterLost("gone")


@pytest.mark.parametrize("check", [1, 2, 3])
def test_the_watch_is_told_during_every_check_of_the_data(check: int) -> None:
    ticks: list[int] = []

    def each(function: Any, tick: Any = lambda: None) -> list[bool]:
        ticks.append(len(ticks) + 1)
        tick()
        return [True]

    def stop(progress: Round) -> bool:
        return len(ticks) == check

    train: Any = SimpleNamespace(each=each, n_features=2, n_queries=1, shares=())
    with pytest.raises(RankwiseError, match="stopped before its end"):
        LambdaMART(**SMALL).fit_on_cluster(train, watch=stop)
    assert len(ticks) == check
