"""Experiments: training, tuning and judging rankers, on one machine or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.experiments.dea_discussion import PoolFacts as PoolFacts
    from rankwise.experiments.dea_discussion import VariantFacts as VariantFacts
    from rankwise.experiments.dearank_analysis import DEARankAnalysis as DEARankAnalysis
    from rankwise.experiments.dearank_analysis import analyse_dearank as analyse_dearank
    from rankwise.experiments.feature_folds import EffectFigures as EffectFigures
    from rankwise.experiments.feature_studies import FeatureReduction as FeatureReduction
    from rankwise.experiments.feature_studies import FeatureSelection as FeatureSelection
    from rankwise.experiments.feature_studies import FeatureWeight as FeatureWeight
    from rankwise.experiments.feature_studies import FeatureWeights as FeatureWeights
    from rankwise.experiments.feature_studies import reduce_features as reduce_features
    from rankwise.experiments.feature_studies import select_features as select_features
    from rankwise.experiments.feature_studies import weigh_features as weigh_features
    from rankwise.experiments.sampling_depths import DEPTHS as DEPTHS
    from rankwise.experiments.sampling_depths import DepthComparison as DepthComparison
    from rankwise.experiments.sampling_depths import DepthFigures as DepthFigures
    from rankwise.experiments.sampling_depths import compare_depths as compare_depths
    from rankwise.experiments.training import TrainingFigure as TrainingFigure
    from rankwise.experiments.training import fit as fit
    from rankwise.experiments.training import fit_on_cluster as fit_on_cluster
    from rankwise.experiments.training import measured_parameters as measured_parameters
    from rankwise.experiments.training import read_parts as read_parts
    from rankwise.experiments.training import training_figure as training_figure
else:
    homes = {
        "rankwise.experiments.dea_discussion": ("PoolFacts", "VariantFacts"),
        "rankwise.experiments.dearank_analysis": ("DEARankAnalysis", "analyse_dearank"),
        "rankwise.experiments.feature_folds": ("EffectFigures",),
        "rankwise.experiments.feature_studies": (
            "FeatureReduction",
            "FeatureSelection",
            "FeatureWeight",
            "FeatureWeights",
            "reduce_features",
            "select_features",
            "weigh_features",
        ),
        "rankwise.experiments.sampling_depths": (
            "DEPTHS",
            "DepthComparison",
            "DepthFigures",
            "compare_depths",
        ),
        "rankwise.experiments.training": (
            "TrainingFigure",
            "fit",
            "fit_on_cluster",
            "measured_parameters",
            "read_parts",
            "training_figure",
        ),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
