"""Models in the layouts of other tools: what can be exported to what, and how exact it is."""

from rankwise.models.exports.registry import EXPORTS, Export, ExportFormat, export, exports_of

__all__ = ["EXPORTS", "Export", "ExportFormat", "export", "exports_of"]
