"""Training one model over the workers of a cluster."""
