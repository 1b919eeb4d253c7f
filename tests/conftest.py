"""What all tests share: the folder of real data, found through RANKWISE_SHARED or skipped."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from rankwise.processes import processors
from tests.forgetting import forget_modules_below

# Tests run beside each other: threads of libraries that wait must not take their processors. These
# are read when numpy and LightGBM are loaded, here and in the processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# What takes longest begins first, so that the processes come to their end together.
LONG = (
    "tests/conformance/test_laws.py",
    "tests/experiments/test_spread_run.py",
    "tests/rankers/test_lightgbm_cluster.py",
    "tests/experiments/test_runner.py",
    "tests/docs/test_pages.py",
    "tests/docs/test_own_ranker_page.py",
    "tests/docs/test_engineer_page.py",
    "tests/cli/experiments/test_demo.py",
    "tests/experiments/test_measured.py",
    "tests/reports/test_page_browser.py",
    "tests/fuzz/test_fuzz.py",
    "tests/docs/test_site.py",
    "tests/experiments/test_method_code.py",
    "tests/experiments/test_keeping.py",
    "tests/experiments/test_dask.py",
    "tests/arena/web/test_browser.py",
    "tests/contributing/test_add_measure.py",
    "tests/contributing/test_add_engine.py",
    "tests/contributing/test_add_ranker.py",
    "tests/contributing/test_add_feature.py",
    "tests/contributing/test_add_dataset.py",
    "tests/kills/test_kills.py",
    "tests/experiments/test_faults.py",
    "tests/examples/test_examples.py",
    "tests/reports/test_matplotlib_renderer.py",
    "tests/checks/test_checks.py",
    "tests/cli/rankers/test_own_rankers.py",
    "tests/cli/test_start_up.py",
    "tests/test_front_door.py",
    "tests/collection/test_building.py",
    "tests/arena/test_uploads.py",
    "tests/data/test_hostile_sizes.py",
)
_MOST_PROCESSES = 8

# Nothing that is collected is garbage; what is left over is collected before the first test.
gc.disable()

settings.register_profile("rankwise", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("rankwise")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes go by their place: gzip writes the time, and xdist's workers must collect one list."""
    return argname if isinstance(val, bytes) else None


def pytest_xdist_auto_num_workers() -> int:
    """As many as processors: one more makes all slower by more than it saves of their waits."""
    return min(processors(), _MOST_PROCESSES)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files of `LONG` first; with `--no-loadscope-reorder` xdist keeps the order."""
    places = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONG)))


def pytest_collection_finish() -> None:
    """Seventeen thousand tests stay until the end: no later collection need look at them again."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def plain_surroundings() -> Iterator[None]:
    """Servers of tests are reached without a proxy, no terminal's wishes change what we print, and
    the day that reports name is one and the same, at midnight too.

    Processes that tests start inherit this.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1,localhost")
        for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE", "COLUMNS"):
            patch.delenv(name, raising=False)
        patch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        yield


@pytest.fixture(scope="module", autouse=True)
def forgetting_own_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a file of tests wrote and imported is gone with it: another has a mine.py of its own."""
    yield
    forget_modules_below(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def shared() -> Path:
    """The shared folder with golden files, real data and compiled literature."""
    found = os.environ.get("RANKWISE_SHARED")
    if not found:
        pytest.skip("RANKWISE_SHARED is not set: real data and golden files are not at hand")
    return Path(found).resolve()
