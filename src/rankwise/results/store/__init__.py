"""The store of experiments: one SQLite file with everything that is kept of tasks."""
