"""Ways to find a minimum, shared by rankers."""
