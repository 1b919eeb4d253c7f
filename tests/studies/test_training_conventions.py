"""Training conventions compared: corrected certainty, what is luck, and the paper's figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from studies.training_conventions import (
    Question,
    compare_conventions,
    compute_curves,
    explain_conventions,
    find_questions,
    main,
    write_convention_figures,
    write_conventions,
)

import rankwise as rw
from rankwise.comparison.significance_tests import holm, t_test
from rankwise.experiments.configuration import configure
from rankwise.experiments.planning import expand
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, Subject, TaskName, TaskOutcome
from tests.cli.whole_program import rankwise
from tests.experiments.running import tasks_here
from tests.stores import ask

RNG = np.random.default_rng(4)
BASE = {fold: RNG.random(30) for fold in (1, 2)}
SUBJECT = Subject("LETOR 4.0", "MQ2008", None)
MODELS = {f"{method} ({tool})": (method, tool) for method in ("AdaRank", "RankNet")
          for tool in ("yahoo", "definition", "letor4")}  # fmt: skip
QUESTION = Question(SUBJECT, "NDCG@10", "definition", MODELS)
LIFT = {"yahoo": 0.0, "definition": 0.0, "letor4": -0.2}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """AdaRank loses .2 a query under letor4, a little noise apart; RankNet is the same always."""
    path = tmp_path / "s.sqlite"
    with Store.open(path) as opened:
        for method in ("AdaRank", "RankNet"):
            for trained, lift in LIFT.items():
                for fold, base in BASE.items():
                    noise = 0.01 * np.cos(np.arange(30)) if trained == "letor4" else 0.0
                    change = (lift + noise) if method == "AdaRank" else 0.0
                    name = TaskName("LETOR 4.0", "MQ2008", None, fold, f"{method} ({trained})",
                                    method, 0, "definition")  # fmt: skip
                    outcome = TaskOutcome("done", values=tuple(figures(base + change)))
                    opened.add(f"{method}{trained}{fold}", name, {}, outcome)
    return path


def figures(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[StoredValue]:
    queries = tuple(map(str, range(30)))
    short = np.where(np.arange(30) < 10, np.nan, values)
    return [
        StoredValue(
            "test", tool, f"NDCG@{cut_off}", float(np.nan_to_num(shown).mean()), queries, shown
        )
        for cut_off in (1, 2, 10)
        for tool, shown in (("definition", values), ("letor4", short))
    ]


def test_curves_have_a_mean_and_an_error_at_every_cut_off(store: Path) -> None:
    found = {
        (one.method, one.trained, one.evaluated): one
        for one in ask(compute_curves, store, QUESTION)
    }
    assert len(found) == 2 * 3 * 2
    joined = np.concatenate([BASE[1], BASE[2]])
    one = found["RankNet", "yahoo", "definition"]
    assert one.cut_offs == (1, 2, 10)
    assert one.means == pytest.approx([joined.mean()] * 3)
    assert one.errors == pytest.approx([joined.std(ddof=1) / np.sqrt(60)] * 3)
    shortened = np.concatenate([np.where(np.arange(30) < 10, 0, BASE[fold]) for fold in (1, 2)])
    assert found["RankNet", "yahoo", "letor4"].means[0] == pytest.approx(shortened.mean())


def test_differences_are_paired_tests_corrected_together(store: Path) -> None:
    found = ask(compare_conventions, store, QUESTION)
    assert len(found) == 6
    first = found[0]
    assert (first.method, first.worse) == ("AdaRank", "letor4")
    noise = np.tile(0.01 * np.cos(np.arange(30)), 2)
    assert first.difference == pytest.approx(0.2 - noise.mean())
    p_value = t_test(0.2 - noise).p_value
    assert first.p_value == pytest.approx(holm([p_value, p_value, 1, 1, 1, 1])[0], rel=1e-6)
    assert {one.p_value for one in found if one.method == "RankNet"} == {1.0}


def test_findings_say_what_was_best_and_whether_it_was_luck(store: Path) -> None:
    ada, net = ask(explain_conventions, store, QUESTION)
    assert ada.startswith("AdaRank: trained under yahoo")
    assert "over letor4 by 0.2" in ada
    assert "(significant, p = " in ada
    # The two that share the best mean are both named, and not compared with each other.
    assert "best are yahoo and definition: " in ada
    assert "0.0000" not in ada.partition(";")[2]
    assert ada.count("over letor4 by 0.2") == 2
    assert net.endswith("all conventions rank every query equally well.")


def test_a_best_convention_by_less_than_is_printed_is_no_0_0000(tmp_path: Path) -> None:
    """Means of .12346 and .12344 differ in the digits printed, by less than those."""
    path = tmp_path / "s.sqlite"
    means = {"yahoo": 0.12344, "definition": 0.12344, "letor4": 0.12346}
    with Store.open(path) as opened:
        for trained, value in means.items():
            name = TaskName("", "d", None, 1, f"x ({trained})", "x", 0, "definition")
            figure = StoredValue("test", "definition", "NDCG@10", value, ("1", "2"),
                            np.array([value - 0.1, value + 0.1]))  # fmt: skip
            opened.add(trained, name, {}, TaskOutcome("done", values=(figure,)))
        lonely = TaskName("", "d", None, 2, "x (letor4)", "x", 0, "definition")
        opened.add("failed", lonely, {}, TaskOutcome.failure("error", "no"))
    models = {f"x ({tool})": ("x", tool) for tool in means}
    question = Question(Subject("", "d", None), "NDCG@10", "definition", models)
    (sentence,) = ask(explain_conventions, path, question)
    assert "best is letor4, over yahoo by less than 0.0001 (" in sentence
    with Store.open(path) as opened:
        figure = StoredValue("test", "definition", "NDCG@10", 0.5, ("3",), np.array([0.5]))
        opened.add("failed", lonely, {}, TaskOutcome("done", values=(figure,)))
    said = "fold 2 of d is left aside: not all have it"
    assert ask(explain_conventions, path, question) == [sentence, said]


def test_the_papers_figures_are_drawn(store: Path, tmp_path: Path) -> None:
    paths = write_convention_figures(ask(compute_curves, store, QUESTION), tmp_path)
    assert [path.name for path in paths] == [
        "figure-1.svg", "figure-1.png", "figure-2.svg", "figure-2.png"]  # fmt: skip
    first = paths[0].read_bytes()
    write_convention_figures(ask(compute_curves, store, QUESTION), tmp_path)
    assert paths[0].read_bytes() == first
    others = [one for one in ask(compute_curves, store, QUESTION) if one.trained != "definition"]
    assert len(write_convention_figures(others, tmp_path)) == 2


def asked(folds: Path, *rankers: dict[str, object], **others: object) -> list[Question]:
    data = [{"path": str(folds), "dataset": "one", "tool": "letor3"}]
    content = {"measures": ["MAP", "NDCG@5"], "data": data, "rankers": list(rankers)}
    return find_questions(expand(configure({**content, **others})))


SEVERAL = {"name": "best-feature", "measure": "NDCG@5", "tools": ["yahoo", "letor4"]}


def test_conventions_are_compared_where_a_ranker_is_trained_under_several(folds: Path) -> None:
    (question,) = asked(folds, SEVERAL)
    assert question.tool == "definition"
    (question,) = asked(folds, SEVERAL, tools=["own"])
    assert (question.subject.dataset, question.measure, question.tool) == (
        "one", "NDCG@5", "letor3")  # fmt: skip
    assert question.models == {
        "best-feature (yahoo)": ("best-feature", "yahoo"),
        "best-feature (letor4)": ("best-feature", "letor4"),
    }
    assert not question.chosen_only
    (question,) = asked(folds, SEVERAL, {**SEVERAL, "name": "mart"})
    assert question.chosen_only == {"mart"}
    assert asked(folds, {"name": "best-feature,ridge-regression"}) == []
    assert asked(folds, {**SEVERAL, "measure": "NDCG@3"}) == []


def test_labels_are_not_taken_for_conventions(folds: Path) -> None:
    """What was trained under what is known from the plan, whatever the labels say."""
    plain = {"name": "best-feature", "label": "best-feature", "measure": "NDCG@5",
             "tools": ["letor4"], "set": {"signs": "both"}}  # fmt: skip
    odd = {"name": "ridge-regression", "label": "ridge (tuned)", "measure": "NDCG@5"}
    (question,) = asked(folds, SEVERAL, plain, odd)
    assert question.models["ridge (tuned)"] == ("ridge (tuned)", "letor3")
    assert question.models["best-feature (letor4)"] == ("best-feature", "letor4")
    assert len(set(question.models.values())) == len(question.models) == 4


def test_equal_means_are_not_called_equal_rankings(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with Store.open(path) as opened:
        for trained, values in (("yahoo", [0.0, 1.0]), ("letor4", [1.0, 0.0])):
            name = TaskName("", "d", None, 1, f"x ({trained})", "x", 0, "definition")
            figure = StoredValue("test", "definition", "NDCG@10", 0.5, ("1", "2"), np.array(values))
            opened.add(trained, name, {}, TaskOutcome("done", values=(figure,)))
    models = {f"x ({tool})": ("x", tool) for tool in ("yahoo", "letor4")}
    (sentence,) = ask(
        explain_conventions, path, Question(Subject("", "d", None), "NDCG@10", "definition", models)
    )
    assert sentence.endswith("all conventions reach the same mean.")


def test_data_sets_with_tools_of_their_own_are_no_comparison_of_conventions(folds: Path) -> None:
    data = [{"path": str(folds), "dataset": "one", "tool": "letor3"},
            {"path": str(folds), "dataset": "two", "tool": "letor4"}]  # fmt: skip
    plan = expand(configure({"data": data, "rankers": [{"name": "best-feature"}]}))
    assert {task.selection.tool for task in plan.tasks} == {"letor3", "letor4"}
    assert find_questions(plan) == []


QUERIES = 40
NOISE = np.random.default_rng(8)
LEVEL = NOISE.uniform(0.4, 0.6, QUERIES)
# One clearly below the best, one beside it as chance has it.
VALUES = {
    "yahoo": LEVEL,
    "letor4": LEVEL - 0.06 + NOISE.normal(0, 0.08, QUERIES),
    "definition": LEVEL - 0.001 + np.tile([0.1, -0.1], QUERIES // 2),
}
NOISY_MODELS = {f"AdaRank ({tool})": ("AdaRank", tool) for tool in VALUES}
NOISY_QUESTION = Question(Subject("", "MQ2008", None), "NDCG@10", "definition", NOISY_MODELS)


@pytest.fixture(scope="module")
def noisy_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("findings") / "s.sqlite"
    queries = tuple(map(str, range(QUERIES)))
    with Store.open(path) as opened:
        for tool, values in VALUES.items():
            name = TaskName("", "MQ2008", None, 1, f"AdaRank ({tool})", "adarank", 0, "definition")
            mean = float(values.mean())
            figure = StoredValue("test", "definition", "NDCG@10", mean, queries, values)
            opened.add(tool, name, {"selection": tool}, TaskOutcome("done", values=(figure,)))
    return path


def corrected() -> dict[frozenset[str], float]:
    """Holm's procedure written out: the i-th least p-value times the number that are left."""
    pairs = [("yahoo", "letor4"), ("yahoo", "definition"), ("letor4", "definition")]
    raw = {frozenset(pair): float(ttest_rel(VALUES[pair[0]], VALUES[pair[1]]).pvalue)
           for pair in pairs}  # fmt: skip
    found, least = {}, 0.0
    for left, pair in zip((3, 2, 1), sorted(raw, key=raw.__getitem__), strict=True):
        least = max(least, min(1.0, left * raw[pair]))
        found[pair] = least
    return found


