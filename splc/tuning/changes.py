"""Changes from the default to the best configuration, with their influences by the model of a search.

The sparse winner is the best configuration with only those changes of the default that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from splc.data.configurations import Configurations
from splc.data.table import NOT_SELECTED, text_values, value_texts
from splc.learning.active.candidates import changes_of_one
from splc.learning.active.search_model import SearchModel, least_gain
from splc.learning.effects import group_titles
from splc.learning.projection import Variable
from splc.system.variability import VariabilityModel
from splc.types import Array


@dataclass(frozen=True)
class ConfigurationChange:
    """A change of the default that the best configuration has."""

    option: str  # the option; the parent of an alternative group, or its title
    before: float | str | None  # the value of the default, None where it is deselected
    after: float | str | None  # the value of the best configuration
    change: float  # the predicted difference if it is the only change of the default
    because: str = ""  # why the best configuration has it although it costs then; empty if it does not


def changes_between(
    model: SearchModel, default: Configurations, best: Configurations, forced: Callable[[Configurations], str]
) -> tuple[ConfigurationChange, ...]:
    """Return the changes from one configuration to another one, those with the largest influence first.

    `forced`: returns the limit or the constraint that excludes a configuration, empty if none does.
    """
    changes = []
    for variable in changed(model.basis.variables, default, best):
        alone, without = with_values_of([variable], default, best), with_values_of([variable], best, default)
        means = model.means(Configurations.concatenate([default, alone, best, without]))
        base, value = model.untransformed(means[:2]).tolist()
        because = ""
        if means[1] > means[0]:
            needed = "together with the others" if means[3] >= means[2] else "the model expects no gain of it"
            because = forced(without) or needed
        values = _value(variable, default), _value(variable, best)
        changes.append(ConfigurationChange(label_of(variable, best.system), *values, value - base, because))
    return tuple(sorted(changes, key=lambda change: (-abs(change.change), change.option)))


def indifferent_options(
    model: SearchModel, best: Configurations, valid: Callable[[Configurations], Array]
) -> tuple[str, ...]:
    """Return the variables whose changes alone change the prediction for a configuration by at most 1 %."""
    level, step = float(model.means(best)[0]), least_gain(model)
    labels = []
    for variable in model.basis.variables:
        variants = changes_of_one(best, 0, [variable])
        variants = variants[np.flatnonzero(valid(variants))] if len(variants) else variants
        if len(variants) and float(np.abs(model.means(variants) - level).max()) <= step:
            labels.append(label_of(variable, best.system))
    return tuple(labels)


def label_of(variable: Variable, system: VariabilityModel) -> str:
    """Return the name that is shown of a variable: that of an option, or the title of an alternative group."""
    if variable.name in (texts := text_values(system)):
        return texts[variable.name][0]
    if variable.kind != "group":
        return variable.name
    return system.option(variable.name).parent or group_titles(system)[variable.name]


def shown_values(variables: Sequence[Variable], configuration: Configurations) -> str:
    """Return the values that a configuration has of some variables as text."""
    parts, system = [], configuration.system
    for variable in variables:
        value = _value(variable, configuration)
        text = "none" if value is None else value if isinstance(value, str) else f"{value:g}"
        labelled = variable.kind != "group" or variable.name in text_values(system)
        parts.append(f"{label_of(variable, system)}={text}" if labelled else text)
    return " ".join(parts)


def _value(variable: Variable, configuration: Configurations) -> float | str | None:
    texts = text_values(configuration.system)
    if variable.name in texts:
        text = value_texts(configuration.system, configuration.assignment(0))[texts[variable.name][0]]
        return None if text == NOT_SELECTED else text
    if variable.kind == "group":
        return next((name for name in variable.members if configuration.value(name)[0] > 0), None)
    value = float(configuration.value(variable.members[0])[0])
    if np.isnan(value):
        return None
    if (words := configuration.system.option(variable.name).presentation.words) is not None:
        return words[value > 0]
    return int(value) if value.is_integer() else value


_PAIRS = 40  # with more changes, pairs are not tried where no single one can be set back


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
        for size in (1, 2) if 1 < len(differences) <= _PAIRS else (1,):
            tried = [with_values_of(some, current, default) for some in combinations(differences, size)]
            candidates = Configurations.concatenate(tried)
            candidates = candidates[np.flatnonzero(valid(candidates))]
            if len(candidates):
                means = model.means(candidates)
                if float(means.min()) > limit:
                    return current
                current = candidates[[int(np.argmin(means))]]
                break
        else:
            return current
    return current
