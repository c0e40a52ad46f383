"""The valid configuration with the least or the greatest predicted value, exactly.

Options that neither a term nor a constraint ties together are optimised apart from each other: the optimum over a
product of independent parts is made of the parts' optima. A part that is too large to be listed whole is listed as far
as the model's own options go, and then completed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.solutions import Solutions
from sampling.space.space import LIMIT, Space
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, Problem, SpaceError, listed
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.terms import Term
from splc.system.variability import ROOT
from splc.types import Array

CHUNK = 1 << 16


@dataclass(frozen=True)
class Optimum:
    """An optimal configuration.

    Attributes:
        configuration: the configuration, one row.
        predicted: its predicted value.
        examined: number of (partial) configurations that were looked at.
        unused: options that no term of the model is about: their values are valid, but no better than others.
    """

    configuration: Configurations
    predicted: float
    examined: int
    unused: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """Options that terms or constraints tie together.

    Attributes:
        variables: their positions, ascending.
        used: those that the model uses, ascending.
        terms: the model's terms over them.
        count: the number of their valid combinations.
    """

    variables: tuple[int, ...]
    used: tuple[int, ...]
    terms: tuple[tuple[Term, float], ...]
    count: int


def optimum(model: InfluenceModel, space: Space, maximize: bool = False, limit: int = LIMIT) -> Optimum:
    """Return the valid configuration with the least (or greatest) predicted value.

    Of several such configurations it is the first in the order of `space.enumerate()`.

    Args:
        model: the performance-influence model.
        space: the valid configurations.
        maximize: whether the greatest value is wanted.
        limit: the greatest number of combinations that may be looked at in one part.

    Raises:
        SpaceError: if that is not enough.
        ConfigurationError: if the model uses unknown options or has no finite value somewhere.
        VariabilityError: if there is no valid configuration.
    """
    space.require_valid()
    indices = np.zeros((1, len(space.model.options)), dtype=np.int64)
    examined = 0
    used: set[int] = set()
    for part in _parts(model, space):
        best, looked_at = _best(part, model, space, maximize, limit)
        indices[0, list(part.variables)] = best
        examined += looked_at
        used.update(part.used)
    configuration = Configurations(space.model, indices)
    unused = tuple(name for position, name in enumerate(space.model.names) if position not in used)
    return Optimum(configuration, float(model.predict(configuration)[0]), examined, unused)


def _parts(model: InfluenceModel, space: Space) -> Iterator[_Part]:
    """Yield the independent parts of the space."""
    variables = [component.variables for component in space.solutions.components]
    place = {variable: number for number, members in enumerate(variables) for variable in members}
    group = list(range(len(variables)))

    def find(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    terms: list[tuple[Term, float, tuple[int, ...]]] = []
    for term, influence in model.terms:
        names = sorted(model.options_of(term))
        positions = tuple(position for name in names if (position := _position(name, space)) is not None)
        if not positions or influence == 0:
            continue
        terms.append((term, influence, positions))
        for position in positions[1:]:
            group[find(place[position])] = find(place[positions[0]])
    for root in sorted({find(number) for number in group}):
        members = [number for number in range(len(variables)) if find(number) == root]
        own = [(term, influence, used) for term, influence, used in terms if find(place[used[0]]) == root]
        yield _Part(
            tuple(sorted(variable for number in members for variable in variables[number])),
            tuple(sorted({position for _, _, used in own for position in used})),
            tuple((term, influence) for term, influence, _ in own),
            math.prod(space.solutions.diagrams[number].count for number in members),
        )


def _position(name: str, space: Space) -> int | None:
    """Return the position of the option that a name in a term is about, None for the root."""
    system = space.model
    known = system.spellings.get(name)
    if known is None:
        raise system.unknown(name)
    if known == ROOT:
        return None
    return system.switches[known][0] if known in system.switches else system.positions[known]


def _best(part: _Part, model: InfluenceModel, space: Space, maximize: bool, limit: int) -> tuple[Array, int]:
    """Return the values of a part's optimum, shape (variables,), and how many combinations were looked at."""
    if part.count <= limit:
        rows = Solutions(space.problem, part.variables, cache=space.cache).enumerate(limit)
        if not part.used:
            return rows[0], 0
        values = _values(part, part.variables, rows, model, space)
        return rows[int(np.argmax(values) if maximize else np.argmin(values))], len(rows)
    if not part.used:
        return _first(part, np.zeros((1, 0), dtype=np.int64), space), 0
    projected = Solutions(space.problem, part.used, cache=space.cache)
    if projected.count > limit:
        names = [space.model.names[variable] for variable in part.used]
        raise SpaceError(
            f"the optimum would take a look at {projected.count:,} configurations (the limit is {limit:,}), "
            f"in which {listed(names)} depend on each other",
            hint="raise --limit, or use a model of fewer options",
        )
    rows = projected.enumerate(limit)
    values = _values(part, part.used, rows, model, space)
    return _first(part, rows[values == (values.max() if maximize else values.min())], space), len(rows)


def _values(part: _Part, variables: Sequence[int], rows: Array, model: InfluenceModel, space: Space) -> Array:
    """Return the sum of the part's terms for each row of value indices of `variables`, shape (n,)."""
    own = InfluenceModel(part.terms, model.order, derived=model.derived)
    values = np.empty(len(rows))
    for start in range(0, len(rows), CHUNK):
        some = rows[start : start + CHUNK]
        indices = np.zeros((len(some), len(space.model.options)), dtype=rows.dtype)
        indices[:, list(variables)] = some
        configurations = Configurations(space.model, indices)
        try:
            values[start : start + CHUNK] = own.predict(configurations)
        except EvaluationError as error:
            assignment = configurations.assignment(error.row)
            shown = [f"{space.model.names[place]} = {assignment[space.model.names[place]]:g}" for place in part.used]
            text = listed(shown)
            raise ConfigurationError(
                Problem(error.what, text=f"in a configuration with {text}", hint=error.advice)
            ) from None
    return values


def _first(part: _Part, wanted: Array, space: Space) -> Array:
    """Return the first valid combination of a part whose used options have the values of some row of `wanted`.

    Option by option, the least value is taken that still leads to one.

    Args:
        part: the part.
        wanted: value indices of the used options, shape (rows, used), each row part of some valid configuration.
        space: the space.
    """
    domains = [(1 << size) - 1 for size in space.problem.sizes]
    result = []
    constrained = False
    for variable in part.variables:
        if variable in part.used:
            column = wanted[:, part.used.index(variable)]
            for value in np.unique(column).tolist():
                kept = wanted[column == value]
                if not constrained or _leads_on(part, kept, domains, space):
                    wanted = kept
                    break
        else:
            constrained = True
            for value in range(space.problem.sizes[variable]):
                if _leads_on(part, wanted, [*domains[:variable], 1 << value, *domains[variable + 1 :]], space):
                    break
        domains[variable] = 1 << value
        result.append(value)
    return np.array(result)


def _leads_on(part: _Part, wanted: Array, domains: Sequence[int], space: Space) -> bool:
    """Whether some row of `wanted` can be completed within the domains."""
    for row in wanted.tolist():
        narrowed = list(domains)
        for variable, value in zip(part.used, row, strict=True):
            narrowed[variable] &= 1 << value
        if not Solutions(space.problem, domains=narrowed, cache=space.cache).empty:
            return True
    return False
