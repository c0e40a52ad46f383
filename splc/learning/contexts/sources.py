"""The values of other contexts at any configuration: measured ones, and elsewhere those of the joint model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.learning.projection import Ensemble, column_as_json, column_from_json
from splc.system.variability import VariabilityModel
from splc.types import Array


@dataclass(frozen=True, eq=False)
class Sources:
    """The values of other contexts."""

    joint: Ensemble  # the joint model of all contexts, about any of them
    places: tuple[int, ...]  # the positions of the other contexts in `joint.basis.context.names`
    configurations: Configurations  # m distinct configurations that were measured in some of them
    logarithms: Array  # ln y, shape (m, contexts); NaN where a context was not measured

    @classmethod
    def of(cls, joint: Ensemble, parts: Mapping[int, tuple[Configurations, Array]]) -> Self:
        """Return the sources for place → measured configurations and their values."""
        every = Configurations.concatenate([configurations for configurations, _ in parts.values()]).unique()
        logarithms = np.full((len(every), len(parts)), np.nan)
        for column, (configurations, y) in enumerate(parts.values()):
            logarithms[every.find(configurations), column] = np.log(y)
        return cls(joint, tuple(parts), every, logarithms)

    def values(self, configurations: Configurations) -> Array:
        """Return ln y in each other context at m configurations, shape (m, contexts)."""
        rows = _rows_of(self.configurations, configurations)
        result = np.where((rows >= 0)[:, None], self.logarithms[rows], np.nan)
        for column, place in enumerate(self.places):
            missing = np.flatnonzero(np.isnan(result[:, column]))
            if len(missing):
                result[missing, column] = np.log(self._model(place).predict(configurations[missing]))
        return result

    def _model(self, place: int) -> Ensemble:
        """Return the joint model about one context."""
        basis = self.joint.basis
        assert basis.context is not None
        return replace(self.joint, basis=replace(basis, context=replace(basis.context, place=place)))

    def as_json(self) -> dict[str, Any]:
        """Return all but the joint model, in JSON's types."""
        configurations = self.configurations
        return {
            "places": list(self.places),
            "configurations": {
                option.name: column_as_json(configurations.value(option.name))
                for option in configurations.system.options
            },
            "logarithms": [column_as_json(column) for column in self.logarithms.T],
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any], joint: Ensemble, system: VariabilityModel) -> Self:
        """Return the sources of `as_json`."""
        places = tuple(map(int, content["places"]))
        columns = {name: column_from_json(column) for name, column in content["configurations"].items()}
        try:
            configurations = Configurations.from_columns(system, columns)
        except ConfigurationError as error:
            raise ValueError(str(error)) from None
        logarithms = np.column_stack([column_from_json(column) for column in content["logarithms"]])
        context = joint.basis.context
        if context is None or logarithms.shape != (len(configurations), len(places)):
            raise ValueError("the other contexts do not fit the configurations")
        if not all(0 <= place < len(context.names) for place in places):
            raise ValueError("the other contexts do not fit the joint model")
        return cls(joint, places, configurations, logarithms)


def _rows_of(known: Configurations, wanted: Configurations) -> Array:
    """Return the row of each wanted configuration among known ones, -1 if there is none.

    Wanted ones may be of a system with other values of the same options, such as those that are extrapolated.
    """
    if wanted.system is known.system or wanted.system.options == known.system.options:
        return known.find(wanted)
    names = [option.name for option in known.system.options]
    values = [np.column_stack([each.value(name) for name in names]) for each in (known, wanted)]
    _, group = np.unique(np.nan_to_num(np.vstack(values), nan=-np.inf), axis=0, return_inverse=True)
    rows = np.full(int(group.max()) + 1, -1)
    rows[group[: len(known)]] = np.arange(len(known))
    return np.asarray(rows[group[len(known) :]])
