"""The basis of the full model: standardised columns of each variable (docs/decisions/0009-default-learner.md).

In: variables, and configurations. Out: shapes, which are functions of a number (`shapes_of`, `threshold_shapes`), and
the columns of configurations in one block for each variable (`OptionBasis.designs`), and one for a context.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import constants
from splc.learning.projection.kernel import KernelDesign
from splc.learning.projection.variables import Variable
from splc.types import Array

Transform = Literal["identity", "ln", "ln1p"]
_TRANSFORMS: Mapping[str, Callable[[Array], Array]] = {"identity": np.asarray, "ln": np.log, "ln1p": np.log1p}
# Contexts with more values have one relevance for all of them.
MAX_CONTEXT_COLUMNS = 10


@dataclass(frozen=True)
class ScaledShape:
    """A transform of the value, scaled to about unit size, or the square of that minus about its mean."""

    transform: Transform  # 'identity', 'ln', or 'ln1p', which is ln(1 + x)
    middle: float  # the centre of the transform's range
    half: float  # the transform's distance from it that is scaled to 1
    squared: bool = False  # whether it is the square

    def values(self, x: Array) -> Array:
        """Return the column of values, shape (n,)."""
        scaled: Array = (_TRANSFORMS[self.transform](x) - self.middle) / self.half
        return scaled**2 - constants.SQUARE_SHIFT if self.squared else scaled

    @classmethod
    def of(cls, transform: Transform, values: Sequence[float], squared: bool = False) -> ScaledShape:
        """Return the shape that is scaled to the described values; constant transforms give 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = _TRANSFORMS[transform](np.array([min(values), max(values)], dtype=float))
        middle, half_range = ends.mean(), (ends[1] - ends[0]) / 2 / constants.HALF_RANGE
        return cls(transform, float(middle), float(half_range), squared)


@dataclass(frozen=True)
class ZeroShape:
    """1 for 0, else -1."""

    def values(self, x: Array) -> Array:
        """Return the column of values, shape (n,)."""
        return np.where(x == 0, 1.0, -1.0)


@dataclass(frozen=True)
class ThresholdShape:
    """A step at a value, minus its mean, scaled."""

    value: float
    share: float
    size: float

    def values(self, x: Array) -> Array:
        """Return the column of values, shape (n,)."""
        column: Array = ((x >= self.value) - self.share) / self.size
        return column


@dataclass(frozen=True)
class PresenceShape:
    """1 where the option has a value, -1 where it is deselected; the only shape that is not 0 there."""


Shape = ScaledShape | ZeroShape | ThresholdShape | PresenceShape


def column_of(shape: Shape, x: Array) -> Array:
    """Return the column of a shape for values, shape (n,), NaN where the option is deselected."""
    absent = np.isnan(x)
    if isinstance(shape, PresenceShape):
        return np.where(absent, -1.0, 1.0)
    if not absent.any():
        return shape.values(x)
    column = np.zeros(len(x))
    column[~absent] = shape.values(x[~absent])
    return column


@dataclass(frozen=True)
class ContextBlock:
    """The columns of a context, such as the version, that full models of several of its values have in common."""

    names: tuple[str, ...]  # the values of the context
    place: int = 0  # the position of the value that predictions are about
    numbers: tuple[float, ...] = ()  # the values as numbers, such as numbers of cores; empty if they are names
    # further numbers of which nothing was measured; their positions are after those of `names`
    unmeasured: tuple[float, ...] = ()

    def columns(self, places: Array) -> tuple[Array, Array]:
        """Return the columns with a relevance each, and those that share one, for the positions of rows' values.

        With many values all share a relevance, so that the search does not slow down.
        """
        if self.numbers:
            shapes = _numeric_shapes(sorted(self.numbers))
            values = np.array((*self.numbers, *self.unmeasured))[places]
            return _columns(shapes, values, len(places)), np.zeros((len(places), 0))
        selected = places[:, None] == np.arange(len(self.names))
        if len(self.names) <= MAX_CONTEXT_COLUMNS:
            return _signs(selected[:, :1] if len(self.names) == 2 else selected), np.zeros((len(places), 0))
        share = 1 / len(self.names)
        return np.zeros((len(places), 0)), (selected - share) / np.sqrt(1 - share)


