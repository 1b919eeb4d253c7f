"""Rows of the commands about clicks."""

from __future__ import annotations

import rankwise as rw
from tests.front_door.table import Answers, Case, plain, row

USER = "position-based:usual"


@row("clicks simulate")
def simulate(case: Case) -> Answers:
    output = case.folder / "log.csv"
    words = ("--sessions", 50, "--user", USER, "--logging", "feature:2,random", "--seed", 3)
    printed = case.ask("clicks", "simulate", case.train, *words, "-o", output)
    log = rw.simulate_clicks(case.train, 50, user=USER, logging=["feature:2", "random"], seed=3)
    rw.write_log(log, case.folder / "own.csv")
    facts = plain([{"file": str(output), **log.facts()}])
    return (printed, output.read_bytes()), (facts, (case.folder / "own.csv").read_bytes())


def make_log(case: Case) -> rw.ClickLog:
    log = rw.simulate_clicks(case.train, 500, user=USER, logging="feature:2", randomization="swap")
    rw.write_log(log, case.folder / "log.csv")
    return rw.read_log(case.folder / "log.csv", case.train)


@row("clicks propensities")
def propensities(case: Case) -> Answers:
    log, output = make_log(case), case.folder / "p.json"
    words = ("--data", case.train, "--resamples", 3, "--seed", 1, "-o", output)
    printed = case.ask("clicks", "propensities", case.folder / "log.csv", *words)
    found = rw.estimate_propensities(log, "em", resamples=3, seed=1)
    assert rw.Propensities.load(output) == found
    kept = {name: getattr(found, name) for name in ("method", "sessions", "values", "errors")}
    return printed, plain(kept)


@row("clicks convert")
def convert(case: Case) -> Answers:
    log = make_log(case)
    rw.feedback.power_propensities(10, 1.0).save(case.folder / "p.json")
    words = ("--data", case.train, "--propensities", case.folder / "p.json")
    case.run("clicks", "convert", case.folder / "log.csv", *words, "-o", case.folder / "a")
    rw.convert_log(log, case.folder / "b", propensities=case.folder / "p.json")
    return tuple((case.folder / one / "train.txt").read_bytes() for one in "ab")


@row("clicks evaluate")
def evaluate(case: Case) -> Answers:
    log, known = make_log(case), rw.feedback.power_propensities(10, 1.0)
    known.save(case.folder / "p.json")
    words = ("--propensities", case.folder / "p.json", "--data", case.train, "--goal", "P@5")
    printed = case.ask("clicks", "evaluate", case.folder / "log.csv", case.model, *words)
    found = rw.evaluate_from_log(log, rw.load_model(case.model), known, goal="P@5")
    return printed, plain({"sessions": found.sessions, "estimates": found.estimates})


@row("clicks interleave")
def interleave(case: Case) -> Answers:
    words = ("--sessions", 300, "--method", "probabilistic", "--seed", 2, "-m", "MAP")
    printed = case.ask("clicks", "interleave", case.train, "feature:1", "feature:3", *words)
    found = rw.interleave(
        case.train, "feature:1", "feature:3", sessions=300, method="probabilistic", seed=2,
        measure="MAP",
    )  # fmt: skip
    return printed, plain(found.as_dict())


@row("clicks online")
def online(case: Case) -> Answers:
    words = ("--sessions", 100, "--runs", 2, "--fold", "1,2", "--set", "learning_rate=0.2")
    printed = case.ask("clicks", "online", case.folds, "--learner", "pdgd", *words)
    found = rw.learn_online(
        case.folds, ["pdgd"], sessions=100, runs=2, folds=[1, 2], settings=["learning_rate=0.2"]
    )
    return printed, plain(found.as_dict())


@row("clicks offline")
def offline(case: Case) -> Answers:
    words = ("--sessions", "50,100", "--runs", 2, "--fold", 1, "--logging", "feature:2")
    printed = case.ask("clicks", "offline", case.folds, "--learner", "ranksvm", *words)
    found = rw.learn_offline(
        case.folds, ["ranksvm"], sessions=[50, 100], runs=2, folds=[1], logging="feature:2"
    )
    return printed, plain(found.as_dict())
