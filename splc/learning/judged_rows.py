"""The measurements that a model was learned from and judged by."""

from __future__ import annotations

from dataclasses import dataclass

from splc.data.measurements import Measurements
from splc.types import Array


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The measurements that a model was learned from and judged by.

    Attributes:
        measured: the measured configurations with a value of the property.
        learned: the positions of the learning set among these.
    """

    measured: Measurements
    learned: Array
