"""A LETOR data set from text: documents, queries and judgements in, folds with features out."""

import json
from pathlib import Path

import numpy as np

import rankwise as rw

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
    {
        "id": f"c{n}",
        "title": " ".join(rng.choice(words, 3)),
        "body": " ".join(rng.choice(words, 40)),
    }
    for n in range(60)
]
queries = {str(n): " ".join(rng.choice(words, 2, replace=False)) for n in range(1, 11)}
Path("corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in documents))
Path("queries.tsv").write_text("".join(f"{query}\t{text}\n" for query, text in queries.items()))
judgements = []
for query, text in queries.items():
    for one in documents:
        found = sum(one["title"].count(word) for word in text.split())
        label = min(2, found) if rng.random() < 0.7 else int(rng.integers(0, 2))
        judgements.append(f"{query} 0 {one['id']} {label}\n")
Path("qrels").write_text("".join(judgements))

built = rw.build("corpus.jsonl", "built", queries="queries.tsv", qrels="qrels", depth=30, jobs=1)
print(len(built.feature_names), "features, the first:", built.feature_names[0])
for fold in rw.read_folds("built/QueryLevelNorm"):
    model = rw.fit("ridge-regression", fold.train, fold.validation)
    found = rw.evaluate(fold.test, model.score(fold.test), "MAP")
    print("fold", fold.number, "MAP", round(found["MAP"].mean, 4))
