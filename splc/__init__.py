"""Performance-influence models of configurable systems: describe, sample, measure, learn, compare.

This is the core vocabulary. Names are handed on lazily (PEP 562), so that `splc --help` imports not even numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from splc._version import __version__

if TYPE_CHECKING:
    from splc.configurations import Configurations
    from splc.errors import SplcError
    from splc.formats.measurements import read_measurements
    from splc.formats.models import read_model
    from splc.formats.variability_xml import read_variability_model
    from splc.influence import InfluenceModel
    from splc.measurements import Measurements
    from splc.options import BinaryOption, NumericOption
    from splc.terms import Term
    from splc.variability import VariabilityModel

__all__ = [
    "BinaryOption",
    "Configurations",
    "InfluenceModel",
    "Measurements",
    "NumericOption",
    "SplcError",
    "Term",
    "VariabilityModel",
    "__version__",
    "read_measurements",
    "read_model",
    "read_variability_model",
]

_HOMES = {
    "BinaryOption": "splc.options",
    "Configurations": "splc.configurations",
    "InfluenceModel": "splc.influence",
    "Measurements": "splc.measurements",
    "NumericOption": "splc.options",
    "SplcError": "splc.errors",
    "Term": "splc.terms",
    "VariabilityModel": "splc.variability",
    "read_measurements": "splc.formats.measurements",
    "read_model": "splc.formats.models",
    "read_variability_model": "splc.formats.variability_xml",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
