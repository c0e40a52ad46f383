"""The variables of a full model, and their standardised columns (docs/decisions/0009-default-learner.md).

A variable is a binary option, a numeric option, or an alternative group (`variables_of`). In: variables, and
configurations. Out: shapes, which are functions of a number (`shapes_of`, `threshold_shapes`), and the columns of
configurations in one block for each variable (`OptionBasis.designs`), and one for a context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from splc.data.configurations import Configurations, value_indices
from splc.io.json import plain_values
from splc.learning.projection import constants
from splc.learning.projection.formula import Formula
from splc.learning.projection.posterior import KernelDesign
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

MIN_GROUP = 3  # a group of two members is one binary variable; numbers are read from the names of larger groups
_NUMBERED = re.compile(r"(.*?[^\d.]|)(\d+(?:\.\d+)?)(\D*)")  # a stem, a number, and a unit: `ref_9`, `PS16K`


@dataclass(frozen=True)
class Variable:
    """An option, or an alternative group, which counts as one option."""

    name: str  # the option, or the first member of the group
    kind: Literal["binary", "numeric", "group"]
    members: tuple[str, ...]  # its columns: the option, or all members; of a group of two the first one is the variable
    values: tuple[float, ...] = ()  # of a numeric option, those described, ascending; of a group, used numbers in names
    optional: bool = False  # whether a configuration may lack it: its column is NaN, or no member is selected
    observed: bool = False  # whether it is an observed variable
    shared: bool = False  # of a group, whether its members share one relevance; those of a numbered group do

    def with_members(self, members: Sequence[str]) -> Variable:
        """Return it with its members in another order."""
        numbers = dict(zip(self.members, self.values, strict=True)) if self.kind == "group" and self.values else {}
        values = tuple(numbers[name] for name in members) if numbers else self.values
        name = members[0] if self.kind == "binary" else self.name
        return replace(self, name=name, members=tuple(members), values=values)

    def column(self, configurations: Configurations) -> Array:
        """Return its values, shape (n,): of a group, the number of the selected member; NaN where it is absent."""
        if self.kind != "group":
            return configurations.column(self.members[0])
        columns = np.column_stack([configurations.column(name) for name in self.members])
        return np.where(columns.any(axis=1), columns @ np.array(self.values), np.nan)


def variables_of(
    system: VariabilityModel, observed: Sequence[str] = (), everything: Configurations | None = None
) -> tuple[Variable, ...]:
    """Return the variables of a system, sorted by name, without options that every configuration has.

    Groups have the numbers in their members' names, whether or not these mean anything. `everything`: all measured
    configurations, for the values of observed variables.
    """
    variables: list[Variable] = []
    grouped: set[str] = set()
    for unsorted in system.alternative_groups:
        # The result must not depend on the order in the description.
        group = tuple(sorted(unsorted, key=lambda name: (numbers_of((name,)), name)))
        parents = {system.option(name).parent for name in group}
        always = parents <= {None, *system.mandatory}
        numbers = numbers_of(group)
        if len(group) < MIN_GROUP:
            if always:
                # Exactly one of two members is selected, so that the first one determines the second.
                variables.append(Variable(group[0], "binary", group))
                grouped.update(group)
        elif always or numbers:
            variables.append(Variable(group[0], "group", group, numbers, optional=not always, shared=bool(numbers)))
            grouped.update(group)
    for option in system.options:
        if isinstance(option, NumericOption):
            if option.size > 1:
                variables.append(Variable(option.name, "numeric", (option.name,), option.values, option.optional))
        elif option.name not in grouped and option.name not in system.mandatory:
            variables.append(Variable(option.name, "binary", (option.name,)))
    for name in observed:
        column = everything.column(name) if everything is not None else np.zeros(0)
        distinct, lacking = np.unique(column[~np.isnan(column)]), bool(np.isnan(column).any())
        if len(distinct) > 1 or (len(distinct) and lacking):
            variables.append(Variable(name, "numeric", (name,), tuple(map(float, distinct)), lacking, True))
    return tuple(sorted(variables, key=lambda variable: variable.name))


def varying(variables: Iterable[Variable], configurations: Configurations) -> tuple[Variable, ...]:
    """Return the variables that have several values in configurations."""

    def varies(name: str) -> bool:
        column = np.nan_to_num(configurations.column(name), nan=-np.inf)
        return bool((column != column[0]).any())

    return tuple(variable for variable in variables if any(map(varies, variable.members)))


def without_numbers(variables: Iterable[Variable], kept: Iterable[str] = ()) -> tuple[Variable, ...]:
    """Return what variables would be if members had other names, except for the groups with the names `kept`."""
    numbered_names, found = set(kept), list[Variable]()
    for variable in variables:
        if variable.kind != "group" or not variable.values or variable.name in numbered_names:
            found.append(variable)
        elif variable.optional:
            found += (Variable(name, "binary", (name,)) for name in variable.members)
        else:
            found.append(replace(variable, values=(), shared=False))
    return tuple(found)


def nearest_known(
    configurations: Configurations, variables: Sequence[Variable]
) -> tuple[Configurations, list[tuple[Configurations, Array]]]:
    """Return configurations that a model can predict, and what is near to them where options have further values.

    A model of positive values has logarithms: others are predicted as its smallest value, and its greatest one is the
    nearest to them, since their distance is unknown.
    """
    system, usable = configurations.system, configurations.indices.copy()
    moved: list[tuple[int, Array, Array]] = []
    for variable in variables:
        option = None if variable.kind == "group" or variable.observed else system.option(variable.name)
        if not isinstance(option, NumericOption):
            continue
        values, known = np.array(option.values), np.array(variable.values or (0.0, 1.0))
        closest = known[np.abs(values[:, None] - known).argmin(axis=1)]
        if np.array_equal(closest, values):
            continue
        undefined = values <= (0.0 if known[0] > 0 else -1.0 if known[0] == 0 else -np.inf)
        position = system.positions[option.name]
        column = usable[:, position]
        first, second = (
            # A deselected option stays so.
            np.append(value_indices(option, np.where(np.isin(target, values), target, values)), len(values))[column]
            for target in (np.where(undefined, known[0], values), np.where(undefined, known[-1], closest))
        )
        if (second != column).any():
            between = np.append((values > known[0]) & (values < known[-1]), True)[column]
            moved.append((position, second, max(constants.EXTRAPOLATION, 2 / len(known)) * np.where(between, 0.5, 1.0)))
        usable[:, position] = first
    near = [usable.copy() for _ in moved]
    for indices, (position, column, _) in zip(near, moved, strict=True):
        indices[:, position] = column
    return replace(configurations, indices=usable), [
        (replace(configurations, indices=indices), weight) for indices, (_, _, weight) in zip(near, moved, strict=True)
    ]


def with_known_members(configurations: Configurations, variables: Sequence[Variable]) -> list[Configurations]:
    """Return configurations of which each has a member of every group: where a text is unknown, each one in turn."""
    system = configurations.system
    unknown = []
    for variable in variables:
        if len(variable.members) > 1 and not variable.optional:
            places = [system.positions[system.option(name).name] for name in variable.members]
            rows = np.flatnonzero(~configurations.indices[:, places].any(axis=1))
            unknown += [(rows, places)] if len(rows) else []
    variants = []
    for number in range(max((len(places) for _, places in unknown), default=0)):
        indices = configurations.indices.copy()
        for rows, places in unknown:
            indices[rows, places[number % len(places)]] = 1
        variants.append(replace(configurations, indices=indices))
    return variants or [configurations]


def numbers_of(group: Sequence[str]) -> tuple[float, ...]:
    """Return the numbers in the names of a group; empty unless all are one stem, a distinct number and one unit."""
    matches = [_NUMBERED.fullmatch(name) for name in group]
    shapes = {(match[1], match[3]) if match else None for match in matches}
    numbers = tuple(float(match[2]) for match in matches if match)
    if len(shapes) > 1 or None in shapes or len(set(numbers)) < len(group):
        return ()
    return numbers


def stem_of(group: Sequence[str]) -> str:
    """Return the stem and the unit in the names of a numbered group: `ref` of `ref_1` and `ref_9`."""
    match = _NUMBERED.fullmatch(group[0])
    return (match and (match[1] + match[3]).strip("_- ")) or group[0]


def twos(x: Array) -> Array:
    """Return how often positive integers can be divided by two: 4 for 48, shape (n,)."""
    return np.asarray(np.log2(x.astype(np.int64) & -x.astype(np.int64)))


_TRANSFORMS = dict[str, Callable[[Array], Array]](identity=np.asarray, ln=np.log, ln1p=np.log1p, twos=twos)
MAX_CONTEXT_COLUMNS = 10  # contexts with more values have one relevance for all of them


@dataclass(frozen=True)
class Shape:
    """A function of a number x, of about unit size, as a column; 0 where a configuration has no number.

    'identity', 'ln', 'ln1p', 'twos': (f(x) - a) / b; 'identity^2', …: the square of that minus c, about its mean;
    'threshold': ([x >= a] - b) / c; 'level': 1 if x is a, else -1; 'presence': 1 if there is a number, else -1.
    """

    name: str
    a: float = 0.0
    b: float = 0.0
    c: float = 0.0

    @classmethod
    def scaled(cls, name: str, values: Sequence[float]) -> Shape:
        """Return a transform, or its square, that is scaled to the described values; constant ones give 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            every = _TRANSFORMS[name.removesuffix("^2")](np.array(values, dtype=float))
        low, high = float(every.min()), float(every.max())
        return cls(name, (low + high) / 2, (high - low) / 2 / constants.HALF_RANGE, constants.SQUARE_SHIFT)

    def column(self, x: Array) -> Array:
        """Return its values, shape (n,); `x`: the numbers, NaN where there is none."""
        present = ~np.isnan(x)
        if self.name == "presence":
            return np.where(present, 1.0, -1.0)
        column, x = np.zeros(len(x)), x[present]
        if self.name == "level":
            column[present] = np.where(x == self.a, 1.0, -1.0)
        elif self.name == "threshold":
            column[present] = ((x >= self.a) - self.b) / self.c
        else:
            scaled: Array = (_TRANSFORMS[self.name.removesuffix("^2")](x) - self.a) / self.b
            column[present] = scaled**2 - self.c if self.name.endswith("^2") else scaled
        return column


