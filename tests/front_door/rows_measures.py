"""Rows of the commands that measure rankings."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations

import rankwise as rw
from tests.front_door.table import Answers, Case, plain, row

MEASURES = ("NDCG@10", "MAP")
TOOLS = ("definition", "letor4", "yahoo", "trec_eval")


@row("evaluate")
def evaluate(case: Case) -> Answers:
    scores = case.scores(2)
    words = ("-m", ",".join(MEASURES), "--tool", ",".join(TOOLS), "--per-query")
    printed = case.ask("evaluate", case.test, scores, *words)
    by_function = []
    for tool in TOOLS:
        found = rw.evaluate(case.test, scores, MEASURES, tool)
        measures = {
            name: {"mean": one.mean, "per_query": one.per_query}
            for name, one in found.results.items()
        }
        refused = {name: {"error": reason} for name, reason in found.refused.items()}
        measures = {**measures, **refused}
        by_function.append({"tool": tool, "scores": str(scores), "measures": measures})
    return printed, by_function


@row("explain")
def explain(case: Case) -> Answers:
    scores = case.scores(2)
    tools = ("letor4", "yahoo", "trec_eval")
    printed = case.ask("explain", case.test, scores, "-m", "NDCG@10", "--tool", ",".join(tools))
    found = [
        rw.explain(case.test, scores, "NDCG@10", one, other)
        for one, other in combinations(tools, 2)
    ]
    return printed, [plain({**asdict(one), "difference": one.difference}) for one in found]


@row("identify")
def identify(case: Case) -> Answers:
    scores = case.scores(2)
    value = f"{rw.evaluate(case.test, scores, 'NDCG@10', 'yahoo')['NDCG@10'].mean:.4f}"
    printed = case.ask("identify", case.test, scores, "-m", "NDCG@10", "--value", value)
    found = rw.identify(case.test, scores, "NDCG@10", value)
    objects = [{"tool": one.tool, "measure": str(one.measure), "value": one.value,
                "complete": one.complete} for one in found]  # fmt: skip
    by_function = {
        "tools": [one for one in objects if one["tool"] is not None],
        "conventions": [one for one in objects if one["tool"] is None],
    }
    assert by_function["tools"]
    return printed, by_function


@row("reconcile")
def reconcile(case: Case) -> Answers:
    scores = case.scores(2)
    value = f"{rw.evaluate(case.test, scores, 'NDCG@10', 'yahoo')['NDCG@10'].mean:.4f}"
    words = ("-m", "NDCG@10", "--value", value, "--from", "yahoo")
    known = ("--queries", 50, "--empty", 5, "--to", "definition,letor4")
    counted = case.ask("reconcile", case.test, *words)
    exact = case.ask("reconcile", case.test, scores, *words, "--to", "empty=skip")
    given = case.ask("reconcile", *words, *known)
    found = (
        rw.reconcile(value, "NDCG@10", "yahoo", data=case.test),
        rw.reconcile(value, "NDCG@10", "yahoo", ["empty=skip"], data=case.test, scores=scores),
        rw.reconcile(value, "NDCG@10", "yahoo", ["definition", "letor4"], queries=50, empty=5),
    )
    columns = ("target", "value", "low", "high", "how", "missing")
    by_command = [
        [[one[column] for column in columns] for one in printed["targets"]]
        for printed in (counted, exact, given)
    ]
    by_function = [
        [[getattr(one, column) for column in columns] for one in each.rows] for each in found
    ]
    return by_command, plain(by_function)


@row("measures")
def measures(case: Case) -> Answers:
    facts = ("name", "title", "aliases", "cutoff", "fields", "citation")
    families = [{fact: getattr(one, fact) for fact in facts} for one in rw.measures.FAMILIES]
    tools = [
        {
            "name": tool.name,
            "title": tool.title,
            "measures": [str(rw.measures.parse(one, tool.conventions)) for one in tool.conventions],
        }
        for tool in rw.measures.all_tools()
    ]
    shown = case.ask("measures")
    printed = [{fact: one[fact] for fact in facts} for one in shown["measures"]]
    return (printed, shown["tools"]), (plain(families), plain(tools))


@row("significance")
def significance(case: Case) -> Answers:
    files = [case.scores(feature) for feature in (1, 2, 3)]
    words = ("-m", "NDCG@5,MAP", "--test", "randomization", "--samples", 500, "--seed", 3)
    printed = case.ask("significance", case.test, *files, *words, "--tool", "letor3")
    found = rw.significance(
        case.test, files, "NDCG@5,MAP", "letor3", test="randomization", samples=500, seed=3
    )
    stored = case.ask("significance", case.store, "best-feature", "-m", "MAP")
    of_store = rw.significance(case.store, ["best-feature"], "MAP")
    return (printed, stored), (found.records(), of_store.records())
