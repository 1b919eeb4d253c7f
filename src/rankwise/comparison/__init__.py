"""Comparison: which method is best, across benchmarks, and how sure are we. Pure."""
