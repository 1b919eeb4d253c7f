"""What boosting methods share: weak rankers, thresholds, performance per query."""
