"""How alike two features rank the documents of queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankwise.data.dataset import Dataset
from rankwise.data.normalization.scales import fill_null
from rankwise.native import DOUBLES, DOUBLES_OUT, INT64, function

_order_balance = function("rankwise_order_balance", DOUBLES, INT64, INT64, DOUBLES_OUT, DOUBLES_OUT)


def feature_similarity(dataset: Dataset) -> NDArray[np.float64]:
    """(features, features) Kendall's τ-b of the rankings by two features, mean over queries.

        τ_b(f, g) = Σ_{i<j} sign(f_i − f_j) sign(g_i − g_j) / √(pairs f orders · pairs g orders)

    Where a feature is constant in a query τ-b is not defined; such queries are left out of the
    mean, and a feature that is constant in all has similarity 0 to the others. Geng, Liu, Qin and
    Li (2007) use Kendall's τ for the same purpose. NULL is filled with the query's minimum.
    """
    features = np.ascontiguousarray(fill_null(dataset).features)
    total = np.zeros((dataset.n_features, dataset.n_features))
    defined, signs = np.zeros_like(total), np.empty(dataset.n_features)
    for begin, end in zip(dataset.query_offsets[:-1], dataset.query_offsets[1:], strict=True):
        balance = np.zeros_like(total)
        _order_balance(features[begin:end], end - begin, dataset.n_features, signs, balance)
        ordered = np.diag(balance)
        divisor = np.sqrt(np.outer(ordered, ordered))
        total += balance / np.where(divisor > 0, divisor, 1.0)
        defined += divisor > 0
    similarity = total / np.maximum(defined, 1.0)
    np.fill_diagonal(similarity, 1.0)
    return similarity
