"""Linear functions, each learned by a solver of its own."""
