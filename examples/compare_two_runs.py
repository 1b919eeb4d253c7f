"""Two TREC runs: trec_eval's figures without trec_eval, and whether the difference is luck."""

from pathlib import Path

import numpy as np

import rankwise as rw

rng = np.random.default_rng(7)
pairs = [(f"q{q}", f"d{d}", int(rng.integers(0, 3))) for q in range(30) for d in range(20)]
Path("qrels").write_text("".join(f"{q} 0 {d} {label}\n" for q, d, label in pairs))
for name, weight in (("bm25.run", 0.3), ("mine.run", 0.6)):
    rows = (f"{q} Q0 {d} 1 {weight * label + rng.normal():.6f} x\n" for q, d, label in pairs)
    Path(name).write_text("".join(rows))

for name in ("bm25.run", "mine.run"):
    found = rw.evaluate("qrels", name, ["NDCG@10", "MAP", "P@10"], tool="trec_eval", trec=True)
    print(name, {measure: round(value, 4) for measure, value in found.means().items()})

# The same as: rankwise significance qrels bm25.run mine.run -m NDCG@10 --tool trec_eval --trec
print(rw.significance("qrels", ["bm25.run", "mine.run"], "NDCG@10", "trec_eval", trec=True))