def columns_of(shapes: Sequence[Shape], x: Array) -> Array:
    """Return the columns of shapes, shape (n, shapes)."""
    return np.column_stack([np.zeros((len(x), 0)), *(shape.column(x) for shape in shapes)])


@dataclass(frozen=True)
class ContextBlock:
    """The columns of a context, such as the version, that full models of several of its values have in common."""

    names: tuple[str, ...]  # the values of the context
    place: int = 0  # the position of the value that predictions are about
    numbers: tuple[float, ...] = ()  # the values as numbers, such as numbers of cores; empty if they are names
    unmeasured: tuple[float, ...] = ()  # further numbers without measurements, at positions after those of `names`

    def as_json(self) -> dict[str, Any]:
        """Return its fields in JSON's types, without those that are empty."""
        return {name: value for name, value in plain_values(self).items() if value != []}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> ContextBlock:
        """Return the context of `as_json`."""
        numbers, unmeasured = (tuple(map(float, content.get(name, ()))) for name in ("numbers", "unmeasured"))
        block = cls(tuple(map(str, content["names"])), int(content["place"]), numbers, unmeasured)
        if numbers and len(numbers) != len(block.names):
            raise ValueError("the numbers of the contexts do not fit their names")
        if not 0 <= block.place < len(block.names) + len(unmeasured):
            raise ValueError("the contexts do not fit the configurations")
        return block

    def columns(self, places: Array) -> tuple[Array, Array]:
        """Return the columns with own relevances, and those that share one, as those of many values do."""
        nothing = np.zeros((len(places), 0))
        if self.numbers:
            values = np.array((*self.numbers, *self.unmeasured))[places]
            return columns_of(_numeric_shapes(sorted(self.numbers)), values), nothing
        selected = places[:, None] == np.arange(len(self.names))
        if len(self.names) <= MAX_CONTEXT_COLUMNS:
            return _signs(selected[:, :1] if len(self.names) == 2 else selected), nothing
        return nothing, _alternatives(selected)


