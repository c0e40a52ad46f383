"""Full models, which predict beside a printed model."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from splc.data.configurations import Configurations
from splc.learning.result import Intervals
from splc.types import Array


@runtime_checkable
class FullPredictor(Intervals, Protocol):
    """A full model of any kind: it predicts where there is a printed model, and has intervals."""

    @property
    def options(self) -> frozenset[str]:
        """The options that predictions depend on."""
        ...

    @property
    def configurations(self) -> Configurations:
        """The configurations that it was learned from."""
        ...

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (n,)."""
        ...
