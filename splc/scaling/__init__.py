"""Scaling models: how quantities grow with parameters, in the performance model normal form (PMNF)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.scaling.exponents import Exponents
    from splc.scaling.fitting import fit, fit_many
    from splc.scaling.result import ScalingModel

__all__ = ["Exponents", "ScalingModel", "fit", "fit_many"]

_HOMES = {"Exponents": "exponents", "ScalingModel": "result", "fit": "fitting", "fit_many": "fitting"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
