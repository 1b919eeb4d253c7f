"""Ensembles of trees, trained by LightGBM."""
