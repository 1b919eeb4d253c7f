"""What rankers share that regress on labels: greedy choice of features, random hidden layers."""