def test_the_p_values_of_three_conventions_are_corrected_together(noisy_store: Path) -> None:
    expected = corrected()
    found = ask(compare_conventions, noisy_store, NOISY_QUESTION)
    assert {frozenset((one.better, one.worse)) for one in found} == set(expected)
    for one in found:
        pair = frozenset((one.better, one.worse))
        assert one.p_value == pytest.approx(expected[pair], rel=1e-9, abs=0)
        assert one.difference == VALUES[one.better].mean() - VALUES[one.worse].mean() > 0
    assert found == sorted(found, key=lambda one: one.p_value)


def test_a_clear_difference_and_one_of_chance_get_their_words(noisy_store: Path) -> None:
    expected = corrected()
    clear, chance = (expected[frozenset(("yahoo", one))] for one in ("letor4", "definition"))
    assert 1e-6 < clear < 0.01 and chance > 0.5
    (sentence,) = ask(explain_conventions, noisy_store, NOISY_QUESTION)
    gap = LEVEL.mean() - VALUES["letor4"].mean()
    assert sentence.endswith(
        f"; best is yahoo, over letor4 by {gap:.4f} (significant, p = {clear:.3g}); "
        f"over definition by 0.0010 (not significant, p = {chance:.3g})."
    )
    least = ask(compare_conventions, noisy_store, NOISY_QUESTION)[0].p_value
    assert (
        "(significant" not in ask(explain_conventions, noisy_store, NOISY_QUESTION, level=least)[0]
    )


