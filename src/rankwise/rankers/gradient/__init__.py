"""Rankers trained by gradients: linear functions and networks."""
