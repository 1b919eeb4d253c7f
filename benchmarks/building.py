"""Building at scale: index and features of generated documents, beside bm25s in the same run.

    python benchmarks/building.py [--documents 100000] [--queries 100] [--processes 2]

Writes JSON lines of documents with Zipf-distributed words and links, then, each in a process of
its own: indexes a tenth of them and all of them, computes LETOR's Gov features of the 1,000 best
documents of each query, and indexes the same texts with bm25s (its own tokenizer, the same
stemmer). Prints seconds, time per document, peak memory and the ratio to bm25s. bm25s keeps one
stream in memory; Rankwise writes title, body, anchor and whole, words in order, links and digests.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WORDS = 300_000
TOPICS = 12
PROGRAM = """
import json, resource, sys, time
begun = time.perf_counter()
{body}
if __name__ == "__main__":
    facts = go(*sys.argv[1:])
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    largest_child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({{**facts, "own": own * 1024, "child": largest_child * 1024}}))
"""
INDEX = """
from rankwise.collection.analysis import Analysis
from rankwise.collection.corpora.corpus import open_corpus
from rankwise.collection.index.indexing import IndexingWorkers, IndexPlan, build_index
def go(corpus, folder, processes):
    plan = IndexPlan("made", ("body", "anchor", "title"), source="made")
    start = time.perf_counter()
    index = build_index(
        open_corpus(corpus).documents(), folder, plan, engine=IndexingWorkers(int(processes))
    )
    seconds = time.perf_counter() - start
    size = sum(facts["bytes"] for facts in index.manifest.files.values())
    return {"seconds": seconds, "documents": index.n_documents, "bytes": size}
"""
FEATURES = """
from pathlib import Path
from rankwise.collection.building import PRESETS, build_dataset
from rankwise.collection.corpora.document import Findings
from rankwise.collection.corpora.judgements import read_judgements
from rankwise.collection.corpora.query_files import read_queries
from rankwise.collection.data_card import DataCard
from rankwise.collection.index.index import Index
from rankwise.collection.judged_queries import select_judged_queries
def go(folder, queries, qrels):
    start = time.perf_counter()
    index, findings = Index.open(folder), Findings()
    ready = select_judged_queries(index, read_queries(queries), read_judgements(qrels), findings)
    home = Path(folder).parent / "data"
    home.mkdir()
    card = DataCard("made", {}, findings)
    done = build_dataset(index, ready, home, PRESETS["gov"][1], card, lambda count: None)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "rows": done.facts["rows"], "features": len(done.facts["features"])}
"""
BM25S = """
import bm25s, snowballstemmer
def go(corpus):
    with open(corpus) as stream:
        records = map(json.loads, stream)
        texts = [record["title"] + " " + record["body"] for record in records]
    start = time.perf_counter()
    stemmer = snowballstemmer.stemmer("porter")
    tokens = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer.stemWords, show_progress=False)
    tokenized = time.perf_counter() - start
    retriever = bm25s.BM25()
    retriever.index(tokens, show_progress=False)
    return {"seconds": time.perf_counter() - start, "tokenizing": tokenized}
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder, options.documents, options.queries)
        compare(folder, options.documents, options.processes)


def generate(folder: Path, n_documents: int, n_queries: int) -> None:
    """Documents of about 120 words, 5 links each to popular ones, and two-word queries."""
    rng = np.random.default_rng(7)
    words = np.array([_word(rank) for rank in range(WORDS)])
    weights = 1.0 / np.arange(1, WORDS + 1)
    cumulative = np.cumsum(weights / weights.sum())
    small = (folder / "small.jsonl").open("w")
    with small, (folder / "large.jsonl").open("w") as stream:
        for number in range(n_documents):
            size = int(rng.integers(40, 200))
            ranks = np.searchsorted(cumulative, rng.random(size + 6))
            text = words[np.minimum(ranks, WORDS - 1)].tolist()
            targets = (rng.random(5) ** 3 * n_documents).astype(int).tolist()
            record = {
                "id": f"d{number}",
                "title": " ".join(text[:6]),
                "body": " ".join(text[6:]),
                "url": f"http://h{number % 997}.org/{number % 31}/{number}.html",
                "links": [{"target": f"d{t}", "text": text[t % 6]} for t in targets],
                "category": f"topic{number % TOPICS}",
            }
            line = json.dumps(record) + "\n"
            stream.write(line)
            if number < n_documents // 10:
                small.write(line)
    chosen = rng.integers(20, 2000, (n_queries, 3))
    queries = [f"{n}\t{' '.join(words[ranks])}\n" for n, ranks in enumerate(chosen, 1)]
    (folder / "queries.tsv").write_text("".join(queries))
    judged = [f"{n} 0 d{rng.integers(n_documents)} 1\n" for n in range(1, n_queries + 1)]
    (folder / "qrels").write_text("".join(judged))


def _word(rank: int) -> str:
    """A different word of letters for each rank, longer for rarer ones."""
    letters = "bcdfghjklmnprstvz"
    vowels = "aiou"
    word = ""
    rank += len(letters) * len(vowels)
    while rank:
        rank, digit = divmod(rank, len(letters) * len(vowels))
        word += letters[digit // len(vowels)] + vowels[digit % len(vowels)]
    return word


def compare(folder: Path, n_documents: int, processes: int) -> None:
    run(folder, INDEX, folder / "small.jsonl", folder / "warm" / "index", processes)
    small = run(folder, INDEX, folder / "small.jsonl", folder / "a" / "index", processes)
    large = run(folder, INDEX, folder / "large.jsonl", folder / "b" / "index", processes)
    inputs = (folder / "queries.tsv", folder / "qrels")
    features = run(folder, FEATURES, folder / "b" / "index", *inputs)
    peer = run(folder, BM25S, folder / "large.jsonl")
    print(f"{'':<28}{'seconds':>9}{'µs/document':>13}{'peak MB':>9}")
    for name, facts, count in (
        (f"index {n_documents // 10:,}", small, n_documents // 10),
        (f"index {n_documents:,}", large, n_documents),
        (f"features, {features['rows']:,} rows", features, features["rows"]),
        (f"bm25s {n_documents:,}", peer, n_documents),
    ):
        peak = facts["own"] + (processes * facts["child"] if facts is large else 0)
        each = facts["seconds"] / count * 1e6
        print(f"{name:<28}{facts['seconds']:>9.1f}{each:>13.0f}{peak / 1e6:>9.0f}")
    growth = (large["seconds"] / n_documents) / (small["seconds"] / (n_documents // 10))
    total = large["seconds"] + features["seconds"]
    print(f"\nindex and features together: {total:.0f} s (limit 300 s)")
    print(f"time per document, {n_documents:,} to {n_documents // 10:,}: {growth:.2f}")
    print(f"time of bm25s to that of the index: {peer['seconds'] / large['seconds']:.2f}")
    print(f"size of the index: {large['bytes'] / 1e6:.0f} MB")


def run(folder: Path, body: str, *arguments: object) -> dict[str, float]:
    program = folder / "program.py"
    program.write_text(PROGRAM.format(body=body))
    command = [sys.executable, str(program), *map(str, arguments)]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"failed after {time.perf_counter() - started:.0f} s:\n{done.stderr}")
    facts: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return facts


if __name__ == "__main__":
    main()