def test_without_cut_offs_there_is_nothing_to_draw(tmp_path: Path) -> None:
    subject, path = Subject("", "d", None), tmp_path / "s.sqlite"
    with Store.open(path) as opened:
        for method, level in (("a", 0.2), ("b", 0.4)):
            name = TaskName("", "d", None, 1, method, method, 0, "letor3")
            values = np.linspace(level, level + 0.1, 4) + 0.01 * np.cos(np.arange(4) * (1 + level))
            figure = StoredValue(
                "test", "letor3", "MAP", float(values.mean()), tuple("wxyz"), values
            )
            opened.add(method, name, {}, TaskOutcome("done", values=(figure,)))
    question = Question(subject, "MAP", "letor3", {"a": ("x", "letor3"), "b": ("x", "yahoo")})
    ask(write_conventions, path, question, tmp_path)
    assert "best is yahoo" in (tmp_path / "findings.md").read_text()
    assert not list(tmp_path.glob("figure-*"))


def test_a_run_names_the_study_that_writes_its_findings(
    folds: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, store = tmp_path / "conventions.toml", tmp_path / "s.sqlite"
    config.write_text(
        f"""
        measures = ["NDCG@5"]
        data = [{{ path = "{folds}" }}]
        rankers = [{{ name = "best-feature", measure = "NDCG@5", tools = ["yahoo", "letor4"] }}]
        """
    )
    with tasks_here():
        run = rw.bench(config, store=store, jobs=1)
    assert run.studies() == ["studies/training_conventions.py"]
    *_, last = rankwise("bench", config, "--store", store).err.splitlines()
    assert f"python studies/training_conventions.py CONFIG --store {store}" in last
    main([str(config), "--store", str(store), "-o", str(tmp_path / "out")])
    sentence = capsys.readouterr().out.strip()
    assert sentence.startswith("best-feature: trained under yahoo")
    assert (tmp_path / "out" / "findings.md").read_text() == f"- {sentence}\n"
    assert (tmp_path / "out" / "figure-1.svg").exists()
