"""Experiments: LETOR's protocol expanded into tasks, run anywhere, kept in a store."""
