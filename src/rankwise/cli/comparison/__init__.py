"""Commands that compare results."""
