"""Measures and judged scores for the tests: every family, with and without its options."""

from __future__ import annotations

from hypothesis import strategies as st

from rankwise.data.scores.scored_qrels import JudgedScores, offsets_of
from rankwise.measures.families.registry import COMPUTED
from rankwise.measures.measure import CHOICES, Measure, parse

NAMES = [
    "NDCG", "NDCG@1", "NDCG@3", "NDCG@10", "NDCG(gain=linear)@3",
    "NDCG(discount=letor,short=zero)@5",
    "NDCG(gain=truncated,discount=position,empty=1)@4", "NDCG(short=absent)@4", "NDCG(table=1)@3",
    "NDCG(empty=skip)", "NDCG(threshold=2)@3", "DCG", "DCG(gain=linear)@2", "MeanNDCG",
    "MeanNDCG(discount=letor)@3", "P", "P@1", "P@3", "P(denominator=retrieved)@9",
    "P(threshold=>0.5)@2", "P(short=absent)@5", "AP", "AP@3", "AP(denominator=cutoff)@2",
    "AP(threshold=2)", "AP(empty=1)@4", "RR", "RR@2", "ERR", "ERR@3", "ERR(highest=2)@2",
    "ERR(gain=linear)", "Recall@2", "Success@2", "Hits@3", "F1@3",
    "F1(denominator=retrieved)@9", "RPrecision", "RBP", "RBP(persistence=0.5)@3", "Bpref",
    "PairwiseAccuracy", "KendallTau", "WTA", "Best@2", "Best", "IPrec", "IPrec(level=0.5)",
    "IPrec(level=0.3,level_rule=nine-tenths)", "ElevenPoint", "SetP", "SetRecall", "SetAP", "SetF",
    "RMSE", "Retrieved", "Relevant", "RelevantRetrieved", "Queries",
]  # fmt: skip
# A family that was just added is tested by its plain name.
NAMES += [family.name for family in COMPUTED if family.name not in NAMES]
MEASURES = [parse(name) for name in NAMES]
# Python functions see one order of the documents; ties cannot be left open for them.
OPEN_TO_TIES = [family.name for family in COMPUTED if isinstance(family.compute, str)]

labels = st.integers(0, 4).map(float)
lists = st.lists(st.tuples(labels, st.integers(-3, 3).map(float)), min_size=1, max_size=20)


@st.composite
def judged_scores(draw: st.DrawFn, rows: st.SearchStrategy[tuple[float, float]] | None = None
                  ) -> JudgedScores:  # fmt: skip
    """A few queries with small whole labels and scores that are often equal."""
    queries = draw(st.lists(lists, min_size=1, max_size=4))
    flat = [row for query in queries for row in query]
    ids = draw(st.permutations(range(len(flat))))
    return JudgedScores(
        [label for label, _ in flat],  # type: ignore[arg-type]
        [score for _, score in flat],  # type: ignore[arg-type]
        offsets_of([len(query) for query in queries]),
        [str(number) for number in range(len(queries))],
        [f"d{number}" for number in ids],
    )


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure with any of its fields."""
    family = draw(st.sampled_from(COMPUTED))
    fields = {
        name: draw(VALUES[name]) for name in family.fields if name in VALUES and draw(st.booleans())
    }
    if "threshold" in fields and draw(st.booleans()):
        fields["strict"] = True
    if family.denominators and draw(st.booleans()):
        fields["denominator"] = draw(st.sampled_from(family.denominators))
    cutoff = None if family.cutoff == "none" else draw(st.none() | st.integers(1, 1000))
    return Measure(family.name, cutoff, **fields)


VALUES: dict[str, st.SearchStrategy[object]] = {
    **{name: st.sampled_from(choices) for name, choices in CHOICES.items()},
    "gain": st.sampled_from(["exponential", "linear", "truncated", "0/1/3", "1=1/2=3.5"]),
    "threshold": st.floats(0, 5) | st.integers(0, 4).map(float),
    "table": st.integers(1, 31),
    "empty": st.just("skip") | st.floats(0, 1),
    "highest": st.integers(1, 31),
    "persistence": st.floats(0, 1),
    "level": st.floats(0, 1),
    "rounding": st.sampled_from(["none", "single", "5"]),
}
