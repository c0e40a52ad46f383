"""Fixed values of options, as a dict."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from splc.data.configurations import value_indices, with_further_values, wrong_value
from splc.errors import ConfigurationError
from splc.system.groups import child_groups, child_texts, wrong_child
from splc.system.variability import VariabilityModel


def with_fixed_values(system: VariabilityModel, values: Mapping[str, Any], *, warn: bool = False) -> VariabilityModel:
    """Return a system that has the values of some options, if these were not described; `warn`: if they are beyond."""
    columns = {
        system.spellings[name]: np.array([float(value)])
        for name, value in values.items()
        if isinstance(value, Real) and name in system.spellings
    }
    return with_further_values(system, columns, warn=warn)


def fixed_indices(system: VariabilityModel, values: Mapping[str, Any]) -> dict[str, int]:
    """Return option → value index of values of some options.

    `values`: option → value: a number or a bool, None for a deselected numeric option; the text of a member for the
    parent of an alternative group.
    """
    indices = {}
    groups = child_groups(system)
    for name, value in values.items():
        option = system.option(str(name))
        if isinstance(value, str):
            children = groups.get(option.name)
            if children is None:
                raise ConfigurationError(f"{option.name} cannot be {value!r}", hint="its values are numbers")
            child = child_texts(option.name, children).get(value.strip())
            if child is None:
                raise ConfigurationError(wrong_child(option.name, children, value))
            indices[child] = 1
            continue
        number = math.nan if value is None else float(value)
        index = int(value_indices(option, np.array([number]))[0])
        if index < 0:
            raise ConfigurationError(wrong_value(option, number))
        indices[option.name] = index
    return indices
