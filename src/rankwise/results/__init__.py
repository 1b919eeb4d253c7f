"""Results: a long table, one row a fact."""
