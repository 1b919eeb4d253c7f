"""A model as one C file: tables of numbers and the loops over them, no library but libm.

Trees are tables rather than nested conditions: a compiler takes a minute for some hundred trees
written out as code, and no time for tables. Sums go in the order of our own scorers, so that scores
are the same to the bit where the compiler neither contracts nor reorders (`-ffp-contract=off`). The
file is compiled by the machine's compiler and called through ctypes.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.models.formats.format import Content, EngineNames, Floats, OpenedExport, run_in
from rankwise.models.formats.tree_nodes import forest_of
from rankwise.models.model_file import ModelFile
from rankwise.models.scorers.expression import CONSTANT, LARGEST, OPERATIONS, Expression
from rankwise.models.scorers.linear import Linear
from rankwise.models.scorers.networks import Network

_HEAD = """/* {title}
   {features} features, as doubles in the order of the list beside this file; NULL is NaN.
   Compile with -std=c11 -O2 -ffp-contract=off, and -lm. */
#include <math.h>

enum {{ FEATURES = {features} }};

double rankwise_score(const double *x);
void rankwise_scores(const double *rows, long count, double *scores);

"""
_TAIL = """
/* One score for each of `count` rows of FEATURES numbers. */
void rankwise_scores(const double *rows, long count, double *scores)
{
    for (long row = 0; row < count; row++)
        scores[row] = rankwise_score(rows + row * FEATURES);
}
"""
_WALK = """
/* The leaves that x reaches in the trees first .. last - 1, added in their order. A rule of 1 sends
   NULL left; with 2 more, values near 0 go where NULL goes. */
static double add_leaves(const double *x, int first, int last)
{
    double total = 0.0;
    for (int tree = first; tree < last; tree++) {
        int node = ROOTS[tree];
        while (node >= 0) {
            double value = x[COLUMNS[node]];
            int missing = isnan(value) || (RULES[node] >= 2 && fabs(value) <= 1e-35f);
            int left = missing ? RULES[node] & 1 : value <= THRESHOLDS[node];
            node = left ? LEFT[node] : RIGHT[node];
        }
        total += LEAVES[-1 - node];
    }
    return total;
}
"""
_SUM = """
double rankwise_score(const double *x)
{{
    return add_leaves(x, 0, {end}) / {divisor!r};
}}
"""
_MEAN_LABEL = """
/* The mean of the labels under the softmax of the classes' sums. */
double rankwise_score(const double *x)
{
    double masses[CLASSES], highest = -INFINITY, total = 0.0, mean = 0.0;
    for (int k = 0; k < CLASSES; k++) {
        masses[k] = add_leaves(x, k ? ENDS[k - 1] : 0, ENDS[k]) / DIVISORS[k];
        highest = masses[k] > highest ? masses[k] : highest;
    }
    for (int k = 0; k < CLASSES; k++)
        total += masses[k] = exp(masses[k] - highest);
    for (int k = 0; k < CLASSES; k++)
        mean += LABELS[k] * (masses[k] / total);
    return mean;
}
"""
_WEIGHTED = """
double rankwise_score(const double *x)
{{
    double total = {intercept!r};
    for (int k = 0; k < {used}; k++)
        total += x[COLUMNS[k]] * WEIGHTS[k];
    return total;
}}
"""
_NETWORK = """
static double activate(double total)
{{
    return {activation};
}}

double rankwise_score(const double *x)
{{
    double room[2][{widest}], *before = room[0], *after = room[1];
    const double *weight = WEIGHTS, *bias = BIASES;
    for (int i = 0; i < FEATURES; i++)
        before[i] = (x[i] - MEANS[i]) / SCALES[i];
    for (int layer = 0; layer < {layers}; layer++) {{
        for (int output = 0; output < SIZES[layer + 1]; output++) {{
            double total = *bias++;
            for (int i = 0; i < SIZES[layer]; i++)
                total += *weight++ * before[i];
            after[output] = layer == {layers} - 1 ? total : activate(total);
        }}
        double *kept = before;
        before = after;
        after = kept;
    }}
    return before[0];
}}
"""
_FORMULA = """
static double bounded(double value)
{{
    value = value > {largest!r} ? {largest!r} : value;
    return value < -{largest!r} ? -{largest!r} : value;
}}

