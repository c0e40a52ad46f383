"""A learning set as a table of numbers: features as columns, and the target."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import LearningError
from splc.models.basis.atom import Atom, call
from splc.models.influence import EvaluationError
from splc.models.subexpressions import Derived
from splc.system.options import NumericOption
from splc.system.variability import DISABLED, ENABLED, VariabilityModel
from splc.types import Array

# At most this number of rows, and of values of a column, are combined.
MAX_ROWS, MAX_VALUES = 500, 25


@dataclass(frozen=True)
class Feature:
    """A basic feature: an option, or an observed variable, that candidates are made of."""

    name: str  # the name of its column
    numeric: bool  # whether powers, logarithms, reciprocals and mirrors of it are meaningful (else it is 0 or 1)
    minimum: float = 0.0  # smallest value of its domain
    maximum: float = 1.0  # largest value of its domain
    has_zero: bool = True  # whether 0 is one of its values
    switch: str | None = None  # for an optional numeric option, the name of the column that is 1 where it is enabled
    observed: bool = False  # whether it is an observed variable, which has no such column
    atoms: tuple[Atom, ...] = ()  # further functions of it

    @property
    def partial(self) -> bool:
        """True if configurations may lack it; then not all identities of algebra hold."""
        return self.switch is not None or self.observed


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features, their columns (NaN: deselected) and the target, all of n rows."""

    features: tuple[Feature, ...]
    columns: Mapping[str, Array]
    target: Array

    @property
    def binary(self) -> frozenset[str]:
        """The names of the columns that hold 0 and 1 only."""
        switches = {feature.switch for feature in self.features if feature.switch}
        return frozenset({f.name for f in self.features if not f.numeric} | switches)

    def column(self, name: str) -> Array:
        """Return the column of a name."""
        return self.columns[name]

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The subexpressions in the atoms of features."""
        return tuple(derived for feature in self.features for atom in feature.atoms for derived in atom.derived)

    def with_functions(self, functions: Sequence[str]) -> FeatureTable:
        """Return the table with further functions of numeric features, which have values at the ends of the domain."""
        features, columns = list(self.features), dict(self.columns)
        for index, feature in enumerate(self.features):
            for function in functions if feature.numeric else ():
                atom, column = call(function, feature.name), self.columns[feature.name]
                with suppress(EvaluationError):
                    atom.values({feature.name: [feature.minimum, feature.maximum]})
                    features[index] = replace(features[index], atoms=(*features[index].atoms, atom))
                    values = atom.values({feature.name: np.where(np.isnan(column), feature.minimum, column)})
                    columns |= {str(derived.name): np.where(np.isnan(column), 0.0, values) for derived in atom.derived}
        return FeatureTable(tuple(features), columns, self.target)

    def __len__(self) -> int:
        return len(self.target)

    def rows(self, rows: Array) -> FeatureTable:
        """Return some of the rows."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return FeatureTable(self.features, columns, self.target[rows])

    def followed_by(self, other: FeatureTable) -> FeatureTable:
        """Return the rows of both tables, of the same features."""
        columns = {name: np.append(column, other.columns[name]) for name, column in self.columns.items()}
        return FeatureTable(self.features, columns, np.append(self.target, other.target))


def features_of(system: VariabilityModel, numeric_disabled: bool = True) -> tuple[Feature, ...]:
    """Return the basic features of a system: every option but those that the hierarchy makes always selected.

    `numeric_disabled`: whether `Disabledx` of an optional numeric option x is a feature too.
    """
    features: list[Feature] = []
    for option in system.options:
        if isinstance(option, NumericOption):
            switch = ENABLED + option.name if option.optional else None
            ends = option.values[0], option.values[-1]
            features.append(Feature(option.name, True, *ends, 0.0 in option.values, switch))
            if option.optional and numeric_disabled:
                features.append(Feature(DISABLED + option.name, numeric=False))
        elif option.name not in system.mandatory:
            features.append(Feature(option.name, numeric=False))
    return tuple(features)


def observed_features(configurations: Configurations, names: Iterable[str]) -> tuple[Feature, ...]:
    """Return observed variables as features, with the range of values that all configurations to predict have.

    Where a variable is 0 or less in one of them, a logarithm of it could not be evaluated there.
    """
    features: list[Feature] = []
    for name in names:
        values = configurations.column(name)
        present_values = values[~np.isnan(values)]
        if len(present_values):
            numeric = len(present_values) < len(values) or bool(((values != 0) & (values != 1)).any())
            low, high = float(present_values.min()), float(present_values.max())
            features.append(Feature(name, numeric, low, high, bool((present_values == 0).any()), observed=True))
    return tuple(features)


def feature_table(
    configurations: Configurations, target: Array, numeric_disabled: bool = True, further: Sequence[Feature] = ()
) -> FeatureTable:
    """Return measured configurations, with their finite values, as a table of features."""
    if len(configurations) == 0:
        raise LearningError("the learning set is empty", hint="sample at least one measured configuration")
    features = (*features_of(configurations.system, numeric_disabled), *further)
    names = [f.name for f in features] + [f.switch for f in features if f.switch]
    return FeatureTable(features, {name: configurations.column(name) for name in names}, target)


def stable_order(table: FeatureTable) -> Array:
    """Return an order of the rows that does not depend on their order in the table."""
    columns = [np.nan_to_num(table.columns[name], nan=-1e300) for name in sorted(table.columns)]
    return np.lexsort([*columns, table.target])


def total_effects(predict: Callable[[Array], Array], X: Array) -> Array:
    """Return the share of each column in the variance of predictions, shape (features,), at least 0; the sum is 1.

    The effect of a column is the mean over rows of the variance of the prediction where only this column changes, to
    the values that it has in X (the total effect of Sobol's analysis, for independent columns). All shares of a
    constant function are 0.
    """
    rows = X[np.unique(np.linspace(0, len(X) - 1, min(len(X), MAX_ROWS)).round().astype(int))]
    effects = np.zeros(X.shape[1])
    for column in range(X.shape[1]):
        values, weights = column_values(X[:, column])
        if len(values) == 1:
            continue
        changed = np.repeat(rows, len(values), axis=0)
        changed[:, column] = np.tile(values, len(rows))
        predicted = predict(changed).reshape(len(rows), len(values))
        means = predicted @ weights
        effects[column] = float((((predicted - means[:, np.newaxis]) ** 2) @ weights).mean())
    # Rounding errors of predictions that do not depend on a column are no effect.
    effects[effects <= 1e-12 * effects.max(initial=0.0)] = 0.0
    total = effects.sum()
    return effects / total if total > 0 and np.isfinite(total) else np.zeros_like(effects)


def column_values(column: Array) -> tuple[Array, Array]:
    """Return the values of a column and their frequencies, which add up to 1; of many values, some."""
    values, counts = np.unique(column, return_counts=True)
    if len(values) > MAX_VALUES:
        selected = np.linspace(0, len(values) - 1, MAX_VALUES).round().astype(int)
        firsts = np.cumsum(counts)[selected] - counts[selected]
        values, counts = values[selected], np.diff(np.append(firsts, counts.sum()))
    return values, counts / counts.sum()
