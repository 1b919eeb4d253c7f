"""The formats of figures for print, apart from what draws them: options name them."""

from __future__ import annotations

FIGURE_FORMATS = ("png", "svg", "pdf")
