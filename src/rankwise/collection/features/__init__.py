"""Features of query-document pairs: each a small function with its formula, in named sets."""

from __future__ import annotations

from rankwise.collection.features.computing import (
    compute_dataset,
    compute_features,
    join_queries,
)
from rankwise.collection.features.definition import (
    FEATURES,
    Feature,
    Parameters,
    StreamView,
    feature,
    find_feature,
)
from rankwise.collection.features.evidence import NO_EVIDENCE, Evidence, Links, WordPlaces
from rankwise.collection.features.own import FeatureFile, read_feature_files
from rankwise.collection.features.query_classes import QueryClasses, read_query_classes
from rankwise.collection.features.sets import (
    FEATURE_SETS,
    FeatureSet,
    SetColumn,
    feature_set,
    with_own_parts,
)

__all__ = [
    "FEATURES",
    "FEATURE_SETS",
    "NO_EVIDENCE",
    "Evidence",
    "Feature",
    "FeatureFile",
    "FeatureSet",
    "Links",
    "Parameters",
    "QueryClasses",
    "SetColumn",
    "StreamView",
    "WordPlaces",
    "compute_dataset",
    "compute_features",
    "feature",
    "feature_set",
    "find_feature",
    "join_queries",
    "read_feature_files",
    "read_query_classes",
    "with_own_parts",
]
