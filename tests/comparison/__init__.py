"""Tests of rankwise.comparison."""
