"""Scaling models: how quantities grow with parameters, in the performance model normal form (PMNF)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from splc.scaling.exponents import Exponents
    from splc.scaling.fit import fit, fit_many
    from splc.scaling.profile import Profile, fit_experiment
    from splc.scaling.result import ScalingModel
    from splc.scaling.suggestion.suggest import suggest

__all__ = ["Exponents", "Profile", "ScalingModel", "fit", "fit_experiment", "fit_many", "suggest"]

attach(
    __name__,
    {
        "Exponents": "splc.scaling.exponents",
        "Profile": "splc.scaling.profile",
        "ScalingModel": "splc.scaling.result",
        "fit": "splc.scaling.fit",
        "fit_experiment": "splc.scaling.profile",
        "fit_many": "splc.scaling.fit",
        "suggest": "splc.scaling.suggestion.suggest",
    },
)
