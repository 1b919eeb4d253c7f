"""What a model looks at: importance, contributions to a score, dependence, why A is above B."""
