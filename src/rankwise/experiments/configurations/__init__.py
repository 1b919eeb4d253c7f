"""Shipped experiments, as TOML files."""