@dataclass(frozen=True)
class OptionBasis:
    """The columns of the variables; products are taken across variables only."""

    variables: tuple[Variable, ...]  # the variables, each of which is a block of columns
    context: ContextBlock | None = None  # the context of a model of several of its values; None of other models

    def blocks(self, configurations: Configurations) -> list[Array]:
        """Return the columns of each variable, shapes (n, columns)."""
        signs = self._signs(configurations)
        return [
            signs[variable.name] if variable.kind == "binary" else _block(variable, configurations)
            for variable in self.variables
        ]

    def _signs(self, configurations: Configurations) -> dict[str, Array]:
        """Return binary variable → its only column, shape (n, 1); all at once, since there may be hundreds."""
        names = [variable.name for variable in self.variables if variable.kind == "binary"]
        system = configurations.system
        # Column-major order, so that columns are contiguous in memory.
        columns = np.asfortranarray(_signs(configurations.indices[:, [system.positions[name] for name in names]]))
        numeric = {option.name for option in system.numeric_options}.intersection(names)
        for name in numeric:
            # A binary option with further values.
            columns[:, names.index(name)] = _signs(configurations.value(name))
        return {name: columns[:, column_index : column_index + 1] for column_index, name in enumerate(names)}

    def designs(self, configurations: Configurations, places: Array | None = None) -> tuple[KernelDesign, ...]:
        """Return the columns, and, if there are numeric options of three or more values, those with thresholds.

        Thresholds let an influence change at any value. All thresholds of an option share one relevance.

        `places`: the context of each configuration, as positions; None: the one that predictions are about.
        """
        blocks = self.blocks(configurations)
        members = [_members(variable, configurations) for variable in self.variables]
        steps = [_thresholds(variable, configurations) for variable in self.variables]
        if self.context is not None:
            context_indices = np.full(len(configurations), self.context.place) if places is None else places
            context_columns, shared = self.context.columns(context_indices)
            blocks, members = [*blocks, context_columns], [*members, shared]
            steps = [*steps, np.zeros((len(configurations), 0))]
        # The context is the last block.
        unscreened = int(self.context is not None)
        base_design = _design(blocks, members, unscreened)
        if not any(step.shape[1] for step in steps):
            return (base_design,)
        return base_design, _design(blocks, [np.hstack(pair) for pair in zip(members, steps, strict=True)], unscreened)


def _design(blocks: Sequence[Array], shared: Sequence[Array], unscreened: int) -> KernelDesign:
    """Return the design of blocks of columns with a relevance each, and others that share one relevance per block."""
    numbers: list[int] = []
    for block, shared_columns in zip(blocks, shared, strict=True):
        first = numbers[-1] + 1 if numbers else 0
        end = first + block.shape[1]
        numbers += [*range(first, end), *[end] * shared_columns.shape[1]]
    joined_columns = [np.hstack(pair) if pair[1].shape[1] else pair[0] for pair in zip(blocks, shared, strict=True)]
    return KernelDesign.of(joined_columns, np.array(numbers, dtype=int), unscreened)


def _members(variable: Variable, configurations: Configurations) -> Array:
    """Return a centred column for each member of a group that shares one relevance; 0 where the group is absent.

    The inner product of a member's row with itself is 1.
    """
    if not variable.shared:
        return np.zeros((len(configurations), 0))
    selected = np.column_stack([configurations.column(name) for name in variable.members])
    share = 1 / len(variable.members)
    columns: Array = (selected - share) / np.sqrt(1 - share)
    columns[~selected.any(axis=1)] = 0.0
    return columns


def _thresholds(variable: Variable, configurations: Configurations) -> Array:
    """Return a column for each threshold of a numeric option; 0 where it is deselected."""
    shapes = threshold_shapes(variable)
    return _columns(shapes, variable.column(configurations) if shapes else None, len(configurations))


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
    return [
        ThresholdShape(value, share, size)
        for value, share in zip(values[indices].tolist(), shares.tolist(), strict=True)
    ]


def _columns(shapes: Sequence[Shape], x: Array | None, rows: int) -> Array:
    """Return the columns of shapes for values, shape (n, shapes)."""
    if x is None or not shapes:
        return np.zeros((rows, 0))
    return np.column_stack([column_of(shape, x) for shape in shapes])


def _block(variable: Variable, configurations: Configurations) -> Array:
    """Return the columns of a numeric option or a group, shape (n, columns)."""
    columns: list[Array] = []
    if variable.kind == "group" and not variable.shared:
        columns += [_signs(configurations.column(name)) for name in variable.members]
    shapes = shapes_of(variable)
    numbers = _columns(shapes, variable.column(configurations) if shapes else None, len(configurations))
    return np.column_stack([*columns, numbers])


def shapes_of(variable: Variable) -> list[Shape]:
    """Return the shapes of the value of a numeric option, or of the number of a group."""
    if variable.kind == "binary" or not variable.values:
        return []
    if variable.kind == "group":
        logarithm: Transform = "ln" if min(variable.values) > 0 else "ln1p"
        return [ScaledShape.of("identity", variable.values), ScaledShape.of(logarithm, variable.values)]
    shapes = _numeric_shapes(variable.values)
    # An option with one value has only its presence as a column.
    return [*shapes, PresenceShape()] if variable.optional else shapes


def _numeric_shapes(values: Sequence[float]) -> list[Shape]:
    """Return the shapes of a numeric option that always has a value."""
    if len(values) == 1:
        return []
    first: Transform = "ln" if values[0] > 0 else "identity"
    shapes: list[Shape] = [ScaledShape.of(first, values)]
    if len(values) == 2:
        return shapes
    if values[0] > 0:
        shapes.append(ScaledShape.of("identity", values))
    shapes.append(ScaledShape.of(first, values, squared=True))
    if values[0] == 0:
        shapes.append(ScaledShape.of("ln1p", values))
    if 0.0 in values:
        shapes.append(ZeroShape())
    return shapes


def _signs(selected: Array) -> Array:
    """Return ±1 for columns of 0 and 1."""
    signs: Array = 2.0 * selected - 1.0
    return signs
