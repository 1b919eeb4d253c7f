"""Commands that measure rankings."""
