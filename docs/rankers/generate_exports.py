"""Make docs/rankers/export-agreement.md: every kind of model in every target, beside the model.

    python docs/rankers/generate_exports.py

Models are trained on made-up data, exported, and scored again on their golden rows. RankLib is run
where RANKWISE_RANKLIB is its class path; PMML where jpmml_evaluator and Java are installed.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import rankwise as rw
from rankwise.data.synthetic import make_dataset
from rankwise.errors import RankwiseError
from rankwise.models import EXPORTS, ScoreAgreement
from rankwise.models.formats.format import refusals_of
from rankwise.models.golden_rows import GROUPS

PAGE = Path(__file__).with_name("export-agreement.md")
RANKERS = (
    *("ridge-regression", "rankboost", "lambdamart", "random-forest", "ranknet", "mcrank"),
    "gprank",
)
SETTINGS = {"ranknet": {"hidden_layers": "10"}}
"""Beyond the defaults: a network without hidden units is a linear model."""
HEAD = """# How exported models score

Made by `python docs/rankers/generate_exports.py`: each ranker is trained on 60 made-up queries,
exported to each target, and its 50 golden rows are scored again from the exported file. A cell is
the greatest difference from the model's own scores in rows *at*, *beside* and *between* thresholds,
with *NULL*, *zeros* and *huge* values (beyond single precision); `=` says that all scores have the
same value, `n ≠` that n rows have a finite number on one side only. What is left out on purpose, an
intercept, is added before comparing. [What the targets are](models.md#export).
Measured on {day} at {commit}.

"""


def main() -> None:
    """Train, export, score again, and write the page."""
    train = make_dataset(60, seed=1)
    filled = rw.normalize(train, "min")
    asked = ["git", "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(asked, cwd=PAGE.parent, capture_output=True, text=True, check=True)
    lines = [HEAD.format(day=datetime.now(UTC).date(), commit=commit.stdout.strip())]
    with tempfile.TemporaryDirectory() as folder:
        for name in RANKERS:
            data = train if rw.describe_ranker(name).handles_null else filled
            path = Path(folder, f"{name}.json")
            model = rw.fit(rw.make_ranker(name, **SETTINGS.get(name, {})), data, seed=0)
            rw.save_model(model, path)
            lines += _section(name, model.scorer.kind, path)
    PAGE.write_text("".join(lines).rstrip("\n") + "\n", "utf-8")


def _section(name: str, kind: str, path: Path) -> Iterator[str]:
    yield f"## {name} ({kind})\n\n"
    yield "| target | who scored | " + " | ".join(GROUPS) + " |\n"
    yield "| --- | --- |" + " ---: |" * len(GROUPS) + "\n"
    for target in EXPORTS:
        if kind in target.writers:
            yield _row(target.name, path)
    yield "\n"
    for target, why in refusals_of(kind).items():
        yield f"- `{target}`: {why}\n"
    yield "\n"


def _row(target: str, path: Path) -> str:
    try:
        certificate = rw.export_model(path, target, path.with_suffix(f".{target}")).certificate
    except RankwiseError as error:
        return f"| `{target}` | refused: {error} |" + " |" * len(GROUPS) + "\n"
    if certificate is None or not certificate.golden:
        return f"| `{target}` | not scored |" + " |" * len(GROUPS) + "\n"
    cells = [_cell(certificate.golden[group]) for group in GROUPS]
    return f"| `{target}` | {certificate.computed_by} | " + " | ".join(cells) + " |\n"


def _cell(one: ScoreAgreement) -> str:
    if one.equal == one.rows:
        return "="
    parts = [f"{one.unlike} ≠"] if one.unlike else []
    if one.greatest_difference > 1e30:
        parts.insert(0, f"{one.greatest_difference / one.largest_score:.1e} relative")
    elif one.greatest_difference > 0.0:
        parts.insert(0, f"{one.greatest_difference:.1e}")
    return ", ".join(parts)


if __name__ == "__main__":
    main()