@dataclass(frozen=True)
class OptionBasis:
    """The columns of the variables; products are taken across variables only."""

    variables: tuple[Variable, ...]  # the variables, each of which is a block of columns
    context: ContextBlock | None = None  # the context of a model of several of its values; None of other models
    formula: Formula | None = None  # an analytical model, whose columns are a block; predictions are multiples of it
    divisible: bool = False  # whether it has the columns of `divisibility_shapes`, for the search of an optimum

    def designs(self, configurations: Configurations, places: Array | None = None) -> tuple[KernelDesign, ...]:
        """Return the columns, and with numeric options of three or more values those with thresholds, too."""
        nothing, unscreened = np.zeros((len(configurations), 0)), 0
        blocks = [_block(variable, configurations, self.divisible) for variable in self.variables]
        if self.context is not None:
            # The context is the last block.
            of_rows = np.full(len(configurations), self.context.place) if places is None else places
            blocks.append((*self.context.columns(of_rows), nothing))
            unscreened = 1
        if self.formula is not None and len(self.formula.center):
            blocks.append((nothing, self.formula.columns(configurations), nothing))
            unscreened += 1
        owns = [own for own, _, _ in blocks]
        design = KernelDesign.of(owns, [shared for _, shared, _ in blocks], unscreened)
        if not any(steps.shape[1] for _, _, steps in blocks):
            return (design,)
        return design, KernelDesign.of(owns, [np.hstack([shared, steps]) for _, shared, steps in blocks], unscreened)

    @classmethod
    def from_json(cls, content: Mapping[str, Any], system: VariabilityModel) -> OptionBasis:
        """Return the columns of a file of a full model (`Ensemble.as_json`)."""
        # Without the key, numbered groups had other columns.
        every = without_numbers(variables_of(system), content.get("numbered", ()))
        extra = [
            Variable(name, "numeric", (name,), tuple(map(float, entry["values"])), bool(entry["optional"]), True)
            for name, entry in content.get("observed", {}).items()
        ]
        members, contexts = content.get("members", {}), content.get("contexts") or {}
        by_member = {member: variable for variable in (*every, *extra) for member in variable.members}
        pairs = [(by_member[name], members.get(name)) for name in content["variables"] if name in by_member]
        if any(order is not None and set(order) != set(variable.members) for variable, order in pairs):
            raise ValueError("the members of groups do not fit the system")
        variables = tuple(variable.with_members(order or variable.members) for variable, order in pairs)
        formula = Formula.from_json(content["formula"], system) if content.get("formula") else None
        return cls(variables, ContextBlock.from_json(contexts) if contexts else None, formula)


