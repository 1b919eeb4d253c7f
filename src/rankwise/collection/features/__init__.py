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
    add_own_parts,
    make_feature_set,
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
    "add_own_parts",
    "compute_dataset",
    "compute_features",
    "feature",
    "find_feature",
    "join_queries",
    "make_feature_set",
    "read_feature_files",
    "read_query_classes",
]
