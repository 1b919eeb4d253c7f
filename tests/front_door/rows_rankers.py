"""Rows of the commands about methods, models and features."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

import rankwise as rw
from tests.front_door.table import Answers, Case, plain, row


@row("rankers list")
def list_rankers(case: Case) -> Answers:
    found = [rw.describe_ranker(name) for name in rw.rankers.ranker_names()]
    chosen = [one.as_dict() for one in found if one.family == "pairwise"]
    return case.ask("rankers", "list", "--family", "pairwise"), plain(chosen)


@row("rankers show")
def show_ranker(case: Case) -> Answers:
    printed = case.ask("rankers", "show", "ranksvm-primal")
    return printed, plain(rw.describe_ranker("ranksvm-primal").as_dict())


@row("train")
def train(case: Case) -> Answers:
    output, own = case.folder / "model.json", case.folder / "own.json"
    words = ("--ranker", "adarank-ndcg", "--set", "rounds=20", "-m", "NDCG@5", "--seed", 4)
    ended = case.run("train", case.train, *words, "--validate", case.validation, "-o", output)
    ranker = rw.make_ranker("adarank-ndcg", rounds=20, measure="NDCG@5", selection="NDCG@5")
    model = rw.fit(ranker, case.train, case.validation, seed=4)
    rw.save_model(model, own)
    part = rw.read(case.train)
    mean = rw.evaluate(part, model.score(part), "NDCG@5")["NDCG@5"].mean
    assert f"training NDCG@5 (definition): {mean:.4f}\n" in ended.stderr
    return output.read_bytes(), own.read_bytes()


@row("tune")
def tune(case: Case) -> Answers:
    output, own = case.folder / "model.json", case.folder / "own.json"
    words: tuple[object, ...] = (
        "--ranker", "ridge-regression", "--cross-validate", 3, "--method", "random", "--trials", 3,
    )  # fmt: skip
    words += ("--draw", "regularization=0.01:10:log", "-m", "NDCG@5", "--seed", 4)
    printed = case.ask("tune", case.train, *words, "--store", case.folder / "t", "-o", output)
    found = rw.tune(
        "ridge-regression", case.train, folds=3, method="random", trials=3, measure="NDCG@5",
        draw={"regularization": (0.01, 10, "log")}, seed=4,
    )  # fmt: skip
    rw.save_model(found.model, own)
    ours = plain(found.as_dict())
    for one in (*printed["trials"], *ours["trials"]):
        assert one.pop("seconds") > 0
    return (printed, output.read_bytes()), (ours, own.read_bytes())


@row("score")
def score(case: Case) -> Answers:
    printed = case.run("score", case.model, case.test).stdout
    scores = rw.score(case.model, case.test)
    again = rw.load_model(case.model).score(rw.read(case.test))
    assert np.array_equal(scores, again)
    return [float(line) for line in printed.splitlines()], scores.tolist()


@row("model show")
def show_model(case: Case) -> Answers:
    printed = case.ask("model", "show", case.model)
    found = rw.describe_model(case.model)
    by_function = {
        "ranker": found.ranker,
        "paper": found.paper,
        "parameters": found.parameters,
        "training": found.training,
        "kind": found.kind,
        "features": found.features,
        "exports": found.exports,
        "written by": f"rankwise {found.rankwise_version}",
        "importance": found.importance,
    }
    return printed, plain(by_function)


@row("model export")
def export_model(case: Case) -> Answers:
    output = case.folder / "model.txt"
    case.run("model", "export", case.model, "--to", "ranklib", "-o", output)
    exported = rw.export_model(case.model, "ranklib", case.folder / "own.txt")
    return output.read_text(), exported.text


@row("model verify")
def verify_model(case: Case) -> Answers:
    output = case.folder / "model.py"
    case.run("model", "export", case.model, "--to", "python", "-o", output)
    printed = case.ask("model", "verify", output, "--data", case.test)
    found = rw.verify_export(output, case.test)
    assert found.agrees
    return printed, plain(asdict(found))


@row("model cost")
def model_cost(case: Case) -> Answers:
    """Times differ from run to run: what is timed, on what, does not."""
    printed = case.ask("model", "cost", case.model, case.test, "--to", "python", "--repeats", 1)
    found = rw.measure_cost(case.model, case.test, targets=["python"], repeats=1)
    facts = {key: printed[key] for key in ("documents", "queries", "skipped")}
    ours = {"documents": found.documents, "queries": found.queries, "skipped": found.skipped}
    timed = [(one["scorer"], one["how"]) for one in printed["times"]]
    return (facts, timed), (plain(ours), [(one.scorer, one.how) for one in found.times])


@row("model importance")
def model_importance(case: Case) -> Answers:
    words = ("--by", "permutation", "-m", "NDCG@5", "--per-query", "--repeats", 1, "--seed", 3)
    printed = case.ask("model", "importance", case.model, case.test, *words)
    found = rw.weigh_model(
        case.model, case.test, by="permutation", measure="NDCG@5", per_query=True, repeats=1, seed=3
    )
    return printed, plain(asdict(found))


@row("model contributions")
def model_contributions(case: Case) -> Answers:
    query = list(rw.read(case.test).query_ids)[1]
    printed = case.ask("model", "contributions", case.model, case.test, "--query", query)
    return printed, plain(asdict(rw.explain_scores(case.model, case.test, query=query)))


@row("model dependence")
def model_dependence(case: Case) -> Answers:
    printed = case.ask("model", "dependence", case.model, case.test, "--feature", 2)
    return printed, plain(asdict(rw.measure_dependence(case.model, case.test, 2)))


@row("model why")
def model_why(case: Case) -> Answers:
    printed = case.ask("model", "why", case.model, case.test)
    found = rw.explain_order(case.model, case.test)
    return printed, plain({"sentence": found.sentence, **asdict(found)})


@row("features select")
def select(case: Case) -> Answers:
    words = ("--keep", 3, "--method", "best", "-m", "NDCG@5", "--seed", 1)
    printed = case.ask("features", "select", case.folds, *words)
    found = rw.select_features(case.folds, 3, "best", measure="NDCG@5", seed=1)
    by_function = {"method": found.method, "features": found.features, "effect": found.effects}
    return printed, plain(by_function)


@row("features reduce")
def reduce(case: Case) -> Answers:
    printed = case.ask("features", "reduce", case.folds, "--to", 3, "--method", "pls")
    found = rw.reduce_features(case.folds, 3, "pls")
    facts = {"method": found.method, "kept": found.kept, "explained": found.explained}
    return printed, plain({**facts, "effect": found.effects})


@row("features importance")
def importance(case: Case) -> Answers:
    printed = case.ask("features", "importance", case.folds, "-m", "NDCG@5", "--repeats", 1)
    found = rw.weigh_features(case.folds, measure="NDCG@5", repeats=1)
    rows = [{k: v for k, v in one.items() if v is not None} for one in plain(found.weights)]
    return printed, rows


@row("features path")
def path(case: Case) -> Answers:
    words = ("--ranker", "fenchelrank", "--values", "0.5,2,8", "-m", "NDCG@5", "--seed", 1)
    printed = case.ask("features", "path", case.folds, *words)
    found = rw.trace_path(case.folds, "fenchelrank", values=[0.5, 2, 8], measure="NDCG@5", seed=1)
    return printed, plain(found.as_dict())