def _block(variable: Variable, configurations: Configurations, divisible: bool) -> tuple[Array, Array, Array]:
    """Return the columns of a variable: with own relevances, of members that share one, of thresholds."""
    own = shared = nothing = np.zeros((len(configurations), 0))
    if variable.kind == "binary":
        return _signs(configurations.column(variable.name))[:, None], nothing, nothing
    if variable.kind == "group":
        selected = np.column_stack([configurations.column(name) for name in variable.members])
        if variable.shared:
            shared = np.where(selected.any(axis=1, keepdims=True), _alternatives(selected), 0.0)
        else:
            own = _signs(selected)
    x = variable.column(configurations) if variable.values else np.zeros(len(configurations))
    shapes = [*shapes_of(variable), *(divisibility_shapes(variable) if divisible else [])]
    return np.hstack([own, columns_of(shapes, x)]), shared, columns_of(threshold_shapes(variable), x)


def _alternatives(selected: Array) -> Array:
    """Return a centred column for each of several alternatives; the inner product of a row with itself is 1."""
    share = 1 / selected.shape[1]
    return np.asarray((selected - share) / np.sqrt(1 - share))


def _signs(selected: Array) -> Array:
    """Return ±1 for columns of 0 and 1."""
    return np.asarray(2.0 * selected - 1.0)


def shapes_of(variable: Variable) -> list[Shape]:
    """Return the shapes of the value of a numeric option, or of the number of a group."""
    if variable.kind == "binary" or not variable.values:
        return []
    if variable.kind == "group":
        logarithm = "ln" if min(variable.values) > 0 else "ln1p"
        return [Shape.scaled("identity", variable.values), Shape.scaled(logarithm, variable.values)]
    shapes = _numeric_shapes(variable.values)
    # An option with one value has only its presence as a column.
    return [*shapes, Shape("presence")] if variable.optional else shapes


def _numeric_shapes(values: Sequence[float]) -> list[Shape]:
    """Return the shapes of a numeric option that always has a value."""
    first = "ln" if values[0] > 0 else "identity"
    if len(values) <= 2:
        return [Shape.scaled(first, values)] * (len(values) - 1)
    names = ["ln", "identity", "ln^2"] if values[0] > 0 else ["identity", "identity^2"]
    if values[0] == 0:
        names.append("ln1p")
    shapes = [Shape.scaled(name, values) for name in names]
    return [*shapes, Shape("level")] if 0.0 in values else shapes


def threshold_shapes(variable: Variable) -> list[Shape]:
    """Return the thresholds of a numeric option, whose columns have a total variance of 1; none of other variables."""
    values = np.array(variable.values)
    if variable.kind != "numeric" or len(values) < constants.MIN_THRESHOLDS:
        return []
    # Not by np.unique, which imports numpy.ma.
    places = np.linspace(1, len(values) - 1, constants.MAX_THRESHOLDS).round().astype(int)
    indices = np.array(sorted(set(places.tolist())))
    shares = 1 - indices / len(values)
    size = float(np.sqrt((shares * (1 - shares)).sum()))
    pairs = zip(values[indices].tolist(), shares.tolist(), strict=True)
    return [Shape("threshold", value, share, size) for value, share in pairs]


def divisibility_shapes(variable: Variable) -> list[Shape]:
    """Return how often integers can be divided by two (decision 17), unless other shapes tell these values apart."""
    values = np.array(variable.values)
    if variable.kind != "numeric" or len(values) <= constants.MIN_THRESHOLDS or values[0] < 1 or (values % 1).any():
        return []
    return [] if (np.diff(twos(values)) >= 0).all() else [Shape.scaled("twos", variable.values)]
