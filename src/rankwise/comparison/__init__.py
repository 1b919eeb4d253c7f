"""Comparison: which method is best across benchmarks, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.comparison.agreement import Agreement as Agreement
    from rankwise.comparison.agreement import compute_agreement as compute_agreement
    from rankwise.comparison.bagplot import Bagplot as Bagplot
    from rankwise.comparison.bagplot import make_bagplot as make_bagplot
    from rankwise.comparison.bagplot import make_dataset_bagplots as make_dataset_bagplots
    from rankwise.comparison.bias import PublicationBias as PublicationBias
    from rankwise.comparison.bias import look_for_bias as look_for_bias
    from rankwise.comparison.bootstrap import NWN_INTERVALS as NWN_INTERVALS
    from rankwise.comparison.bootstrap import Bootstrap as Bootstrap
    from rankwise.comparison.bootstrap import NwnInterval as NwnInterval
    from rankwise.comparison.bootstrap import resample_datasets as resample_datasets
    from rankwise.comparison.comparing import compare as compare
    from rankwise.comparison.estimated_ranking import EstimatedMethod as EstimatedMethod
    from rankwise.comparison.estimated_ranking import EstimatedRanking as EstimatedRanking
    from rankwise.comparison.estimated_ranking import rank_by as rank_by
    from rankwise.comparison.estimators.registry import DEFAULT_ESTIMATOR as DEFAULT_ESTIMATOR
    from rankwise.comparison.estimators.registry import ESTIMATORS as ESTIMATORS
    from rankwise.comparison.friedman import FriedmanTest as FriedmanTest
    from rankwise.comparison.friedman import friedman_test as friedman_test
    from rankwise.comparison.gathering import DEFAULT_TABLE as DEFAULT_TABLE
    from rankwise.comparison.gathering import gather_results as gather_results
    from rankwise.comparison.hole_study import HoleStudy as HoleStudy
    from rankwise.comparison.holes import DENSE_TABLE as DENSE_TABLE
    from rankwise.comparison.holes import lay_holes as lay_holes
    from rankwise.comparison.leaving_out import PARTS as PARTS
    from rankwise.comparison.leaving_out import Part as Part
    from rankwise.comparison.leaving_out import Sensitivity as Sensitivity
    from rankwise.comparison.leaving_out import leave_out as leave_out
    from rankwise.comparison.placement import DatasetGain as DatasetGain
    from rankwise.comparison.placement import HeadToHead as HeadToHead
    from rankwise.comparison.placement import Placement as Placement
    from rankwise.comparison.placement import Placements as Placements
    from rankwise.comparison.placing import place as place
    from rankwise.comparison.published_differences import (
        PublishedAgainstHere as PublishedAgainstHere,
    )
    from rankwise.comparison.published_differences import compare_published as compare_published
    from rankwise.comparison.ranking import Comparison as Comparison
    from rankwise.comparison.ranking import RankedMethod as RankedMethod
    from rankwise.comparison.ranking import compare_table as compare_table
    from rankwise.comparison.sensitivity import leave_out_each_dataset as leave_out_each_dataset
    from rankwise.comparison.sensitivity import leave_out_each_measure as leave_out_each_measure
    from rankwise.comparison.sensitivity import leave_out_each_study as leave_out_each_study
    from rankwise.comparison.significance.corrections import CORRECTIONS as CORRECTIONS
    from rankwise.comparison.significance.effect_sizes import EffectSizes as EffectSizes
    from rankwise.comparison.significance.intervals import INTERVALS as INTERVALS
    from rankwise.comparison.significance.intervals import Interval as Interval
    from rankwise.comparison.significance.result import PairedTestResult as PairedTestResult
    from rankwise.comparison.significance.systems import FAMILIES as FAMILIES
    from rankwise.comparison.significance.systems import TESTS as TESTS
    from rankwise.comparison.significance.systems import Procedure as Procedure
    from rankwise.comparison.significance.systems import SystemComparison as SystemComparison
    from rankwise.comparison.significance.systems import compare_systems as compare_systems
    from rankwise.comparison.strengths import Strengths as Strengths
    from rankwise.comparison.strengths import fit_bradley_terry as fit_bradley_terry
    from rankwise.comparison.strengths import fit_plackett_luce as fit_plackett_luce
    from rankwise.comparison.verdicts import RivalVerdict as RivalVerdict
    from rankwise.comparison.verdicts import Verdicts as Verdicts
    from rankwise.comparison.weights import WEIGHTS as WEIGHTS
    from rankwise.comparison.weights import Weights as Weights
    from rankwise.comparison.win_matrix import WinMatrix as WinMatrix
    from rankwise.comparison.win_matrix import count_wins as count_wins
else:
    homes = {
        "rankwise.comparison.agreement": ("Agreement", "compute_agreement"),
        "rankwise.comparison.bagplot": ("Bagplot", "make_bagplot", "make_dataset_bagplots"),
        "rankwise.comparison.bias": ("PublicationBias", "look_for_bias"),
        "rankwise.comparison.bootstrap": (
            "NWN_INTERVALS",
            "Bootstrap",
            "NwnInterval",
            "resample_datasets",
        ),
        "rankwise.comparison.comparing": ("compare",),
        "rankwise.comparison.estimated_ranking": (
            "EstimatedMethod",
            "EstimatedRanking",
            "rank_by",
        ),
        "rankwise.comparison.estimators.registry": ("DEFAULT_ESTIMATOR", "ESTIMATORS"),
        "rankwise.comparison.friedman": ("FriedmanTest", "friedman_test"),
        "rankwise.comparison.gathering": ("DEFAULT_TABLE", "gather_results"),
        "rankwise.comparison.hole_study": ("HoleStudy",),
        "rankwise.comparison.holes": ("DENSE_TABLE", "lay_holes"),
        "rankwise.comparison.leaving_out": ("PARTS", "Part", "Sensitivity", "leave_out"),
        "rankwise.comparison.placement": ("DatasetGain", "HeadToHead", "Placement", "Placements"),
        "rankwise.comparison.placing": ("place",),
        "rankwise.comparison.published_differences": ("PublishedAgainstHere", "compare_published"),
        "rankwise.comparison.ranking": ("Comparison", "RankedMethod", "compare_table"),
        "rankwise.comparison.sensitivity": (
            "leave_out_each_dataset",
            "leave_out_each_measure",
            "leave_out_each_study",
        ),
        "rankwise.comparison.significance.corrections": ("CORRECTIONS",),
        "rankwise.comparison.significance.effect_sizes": ("EffectSizes",),
        "rankwise.comparison.significance.intervals": ("INTERVALS", "Interval"),
        "rankwise.comparison.significance.result": ("PairedTestResult",),
        "rankwise.comparison.significance.systems": (
            "FAMILIES",
            "TESTS",
            "Procedure",
            "SystemComparison",
            "compare_systems",
        ),
        "rankwise.comparison.strengths": ("Strengths", "fit_bradley_terry", "fit_plackett_luce"),
        "rankwise.comparison.verdicts": ("RivalVerdict", "Verdicts"),
        "rankwise.comparison.weights": ("WEIGHTS", "Weights"),
        "rankwise.comparison.win_matrix": ("WinMatrix", "count_wins"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
