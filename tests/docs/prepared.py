"""The folder that pages work in: small made-up data under the names that pages use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from tests.cli.whole_program import rankwise

# Where a page names a folder of real data, the place below RANKWISE_SHARED/data.
REAL = {
    "MQ2008": "letor4/MQ2008",
    "letor4/MQ2008": "letor4/MQ2008",
    "OHSUMED": "letor3/OHSUMED",
    "letor3/OHSUMED": "letor3/OHSUMED",
}
# Folders of many files that pages only read, so that all may have the same.
READ = ("MQ2008", "OHSUMED", "cranfield")
TABLE = "collection,dataset,method,measure,value,source\n" + "".join(
    f"L,D{n},{method},{measure},0.{n}{place + 2 * n % 3}{shift},s\n"
    for n in range(1, 8)
    for place, method in enumerate(("A", "B", "C", "Mine"))
    for shift, measure in enumerate(("MAP", "NDCG@10"))
)
EXPERIMENT = """name = "mine"
measures = ["MAP", "NDCG@10"]
folds = [1]
[[data]]
path = "MQ2008"
[[rankers]]
name = "best-feature,linear-regression"
"""


def make_folder(folder: Path) -> Path:
    """Everything that a page may name without making it."""
    whole = make_wide_dataset()
    normalized = rw.normalize(whole, "query-level")
    folds = list(rw.split_folds(normalized))
    (folder / "OHSUMED").mkdir()
    rw.write_folds(folds, folder / "MQ2008")
    # Pages repeat studies on the folds of OHSUMED: two are as good as five.
    rw.write_folds(folds[:2], folder / "OHSUMED" / "QueryLevelNorm")
    for name, target in {
        "letor4/MQ2008": "../MQ2008", "data/letor4/MQ2008": "../../MQ2008",
        "letor3/OHSUMED": "../OHSUMED", "O": "OHSUMED/QueryLevelNorm",
    }.items():  # fmt: skip
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(target)
    rw.write(make_wide_dataset(45), folder / "OHSUMED.txt")
    # Pages look at query 17, so it is in the test part.
    first = next(fold for fold in folds if "17" in fold.test.query_ids)
    for name, part in (
        ("train.txt", first.train), ("vali.txt", first.validation), ("test.txt", first.test),
        ("T", first.train), ("large.txt", first.train), ("wide.txt", first.train),
        ("mine.txt", first.train), ("theirs.txt", first.test),
    ):  # fmt: skip
        assert part is not None
        rw.write(part, folder / name)
    _write_scores(folder, folds, first)
    _write_trec(folder)
    _write_corpus(folder)
    _write_results(folder)
    return folder


def copy_folder(source: Path, target: Path) -> None:
    """A copy for one page, which may write where it likes but into the folders of `READ`."""
    for path in source.iterdir():
        if path.name in READ:
            (target / path.name).symlink_to(path)
        elif path.is_dir():
            shutil.copytree(path, target / path.name, symlinks=True)
        else:
            shutil.copy2(path, target)


def list_read(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of every file in the folders of `READ`: what a page must leave as it was."""
    found = [path for name in READ for path in (folder / name).rglob("*")]
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def link_real_data(shared: Path, folder: Path) -> None:
    """Links to real data under the names of pages; each test skips where there are none."""
    for name, place in REAL.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(shared / "data" / place)


def make_wide_dataset(n_features: int = 46) -> rw.Dataset:
    """Twenty-five queries, by default with the 46 features of LETOR 4.0: the made-up ones, and
    copies of them that noise blurs more and more."""
    made = make_dataset(25, seed=3)
    lengths = np.diff(made.query_offsets)
    rng = np.random.default_rng(0)
    blurred = [
        made.features[:, n % 12] + 0.1 * n * rng.normal(size=made.n_documents)
        for n in range(n_features - made.n_features)
    ]
    features = np.column_stack([made.features, *blurred]).round(6)
    return rw.Dataset.from_arrays(
        features,
        made.labels,
        group=lengths,
        document_ids=[f"d{n}" for length in lengths for n in range(1, length + 1)],
    )


def _write_scores(folder: Path, folds: list[rw.Fold], first: rw.Fold) -> None:
    rng = np.random.default_rng(1)
    for column, name in ((24, "bm25"), (3, "mine")):
        (folder / name).mkdir()
        for fold in folds:
            scores = np.nan_to_num(fold.test.features[:, column]) + 0.01 * rng.random(
                fold.test.n_documents
            )
            text = "".join(f"{score:.6f}\n" for score in scores)
            (folder / name / f"{fold.number}.scores").write_text(text)
            if name == "mine":
                (folder / f"fold{fold.number}.scores").write_text(text)
        shutil.copy(folder / name / f"{first.number}.scores", folder / f"{name}.scores")
    shutil.copy(folder / "mine.scores", folder / "my.scores")


def _write_trec(folder: Path) -> None:
    pairs = [(f"q{q}", f"d{d}", (q * d) % 3) for q in range(1, 11) for d in range(1, 8)]
    qrels = "".join(f"{query} 0 {document} {label}\n" for query, document, label in pairs)
    (folder / "qrels").write_text(qrels)
    rng = np.random.default_rng(2)
    for name, weight in (("baseline.run", 0.5), ("mine.run", 1.0)):
        rows = (
            f"{query} Q0 {document} 1 {weight * label + rng.random():.6f} {name}\n"
            for query, document, label in pairs
        )
        (folder / name).write_text("".join(rows))


def _write_corpus(folder: Path) -> None:
    """Forty short documents, eight queries, judgements, and what `rankwise build` makes of them."""
    words = [
        "wing",
        "flow",
        "heat",
        "slip",
        "shock",
        "layer",
        "plate",
        "body",
        "jet",
        "wave",
        "transfer",
        "boundary",
    ]
    rng = np.random.default_rng(3)
    documents = [
        {"id": f"c{n}", "title": " ".join(rng.choice(words, 3)),
         "body": " ".join(rng.choice(words, 40))}
        for n in range(40)
    ]  # fmt: skip
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
    queries = [(f"{n}", " ".join(rng.choice(words, 2, replace=False))) for n in range(1, 9)]
    (folder / "queries.tsv").write_text("".join(f"{q}\t{text}\n" for q, text in queries))
    judged = "".join(
        f"{query} 0 {one['id']} {min(2, sum(str(one['title']).count(w) for w in text.split()))}\n"
        for query, text in queries
        for one in documents
    )
    (folder / "judgements").write_text(judged)
    rw.build(
        folder / "corpus.jsonl", folder / "cranfield", queries=folder / "queries.tsv",
        qrels=folder / "judgements", depth=20, jobs=1,
    )  # fmt: skip
    shutil.copytree(folder / "cranfield" / "Meta", folder / "OHSUMED" / "Meta")


def _write_results(folder: Path) -> None:
    (folder / "results.csv").write_text(TABLE)
    (folder / "mine.csv").write_text(TABLE.splitlines()[0] + "\n" + "".join(
        f"{where},new,MAP,0.4{n},me\n"
        for n, where in enumerate(("L,D1", "L,D2", "L,D3", "LETOR 4.0,MQ2008"))
    ))  # fmt: skip
    (folder / "paper.csv").write_text("method,MQ2007,MQ2008\nListNet,0.4440,0.2303\n")
    (folder / "mine.toml").write_text(EXPERIMENT)
    words = ("--data", folder / "MQ2008", "--ranker", "ridge-regression,best-feature")
    ended = rankwise("bench", *words, "--store", folder / "results.sqlite", "--quiet", "--jobs", 1)
    assert ended.code == 0, ended.err
