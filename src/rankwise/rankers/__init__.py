"""Rankers: every method behind one interface, registered by name, or a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.rankers.making import make_ranker as make_ranker
    from rankwise.rankers.making import parse_settings as parse_settings
    from rankwise.rankers.parameters import Parameter as Parameter
    from rankwise.rankers.parameters import parameter as parameter
    from rankwise.rankers.parameters import parameters_of as parameters_of
    from rankwise.rankers.ranker import Model as Model
    from rankwise.rankers.ranker import QuietWatch as QuietWatch
    from rankwise.rankers.ranker import Ranker as Ranker
    from rankwise.rankers.ranker import Round as Round
    from rankwise.rankers.ranker import Watch as Watch
    from rankwise.rankers.ranker import never_stop as never_stop
    from rankwise.rankers.registry import RANKERS as RANKERS
    from rankwise.rankers.registry import find_ranker as find_ranker
    from rankwise.rankers.registry import ranker_names as ranker_names
    from rankwise.rankers.scorers.scorer import Scorer as Scorer
else:
    homes = {
        "rankwise.rankers.making": ("make_ranker", "parse_settings"),
        "rankwise.rankers.parameters": ("Parameter", "parameter", "parameters_of"),
        "rankwise.rankers.ranker": (
            "Model",
            "QuietWatch",
            "Ranker",
            "Round",
            "Watch",
            "never_stop",
        ),
        "rankwise.rankers.registry": ("RANKERS", "find_ranker", "ranker_names"),
        "rankwise.rankers.scorers.scorer": ("Scorer",),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
