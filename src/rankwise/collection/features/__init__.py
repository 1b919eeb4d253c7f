"""Features of query-document pairs: each a small function with its formula, in named sets."""
