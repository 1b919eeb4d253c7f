"""From a corpus, queries and judgements to a data set with features, folds and metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.collection.analysis import STEMMERS as STEMMERS
    from rankwise.collection.analysis import STOP_WORDS as STOP_WORDS
    from rankwise.collection.analysis import TOKENIZERS as TOKENIZERS
    from rankwise.collection.analysis import Analysis as Analysis
    from rankwise.collection.build_choices import BuildChoices as BuildChoices
    from rankwise.collection.build_choices import choose_settings as choose_settings
    from rankwise.collection.build_input import BuildInput as BuildInput
    from rankwise.collection.build_input import ReadingChoices as ReadingChoices
    from rankwise.collection.build_input import demo_input as demo_input
    from rankwise.collection.build_input import read_build_input as read_build_input
    from rankwise.collection.building import PRESETS as PRESETS
    from rankwise.collection.building import Settings as Settings
    from rankwise.collection.corpora.judgements import JUDGEMENT_FORMATS as JUDGEMENT_FORMATS
    from rankwise.collection.corpora.judgements import LABEL_RULES as LABEL_RULES
    from rankwise.collection.corpora.queries import QUERY_FORMATS as QUERY_FORMATS
    from rankwise.collection.corpora.registry import CORPUS_FORMATS as CORPUS_FORMATS
    from rankwise.collection.corpora.registry import Corpus as Corpus
    from rankwise.collection.corpora.registry import open_corpus as open_corpus
    from rankwise.collection.data_card import DataCard as DataCard
    from rankwise.collection.data_card import format_left_out as format_left_out
    from rankwise.collection.data_card import read_data_card as read_data_card
    from rankwise.collection.features.definition import Feature as Feature
    from rankwise.collection.features.definition import Parameters as Parameters
    from rankwise.collection.features.definition import StreamView as StreamView
    from rankwise.collection.features.definition import feature as feature
    from rankwise.collection.features.sets import FEATURE_SETS as FEATURE_SETS
    from rankwise.collection.features.sets import FeatureSet as FeatureSet
    from rankwise.collection.losses import MOST_LOST as MOST_LOST
    from rankwise.collection.metadata_features import AS_PUBLISHED as AS_PUBLISHED
    from rankwise.collection.metadata_features import FeatureBuild as FeatureBuild
    from rankwise.collection.metadata_features import MetadataFeatures as MetadataFeatures
    from rankwise.collection.metadata_features import build_features as build_features
    from rankwise.collection.metadata_features import open_metadata as open_metadata
    from rankwise.collection.pipeline import Build as Build
    from rankwise.collection.pipeline import build as build
    from rankwise.collection.pipeline import build_from as build_from
    from rankwise.collection.sampling import SAMPLINGS as SAMPLINGS
    from rankwise.collection.sampling import Sampling as Sampling
else:
    homes = {
        "rankwise.collection.analysis": ("STEMMERS", "STOP_WORDS", "TOKENIZERS", "Analysis"),
        "rankwise.collection.build_choices": ("BuildChoices", "choose_settings"),
        "rankwise.collection.build_input": (
            "BuildInput",
            "ReadingChoices",
            "demo_input",
            "read_build_input",
        ),
        "rankwise.collection.building": ("PRESETS", "Settings"),
        "rankwise.collection.corpora.judgements": ("JUDGEMENT_FORMATS", "LABEL_RULES"),
        "rankwise.collection.corpora.queries": ("QUERY_FORMATS",),
        "rankwise.collection.corpora.registry": ("CORPUS_FORMATS", "Corpus", "open_corpus"),
        "rankwise.collection.data_card": ("DataCard", "format_left_out", "read_data_card"),
        "rankwise.collection.features.definition": (
            "Feature",
            "Parameters",
            "StreamView",
            "feature",
        ),
        "rankwise.collection.features.sets": ("FEATURE_SETS", "FeatureSet"),
        "rankwise.collection.metadata_features": (
            "AS_PUBLISHED",
            "FeatureBuild",
            "MetadataFeatures",
            "build_features",
            "open_metadata",
        ),
        "rankwise.collection.losses": ("MOST_LOST",),
        "rankwise.collection.pipeline": ("Build", "build", "build_from"),
        "rankwise.collection.sampling": ("SAMPLINGS", "Sampling"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
