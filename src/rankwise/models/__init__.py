"""Models on disk: one JSON format that holds all that scoring needs, and exports to other tools."""

from rankwise.models.model_file import ModelFile, load_model, read_model_file, save_model

__all__ = ["ModelFile", "load_model", "read_model_file", "save_model"]
