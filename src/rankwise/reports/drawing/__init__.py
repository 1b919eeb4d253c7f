"""Figures for print: every kind drawn with matplotlib."""
