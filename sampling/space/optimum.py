"""Independent parts of the space for a model, and the first best combination of each.

Options that no term and no constraint ties together are optimised separately: the optimum over a product of independent
parts consists of the optima of the parts. A part that is too large to be listed is listed for the options of the model
only, and then completed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.space.problem import roots_of
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, Problem, SpaceError, listed
from splc.io.numbers import count_text
from splc.models.influence import EvaluationError, InfluenceModel
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class SpacePart:
    """Options that terms or constraints tie together."""

    space: Space
    variables: tuple[int, ...]  # their positions, ascending
    used: tuple[int, ...]  # those that the models use, ascending
    models: tuple[InfluenceModel, ...]  # the terms of each model over them
    count: int  # the number of their valid combinations

    def listed(self, limit: int) -> tuple[tuple[int, ...], Array]:
        """Return the options, those of the models if there are too many combinations, and these, in ascending order."""
        positions = self.variables if self.count <= limit else self.used
        projection = self.space.projection(positions)
        if projection.count > limit:
            names = [self.space.system.names[variable] for variable in self.used]
            raise SpaceError(
                f"{count_text(projection.count)} configurations would have to be examined, "
                f"in which {listed(names)} depend on each other (the limit is {limit:,})",
                hint="raise --limit (in Python the argument limit), or use a model with fewer options",
            )
        return positions, projection.enumerate(limit)

    def sums(self, number: int, positions: Sequence[int], rows: Array) -> Array:
        """Return the sum of the terms of a model for each combination of options, shape (n,)."""
        return sums_of(self.models[number], self.used, positions, rows, self.space)

    def completed(self, values: tuple[int, ...]) -> Array:
        """Return the first valid combination with these values of the used options, shape (variables,).

        Option by option, the least value is taken that still leads to one.
        """
        domains = self.space.problem.domains
        for position, index in zip(self.used, values, strict=True):
            domains[position] = 1 << index
        for variable in self.variables:
            if variable not in self.used:
                choices = ([*domains[:variable], 1 << value, *domains[variable + 1 :]] for value in itertools.count())
                domains = next(filter(self.space.satisfiable, choices))
        return np.array([domains[variable].bit_length() - 1 for variable in self.variables])


def unused_options(system: VariabilityModel, used: Container[int]) -> tuple[str, ...]:
    """Return the options whose values make no difference to models that use the options at some positions.

    Options that are always selected have only one value, and the parent of an alternative group, or of one mandatory
    child, has no other effect than its children if all of these are used.
    """
    determined = {
        parent
        for parent, children in system.child_groups.items()
        if all(system.positions[child.name] in used for child in children)
        # Nothing else excludes a child, so that the parent is selected exactly where one of them is.
        if all(system.alternatives(child) == system.exclusions[child.name] for child in children)
    }
    return tuple(n for p, n in enumerate(system.names) if p not in used and n not in system.mandatory | determined)


def free_options(system: VariabilityModel, unused: Sequence[str]) -> tuple[str, ...]:
    """Return the unused options that may have other values where the used ones keep theirs."""
    free = set(unused)
    # The last member of an alternative group follows from its parent and the other members.
    determined = {
        member
        for group in system.alternative_groups
        for member in group
        if free.isdisjoint({*group, system.option(member).parent} - {member})
    }
    return tuple(name for name in unused if name not in determined)


def parts_of(models: Sequence[InfluenceModel], space: Space) -> Iterator[SpacePart]:
    """Yield the independent parts of the space: options of different parts are in no common term of any model."""
    uses = {term: positions_of(model.options_of(term), space.system) for model in models for term, _ in model.terms}
    pairs = [[pair for pair in model.terms if uses[pair[0]] and pair[1] != 0] for model in models]
    solutions = space.solutions
    for members in tied(space, [uses[term] for terms in pairs for term, _ in terms]):
        variables = tuple(sorted(v for number in members for v in solutions.components[number].variables))
        inside = [tuple(pair for pair in terms if uses[pair[0]][0] in variables) for terms in pairs]
        used = tuple(sorted({position for terms in inside for term, _ in terms for position in uses[term]}))
        part_models = tuple(
            InfluenceModel(terms, model.order, derived=model.derived)
            for model, terms in zip(models, inside, strict=True)
        )
        count = math.prod(solutions.compiled[number].count for number in members)
        yield SpacePart(space, variables, used, part_models, count)


def tied(space: Space, together: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return the numbers of components in groups that sets of variables tie together, in order of a representative."""
    owner = space.solutions.component_of
    groups: dict[int, list[int]] = {}
    roots = roots_of(
        len(space.solutions.components), ([owner[variable] for variable in each] for each in together if each)
    )
    for number, root in enumerate(roots):
        groups.setdefault(root, []).append(number)
    return [groups[root] for root in sorted(groups)]


def positions_of(names: Iterable[str], system: VariabilityModel) -> tuple[int, ...]:
    """Return the positions of the options that names in terms are about, ascending; the root has none."""
    positions: set[int] = set()
    for name in sorted(names):
        known = system.spellings.get(name)
        if known is None:
            raise system.unknown(name)
        if known in system.switches:
            positions.add(system.switches[known][0])
        elif known != ROOT:
            positions.add(system.positions[known])
    return tuple(sorted(positions))


def values_of(model: InfluenceModel, positions: Sequence[int], rows: Array, space: Space) -> Array:
    """Return the prediction for each combination of value indices of some options; `rows`: shape (n, positions)."""
    values = np.empty(len(rows))
    for start in range(0, len(rows), CHUNK):
        chunk = slice(start, start + CHUNK)
        try:
            values[chunk] = model.predict(configurations_of(positions, rows[chunk], space))
        except EvaluationError as error:
            raise EvaluationError(error.problems, row=start + error.row, what=error.what) from None
    return values


def configurations_of(positions: Sequence[int], rows: Array, space: Space) -> Configurations:
    """Return configurations with these value indices of some options and the first value of all others."""
    indices = np.zeros((len(rows), len(space.system.options)), dtype=rows.dtype)
    indices[:, list(positions)] = rows
    return Configurations(space.system, indices)


def sums_of(model: InfluenceModel, used: Sequence[int], positions: Sequence[int], rows: Array, space: Space) -> Array:
    """Return the values of a sum of terms as `values_of` does; an error shows the values of used options."""
    try:
        return values_of(model, positions, rows, space)
    except EvaluationError as error:
        assignment = configurations_of(positions, rows[[error.row]], space).assignment(0)
        shown = [f"{space.system.names[i]} = {assignment[space.system.names[i]]:g}" for i in used]
        text = f"in a configuration with {listed(shown)}"
        raise ConfigurationError(Problem(error.what, text=text, hint=error.advice)) from None
