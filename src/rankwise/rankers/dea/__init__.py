"""Data envelopment analysis: its linear programs, their solvers, and pools of weak rankers."""
