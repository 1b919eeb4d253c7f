"""Measures: pure functions on flat arrays, and every tool's convention for them."""
