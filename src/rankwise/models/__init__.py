"""Models: on disk in one JSON format, described, scored with, and exported to other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.models.description import ModelDescription as ModelDescription
    from rankwise.models.description import describe_model as describe_model
    from rankwise.models.exports.files import export_file as export_file
    from rankwise.models.exports.registry import EXPORTS as EXPORTS
    from rankwise.models.exports.registry import Export as Export
    from rankwise.models.exports.registry import ExportFormat as ExportFormat
    from rankwise.models.exports.registry import export as export
    from rankwise.models.exports.registry import exports_of as exports_of
    from rankwise.models.forms import exports_of_ranker as exports_of_ranker
    from rankwise.models.forms import kinds_of as kinds_of
    from rankwise.models.model_file import ModelFile as ModelFile
    from rankwise.models.model_file import load_model as load_model
    from rankwise.models.model_file import read_model_file as read_model_file
    from rankwise.models.model_file import save_model as save_model
    from rankwise.models.ranker_description import RankerDescription as RankerDescription
    from rankwise.models.ranker_description import describe_ranker as describe_ranker
    from rankwise.models.scoring import score as score
else:
    homes = {
        "rankwise.models.description": ("ModelDescription", "describe_model"),
        "rankwise.models.exports.files": ("export_file",),
        "rankwise.models.exports.registry": (
            "EXPORTS",
            "Export",
            "ExportFormat",
            "export",
            "exports_of",
        ),
        "rankwise.models.forms": ("exports_of_ranker", "kinds_of"),
        "rankwise.models.model_file": (
            "ModelFile",
            "load_model",
            "read_model_file",
            "save_model",
        ),
        "rankwise.models.ranker_description": ("RankerDescription", "describe_ranker"),
        "rankwise.models.scoring": ("score",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
