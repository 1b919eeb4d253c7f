"""LambdaMART from a table of judgements to a file that Solr reads, and what is lost on the way."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

import rankwise as rw

rng = np.random.default_rng(7)
rows = 60 * 12
table = pd.DataFrame(
    {
        "query": np.repeat([f"q{n}" for n in range(60)], 12),
        "document": [f"d{n}" for n in range(rows)],
        "bm25": rng.gamma(2.0, 2.0, rows).round(4),
        "popularity": rng.random(rows).round(6),
    }
)
interest = table.bm25 + 5 * table.popularity + rng.normal(0, 1, rows)
table["grade"] = pd.cut(interest, [-99, 5, 8, 11, 99], labels=False)
table.to_csv("judgements.csv", index=False)

judged = pd.read_csv("judgements.csv")
dataset = rw.Dataset.from_frame(judged, label="grade", query="query", document="document")
fold = next(iter(rw.split_folds(dataset)))
model = rw.fit(rw.make_ranker("lambdamart", rounds=30), fold.train, fold.validation, seed=0)
scores = model.score(fold.test)
print("NDCG@10:", round(rw.evaluate(fold.test, scores, "NDCG@10")["NDCG@10"].mean, 4))

rw.save_model(model, "model.json")
rw.export_model("model.json", "solr", "solr.json", store="shop", data=fold.test)
certificate = json.loads(Path("solr.json.certificate.json").read_text("utf-8"))
print("solr.json: scores differ by at most", certificate["greatest_difference"])
