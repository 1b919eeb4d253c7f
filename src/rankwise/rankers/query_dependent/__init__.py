"""Functions that differ by query, or that follow relations between documents."""
