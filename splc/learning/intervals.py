"""Full models of any kind, which predict with intervals beside a printed model, and their JSON in stored models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from splc.data.configurations import Configurations
from splc.learning.result import Intervals
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel
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


# Returns intervals from their JSON object and the system.
Reader = Callable[[Mapping[str, Any], VariabilityModel], Intervals]


def _projection(content: Mapping[str, Any], system: VariabilityModel) -> Intervals:
    from splc.learning.projection import Ensemble

    return Ensemble.from_json(content, system)


def _sum(content: Mapping[str, Any], system: VariabilityModel) -> Intervals:
    from splc.learning.projection import EnsembleSum

    return EnsembleSum.from_json(content, system)


def _mixture(content: Mapping[str, Any], system: VariabilityModel) -> Intervals:
    from splc.learning.contexts.sources import SourceMixture

    return SourceMixture.from_json(content, system)


def _unmeasured(content: Mapping[str, Any], system: VariabilityModel) -> Intervals:
    from splc.learning.contexts.sources import UnmeasuredContext

    return UnmeasuredContext.from_json(content, system)


# The readers of intervals by the value of `kind` in the JSON object. To add intervals that files of models keep, give
# them a method `as_json` whose object has a `kind`, and add a line here.
READERS: dict[str, Reader] = {"projection": _projection, "sum": _sum, "mixture": _mixture, "unmeasured": _unmeasured}


@runtime_checkable
class Storable(Protocol):
    """Intervals that files of models keep."""

    def as_json(self) -> Mapping[str, Any] | None:
        """Return all that is needed to compute them again, in JSON's types, with the key `kind`; None if not kept."""


def intervals_object(intervals: Intervals | None) -> Mapping[str, Any] | None:
    """Return intervals in JSON's types, None if there are none or files of models do not keep them."""
    return intervals.as_json() if isinstance(intervals, Storable) else None


def intervals_of(content: Any, system: VariabilityModel | None) -> Intervals | None:
    """Return the intervals of a JSON object, None if there are none.

    `system`: the system; without it there are no intervals, since configurations are needed to compute them.
    """
    if system is None or not isinstance(content, Mapping) or content.get("kind") not in READERS:
        return None
    return READERS[content["kind"]](content, system)


def printed_intervals_of(content: Any, model: InfluenceModel) -> Intervals | None:
    """Return the intervals of a printed model from their JSON object, None if there are none."""
    from splc.learning.projection import SparseIntervals

    if not isinstance(content, Mapping) or content.get("kind") != SparseIntervals.kind:
        return None
    return SparseIntervals.from_json(content, model)
