"""Feedback: simulated users, click logs, what they tell about rankers, and learners from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwise.lazy import attach

if TYPE_CHECKING:
    from rankwise.feedback.click_models.cascade import Cascade as Cascade
    from rankwise.feedback.click_models.dependent_click import DependentClick as DependentClick
    from rankwise.feedback.click_models.dynamic_bayesian import DynamicBayesian as DynamicBayesian
    from rankwise.feedback.click_models.model import ClickModel as ClickModel
    from rankwise.feedback.click_models.position_based import PositionBased as PositionBased
    from rankwise.feedback.click_models.registry import CLICK_MODELS as CLICK_MODELS
    from rankwise.feedback.click_models.registry import make_user as make_user
    from rankwise.feedback.counterfactual.lightgbm_positions import (
        LightGBMPositions as LightGBMPositions,
    )
    from rankwise.feedback.counterfactual.propensity_listnet import (
        PropensityListNet as PropensityListNet,
    )
    from rankwise.feedback.counterfactual.propensity_ranksvm import (
        PropensityRankSVM as PropensityRankSVM,
    )
    from rankwise.feedback.counterfactual.registry import LOG_LEARNERS as LOG_LEARNERS
    from rankwise.feedback.counterfactual.study import OfflineStudy as OfflineStudy
    from rankwise.feedback.counterfactual.study import learn_offline as learn_offline
    from rankwise.feedback.estimators.registry import ESTIMATORS as ESTIMATORS
    from rankwise.feedback.estimators.registry import LogEvaluation as LogEvaluation
    from rankwise.feedback.estimators.registry import evaluate_from_log as evaluate_from_log
    from rankwise.feedback.interleaving.comparing import INTERLEAVINGS as INTERLEAVINGS
    from rankwise.feedback.interleaving.comparing import InterleavingResult as InterleavingResult
    from rankwise.feedback.interleaving.comparing import interleave as interleave
    from rankwise.feedback.log import ClickLog as ClickLog
    from rankwise.feedback.log_files import read_log as read_log
    from rankwise.feedback.log_files import write_log as write_log
    from rankwise.feedback.online.registry import ONLINE_LEARNERS as ONLINE_LEARNERS
    from rankwise.feedback.online.registry import make_online_learner as make_online_learner
    from rankwise.feedback.online.study import OnlineStudy as OnlineStudy
    from rankwise.feedback.online.study import learn_online as learn_online
    from rankwise.feedback.propensities.propensities import Propensities as Propensities
    from rankwise.feedback.propensities.propensities import (
        power_propensities as power_propensities,
    )
    from rankwise.feedback.propensities.registry import PROPENSITY_METHODS as PROPENSITY_METHODS
    from rankwise.feedback.propensities.registry import (
        estimate_propensities as estimate_propensities,
    )
    from rankwise.feedback.protocol import FEEDBACK_PARTS as FEEDBACK_PARTS
    from rankwise.feedback.simulated_folds import simulate_folds as simulate_folds
    from rankwise.feedback.simulation import DEFAULT_LOGGING as DEFAULT_LOGGING
    from rankwise.feedback.simulation import DEFAULT_SHOWN as DEFAULT_SHOWN
    from rankwise.feedback.simulation import DEFAULT_USER as DEFAULT_USER
    from rankwise.feedback.simulation import RANDOMIZATIONS as RANDOMIZATIONS
    from rankwise.feedback.simulation import simulate_clicks as simulate_clicks
    from rankwise.feedback.training_sets import convert_log as convert_log
    from rankwise.feedback.training_sets import label_by_clicks as label_by_clicks
    from rankwise.feedback.training_sets import session_rows as session_rows
else:
    homes = {
        "rankwise.feedback.click_models.cascade": ("Cascade",),
        "rankwise.feedback.click_models.dependent_click": ("DependentClick",),
        "rankwise.feedback.click_models.dynamic_bayesian": ("DynamicBayesian",),
        "rankwise.feedback.click_models.model": ("ClickModel",),
        "rankwise.feedback.click_models.position_based": ("PositionBased",),
        "rankwise.feedback.click_models.registry": ("CLICK_MODELS", "make_user"),
        "rankwise.feedback.counterfactual.lightgbm_positions": ("LightGBMPositions",),
        "rankwise.feedback.counterfactual.propensity_listnet": ("PropensityListNet",),
        "rankwise.feedback.counterfactual.propensity_ranksvm": ("PropensityRankSVM",),
        "rankwise.feedback.counterfactual.registry": ("LOG_LEARNERS",),
        "rankwise.feedback.counterfactual.study": ("OfflineStudy", "learn_offline"),
        "rankwise.feedback.estimators.registry": (
            "ESTIMATORS",
            "LogEvaluation",
            "evaluate_from_log",
        ),
        "rankwise.feedback.interleaving.comparing": (
            "INTERLEAVINGS",
            "InterleavingResult",
            "interleave",
        ),
        "rankwise.feedback.log": ("ClickLog",),
        "rankwise.feedback.log_files": ("read_log", "write_log"),
        "rankwise.feedback.online.registry": ("ONLINE_LEARNERS", "make_online_learner"),
        "rankwise.feedback.online.study": ("OnlineStudy", "learn_online"),
        "rankwise.feedback.propensities.propensities": ("Propensities", "power_propensities"),
        "rankwise.feedback.propensities.registry": (
            "PROPENSITY_METHODS",
            "estimate_propensities",
        ),
        "rankwise.feedback.protocol": ("FEEDBACK_PARTS",),
        "rankwise.feedback.simulated_folds": ("simulate_folds",),
        "rankwise.feedback.simulation": (
            "DEFAULT_LOGGING",
            "DEFAULT_SHOWN",
            "DEFAULT_USER",
            "RANDOMIZATIONS",
            "simulate_clicks",
        ),
        "rankwise.feedback.training_sets": ("convert_log", "label_by_clicks", "session_rows"),
    }
    __getattr__, __dir__, __all__ = attach(__name__, homes)
