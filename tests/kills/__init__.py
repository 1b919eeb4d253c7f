"""Commands killed by kill -9 at seeded moments, and what is left of them."""
