"""The sparse winner: the best configuration with only those changes of the default that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.active.search_model import SearchModel
from splc.learning.projection import Variable
from splc.types import Array

# With more changes, pairs are not tried where no single one can be set back.
_PAIRS = 40


def changed(variables: Sequence[Variable], first: Configurations, second: Configurations) -> list[Variable]:
    """Return the variables in which two configurations differ."""
    differs = first.indices[0] != second.indices[0]
    positions = first.system.positions
    return [variable for variable in variables if any(differs[positions[name]] for name in variable.members)]


def with_values_of(
    variables: Sequence[Variable], configuration: Configurations, other: Configurations
) -> Configurations:
    """Return a configuration with the values that another one has of some variables."""
    columns = [configuration.system.positions[name] for variable in variables for name in variable.members]
    indices = configuration.indices.copy()
    indices[:, columns] = other.indices[:, columns]
    return Configurations(configuration.system, indices)


def sparse_configuration(
    model: SearchModel,
    best: Configurations,
    default: Configurations,
    valid: Callable[[Configurations], Array],
    tolerance: float,
) -> Configurations:
    """Return the best configuration without the changes of the default that cost nothing by the model.

    Options are set back one after the other, the one that costs least first, while the predicted value stays within the
    tolerance of that of the best. Where constraints allow none alone, pairs are set back.
    """
    variables = model.basis.variables
    limit = float(model.means(best)[0]) + tolerance
    current = best
    while differences := changed(variables, current, default):
        for size in (1, 2) if len(differences) <= _PAIRS else (1,):
            sets = list(combinations(differences, size))
            tried = [with_values_of(some, current, default) for some in sets]
            candidates = Configurations.concatenate(tried) if tried else best[:0]
            allowed = np.flatnonzero(valid(candidates)) if len(candidates) else np.zeros(0, dtype=int)
            if len(allowed):
                means = model.means(candidates[allowed])
                index = int(np.argmin(means))
                if float(means[index]) > limit:
                    return current
                current = candidates[[int(allowed[index])]]
                break
        else:
            return current
    return current
