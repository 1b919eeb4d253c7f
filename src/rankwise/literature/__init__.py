"""Published results, each with its citation."""
