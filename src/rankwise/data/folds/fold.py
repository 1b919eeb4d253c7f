"""A fold, and how folds are composed from parts and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rankwise.data.dataset import Dataset
from rankwise.data.joining import concatenate
from rankwise.data.shared_queries import QueryPrints, list_pairs
from rankwise.errors import RankwiseError

FEWEST_PARTS = 3
_SHOWN = 5

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Fold:
    """One trial of a cross validation: learn on `train`, tune on `validation`, judge on `test`.

    `validation` is None where the source has no such part.
    """

    number: int
    train: Dataset
    validation: Dataset | None
    test: Dataset

    def parts(self) -> Iterator[tuple[str, Dataset]]:
        """The parts that are there, each with its name."""
        for name in ("train", "validation", "test"):
            part = getattr(self, name)
            if part is not None:
                yield name, part


def compose_folds(parts: Sequence[Dataset]) -> list[Fold]:
    """One fold for each part; see `compose_fold`, which makes them one at a time."""
    return [compose_fold(parts, number) for number in range(1, len(parts) + 1)]


def compose_fold(parts: Sequence[Dataset], number: int) -> Fold:
    """Fold `number` (from 1) of the parts S1, S2, …, Sk, which follow each other in a ring.

    Beginning with S_number, the first k − 2 parts are joined for training, in this order; the
    next one is for validation and the last for test. With five parts this is Table 4 of Qin, Liu,
    Xu and Li (2010): fold 1 learns on S1, S2, S3, is validated on S4 and tested on S5.
    """
    train, (validation,), (test,) = order_parts(parts, number)
    return Fold(number, concatenate(train), validation, test)


def order_parts(parts: Sequence[Part], number: int) -> tuple[list[Part], list[Part], list[Part]]:
    """The parts for training, validation and test of fold `number`, as `compose_fold` says."""
    if len(parts) < FEWEST_PARTS:
        raise RankwiseError(
            f"a fold needs parts for training, validation and test: at least {FEWEST_PARTS} parts, "
            f"found {len(parts)}"
        )
    if not 1 <= number <= len(parts):
        raise RankwiseError(f"{len(parts)} parts make the folds 1 to {len(parts)}, found {number}")
    ring = [parts[(number - 1 + step) % len(parts)] for step in range(len(parts))]
    return ring[:-2], ring[-2:-1], ring[-1:]


def check_folds(folds: Iterable[Fold]) -> list[str]:
    """What is wrong with the folds: queries in two parts of a fold, or in two folds' test parts.

    A query that is learnt from and then tested makes the figures of a method too good; one that is
    tested twice counts as two.
    """
    found: list[str] = []
    tests: dict[str, QueryPrints] = {}
    for fold in folds:
        prints = {name: QueryPrints.of(part) for name, part in fold.parts()}
        tests[str(fold.number)] = prints["test"]
        for one, other, ids in list_pairs(prints):
            found.append(
                f"fold {fold.number}: a query must stand in one part only, found "
                f"{_listed(sorted(ids, key=_in_natural_order))} in both {one} and {other}"
            )
    for one, other, ids in list_pairs(tests, in_tests=True):
        found.append(
            f"folds {one} and {other}: a query must be tested in one fold only, found "
            f"{_listed(sorted(ids, key=_in_natural_order))} in both"
        )
    return found


def _in_natural_order(query_id: str) -> tuple[int, str]:
    """Numbers by size rather than by their first digit."""
    return (len(query_id) if query_id.isdecimal() else 0, query_id)


def _listed(query_ids: Sequence[str]) -> str:
    shown = ", ".join(repr(query_id) for query_id in query_ids[:_SHOWN])
    if len(query_ids) == 1:
        return f"query {shown}"
    more = f" and {len(query_ids) - _SHOWN} more" if len(query_ids) > _SHOWN else ""
    return f"queries {shown}{more}"
