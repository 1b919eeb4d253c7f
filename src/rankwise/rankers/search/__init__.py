"""Ranking functions found by search: the measure itself says which is better."""
