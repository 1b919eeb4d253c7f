"""What rankers that learn from relations ask of data."""

from __future__ import annotations

from rankwise.data.dataset import Dataset
from rankwise.errors import Advice, RankwiseError
from rankwise.rankers.scorers.relation_matrix import ALL, refuse_negative


def refuse_unrelated(dataset: Dataset, relation: str, ranker: str) -> None:
    """Refuse data without the relation that a ranker learns from."""
    known = [held.name for held in dataset.relations]
    for held in dataset.relations:
        refuse_negative(held)
    if known and relation in (ALL, *known):
        return
    wanted = "relations between documents" if relation == ALL else f"the relation {relation!r}"
    raise RankwiseError(
        f"{ranker} learns from {wanted}, found {', '.join(known) or 'none'} in the data",
        Advice("name the files that hold them: {}", "relations", "FILE"),
    )
