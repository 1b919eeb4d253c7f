"""Losses and their gradients, shared by rankers."""