/* Postfix: columns from 0 and constants wait until an operation joins them. */
double rankwise_score(const double *x)
{{
    double waiting[{depth}];
    int kept = 0;
    for (int k = 0; k < {length}; k++) {{
        double *top = waiting + kept - 1;
        switch (CODES[k]) {{
        case {add}: top[-1] = bounded(top[-1] + top[0]); break;
        case {subtract}: top[-1] = bounded(top[-1] - top[0]); break;
        case {multiply}: top[-1] = bounded(top[-1] * top[0]); break;
        case {divide}: top[-1] = top[0] == 0.0 ? 1.0 : bounded(top[-1] / top[0]); break;
        case {log}: top[0] = top[0] == 0.0 ? 0.0 : log(fabs(top[0])); break;
        case {constant}: waiting[kept] = CONSTANTS[k]; break;
        default: waiting[kept] = x[CODES[k]];
        }}
        kept += CODES[k] >= 0 || CODES[k] == {constant} ? 1 : CODES[k] == {log} ? 0 : -1;
    }}
    return waiting[0];
}}
"""
_ACTIVATIONS = {
    "tanh": "tanh(total)",
    "relu": "total < 0.0 ? 0.0 : total",
    "sigmoid": "1.0 / (1.0 + exp(-total))",
}
_OPERATION_NAMES = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "log": "log"}


def write_source(file: ModelFile, names: EngineNames) -> Content:
    """The C file of any kind of model."""
    title = f"{file.model.ranker}, {file.paper}".replace("*/", "* /").replace("\n", " ")
    head = _HEAD.format(title=title, features=file.model.scorer.n_features)
    return head + _body(file) + _TAIL, []


def _body(file: ModelFile) -> str:
    scorer = file.model.scorer
    if isinstance(scorer, Linear):
        return _linear(scorer)
    if isinstance(scorer, Network):
        return _network(scorer)
    if isinstance(scorer, Expression):
        return _formula(scorer)
    forest = forest_of(scorer, zeros=True, categories="shared")
    if max(len(forest.tables.columns), len(forest.tables.leaves)) >= 2**31:
        raise RankwiseError("a C file must have less than 2,147,483,648 nodes and leaves")
    tables = forest.tables
    text = (
        _table("double", "THRESHOLDS", tables.thresholds)
        + _table("double", "LEAVES", tables.leaves)
        + "".join(
            _table("int", name.upper(), getattr(tables, name))
            for name in ("columns", "left", "right", "rules", "roots")
        )
        + _WALK
    )
    if not forest.labels:
        return text + _SUM.format(end=forest.ends[0], divisor=forest.divisors[0])
    classes = f"enum {{ CLASSES = {len(forest.labels)} }};\n"
    facts = _table("int", "ENDS", forest.ends) + _table("double", "DIVISORS", forest.divisors)
    return text + classes + facts + _table("double", "LABELS", forest.labels) + _MEAN_LABEL


def _linear(scorer: Linear) -> str:
    """Features of weight 0 are left out, so that they may be NULL."""
    used = np.flatnonzero(scorer.weights)
    tables = _table("int", "COLUMNS", used.tolist())
    tables += _table("double", "WEIGHTS", scorer.weights[used].tolist())
    return tables + _WEIGHTED.format(intercept=scorer.intercept, used=len(used))


def _network(scorer: Network) -> str:
    names = ("weights", "biases", "means", "scales")
    tables = "".join(
        _table("double", name.upper(), getattr(scorer, name).tolist()) for name in names
    )
    code = _NETWORK.format(
        activation=_ACTIVATIONS[scorer.activation],
        widest=max(scorer.sizes),
        layers=len(scorer.sizes) - 1,
    )
    return tables + _table("int", "SIZES", scorer.sizes) + code


def _formula(scorer: Expression) -> str:
    tables = _table("int", "CODES", scorer.codes.tolist())
    tables += _table("double", "CONSTANTS", scorer.constants.tolist())
    codes = {name: OPERATIONS[symbol] for name, symbol in _OPERATION_NAMES.items()}
    sizes = {"depth": scorer.depth, "length": len(scorer.codes), "largest": LARGEST}
    return tables + _FORMULA.format(**codes, **sizes, constant=CONSTANT)


def _table(kind: str, name: str, values: Iterable[float]) -> str:
    """An array; C has none without elements."""
    written = [repr(value) for value in values] or ["0"]
    lines = (", ".join(written[start : start + 8]) for start in range(0, len(written), 8))
    return f"static const {kind} {name}[] = {{\n" + ",\n".join(lines) + "};\n"


_FLAGS = ("-std=c11", "-O2", "-ffp-contract=off", "-shared", "-fPIC")
_DOUBLES = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")


def open_export(path: Path, names: Sequence[str]) -> OpenedExport:
    """Compile the file in a folder of its own, and load what came out."""
    compiler = _compiler()
    # A library that is loaded stays usable when its file is gone.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        library = Path(folder, "model.so")
        command = [*compiler, *_FLAGS, "-x", "c", str(path), "-x", "none", "-lm", "-o"]
        done = subprocess.run([*command, str(library)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RankwiseError(f"{compiler[0]} cannot compile {path}: {done.stderr[:300]}")
        scores_of = ctypes.CDLL(str(library)).rankwise_scores
    scores_of.argtypes = (_DOUBLES, ctypes.c_long, _DOUBLES)
    scores_of.restype = None

    def score(rows: Floats) -> Floats:
        matrix = np.ascontiguousarray(rows, dtype=np.float64)
        if matrix.shape[1:] != (len(names),):
            raise RankwiseError(
                f"rows must have {len(names)} features, found the shape {matrix.shape}"
            )
        scores = np.empty(len(matrix))
        scores_of(matrix, len(matrix), scores)
        return scores

    return run_in(_compiler_version(compiler), score)


def _compiler() -> list[str]:
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    found = next((one for one in ("cc", "gcc", "clang") if shutil.which(one)), None)
    if found is None:
        raise RankwiseError("a C compiler is needed to run this: install one, or name it in CC")
    return [found]


def _compiler_version(compiler: list[str]) -> str:
    done = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    first = done.stdout.splitlines()[:1]
    return f"C by {first[0]}" if first else f"C by {compiler[0]}"
