"""Nothing that stands in a file is obeyed by the terminal, whatever command reads and prints it.

Every command is run over files whose names and values would clear the screen; also the name of
every file that a command takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import pytest

from rankwise.data import Dataset, write
from rankwise.models import export_model
from rankwise.models.model_file import as_text
from rankwise.results.store.store import Store
from rankwise.results.task_records import StoredValue, TaskName, TaskOutcome
from rankwise.sanitize import visible
from tests.cli.test_options import COMMANDS
from tests.cli.whole_program import rankwise
from tests.data.catalog import little
from tests.models.made import made_models, model_file

EVIL = "\x1b[2J\x9b31m\u202e\x07x"
# The reader of LETOR takes controls for blanks, which end an id.
WITHOUT_BLANKS = "\x9b31m\u202ex"
TABLE = "collection,dataset,method,measure,value,source\n" + "".join(
    f"L,D{n},{method},MAP,0.{n}{place},s\n"
    for n in range(1, 4)
    for place, method in enumerate(("A", "B", "C"))
)
# Commands that print nothing from outside.
OF_THEIR_OWN = {"demo", "completion"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Valid files of every kind, with names in them that a terminal would obey."""
    home = tmp_path_factory.mktemp("evil")
    rows = "".join(
        f"{n % 2} qid:{n // 3}{WITHOUT_BLANKS} 1:{n} 2:{-n} #docid = d{n}{EVIL}\n"
        for n in range(12)
    )
    (home / "data.txt").write_text(rows)
    (home / "scores").write_text("".join(f"{n * 7 % 5}\n" for n in range(12)))
    (home / "other-scores").write_text("".join(f"{n * 3 % 5}\n" for n in range(12)))
    queries = [f"q{n}{EVIL}" for n in range(3)]
    (home / "qrels").write_text(
        "".join(f"{q} 0 d{n}{EVIL} {n % 2}\n" for q in queries for n in range(4))
    )
    (home / "run").write_text(
        "".join(f"{q} Q0 d{n}{EVIL} {n} {9 - n} tag{EVIL}\n" for q in queries[1:] for n in range(4))
    )
    (home / "results.csv").write_text(TABLE.replace(",A,", f",A{EVIL.replace(chr(27), '')},"))
    (home / "plain.csv").write_text(TABLE)
    (home / "bad.csv").write_text(TABLE.replace(",s\n", f",s{EVIL}\n"))
    (home / "table.csv").write_text(
        f"query,rel,f,te{EVIL}xt\n" + "".join(f"q{EVIL},{n},{n},a{EVIL}\n" for n in range(3))
    )
    features = np.arange(12.0).reshape(6, 2)
    named = Dataset.from_arrays(
        features, [0, 1, 2] * 2, qid=[1, 1, 1, 2, 2, 2], feature_names=[f"a{EVIL}", f"b{EVIL}"]
    )
    write(named, home / "data.parquet")
    model = json.loads(
        as_text(model_file(made_models()["linear"], tuple(f"f{n}{EVIL}" for n in range(4))))
    )
    model |= {
        "ranker": f"r{EVIL}",
        "paper": f"p{EVIL}",
        "parameters": {f"k{EVIL}": EVIL},
        "training": {EVIL: EVIL},
    }
    (home / "model.json").write_text(json.dumps(model))
    (home / "wide.txt").write_text(
        "".join(
            f"{n % 2} qid:{n // 6}{WITHOUT_BLANKS} 1:{n} 2:{-n} 3:1 4:{n * n} #docid = d{n}{EVIL}\n"
            for n in range(12)
        )
    )
    export_model(home / "model.json", "linear-json", home / "exported.json")
    little.write_folds(home / "folds")
    (home / "bench.toml").write_text(
        f'[[data]]\npath = "folds"\ndataset = {json.dumps("d" + EVIL)}\n[[rankers]]\n'
        f'name = "best-feature"\nlabel = {json.dumps("l" + EVIL)}\n'
    )
    make_store(home / "results.sqlite")
    make_click_log(home)
    return home


def make_click_log(home: Path) -> None:
    words = ["--sessions", "30", "--logging", "feature:1,feature:2"]
    ended = rankwise("clicks", "simulate", home / "data.txt", *words, "-o", home / "log.csv")
    assert ended.code == 0, ended.err


def make_store(path: Path) -> None:
    queries = tuple(f"q{n}{EVIL}" for n in range(4))
    with Store.open(path) as store:
        for place, method in enumerate((f"A{EVIL}", f"B{EVIL}")):
            name = TaskName(f"L{EVIL}", f"D{EVIL}", f"V{EVIL}", 1, method, "r", 0, "letor3")
            values = np.array([0.1, 0.2, 0.4, 0.7]) * (1 + place)
            done = StoredValue("test", "letor3", "MAP", float(values.mean()), queries, values)
            store.add(
                f"k{place}", name, {}, TaskOutcome("done", values=(done,), parameters={EVIL: EVIL})
            )
        failed = TaskName(f"L{EVIL}", f"D{EVIL}", f"V{EVIL}", 2, f"A{EVIL}", "r", 0, "letor3")
        store.add("k9", failed, {}, TaskOutcome.failure("error", f"because {EVIL}"))


