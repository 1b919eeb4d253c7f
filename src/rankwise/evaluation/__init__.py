"""What is left of evaluation goes to measures and comparison by measures.toml."""
