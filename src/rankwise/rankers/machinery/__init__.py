"""What several rankers share: compiled kernels, solvers, boosting, training measures."""
