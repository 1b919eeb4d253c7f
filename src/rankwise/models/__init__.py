"""Models: on disk in one format, described, scored with, explained, exported and verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.models.certificate import Certificate as Certificate
    from rankwise.models.certificate import DataAgreement as DataAgreement
    from rankwise.models.certificate import read_certificate as read_certificate
    from rankwise.models.description import ModelDescription as ModelDescription
    from rankwise.models.description import describe_model as describe_model
    from rankwise.models.explanations.dependence import PartialDependence as PartialDependence
    from rankwise.models.explanations.dependence import measure_dependence as measure_dependence
    from rankwise.models.explanations.importance import IMPORTANCE_WAYS as IMPORTANCE_WAYS
    from rankwise.models.explanations.importance import ModelImportance as ModelImportance
    from rankwise.models.explanations.importance import weigh_model as weigh_model
    from rankwise.models.explanations.order import OrderExplanation as OrderExplanation
    from rankwise.models.explanations.order import explain_order as explain_order
    from rankwise.models.explanations.scores import ScoreExplanation as ScoreExplanation
    from rankwise.models.explanations.scores import explain_scores as explain_scores
    from rankwise.models.exporting import export_model as export_model
    from rankwise.models.exports.registry import EXPORTS as EXPORTS
    from rankwise.models.exports.registry import export as export
    from rankwise.models.exports.registry import exports_of as exports_of
    from rankwise.models.exports.target import Export as Export
    from rankwise.models.exports.target import ExportFormat as ExportFormat
    from rankwise.models.forms import exports_of_ranker as exports_of_ranker
    from rankwise.models.forms import kinds_of as kinds_of
    from rankwise.models.kept_models import load_kept_model as load_kept_model
    from rankwise.models.model_file import ModelFile as ModelFile
    from rankwise.models.model_file import load_model as load_model
    from rankwise.models.model_file import read_model_file as read_model_file
    from rankwise.models.model_file import save_model as save_model
    from rankwise.models.ranker_description import RankerDescription as RankerDescription
    from rankwise.models.ranker_description import describe_ranker as describe_ranker
    from rankwise.models.score_agreement import OrderChanges as OrderChanges
    from rankwise.models.score_agreement import ScoreAgreement as ScoreAgreement
    from rankwise.models.scoring import score as score
    from rankwise.models.serving_cost import ServingCost as ServingCost
    from rankwise.models.serving_cost import ServingTime as ServingTime
    from rankwise.models.serving_cost import measure_cost as measure_cost
    from rankwise.models.verification import ExportVerification as ExportVerification
    from rankwise.models.verification import verify_export as verify_export
else:
    homes = {
        "rankwise.models.certificate": ("Certificate", "DataAgreement", "read_certificate"),
        "rankwise.models.description": ("ModelDescription", "describe_model"),
        "rankwise.models.explanations.dependence": ("PartialDependence", "measure_dependence"),
        "rankwise.models.explanations.importance": (
            "IMPORTANCE_WAYS",
            "ModelImportance",
            "weigh_model",
        ),
        "rankwise.models.explanations.order": ("OrderExplanation", "explain_order"),
        "rankwise.models.explanations.scores": ("ScoreExplanation", "explain_scores"),
        "rankwise.models.exporting": ("export_model",),
        "rankwise.models.exports.registry": ("EXPORTS", "export", "exports_of"),
        "rankwise.models.exports.target": ("Export", "ExportFormat"),
        "rankwise.models.forms": ("exports_of_ranker", "kinds_of"),
        "rankwise.models.kept_models": ("load_kept_model",),
        "rankwise.models.model_file": ("ModelFile", "load_model", "read_model_file", "save_model"),
        "rankwise.models.ranker_description": ("RankerDescription", "describe_ranker"),
        "rankwise.models.score_agreement": ("OrderChanges", "ScoreAgreement"),
        "rankwise.models.scoring": ("score",),
        "rankwise.models.serving_cost": ("ServingCost", "ServingTime", "measure_cost"),
        "rankwise.models.verification": ("ExportVerification", "verify_export"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
