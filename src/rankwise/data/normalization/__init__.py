"""The LETOR versions NULL, MIN and QueryLevelNorm, and the other ways to scale features."""
