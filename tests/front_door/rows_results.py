"""Rows of the commands that run experiments and compare results."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rankwise as rw
from tests.experiments.made_evidence import make_table
from tests.front_door.table import RANKERS, Answers, Case, plain, row


@row("bench")
def bench(case: Case) -> Answers:
    words = ("--data", case.folds, "--ranker", ",".join(RANKERS), "--fold", "1,2", "--jobs", 1)
    words += ("-m", "MAP,NDCG@5", "--tool", "own,letor4", "--store", case.folder / "a.sqlite")
    foreseen = case.ask("bench", *words, "--dry-run")
    what: Any = {
        "data": case.folds, "rankers": RANKERS, "folds": [1, 2], "measures": ["MAP", "NDCG@5"],
        "tools": ["own", "letor4"],
    }  # fmt: skip
    facts = plain(rw.foresee(rw.plan(**what), case.folder / "a.sqlite", jobs=1).as_dict())
    printed = case.ask("bench", *words, "--quiet")
    run = rw.bench(store=case.folder / "b.sqlite", jobs=1, **what)
    with rw.Store.read(case.folder / "a.sqlite") as one, rw.Store.read(run.store) as other:
        assert one.difference(other) == []
    return (foreseen, printed), (facts, plain(run.summaries()))


@row("recommend")
def recommend(case: Case) -> Answers:
    home = case.folder / "table"
    made = make_table(lambda number, ranker: 0.4 + len(ranker) / 100, noise=0.02)
    rw.results.write_dense(made, home)
    printed = case.ask("recommend", case.folds, "--table", home, "--time", "1h", "--jobs", 2)
    found = rw.recommend(case.folds, table=home, time="1h", jobs=2)
    checked = case.ask("recommend", "--check", "--table", home)
    check = rw.check_recommendations(table=home)
    return (printed, checked), (plain(found.as_dict()), plain(check.as_dict()))


@row("compare")
def compare(case: Case) -> Answers:
    printed = case.ask("compare", case.table, "--bootstrap", 50, "--seed", 2)
    found = rw.compare(case.table)
    intervals = rw.resample_datasets(found, 50, 2)
    bounds = {one.method: one for one in intervals.intervals}
    keys = ("method", "wn", "iwn", "nwn", "pareto", "rank2")
    ours = [{key: getattr(one, key) for key in keys} for one in found.ranking]
    ours = [{**one, "nwn_low": bounds[str(one["method"])].lower} for one in ours]
    shown = [{**{key: one[key] for key in keys}, "nwn_low": _lower(one)} for one in printed]
    of_store = [one["method"] for one in case.ask("compare", case.store, "-m", "MAP")]
    ranked = rw.compare(case.store, measures=["MAP"]).ranking
    estimated = case.ask("compare", case.table, "--by", "mean-rank")["rows"]
    others = rw.compare(case.table, by="mean-rank").estimated
    assert others is not None
    return (shown, of_store, estimated), (
        ours, [one.method for one in ranked], plain(others.rows),
    )  # fmt: skip


def _lower(printed: dict[str, Any]) -> float:
    """The lower end of the interval, whatever its column is called."""
    (name,) = (key for key in printed if "low" in key)
    return float(printed[name])


@row("place")
def place(case: Case) -> Answers:
    lines = [f"made,{data},mine,MAP,0.5\n" for data in ("A", "B")]
    own = case.text("mine.csv", "collection,dataset,method,measure,value\n" + "".join(lines))
    printed = case.ask("place", own, "--table", case.table, "--bootstrap", 50, "--seed", 1)
    (found,) = rw.place(own, case.table, resamples=50, seed=1)
    assert found.place is not None and found.interval is not None
    by_function = {
        "rank": found.place.rank, "nwn": found.place.nwn, "pareto": found.place.pareto,
        "lower": found.interval.lower, "upper": found.interval.upper,
        "half_width": found.half_width, "gains": plain(found.gains),
        "neighbours": [near.rival.method for near in found.neighbours],
    }  # fmt: skip
    (shown,) = printed
    shown["neighbours"] = [near["method"] for near in shown["neighbours"]]
    return {key: shown[key] for key in by_function}, by_function


@row("results check")
def check(case: Case) -> Answers:
    wrong = case.text("wrong.csv", "collection,dataset,method,measure,value\na,b,c,MAP,7\n")
    printed = case.run("results", "check", wrong, code=1).stdout.splitlines()
    found = rw.inspect_results(wrong)
    return printed, [found.describe(problem) for problem in found.problems]


@row("results convert")
def convert(case: Case) -> Answers:
    wide = case.text("wide.csv", "method,A,B\nx,0.1,0.2\ny,0.3,0.4\n")
    output, own = case.folder / "long.jsonl", case.folder / "own.jsonl"
    words = ("--wide", "MAP", "--collection", "made")
    case.run("results", "convert", wide, output, *words)
    layout = rw.results.WideLayout("MAP", "made")
    rw.write_results(rw.read_results(wide, wide=layout), own)
    return output.read_text(), own.read_text()


@row("results merge")
def merge(case: Case) -> Answers:
    more = case.text("more.csv", "collection,dataset,method,measure,value\nmade,A,w,MAP,0.25\n")
    output, own = case.folder / "all.csv", case.folder / "own.csv"
    case.run("results", "merge", case.table, more, "-o", output)
    rw.write_results(rw.merge_results([rw.read_results(case.table), rw.read_results(more)]), own)
    return output.read_text(), own.read_text()


@row("results list")
def list_tasks(case: Case) -> Answers:
    with rw.Store.read(case.store) as store:
        found = store.tasks()
    return case.ask("results", "list", case.store), plain(found)


@row("results show")
def show(case: Case) -> Answers:
    printed = case.ask("results", "show", case.store, "-m", "NDCG@5", "--all-tools")
    with rw.Store.read(case.store) as store:
        values = rw.results.choose_measures(store.values(), ["NDCG@5"])
        key = store.tasks()[0].key
        task = plain(rw.results.describe_task(store, key))
    whole = case.ask("results", "show", case.store, "--task", key)
    found = rw.experiments.summarize(values, all_tools=True)
    return (printed, whole), (plain(found), task)


@row("results export")
def export(case: Case) -> Answers:
    output, own = case.folder / "all.csv", case.folder / "own.csv"
    case.run("results", "export", case.store, output, "--all-tools")
    with rw.Store.read(case.store) as store:
        store.export(own, all_tools=True)
    runs = case.folder / "runs", case.folder / "own-runs"
    case.run("results", "export", case.store, runs[0], "--to", "mlflow")
    assert rw.results.export_runs(case.store, runs[1])
    names = [sorted(str(path.relative_to(home)) for path in home.rglob("*")) for home in runs]
    return (output.read_text(), names[0]), (own.read_text(), names[1])


@row("results bundle")
def bundle(case: Case) -> Answers:
    one, two = case.folder / "one.zip", case.folder / "two.zip"
    words = ("results", "bundle", case.store, "--method", "ridge-regression")
    printed = case.ask(*words, "--model", case.model, "-o", one)
    found = rw.write_bundle(case.store, "ridge-regression", two, models=[case.model])
    by_function = {**plain(found), "output": str(one)}
    return (printed, one.read_bytes()), (by_function, two.read_bytes())


@row("results dense")
def dense(case: Case) -> Answers:
    one, two = case.folder / "one", case.folder / "two"
    words = ("results", "dense", case.store, "--data", case.folds)
    printed = case.ask(*words, "-o", one)
    found = rw.condense_store(case.store, two, data=[case.folds])
    reasons = [
        {"dataset": subject.dataset, "method": method, "reason": reason}
        for (subject, method), reason in found.incomplete().items()
    ]
    names = sorted(path.name for path in one.iterdir())
    assert len(names) == 4
    files = [[(home / name).read_bytes() for name in names] for home in (one, two)]
    return (printed, files[0]), (reasons, files[1])


def _kept_store(case: Case) -> Path:
    """A store that keeps models and scores."""
    path = case.folder / "kept.sqlite"
    words = ("--data", case.folds, "--ranker", RANKERS[0], "--fold", 1, "--jobs", 1)
    case.run("bench", *words, "--keep", "models,scores", "--store", path, "--quiet")
    return path


@row("results kept")
def list_kept(case: Case) -> Answers:
    store = _kept_store(case)
    printed = case.ask("results", "kept", store)
    assert [one["what"] for one in printed] == ["model", "test scores", "validation scores"]
    found = [{**item._asdict(), "name": asdict(item.name)} for item in rw.list_kept(store)]
    return printed, plain(found)


@row("results extract")
def extract_kept(case: Case) -> Answers:
    """The files of the command are those of the function, and go on to other commands."""
    store = _kept_store(case)
    key = rw.list_kept(store)[0].key
    model, scores, validation = (case.folder / name for name in ("m.json", "s", "v"))
    case.run("results", "extract", store, key[:8], "--model", model, "--scores", scores,
             "--validation-scores", validation)  # fmt: skip
    again, other = case.folder / "again.json", case.folder / "other"
    rw.extract_kept(store, key, model=again, scores=other)
    case.run("score", model, case.test, "-o", case.folder / "scored")
    case.run("model", "export", model, "--to", "c", "-o", case.folder / "export")
    ways = ("evaluate", case.test, scores, case.folder / "scored", "-m", "MAP")
    kept, scored = case.ask(*ways, "--tool", "definition")
    assert kept["measures"] == scored["measures"]
    by_command = (model.read_bytes(), scores.read_bytes(), (case.folder / "scored").read_bytes())
    assert validation.read_bytes() != scores.read_bytes()
    same = rw.data.score_lines(rw.read_kept_scores(store, key)).encode()
    return by_command, (again.read_bytes(), other.read_bytes(), same)


def _other_store(case: Case) -> Path:
    """A copy of the store with one more fold."""
    other = case.folder / "other.sqlite"
    case.store  # noqa: B018
    shutil.copy(case.store, other)
    rw.bench(
        data=case.folds, rankers=["best-feature"], folds=[3], measures=["MAP"], store=other, jobs=1
    )
    return other


@row("results diff")
def difference(case: Case) -> Answers:
    other = _other_store(case)
    printed = case.ask("results", "diff", case.store, other, code=1)
    with rw.Store.read(case.store) as one, rw.Store.read(other) as two:
        found = [change._asdict() for change in one.difference(two)]
    assert found
    return printed, plain(found)


@row("results verify")
def verify(case: Case) -> Answers:
    damaged = case.folder / "damaged.sqlite"
    shutil.copy(case.store, damaged)
    with closing(sqlite3.connect(damaged)) as connection:
        connection.execute("UPDATE figures SET mean = mean / 2 WHERE number = 1")
        connection.commit()
    whole = case.ask("results", "verify", case.store)
    printed = case.ask("results", "verify", damaged, code=1)
    assert not whole["damages"] and len(printed["damages"]) == 1
    found = rw.verify_store(case.store), rw.verify_store(damaged)
    return (whole, printed), tuple(plain(found))


@row("results gc")
def collect_garbage(case: Case) -> Answers:
    one, two = _other_store(case), case.folder / "two.sqlite"
    shutil.copy(one, two)
    ended = case.run("results", "gc", one)
    with rw.Store.open(two) as store:
        found = store.garbage()
        store.collect_garbage()
    with rw.Store.read(one) as left, rw.Store.read(two) as right:
        assert left.difference(right) == []
    return ended.stderr, f"{len(found)} tasks removed from {one}\n"


@row("literature list")
def shipped(case: Case) -> Answers:
    return case.ask("literature", "list"), plain(rw.results.describe_shipped())


@row("literature show")
def show_shipped(case: Case) -> Answers:
    words = ("dearank_tables_2_to_5", "--method", "ListNet", "-m", "NDCG@10,MAP")
    found = rw.results.choose_rows(words[0], methods=["ListNet"], measures=["NDCG@10", "MAP"])
    return case.ask("literature", "show", *words), plain(found)


@row("literature cite")
def cite(case: Case) -> Answers:
    printed = case.run("literature", "cite", "LambdaMART", "--format", "bibtex").stdout
    return printed, rw.results.find_papers("LambdaMART").bibtex() + "\n"


@row("literature marks")
def literature_marks(case: Case) -> Answers:
    return case.ask("literature", "marks"), plain(rw.results.read_marks())


@row("literature check")
def check_published(case: Case) -> Answers:
    printed = case.ask("literature", "check", case.table, "dearank_tables_2_to_5")
    found = rw.results.check_published(case.table, "dearank_tables_2_to_5")
    assert found.findings
    return printed, plain([asdict(one) for one in found.findings])
