"""Significance: is the difference between two systems more than the luck of the queries drawn?

Pure functions on per-query figures. Everywhere a difference is the second system minus the first,
except in LETOR's own layouts, where A and B stand as in the scripts.
"""

from __future__ import annotations

from rankwise.comparison.significance_tests.intervals import (
    EffectSizes,
    Interval,
    confidence_interval,
    effect_sizes,
)
from rankwise.comparison.significance_tests.letor_scripts import (
    letor_report,
    letor_rows,
    mslr_report,
    one_sided_t_test,
)
from rankwise.comparison.significance_tests.paired_tests import (
    PairedTestResult,
    PairedValues,
    bootstrap_test,
    pair,
    randomization_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from rankwise.comparison.significance_tests.procedure import (
    Procedure,
    SystemComparison,
    adjust,
    benjamini_hochberg,
    bonferroni,
    compare_systems,
    holm,
)

__all__ = [
    "EffectSizes",
    "Interval",
    "PairedTestResult",
    "PairedValues",
    "Procedure",
    "SystemComparison",
    "adjust",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap_test",
    "compare_systems",
    "confidence_interval",
    "effect_sizes",
    "holm",
    "letor_report",
    "letor_rows",
    "mslr_report",
    "one_sided_t_test",
    "pair",
    "randomization_test",
    "sign_test",
    "t_test",
    "wilcoxon_test",
]
