"""Type aliases that many packages share. No import of numpy at run time, so that the command line starts fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

# The value that represents the repetitions of a configuration.
Aggregate = Literal["mean", "median", "min"]
# Rows of a measurement file whose configuration is not valid, and rows that measure a configuration again.
Invalid = Literal["error", "drop"]
Duplicates = Literal["error", "first", "mean"]
# Sampled configurations that were not measured.
Missing = Literal["error", "drop", "nearest"]
# What a sum of terms is: the prediction, or its natural logarithm.
Link = Literal["identity", "log"]
# The aim of suggested measurements: predictions that are good everywhere, or the best configuration.
Goal = Literal["variance", "optimum"]
# The rule that suggests points of a scaling model.
PointStrategy = Literal["target", "cheapest"]
