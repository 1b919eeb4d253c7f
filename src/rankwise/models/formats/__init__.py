"""Formats of other tools: one file each, which writes a model and scores what it wrote."""
