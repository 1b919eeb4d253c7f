"""A small build with links, for tests of what is done with builds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import rankwise as rw


def make_build(
    home: Path,
    *,
    depth: int = 8,
    n_documents: int = 60,
    n_queries: int = 15,
    classes: tuple[str, ...] = (),
    **choices: Any,
) -> Path:
    """Documents of words that come and go, queries of two words, labels from 0 to 2.

    The queries have `classes` in turn, where there are some.
    """
    rng = np.random.default_rng(5)
    lines, judged = [], []
    for n in range(n_documents):
        words = " ".join(f"word{word}" for word in rng.zipf(1.4, 30) % 30)
        url = f"http://h{n % 4}.org/{'a/' * (n % 3)}{n}.html"
        record = {"id": f"d{n}", "title": f"word{n % 9}", "body": words, "url": url,
                  "links": [f"d{(7 * n + 1) % n_documents}", f"d{(n // 2)}"]}  # fmt: skip
        lines.append(json.dumps(record) + "\n")
    for query in range(n_queries):
        labels = rng.integers(0, 3, n_documents) * (rng.random(n_documents) < 0.2)
        judged += [f"{query} 0 d{d} {label}\n" for d, label in enumerate(labels)]
    (home / "corpus.jsonl").write_text("".join(lines))
    given = [classes[n % len(classes)] if classes else None for n in range(n_queries)]
    queries = "".join(
        f"{n}\tword{n % 9} word{n % 7 + 1}" + ("\n" if name is None else f"\t{name}\n")
        for n, name in enumerate(given)
    )
    (home / "queries.tsv").write_text(queries)
    (home / "qrels").write_text("".join(judged))
    rw.build(
        home / "corpus.jsonl", home / "built", queries=home / "queries.tsv", qrels=home / "qrels",
        depth=depth, jobs=1, stemmer="none", **choices,
    )  # fmt: skip
    return home / "built"
