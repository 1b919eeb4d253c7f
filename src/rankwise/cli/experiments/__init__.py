"""Commands that run experiments."""
