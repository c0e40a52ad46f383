"""The deprecated name of `splc.workflows.calibrate`."""

from splc.lazy import deprecated
from splc.workflows.calibrate import Request, Result, run, write

__all__ = ["Request", "Result", "run", "write"]

deprecated("splc.workflows.fit", "splc.workflows.calibrate")
