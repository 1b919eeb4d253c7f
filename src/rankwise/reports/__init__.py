"""Reports: figures as data, drawn by renderers; tables; the self-contained page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.reports.dearank_figures import draw_dearank as draw_dearank
else:
    homes = {
        "rankwise.reports.dearank_figures": ("draw_dearank",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
