"""A learning set as a table of numbers: features as columns, and the target; tables of an estimator as options.

Of the latter, texts become alternative options, and the root is ignored (`TableColumns`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.table import table_columns, texts_of, warn_of_unknown
from splc.errors import LearningError
from splc.io.numbers import parse_number
from splc.learning.folds import drawn_folds
from splc.models.basis.atom import Atom, call
from splc.models.influence import EvaluationError
from splc.system.options import BinaryOption, NumericOption, Option, alternative_options
from splc.system.variability import DISABLED, ENABLED, ROOT, VariabilityModel
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
    """Return the options that may be deselected as features; `numeric_disabled`: also `Disabledx` of optional x."""
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
    """Return observed variables as features, with their ranges in all configurations that are to be predicted."""
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


def random_folds(table: FeatureTable, number: int, seed: int, groups: Array | None = None) -> Array:
    """Return the fold of each row, shape (n,): random folds with equally many groups (±1), see `drawn_folds`."""
    shuffled = stable_order(table)[np.random.default_rng(seed).permutation(len(table))]
    return drawn_folds(shuffled, number, groups)


def total_effects(predict: Callable[[Array], Array], X: Array) -> Array:
    """Return the shares of columns in the variance of predictions, shape (features,), which add up to 1, or are all 0.

    The effect of a column is the mean over rows of the variance where only this column changes, to its values in X (the
    total effect of Sobol's analysis, for independent columns).
    """
    rows = X[np.unique(np.linspace(0, len(X) - 1, min(len(X), MAX_ROWS)).round().astype(int))]
    effects = np.zeros(X.shape[1])
    for column in range(X.shape[1]):
        values, counts = np.unique(X[:, column], return_counts=True)
        if len(values) == 1:
            continue
        if len(values) > MAX_VALUES:
            selected = np.linspace(0, len(values) - 1, MAX_VALUES).round().astype(int)
            firsts = np.cumsum(counts)[selected] - counts[selected]
            values, counts = values[selected], np.diff(np.append(firsts, counts.sum()))
        weights = counts / counts.sum()
        changed = np.repeat(rows, len(values), axis=0)
        changed[:, column] = np.tile(values, len(rows))
        predicted = predict(changed).reshape(len(rows), len(values))
        means = predicted @ weights
        effects[column] = float((((predicted - means[:, np.newaxis]) ** 2) @ weights).mean())
    # Rounding errors of predictions that do not depend on a column are no effect.
    effects[effects <= 1e-12 * effects.max(initial=0.0)] = 0.0
    total = effects.sum()
    return effects / total if total > 0 and np.isfinite(total) else np.zeros_like(effects)


def texts_in(X: Any) -> dict[int, tuple[str, ...]]:
    """Return the positions of columns of text, which are not only numbers, with their distinct texts."""
    texts_by_position = {}
    for at, values in enumerate(_columns(X)):
        items = values.tolist() if values.dtype.kind not in "biufc" else []
        if not any(isinstance(item, str) and np.isnan(parse_number(item)) for item in items):
            continue
        cells = texts_of(values)
        if all(isinstance(item, str | Real) or not text for item, text in zip(items, cells, strict=True)):
            texts_by_position[at] = tuple(sorted({text for text in cells if text}))
    return texts_by_position


def numbers_in(X: Any, names: Sequence[str], texts: Mapping[int, tuple[str, ...]]) -> Array:
    """Return a table with positions for texts, shape (n, columns): NaN if missing, -1 and a warning if unknown."""
    columns = _columns(X)
    numbers = np.empty((len(columns[0]), len(columns)), dtype=object)
    for at, values in enumerate(columns):
        if at not in texts:
            numbers[:, at] = values
            continue
        code_of: dict[str, float] = {text: code for code, text in enumerate(texts[at])} | {"": np.nan}
        cells = texts_of(values)
        if unknown := [text for text in cells if text not in code_of]:
            warn_of_unknown(names[at], unknown)
        numbers[:, at] = [code_of.get(text, -1.0) for text in cells]
    return numbers


def _columns(X: Any) -> list[Array]:
    """Return the columns of a data frame or an array of objects or texts; none of others."""
    if isinstance(X, np.ndarray):
        return [*X.T] if X.ndim == 2 and X.dtype.kind in "OU" else []
    is_frame = hasattr(X, "columns") and not hasattr(X, "collect")
    return [*table_columns(X).values()] if is_frame else []


@dataclass(frozen=True)
class TableColumns:
    """The columns of a table of numbers as options."""

    places: Mapping[str, int]  # the name of each column → its position
    # name of a column whose numbers are positions of texts → its option, and the children that these texts are
    groups: Mapping[str, tuple[BinaryOption, ...]]

    @classmethod
    def of(cls, names: tuple[str, ...], X: Array, texts: Mapping[int, tuple[str, ...]]) -> TableColumns:
        """Return the columns of a table of shape (n, columns); one of the root, which is constant, is ignored."""
        places = {name: at for at, name in enumerate(names)}
        if ROOT in places and len(names) > 1 and len(np.unique(X[:, places[ROOT]])) == 1:
            del places[ROOT]
        used_names, groups = set(names), dict[str, tuple[BinaryOption, ...]]()
        for name in (name for name, at in places.items() if at in texts):
            groups[name] = tuple(alternative_options(name, texts[places[name]], used_names))
            used_names.update(option.name for option in groups[name])
        return cls(places, groups)

    def values(self, X: Array) -> dict[str, Array]:
        """Return the name of each option → its values in rows of numbers; that of a column of text is always 1."""
        values_by_name = {}
        for name, at in self.places.items():
            children = self.groups.get(name, ())[1:]
            values_by_name[name] = np.ones(len(X)) if name in self.groups else X[:, at]
            values_by_name |= {child.name: (X[:, at] == code).astype(float) for code, child in enumerate(children)}
        return values_by_name

    def system(self, values: Mapping[str, Array]) -> VariabilityModel:
        """Return the system of the values of options; those of only zeros and ones are binary."""
        by_name = {option.name: option for group in self.groups.values() for option in group}
        options: list[Option] = []
        for name, column in values.items():
            if name in by_name or np.isin(column, (0.0, 1.0)).all():
                options.append(by_name.get(name, BinaryOption(name)))
            else:
                options.append(NumericOption(name, tuple(np.unique(column).tolist())))
        binary_first = sorted(options, key=lambda option: isinstance(option, NumericOption))
        return VariabilityModel("table", tuple(binary_first), inferred=True)
