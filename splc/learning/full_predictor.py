"""Full models of any kind, which predict with intervals beside a printed model, and their JSON in stored models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
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


# The classes of intervals by the value of `kind` in the JSON object. To add intervals that files of models keep, give
# them methods `as_json`, whose object has a `kind`, and `from_json`, and add a line here.
CLASSES: Mapping[str, tuple[str, str]] = {
    "projection": ("splc.learning.projection", "Ensemble"),
    "sum": ("splc.learning.sums", "EnsembleSum"),
    "mixture": ("splc.learning.contexts.sources", "SourceMixture"),
    "unmeasured": ("splc.learning.contexts.sources", "UnmeasuredContext"),
}


def intervals_object(intervals: Intervals | None) -> Mapping[str, Any] | None:
    """Return intervals in JSON's types, None if there are none or files of models do not keep them."""
    as_json: Callable[[], Mapping[str, Any]] | None = getattr(intervals, "as_json", None)
    return None if as_json is None else as_json()


def intervals_of(content: Any, system: VariabilityModel | None) -> Intervals | None:
    """Return the intervals of a JSON object, None if there are none.

    `system`: the system; without it there are no intervals, since configurations are needed to compute them.
    """
    if system is None or not isinstance(content, Mapping) or content.get("kind") not in CLASSES:
        return None
    module, name = CLASSES[content["kind"]]
    found: Intervals = getattr(import_module(module), name).from_json(content, system)
    return found


def printed_intervals_of(content: Any, model: InfluenceModel) -> Intervals | None:
    """Return the intervals of a printed model from their JSON object, None if there are none."""
    from splc.learning.projection import PrintedIntervals

    if not isinstance(content, Mapping) or content.get("kind") != PrintedIntervals.kind:
        return None
    return PrintedIntervals.from_json(content, model)
