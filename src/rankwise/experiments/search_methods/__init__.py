"""Ways to choose what a tuning tries next: the whole grid, at random, or by optuna."""
