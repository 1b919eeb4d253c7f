"""Rankwise: the benchmark platform for learning to rank.

    import rankwise as rw

    train, test = rw.read("train.txt"), rw.read("test.txt")
    model = rw.fit("lambdamart", train, "vali.txt", seed=0)
    rw.evaluate(test, model.score(test), ["NDCG@10", "MAP"], tool="letor4")

Every command of the command line has a function here, or one step below in its room
(`rw.data`, `rw.literature`, …), which gives the same figures as values. The names are loaded when
they are first used, so that `import rankwise` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rankwise import arena as arena
    from rankwise import checks as checks
    from rankwise import collection as collection
    from rankwise import comparison as comparison
    from rankwise import data as data
    from rankwise import evaluation as evaluation
    from rankwise import experiments as experiments
    from rankwise import feature_selection as feature_selection
    from rankwise import feedback as feedback
    from rankwise import literature as literature
    from rankwise import measures as measures
    from rankwise import models as models
    from rankwise import rankers as rankers
    from rankwise import reports as reports
    from rankwise import results as results
    from rankwise.arena.web.choosing import serve as serve
    from rankwise.arena.web.site_export import write_site as write_site
    from rankwise.collection.metadata_features import build_features as build_features
    from rankwise.collection.pipeline import Build as Build
    from rankwise.collection.pipeline import build as build
    from rankwise.comparison.bias import PublicationBias as PublicationBias
    from rankwise.comparison.bias import look_for_bias as look_for_bias
    from rankwise.comparison.bootstrap import Bootstrap as Bootstrap
    from rankwise.comparison.bootstrap import resample_datasets as resample_datasets
    from rankwise.comparison.comparing import compare as compare
    from rankwise.comparison.estimated_ranking import EstimatedRanking as EstimatedRanking
    from rankwise.comparison.estimated_ranking import rank_by as rank_by
    from rankwise.comparison.hole_study import HoleStudy as HoleStudy
    from rankwise.comparison.holes import lay_holes as lay_holes
    from rankwise.comparison.leaving_out import Sensitivity as Sensitivity
    from rankwise.comparison.leaving_out import leave_out as leave_out
    from rankwise.comparison.placement import Placement as Placement
    from rankwise.comparison.placement import Placements as Placements
    from rankwise.comparison.placing import place as place
    from rankwise.comparison.published_differences import (
        PublishedAgainstHere as PublishedAgainstHere,
    )
    from rankwise.comparison.published_differences import compare_published as compare_published
    from rankwise.comparison.ranking import Comparison as Comparison
    from rankwise.comparison.significance.systems import SystemComparison as SystemComparison
    from rankwise.comparison.verdicts import Verdicts as Verdicts
    from rankwise.data.added_features import AddedFeature as AddedFeature
    from rankwise.data.added_features import AddedFiles as AddedFiles
    from rankwise.data.added_features import add_feature as add_feature
    from rankwise.data.added_features import add_feature_to_files as add_feature_to_files
    from rankwise.data.catalog.entries import CatalogEntry as CatalogEntry
    from rankwise.data.catalog.home import Installed as Installed
    from rankwise.data.checking import DataProblem as DataProblem
    from rankwise.data.dataset import Dataset as Dataset
    from rankwise.data.description import Description as Description
    from rankwise.data.description import describe as describe
    from rankwise.data.file_checks import check as check
    from rankwise.data.folds.fold import Fold as Fold
    from rankwise.data.folds.reading import read_folds as read_folds
    from rankwise.data.folds.splitting import split_folds as split_folds
    from rankwise.data.folds.writing import write_folds as write_folds
    from rankwise.data.normalization.registry import normalize as normalize
    from rankwise.data.query_filtering import filter_files as filter_files
    from rankwise.data.query_filtering import filter_queries as filter_queries
    from rankwise.data.reading import read as read
    from rankwise.data.reading import read_all as read_all
    from rankwise.data.writing import write as write
    from rankwise.demonstration import Demo as Demo
    from rankwise.demonstration import demo as demo
    from rankwise.errors import RankwiseError as RankwiseError
    from rankwise.evaluation.evaluating import evaluate as evaluate
    from rankwise.evaluation.explaining import explain as explain
    from rankwise.evaluation.explaining import identify as identify
    from rankwise.evaluation.own_queries import tabulate_queries as tabulate_queries
    from rankwise.evaluation.own_results import tabulate_scores as tabulate_scores
    from rankwise.evaluation.query_check import check_queries as check_queries
    from rankwise.evaluation.reconciling import Reconciliation as Reconciliation
    from rankwise.evaluation.reconciling import reconcile as reconcile
    from rankwise.evaluation.systems import Significance as Significance
    from rankwise.evaluation.systems import significance as significance
    from rankwise.experiments.bench_run import BenchRun as BenchRun
    from rankwise.experiments.bench_run import bench as bench
    from rankwise.experiments.constant_tuning import ConstantTuning as ConstantTuning
    from rankwise.experiments.constant_tuning import tune_constants as tune_constants
    from rankwise.experiments.dearank_analysis import DEARankAnalysis as DEARankAnalysis
    from rankwise.experiments.dearank_analysis import analyse_dearank as analyse_dearank
    from rankwise.experiments.efficiency_analysis import EfficiencyAnalysis as EfficiencyAnalysis
    from rankwise.experiments.efficiency_analysis import analyse_efficiency as analyse_efficiency
    from rankwise.experiments.experiment import Experiment as Experiment
    from rankwise.experiments.experiment import plan as plan
    from rankwise.experiments.feature_path import FeaturePath as FeaturePath
    from rankwise.experiments.feature_path import trace_path as trace_path
    from rankwise.experiments.feature_studies import FeatureReduction as FeatureReduction
    from rankwise.experiments.feature_studies import FeatureSelection as FeatureSelection
    from rankwise.experiments.feature_studies import FeatureWeights as FeatureWeights
    from rankwise.experiments.feature_studies import reduce_features as reduce_features
    from rankwise.experiments.feature_studies import select_features as select_features
    from rankwise.experiments.feature_studies import weigh_features as weigh_features
    from rankwise.experiments.plan_facts import PlanFacts as PlanFacts
    from rankwise.experiments.plan_facts import foresee as foresee
    from rankwise.experiments.ranker_tuning import TuningResult as TuningResult
    from rankwise.experiments.ranker_tuning import tune as tune
    from rankwise.experiments.recommending.left_out import (
        RecommendationCheck as RecommendationCheck,
    )
    from rankwise.experiments.recommending.left_out import (
        check_recommendations as check_recommendations,
    )
    from rankwise.experiments.recommending.recommendation import Recommendation as Recommendation
    from rankwise.experiments.recommending.recommending import recommend as recommend
    from rankwise.experiments.sampling_depths import DepthComparison as DepthComparison
    from rankwise.experiments.sampling_depths import compare_depths as compare_depths
    from rankwise.experiments.submission_bundle import write_bundle as write_bundle
    from rankwise.experiments.training import fit as fit
    from rankwise.experiments.two_stages import TwoStages as TwoStages
    from rankwise.experiments.two_stages import evaluate_stages as evaluate_stages
    from rankwise.feedback.counterfactual.study import OfflineStudy as OfflineStudy
    from rankwise.feedback.counterfactual.study import learn_offline as learn_offline
    from rankwise.feedback.estimators.registry import evaluate_from_log as evaluate_from_log
    from rankwise.feedback.interleaving.comparing import interleave as interleave
    from rankwise.feedback.log import ClickLog as ClickLog
    from rankwise.feedback.log_files import read_log as read_log
    from rankwise.feedback.log_files import write_log as write_log
    from rankwise.feedback.online.study import OnlineStudy as OnlineStudy
    from rankwise.feedback.online.study import learn_online as learn_online
    from rankwise.feedback.propensities.propensities import Propensities as Propensities
    from rankwise.feedback.propensities.registry import (
        estimate_propensities as estimate_propensities,
    )
    from rankwise.feedback.simulation import simulate_clicks as simulate_clicks
    from rankwise.feedback.training_sets import convert_log as convert_log
    from rankwise.literature.condensing import condense_store as condense_store
    from rankwise.literature.dense import read_dense as read_dense
    from rankwise.literature.dense_table import DenseTable as DenseTable
    from rankwise.measures.evaluation import Evaluation as Evaluation
    from rankwise.measures.explanation import Explanation as Explanation
    from rankwise.measures.identification import Match as Match
    from rankwise.measures.measure import Measure as Measure
    from rankwise.measures.tool import Tool as Tool
    from rankwise.models.description import ModelDescription as ModelDescription
    from rankwise.models.description import describe_model as describe_model
    from rankwise.models.explanations.dependence import PartialDependence as PartialDependence
    from rankwise.models.explanations.dependence import measure_dependence as measure_dependence
    from rankwise.models.explanations.importance import ModelImportance as ModelImportance
    from rankwise.models.explanations.importance import weigh_model as weigh_model
    from rankwise.models.explanations.order import OrderExplanation as OrderExplanation
    from rankwise.models.explanations.order import explain_order as explain_order
    from rankwise.models.explanations.scores import ScoreExplanation as ScoreExplanation
    from rankwise.models.explanations.scores import explain_scores as explain_scores
    from rankwise.models.exporting import export_model as export_model
    from rankwise.models.kept_models import load_kept_model as load_kept_model
    from rankwise.models.model_file import load_model as load_model
    from rankwise.models.model_file import save_model as save_model
    from rankwise.models.ranker_description import RankerDescription as RankerDescription
    from rankwise.models.ranker_description import describe_ranker as describe_ranker
    from rankwise.models.scoring import score as score
    from rankwise.models.serving_cost import ServingCost as ServingCost
    from rankwise.models.serving_cost import measure_cost as measure_cost
    from rankwise.models.verification import ExportVerification as ExportVerification
    from rankwise.models.verification import verify_export as verify_export
    from rankwise.rankers.making import make_ranker as make_ranker
    from rankwise.rankers.ranker import Model as Model
    from rankwise.rankers.ranker import Ranker as Ranker
    from rankwise.reports.comparison_files import ReportFiles as ReportFiles
    from rankwise.reports.comparison_files import report as report
    from rankwise.reports.experiment_tables import write_bench as write_bench
    from rankwise.results.kept_files import extract_kept as extract_kept
    from rankwise.results.kept_files import list_kept as list_kept
    from rankwise.results.kept_files import read_kept_scores as read_kept_scores
    from rankwise.results.merging import merge_results as merge_results
    from rankwise.results.reading import inspect_results as inspect_results
    from rankwise.results.reading import read_results as read_results
    from rankwise.results.store import Store as Store
    from rankwise.results.store_questions import verify_store as verify_store
    from rankwise.results.table import ResultTable as ResultTable
    from rankwise.results.writing import write_results as write_results
else:
    homes = {
        "rankwise.arena.web.choosing": ("serve",),
        "rankwise.arena.web.site_export": ("write_site",),
        "rankwise.collection.metadata_features": ("build_features",),
        "rankwise.collection.pipeline": ("Build", "build"),
        "rankwise.comparison.bias": ("PublicationBias", "look_for_bias"),
        "rankwise.comparison.bootstrap": ("Bootstrap", "resample_datasets"),
        "rankwise.comparison.comparing": ("compare",),
        "rankwise.comparison.estimated_ranking": ("EstimatedRanking", "rank_by"),
        "rankwise.comparison.hole_study": ("HoleStudy",),
        "rankwise.comparison.holes": ("lay_holes",),
        "rankwise.comparison.leaving_out": ("Sensitivity", "leave_out"),
        "rankwise.comparison.placement": ("Placement", "Placements"),
        "rankwise.comparison.placing": ("place",),
        "rankwise.comparison.published_differences": ("PublishedAgainstHere", "compare_published"),
        "rankwise.comparison.ranking": ("Comparison",),
        "rankwise.comparison.significance.systems": ("SystemComparison",),
        "rankwise.comparison.verdicts": ("Verdicts",),
        "rankwise.data.added_features": (
            "AddedFeature",
            "AddedFiles",
            "add_feature",
            "add_feature_to_files",
        ),
        "rankwise.data.catalog.entries": ("CatalogEntry",),
        "rankwise.data.catalog.home": ("Installed",),
        "rankwise.data.checking": ("DataProblem",),
        "rankwise.data.dataset": ("Dataset",),
        "rankwise.data.description": ("Description", "describe"),
        "rankwise.data.file_checks": ("check",),
        "rankwise.data.folds.fold": ("Fold",),
        "rankwise.data.folds.reading": ("read_folds",),
        "rankwise.data.folds.splitting": ("split_folds",),
        "rankwise.data.folds.writing": ("write_folds",),
        "rankwise.data.normalization.registry": ("normalize",),
        "rankwise.data.query_filtering": ("filter_files", "filter_queries"),
        "rankwise.data.reading": ("read", "read_all"),
        "rankwise.data.writing": ("write",),
        "rankwise.demonstration": ("Demo", "demo"),
        "rankwise.errors": ("RankwiseError",),
        "rankwise.evaluation.evaluating": ("evaluate",),
        "rankwise.evaluation.explaining": ("explain", "identify"),
        "rankwise.evaluation.own_queries": ("tabulate_queries",),
        "rankwise.evaluation.own_results": ("tabulate_scores",),
        "rankwise.evaluation.query_check": ("check_queries",),
        "rankwise.evaluation.reconciling": ("Reconciliation", "reconcile"),
        "rankwise.evaluation.systems": ("Significance", "significance"),
        "rankwise.experiments.bench_run": ("BenchRun", "bench"),
        "rankwise.experiments.dearank_analysis": ("DEARankAnalysis", "analyse_dearank"),
        "rankwise.experiments.efficiency_analysis": ("EfficiencyAnalysis", "analyse_efficiency"),
        "rankwise.experiments.experiment": ("Experiment", "plan"),
        "rankwise.experiments.feature_path": ("FeaturePath", "trace_path"),
        "rankwise.experiments.feature_studies": (
            "FeatureReduction",
            "FeatureSelection",
            "FeatureWeights",
            "reduce_features",
            "select_features",
            "weigh_features",
        ),
        "rankwise.experiments.plan_facts": ("PlanFacts", "foresee"),
        "rankwise.experiments.ranker_tuning": ("TuningResult", "tune"),
        "rankwise.experiments.recommending.left_out": (
            "RecommendationCheck",
            "check_recommendations",
        ),
        "rankwise.experiments.recommending.recommendation": ("Recommendation",),
        "rankwise.experiments.recommending.recommending": ("recommend",),
        "rankwise.experiments.sampling_depths": ("DepthComparison", "compare_depths"),
        "rankwise.experiments.constant_tuning": ("ConstantTuning", "tune_constants"),
        "rankwise.experiments.submission_bundle": ("write_bundle",),
        "rankwise.experiments.training": ("fit",),
        "rankwise.experiments.two_stages": ("TwoStages", "evaluate_stages"),
        "rankwise.feedback.counterfactual.study": ("OfflineStudy", "learn_offline"),
        "rankwise.feedback.estimators.registry": ("evaluate_from_log",),
        "rankwise.feedback.interleaving.comparing": ("interleave",),
        "rankwise.feedback.log": ("ClickLog",),
        "rankwise.feedback.log_files": ("read_log", "write_log"),
        "rankwise.feedback.online.study": ("OnlineStudy", "learn_online"),
        "rankwise.feedback.propensities.propensities": ("Propensities",),
        "rankwise.feedback.propensities.registry": ("estimate_propensities",),
        "rankwise.feedback.simulation": ("simulate_clicks",),
        "rankwise.feedback.training_sets": ("convert_log",),
        "rankwise.literature.condensing": ("condense_store",),
        "rankwise.literature.dense": ("read_dense",),
        "rankwise.literature.dense_table": ("DenseTable",),
        "rankwise.measures.evaluation": ("Evaluation",),
        "rankwise.measures.explanation": ("Explanation",),
        "rankwise.measures.identification": ("Match",),
        "rankwise.measures.measure": ("Measure",),
        "rankwise.measures.tool": ("Tool",),
        "rankwise.models.description": ("ModelDescription", "describe_model"),
        "rankwise.models.explanations.dependence": ("PartialDependence", "measure_dependence"),
        "rankwise.models.explanations.importance": ("ModelImportance", "weigh_model"),
        "rankwise.models.explanations.order": ("OrderExplanation", "explain_order"),
        "rankwise.models.explanations.scores": ("ScoreExplanation", "explain_scores"),
        "rankwise.models.exporting": ("export_model",),
        "rankwise.models.kept_models": ("load_kept_model",),
        "rankwise.models.model_file": ("load_model", "save_model"),
        "rankwise.models.ranker_description": ("RankerDescription", "describe_ranker"),
        "rankwise.models.scoring": ("score",),
        "rankwise.models.serving_cost": ("ServingCost", "measure_cost"),
        "rankwise.models.verification": ("ExportVerification", "verify_export"),
        "rankwise.rankers.making": ("make_ranker",),
        "rankwise.rankers.ranker": ("Model", "Ranker"),
        "rankwise.reports.comparison_files": ("ReportFiles", "report"),
        "rankwise.reports.experiment_tables": ("write_bench",),
        "rankwise.results.kept_files": ("extract_kept", "list_kept", "read_kept_scores"),
        "rankwise.results.merging": ("merge_results",),
        "rankwise.results.reading": ("inspect_results", "read_results"),
        "rankwise.results.store": ("Store",),
        "rankwise.results.store_questions": ("verify_store",),
        "rankwise.results.table": ("ResultTable",),
        "rankwise.results.writing": ("write_results",),
    }
    rooms = (
        "arena",
        "checks",
        "collection",
        "comparison",
        "data",
        "evaluation",
        "experiments",
        "feature_selection",
        "feedback",
        "literature",
        "measures",
        "models",
        "rankers",
        "reports",
        "results",
    )
    __getattr__, __dir__, __all__ = attach(__name__, homes, rooms)
