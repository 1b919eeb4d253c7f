"""Models in the layouts of other tools: what can be exported to what, and how exact it is."""

from rankwise.models.exports.registry import EXPORTS, export, exports_of
from rankwise.models.exports.target import Export, ExportFormat

__all__ = ["EXPORTS", "Export", "ExportFormat", "export", "exports_of"]
