"""RankLib: Coordinate Ascent for linear models, LambdaMART's ensemble for trees and stumps.

Features are numbers from 1. RankLib reads features in single precision; what single precision means
for thresholds is in `tree_nodes.py`. What was written runs in RankLib where its jar is named in
RANKWISE_RANKLIB, else as we read its sources. RANKWISE_RANKLIB is a class path: the jar, and that
of commons-math3 where it is not inside.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.formats.format import (
    Content,
    EngineNames,
    Floats,
    OpenedExport,
    Score,
    checked_only,
    run_in,
)
from rankwise.models.formats.linear_json import intercept_remarks, linear_of
from rankwise.models.formats.tree_nodes import (
    SINGLE_TREES,
    Leaf,
    Node,
    Split,
    additive_trees,
    null_remarks,
    single,
    single_at_most,
    single_leaf_sums,
    single_rows,
)
from rankwise.models.model_file import ModelFile, read_model_bytes


def write_linear(file: ModelFile, names: EngineNames) -> Content:
    """`number:weight`, weights in double precision.

    For features that single precision holds, RankLib's scores are w · x exactly as here but for
    the order of summation.
    """
    weights = linear_of(file).weights.tolist()
    pairs = " ".join(f"{number}:{weight!r}" for number, weight in enumerate(weights, 1))
    return f"## Coordinate Ascent\n{pairs}\n", intercept_remarks(file)


def write_trees(file: ModelFile, names: EngineNames) -> Content:
    """RankLib's ensemble in XML, under the name of LambdaMART, which adds up its trees.

    RankLib strips and joins lines and then counts on there being no blanks between elements, so
    that every element has a line of its own.
    """
    trees = additive_trees(file.model.scorer)
    lines = ["## LambdaMART", f"## No. of trees = {len(trees)}", "", "<ensemble>"]
    for number, tree in enumerate(trees, 1):
        lines += [f'<tree id="{number}" weight="1.0">', "<split>", *_elements(tree), "</split>"]
        lines.append("</tree>")
    text = "\n".join([*lines, "</ensemble>"]) + "\n"
    return text, [SINGLE_TREES, *null_remarks(trees, "RankLib")]


def _elements(node: Node) -> list[str]:
    if isinstance(node, Leaf):
        return [f"<output> {node.value!r} </output>"]
    return [
        f"<feature> {node.column + 1} </feature>",
        f"<threshold> {single_at_most(node.threshold)!r} </threshold>",
        '<split pos="left">',
        *_elements(node.left),
        "</split>",
        '<split pos="right">',
        *_elements(node.right),
        "</split>",
    ]


CLASS_PATH = "RANKWISE_RANKLIB"


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """RankLib itself where it is at hand, else our reading of it."""
    class_path = os.environ.get(CLASS_PATH)
    if class_path and shutil.which("java"):
        return run_in("RankLib", partial(_run_ranklib, path, class_path), resident=False)
    return checked_only("RankLib", read_ranklib(path))


def read_ranklib(path: Path) -> Score:
    """Comments dropped, lines stripped and joined, elements read by their place."""
    lines = [line.strip() for line in read_model_bytes(path).decode("utf-8").splitlines()]
    body = "".join(line for line in lines if line and not line.startswith("##"))
    try:
        if "## Coordinate Ascent" in lines:
            return _score_linear([float(pair.split(":")[1]) for pair in body.split(" ")])
        return _score_trees([_read_node(tree[0]) for tree in ElementTree.fromstring(body)])
    except (ElementTree.ParseError, ValueError, IndexError) as error:
        raise RankwiseError(f"{path} is no model that RankLib reads: {error}") from error


def _score_linear(weights: list[float]) -> Score:
    """Weights are double, features single precision."""

    def score(rows: Floats) -> Floats:
        values = single_rows(rows, missing_as_zero=True).astype(np.float64)
        total = np.zeros(len(rows))
        with np.errstate(over="ignore", invalid="ignore"):
            for column, weight in enumerate(weights):
                total = total + weight * values[:, column]
        return total

    return score


def _score_trees(trees: list[Node]) -> Score:
    add = single_leaf_sums(trees)

    def score(rows: Floats) -> Floats:
        return add(single_rows(rows, missing_as_zero=True)).astype(np.float64)

    return score


def _read_node(split: ElementTree.Element) -> Node:
    if split[0].tag == "output":
        return Leaf(float(single((split[0].text or "").strip())))
    feature, threshold, left, right = split
    column, value = int(feature.text or ""), single((threshold.text or "").strip())
    return Split(column - 1, float(value), False, _read_node(left), _read_node(right))


def _run_ranklib(path: Path, class_path: str, rows: Floats) -> Floats:
    """One call of its evaluator; absent features are left out of the file."""
    with tempfile.TemporaryDirectory() as folder:
        data, scores = Path(folder, "rows.txt"), Path(folder, "scores.txt")
        data.write_text("".join(map(_row_line, rows.tolist())))
        command = ["java", "-cp", class_path, "ciir.umass.edu.eval.Evaluator", "-missingZero",
                   "-load", str(path), "-rank", str(data), "-score", str(scores)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not scores.exists():
            raise RankwiseError(f"RankLib could not score {path}: {done.stderr[-300:]}")
        found = [float(line.split("\t")[2]) for line in scores.read_text().splitlines()]
    return np.array(found)


def _row_line(row: list[float]) -> str:
    pairs = " ".join(f"{n}:{value!r}" for n, value in enumerate(row, 1) if value == value)
    return f"0 qid:1 {pairs}\n"
