"""Scaling models: how quantities grow with parameters, in the performance model normal form (PMNF)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.scaling.exponents import Exponents
    from splc.scaling.fitting import fit, fit_many
    from splc.scaling.learner import ScalingResult, learn_scaling
    from splc.scaling.profile import Profile, fit_experiment
    from splc.scaling.result import ScalingModel

__all__ = [
    "Exponents",
    "Profile",
    "ScalingModel",
    "ScalingResult",
    "fit",
    "fit_experiment",
    "fit_many",
    "learn_scaling",
]

_HOMES = {
    "Exponents": "exponents",
    "Profile": "profile",
    "ScalingModel": "result",
    "ScalingResult": "learner",
    "fit": "fitting",
    "fit_experiment": "profile",
    "fit_many": "fitting",
    "learn_scaling": "learner",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
