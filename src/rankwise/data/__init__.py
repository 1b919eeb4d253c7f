"""Data: the Dataset type, its files, its LETOR versions, its folds and the catalogue."""