VALID = """
data describe data.txt
data describe data.parquet
data describe table.csv
data check data.txt
data check folds
data convert data.parquet made.txt
data add-feature data.txt scores made-added.txt
data filter data.txt made-filtered.txt --drop short:1
data normalize data.txt made2.txt --to query-level
data split data.txt made-folds
data list letor4/mq2008
evaluate data.txt scores --per-query
evaluate data.txt scores --per-query --tool letor4
evaluate qrels run --trec --per-query --tool trec_eval
explain data.txt scores --tool letor4,yahoo -m NDCG@10
identify data.txt scores --value 0.5 -m MAP
reconcile data.txt scores -m MAP
significance data.txt scores other-scores -m MAP
significance results.sqlite -m MAP
measures
model show model.json
model export model.json --to linear-json -o made.json
model verify exported.json --data wide.txt
model cost model.json wide.txt --to python --repeats 1
model importance model.json wide.txt --by permutation -m NDCG@5
model contributions model.json wide.txt
model dependence model.json wide.txt --feature 2
model why model.json wide.txt
score model.json data.txt
features importance folds
features path folds --ranker sparserank --values 0.1
features reduce folds --to 1
features select folds --keep 1
train folds/Fold1/train.txt --ranker best-feature -o made-model.json
train folds/Fold1/train.txt --ranker best-feature --also wide.txt -o made-model.json
tune folds/Fold1 --ranker ridge-regression --store made-trials.sqlite -o made-tuned.json
bench bench.toml --dry-run --store made.sqlite
rankers list
rankers show listnet
recommend data.txt --table dense
clicks simulate data.txt --sessions 5 -o made-log.csv
clicks propensities log.csv --data data.txt --method harvesting
clicks convert log.csv --data data.txt -o made-clicks
clicks evaluate log.csv scores --data data.txt
clicks interleave data.txt feature:1 feature:2 --sessions 5
clicks online folds --sessions 5 --runs 1
clicks offline folds --sessions 5 --runs 1
arena new arena --data folds
arena board arena folds
arena duplicates arena folds
arena baselines arena folds --ranker best-feature
arena invite arena participant --team mine
arena revoke arena nobody
arena reveal arena nothing
arena audit arena
arena export arena made-arena
serve absent.toml
submit http://127.0.0.1:9 task scores --title mine
compare results.csv
compare results.sqlite
place results.csv
place results.sqlite
results check results.csv bad.csv
results convert plain.csv made.jsonl
results bundle results.sqlite --method a -o made.zip
results diff results.sqlite results.sqlite
results dense results.sqlite -o made-dense
results export results.sqlite made.csv
results extract results.sqlite k0 --model made-kept.json
results gc results.sqlite
results kept results.sqlite
results list results.sqlite
results merge plain.csv plain.csv -o made3.csv
results show results.sqlite
results verify results.sqlite
literature check results.csv
literature cite ListNet
literature list
literature marks
literature show results.csv
literature show tax2015_table_2
""".strip().splitlines()


def with_formats() -> Iterator[str]:
    """The lines above, each with every format that the command prints."""
    for line in VALID:
        name = next(
            " ".join(line.split()[:n]) for n in (2, 1) if " ".join(line.split()[:n]) in COMMANDS
        )
        option = next((one for one in COMMANDS[name].params if one.name == "output_format"), None)
        choices = (
            option.type.choices
            if option is not None and isinstance(option.type, click.Choice)
            else ()
        )
        yield from (f"{line} --format {choice}" for choice in choices)
        if not choices:
            yield line


def check_clean(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("line", list(with_formats()))
def test_what_files_hold_is_not_obeyed(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    ended = rankwise(*line.split())
    assert ended.out + ended.err
    check_clean(ended.out + ended.err)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_written_on_the_command_line_is_not_obeyed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in OF_THEIR_OWN:
        return
    monkeypatch.chdir(tmp_path)
    places = [one for one in COMMANDS[name].params if isinstance(one, click.Argument)]
    needed = [
        one for one in COMMANDS[name].params if isinstance(one, click.Option) and one.required
    ]
    arguments = [EVIL for _ in places or [0]]
    for one in needed:
        choices = one.type.choices if isinstance(one.type, click.Choice) else (f"1{EVIL}",)
        arguments += [one.opts[0], choices[0]]
    ended = rankwise(*name.split(), *arguments)
    assert ended.code != 0
    check_clean(ended.out + ended.err)


def test_every_command_is_run_over_such_files() -> None:
    run = {" ".join(line.split()[:n]) for line in VALID for n in (1, 2)}
    # The builder's input is read by tests/fuzz, and what it prints of it are counts and messages.
    assert set(COMMANDS) - run == OF_THEIR_OWN | {
        "build corpus", "build features", "data fetch", "data import",
    }  # fmt: skip
