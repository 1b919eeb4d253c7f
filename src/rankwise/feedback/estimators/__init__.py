"""What a ranker would be worth, estimated from the log of another one; one estimator a file."""
