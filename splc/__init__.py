"""Performance-influence models of configurable systems: describe, sample, measure, learn, compare.

This is the core vocabulary. Names are imported on first use, so that `splc --help` imports not even numpy.
"""

from __future__ import annotations

from splc._version import __version__
from splc.lazy import attach

# Not typing's: its import takes longer than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from splc.data.configurations import Configurations
    from splc.data.measurements import Measurements
    from splc.errors import SplcError
    from splc.formats.measurements.read import read_measurements, read_measurements_by
    from splc.formats.measurements.table_inference import infer_system
    from splc.formats.models.read import read_model
    from splc.formats.models.text import parse_model
    from splc.formats.system.splconqueror_xml import read_variability_model
    from splc.models.influence import InfluenceModel
    from splc.models.terms import Term
    from splc.system.options import BinaryOption, NumericOption
    from splc.system.variability import VariabilityModel

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
    "infer_system",
    "parse_model",
    "read_measurements",
    "read_measurements_by",
    "read_model",
    "read_variability_model",
]

attach(
    __name__,
    {
        "BinaryOption": "splc.system.options",
        "Configurations": "splc.data.configurations",
        "InfluenceModel": "splc.models.influence",
        "Measurements": "splc.data.measurements",
        "NumericOption": "splc.system.options",
        "SplcError": "splc.errors",
        "Term": "splc.models.terms",
        "VariabilityModel": "splc.system.variability",
        "infer_system": "splc.formats.measurements.table_inference",
        "parse_model": "splc.formats.models.text",
        "read_measurements": "splc.formats.measurements.read",
        "read_measurements_by": "splc.formats.measurements.read",
        "read_model": "splc.formats.models.read",
        "read_variability_model": "splc.formats.system.splconqueror_xml",
    },
    modules=("calibration", "learning", "scaling", "study", "workflows"),
)
