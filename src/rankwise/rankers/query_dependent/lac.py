"""LAC-MR-OR and RE-QR expect the grade of a document by association rules.

LAC-MR-OR mines them when a document comes; RE-QR combines the rules of each training query by
competence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rankwise.models.scorers.rules import (
    MOST_BINS,
    AssociationRules,
    QueryRules,
    RuleBounds,
    RuleData,
)
from rankwise.rankers.parameters import parameter
from rankwise.rankers.ranker import Family, Learned, Ranker, Round, Training


@dataclass(frozen=True)
class LACMROR(Ranker):
    """f(d) = Σ_r r p(r|d), r the grades of relevance, by rules X → r with X among the items of d.

        p(r|d) = s(d, r) / Σ_r' s(d, r'),   s(d, r) = mean of θ(X → r) over the rules of grade r

    θ(X → r), the confidence, is the share of training documents with the items X that have the
    grade r. A rule counts from a support of `support` (the share of all training documents that
    have X and r) and a confidence of `confidence`. An item is a feature within one of its bins.
    Rules of two items are made of 64 features at most, those that count most alone.

    The rules and f are the paper's. Its discretisation, least support and length of rules are
    guesses, and so are the readings of MR as all rules and of OR as the sum over ordered grades. A
    variant of the paper that also uses the terms of queries needs what LETOR does not have.

    Veloso, Almeida, Gonçalves, Meira (2008). Learning to rank at query-time using association
    rules. SIGIR.
    """

    name: ClassVar[str] = "lac-mr-or"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Veloso, Almeida, Gonçalves and Meira (2008), SIGIR"
    handles_null: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "bins hold equally many training documents",
        "rules have one or two items",
        "MR is the mean over all rules, OR the expected grade",
    )

    bins: int = parameter(
        10, "of a feature, by quantiles", grid=(5, 10, 20), lowest=2, highest=MOST_BINS
    )
    support: float = parameter(
        0.001, "the least support of a rule", grid=(0.0002, 0.001, 0.005), lowest=0.0, highest=1.0
    )
    confidence: float = parameter(0.0, "the least confidence of a rule", lowest=0.0, highest=1.0)
    length: int = parameter(2, "items of a rule at most", lowest=1, highest=2)

    def _learn(self, training: Training) -> Learned[AssociationRules]:
        data = RuleData.of(training.train, self.bins, self.name)
        training.watch(Round(1, 1))
        return Learned(
            AssociationRules(data, RuleBounds(self.length, self.support, self.confidence)), {}
        )


@dataclass(frozen=True)
class REQR(Ranker):
    """f(d) = Σ_q c_q(d) e_q(d) / Σ_q c_q(d), over the training queries q.

    e_q(d) = Σ_r r p_q(r|d) is what `lac-mr-or` expects of d by the rules of the documents of q
    alone; c_q(d) is the competence of q near d,

        c_q(d) = 1 / (0.05 + mean over d' ∈ N(d), d' not of q, of (e_q(d') − y_d')²),

    N(d) the training documents that share most items with d. That rules are learned query by
    query and combined by how near each comes to the truth on like documents is known from the
    abstract; the formula of competence, what makes documents alike, and the bins are guesses. Not
    RE-GR and RE-SR, its siblings with rules of all queries and with stable rules.

    Veloso, Gonçalves, Meira, Mossri (2010). Learning to rank using query-level rules. Journal of
    Information and Data Management 1.
    """

    name: ClassVar[str] = "re-qr"
    family: ClassVar[Family] = "pointwise"
    paper: ClassVar[str] = "Veloso, Gonçalves, Meira and Mossri (2010), JIDM 1(3)"
    handles_null: ClassVar[bool] = True
    guesses: ClassVar[tuple[str, ...]] = (
        "competence is one over the squared error on like documents",
        "documents are alike that share items",
        "bins hold equally many training documents, rules have one item",
    )

    bins: int = parameter(5, "of a feature, by quantiles", grid=(3, 5), lowest=2, highest=MOST_BINS)
    support: float = parameter(0.01, "the least support of a rule", lowest=0.0, highest=1.0)
    confidence: float = parameter(0.0, "the least confidence of a rule", lowest=0.0, highest=1.0)
    length: int = parameter(
        1, "items of a rule at most; 2 takes several times as long", lowest=1, highest=2
    )
    neighbours: int = parameter(
        100, "like documents that tell the competence of a query", grid=(30, 300), lowest=1
    )

    def _learn(self, training: Training) -> Learned[QueryRules]:
        data = RuleData.of(training.train, self.bins, self.name)
        training.watch(Round(1, 1))
        bounds = RuleBounds(self.length, self.support, self.confidence)
        return Learned(QueryRules(data, bounds, self.neighbours), {})
