"""Options of features that `rankwise build` and `rankwise build features` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_CONSTANTS = {
    "k1": "BM25: how soon repeated words stop counting.",
    "b": "BM25: how much length counts, 0 to 1.",
    "k3": "BM25: how soon repeated query words stop counting.",
    "mu": "LMIR.DIR: words of the collection added.",
    "lambda_": "LMIR.JM: weight of the collection, to 1.",
    "delta": "LMIR.ABS: what is taken from each count, to 1.",
    "sitemap_rate": "α of propagation by sitemap: the part of a page that is its own, to 1.",
    "hyperlink_rate": "α of propagation by hyperlinks, to 1.",
}


def constant_options(command: Decorated) -> Decorated:
    """An option for each constant of BM25, the language models and propagation."""
    for name, text in reversed(_CONSTANTS.items()):
        flag = f"--{name.rstrip('_').replace('_', '-')}"
        command = click.option(flag, name, type=float, help=text)(command)
    return command


def given_constants(options: dict[str, Any]) -> dict[str, Any]:
    """The constants that were given, as `Parameters` calls them, taken out of the options."""
    values = {name: options.pop(name) for name in _CONSTANTS}
    return {name: value for name, value in values.items() if value is not None}


def own_feature_options(command: Decorated) -> Decorated:
    """`--feature-file` (any number of times) and `--query-classes`."""
    classes = click.option(
        "--query-classes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Add the class of the query as the last feature: lines of query id, tab, class, or "
        "the queries.tsv of a build.",
    )
    files = click.option(
        "--feature-file",
        "feature_files",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Add the features of a Python file of yours (functions under @feature), which is run.",
    )
    return files(classes(command))
