"""The valid configurations with fixed values of options."""

from __future__ import annotations

from collections.abc import Mapping

from sampling import Space
from splc.errors import Problem, RequestError, VariabilityError
from splc.formats.measurements.assignment import assignment_text
from splc.system.restriction import restricted


def fixed_space(space: Space, fixed: Mapping[str, int]) -> Space:
    """Return the valid configurations with fixed values of options.

    Raises:
        RequestError: if there are none.
    """
    if not fixed:
        return space
    subspace = Space(restricted(space.system, fixed))
    try:
        subspace.require_valid()
    except VariabilityError as error:
        space.require_valid()
        text = assignment_text(fixed, space.system)
        texts = {constraint.text for constraint in subspace.system.constraints[len(space.system.constraints) :]}
        against = [problem.text for problem in error.problems if problem.text and problem.text not in texts]
        hint = f"it contradicts: {'; '.join(against)}" if against else None
        problem = Problem(f"no valid configuration has {text}", space.system.source, hint=hint)
        raise RequestError(problem, "fix") from None
    return subspace
