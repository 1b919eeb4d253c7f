"""Experiments: training, tuning and judging rankers, on one machine or a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.experiments.bench_run import DEFAULT_STORE as DEFAULT_STORE
    from rankwise.experiments.bench_run import BenchRun as BenchRun
    from rankwise.experiments.bench_run import bench as bench
    from rankwise.experiments.bench_run import count_ended as count_ended
    from rankwise.experiments.bench_run import make_engine as make_engine
    from rankwise.experiments.bench_run import place_store as place_store
    from rankwise.experiments.configuration import Configuration as Configuration
    from rankwise.experiments.configuration import list_own_code as list_own_code
    from rankwise.experiments.configuration import (
        list_shipped_configurations as list_shipped_configurations,
    )
    from rankwise.experiments.constant_tuning import GRIDS as GRIDS
    from rankwise.experiments.constant_tuning import ConstantTuning as ConstantTuning
    from rankwise.experiments.constant_tuning import TunedConstant as TunedConstant
    from rankwise.experiments.constant_tuning import tune_constants as tune_constants
    from rankwise.experiments.dea_discussion import PoolFacts as PoolFacts
    from rankwise.experiments.dea_discussion import VariantFacts as VariantFacts
    from rankwise.experiments.dearank_analysis import DEARankAnalysis as DEARankAnalysis
    from rankwise.experiments.dearank_analysis import analyse_datasets as analyse_datasets
    from rankwise.experiments.dearank_analysis import analyse_dearank as analyse_dearank
    from rankwise.experiments.efficiency_analysis import EfficiencyAnalysis as EfficiencyAnalysis
    from rankwise.experiments.efficiency_analysis import analyse_efficiency as analyse_efficiency
    from rankwise.experiments.engines.registry import engine_names as engine_names
    from rankwise.experiments.engines.registry import find_engine as find_engine
    from rankwise.experiments.experiment import Experiment as Experiment
    from rankwise.experiments.experiment import ExperimentChoices as ExperimentChoices
    from rankwise.experiments.experiment import configure_experiment as configure_experiment
    from rankwise.experiments.experiment import plan as plan
    from rankwise.experiments.feature_folds import EffectFigures as EffectFigures
    from rankwise.experiments.feature_path import FeaturePath as FeaturePath
    from rankwise.experiments.feature_path import PathPoint as PathPoint
    from rankwise.experiments.feature_path import trace_path as trace_path
    from rankwise.experiments.feature_studies import FeatureReduction as FeatureReduction
    from rankwise.experiments.feature_studies import FeatureSelection as FeatureSelection
    from rankwise.experiments.feature_studies import FeatureWeight as FeatureWeight
    from rankwise.experiments.feature_studies import FeatureWeights as FeatureWeights
    from rankwise.experiments.feature_studies import reduce_features as reduce_features
    from rankwise.experiments.feature_studies import select_features as select_features
    from rankwise.experiments.feature_studies import weigh_features as weigh_features
    from rankwise.experiments.measured import measured_parameters as measured_parameters
    from rankwise.experiments.plan_facts import PlanFacts as PlanFacts
    from rankwise.experiments.plan_facts import PlannedMethod as PlannedMethod
    from rankwise.experiments.plan_facts import foresee as foresee
    from rankwise.experiments.planning import ExperimentPlan as ExperimentPlan
    from rankwise.experiments.planning import Task as Task
    from rankwise.experiments.ranker_tuning import TuningProgress as TuningProgress
    from rankwise.experiments.ranker_tuning import TuningResult as TuningResult
    from rankwise.experiments.ranker_tuning import tune as tune
    from rankwise.experiments.recommending.data_facts import DataFacts as DataFacts
    from rankwise.experiments.recommending.left_out import LeftOutRegret as LeftOutRegret
    from rankwise.experiments.recommending.left_out import (
        RecommendationCheck as RecommendationCheck,
    )
    from rankwise.experiments.recommending.left_out import (
        check_recommendations as check_recommendations,
    )
    from rankwise.experiments.recommending.orders import ORDERS as ORDERS
    from rankwise.experiments.recommending.orders import USUAL_ORDER as USUAL_ORDER
    from rankwise.experiments.recommending.recommendation import ExcludedMethod as ExcludedMethod
    from rankwise.experiments.recommending.recommendation import Recommendation as Recommendation
    from rankwise.experiments.recommending.recommendation import (
        RecommendedMethod as RecommendedMethod,
    )
    from rankwise.experiments.recommending.recommending import recommend as recommend
    from rankwise.experiments.recommending.time_model import TimeErrors as TimeErrors
    from rankwise.experiments.runner import RunProgress as RunProgress
    from rankwise.experiments.runner import refuse_engine as refuse_engine
    from rankwise.experiments.sampling_depths import DEPTHS as DEPTHS
    from rankwise.experiments.sampling_depths import DepthComparison as DepthComparison
    from rankwise.experiments.sampling_depths import DepthFigures as DepthFigures
    from rankwise.experiments.sampling_depths import compare_depths as compare_depths
    from rankwise.experiments.scored_methods import find_score_files as find_score_files
    from rankwise.experiments.search_methods.registry import SEARCH_METHODS as SEARCH_METHODS
    from rankwise.experiments.search_text import parse_fixed as parse_fixed
    from rankwise.experiments.search_text import parse_grid as parse_grid
    from rankwise.experiments.search_text import parse_intervals as parse_intervals
    from rankwise.experiments.submission_bundle import SubmissionBundle as SubmissionBundle
    from rankwise.experiments.submission_bundle import write_bundle as write_bundle
    from rankwise.experiments.summary import DatasetSummary as DatasetSummary
    from rankwise.experiments.summary import summarize as summarize
    from rankwise.experiments.training import TrainingFigure as TrainingFigure
    from rankwise.experiments.training import fit as fit
    from rankwise.experiments.training import fit_on_cluster as fit_on_cluster
    from rankwise.experiments.training import read_parts as read_parts
    from rankwise.experiments.training import refuse_unused_classes as refuse_unused_classes
    from rankwise.experiments.training import training_figure as training_figure
    from rankwise.experiments.transfer import WAYS as WAYS
    from rankwise.experiments.transfer_curves import TransferCurves as TransferCurves
    from rankwise.experiments.transfer_curves import TransferPoint as TransferPoint
    from rankwise.experiments.trials import Trial as Trial
    from rankwise.experiments.tuning import SearchRange as SearchRange
    from rankwise.experiments.two_stages import STAGE_MEASURES as STAGE_MEASURES
    from rankwise.experiments.two_stages import StageFigures as StageFigures
    from rankwise.experiments.two_stages import TwoStages as TwoStages
    from rankwise.experiments.two_stages import evaluate_stages as evaluate_stages
else:
    homes = {
        "rankwise.experiments.bench_run": (
            "DEFAULT_STORE",
            "BenchRun",
            "bench",
            "count_ended",
            "make_engine",
            "place_store",
        ),
        "rankwise.experiments.configuration": (
            "Configuration",
            "list_own_code",
            "list_shipped_configurations",
        ),
        "rankwise.experiments.dea_discussion": ("PoolFacts", "VariantFacts"),
        "rankwise.experiments.dearank_analysis": (
            "DEARankAnalysis",
            "analyse_datasets",
            "analyse_dearank",
        ),
        "rankwise.experiments.efficiency_analysis": ("EfficiencyAnalysis", "analyse_efficiency"),
        "rankwise.experiments.engines.registry": ("engine_names", "find_engine"),
        "rankwise.experiments.experiment": (
            "Experiment",
            "ExperimentChoices",
            "configure_experiment",
            "plan",
        ),
        "rankwise.experiments.feature_folds": ("EffectFigures",),
        "rankwise.experiments.feature_path": ("FeaturePath", "PathPoint", "trace_path"),
        "rankwise.experiments.feature_studies": (
            "FeatureReduction",
            "FeatureSelection",
            "FeatureWeight",
            "FeatureWeights",
            "reduce_features",
            "select_features",
            "weigh_features",
        ),
        "rankwise.experiments.measured": ("measured_parameters",),
        "rankwise.experiments.planning": ("ExperimentPlan", "Task"),
        "rankwise.experiments.plan_facts": ("PlanFacts", "PlannedMethod", "foresee"),
        "rankwise.experiments.ranker_tuning": ("TuningProgress", "TuningResult", "tune"),
        "rankwise.experiments.recommending.data_facts": ("DataFacts",),
        "rankwise.experiments.recommending.left_out": (
            "LeftOutRegret",
            "RecommendationCheck",
            "check_recommendations",
        ),
        "rankwise.experiments.recommending.orders": ("ORDERS", "USUAL_ORDER"),
        "rankwise.experiments.recommending.recommendation": (
            "ExcludedMethod",
            "Recommendation",
            "RecommendedMethod",
        ),
        "rankwise.experiments.recommending.recommending": ("recommend",),
        "rankwise.experiments.recommending.time_model": ("TimeErrors",),
        "rankwise.experiments.search_methods.registry": ("SEARCH_METHODS",),
        "rankwise.experiments.search_text": ("parse_fixed", "parse_grid", "parse_intervals"),
        "rankwise.experiments.trials": ("Trial",),
        "rankwise.experiments.tuning": ("SearchRange",),
        "rankwise.experiments.runner": ("RunProgress", "refuse_engine"),
        "rankwise.experiments.constant_tuning": (
            "GRIDS",
            "ConstantTuning",
            "TunedConstant",
            "tune_constants",
        ),
        "rankwise.experiments.submission_bundle": ("SubmissionBundle", "write_bundle"),
        "rankwise.experiments.two_stages": (
            "STAGE_MEASURES",
            "StageFigures",
            "TwoStages",
            "evaluate_stages",
        ),
        "rankwise.experiments.sampling_depths": (
            "DEPTHS",
            "DepthComparison",
            "DepthFigures",
            "compare_depths",
        ),
        "rankwise.experiments.scored_methods": ("find_score_files",),
        "rankwise.experiments.summary": ("DatasetSummary", "summarize"),
        "rankwise.experiments.training": (
            "TrainingFigure",
            "fit",
            "fit_on_cluster",
            "read_parts",
            "refuse_unused_classes",
            "training_figure",
        ),
        "rankwise.experiments.transfer": ("WAYS",),
        "rankwise.experiments.transfer_curves": ("TransferCurves", "TransferPoint"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
