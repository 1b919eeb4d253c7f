"""Laws of starts: training continues another model, or says that it cannot."""

from __future__ import annotations

from rankwise.checks.law import NotApplicable, law, refusal, require, require_sentence
from rankwise.checks.made import half_way, mean, planted, unseen, with_labels
from rankwise.checks.subject import ExaminedRanker
from rankwise.rankers.parameters import parameters_of

_STRONG = 1e3


@law
def a_start_is_taken_or_refused(subject: ExaminedRanker) -> None:
    """A ranker that does not say `takes_start` refuses to continue a model in one sentence."""
    if subject.ranker.takes_start:
        raise NotApplicable("continues models, as it says")
    start, train = subject.trained, planted(6)
    error = refusal(lambda: subject.quick().fit(train, start=start), "it cannot continue a model")
    require_sentence(error, subject.ranker.name, "model")


@law
def a_start_is_kept_where_little_is_learnt(subject: ExaminedRanker) -> None:
    """From one query that contradicts it, a model that is continued unlearns next to nothing."""
    if not subject.ranker.takes_start:
        raise NotApplicable("refuses to continue models")
    one = planted(1, seed=2)
    contrary = with_labels(one, one.labels.max() - one.labels)
    declared = {parameter.name for parameter in parameters_of(subject.ranker)}
    strong = {"regularization": _STRONG} if "regularization" in declared else {}
    ranker = subject.quick(**strong)
    found = mean(ranker.fit(contrary, start=subject.trained).score(unseen()))
    require(found > half_way(), f"NDCG@5 above {half_way():.4f} as before", found)


@law
def a_start_is_left_where_much_is_learnt(subject: ExaminedRanker) -> None:
    """From a whole data set that contradicts it, a model that is continued learns the contrary."""
    if not subject.ranker.takes_start:
        raise NotApplicable("refuses to continue models")
    train = planted()
    contrary = with_labels(train, train.labels.max() - train.labels)
    before = mean(subject.trained.score(unseen()))
    after = mean(subject.quick().fit(contrary, start=subject.trained).score(unseen()))
    require(after < before - 0.2, f"NDCG@5 below {before - 0.2:.4f}", after)
