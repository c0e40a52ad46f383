"""Kernels of configurations that differ from known ones in a few options, such as flips of one option.

The kernel is made of a product and of a sum over variables. If few variables change, only their factors and addends are
replaced, without passes over the columns of all others.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.kernel import Hyperparameters, KernelDesign, kernel_of, kernel_parts
from splc.types import Array

# Factors of the kernel closer to 0 than this are not replaced by a division.
_SMALL = 1e-6


@dataclass(frozen=True, eq=False)
class _Side:
    """Configurations on one side of a kernel."""

    before: Array  # the columns of the variables that change, before the change, shape (n, columns)
    after: Array  # after it
    places: Array  # the rows of the known kernel


class ContextKernels:
    """The kernels between the rows of an ensemble and contexts, and among contexts.

    Args:
        full: the ensemble, with at least one part.
        contexts: m configurations.
    """

    def __init__(self, full: Ensemble, contexts: Configurations) -> None:
        self.full = full
        self.designs = full.basis.designs(contexts)

    @cached_property
    def _cross(self) -> list[tuple[Array, Array]]:
        """Products and distances between rows and contexts, for each part."""
        return [kernel_parts(part.theta, part.design, self.designs[part.kind]) for part in self.full.parts]

    @cached_property
    def _among_contexts(self) -> list[tuple[Array, Array]]:
        """Products and distances among contexts, for each part."""
        designs = ((part.theta, self.designs[part.kind]) for part in self.full.parts)
        return [kernel_parts(theta, design, design) for theta, design in designs]

    def crosses(self, changed: Configurations, places: Array, names: Collection[str]) -> list[Array] | None:
        """Return the kernels between rows and changed contexts, shape (n, q), for each part.

        `places`: the contexts that they are changes of, shape (q,).
        """
        numbers, new = self._changed(changed, names)
        kernels = []
        for number, part in enumerate(self.full.parts):
            spans = _spans(part.design, numbers)
            rows = part.design.columns
            changed_side = _Side(
                self.designs[part.kind].columns[places],
                new[min(part.kind, len(new) - 1)].columns,
                places,
            )
            row_side = _Side(rows, rows, np.arange(len(rows)))
            kernel = _changed_kernel(part.theta, part.design, spans, self._cross[number], row_side, changed_side)
            if kernel is None:
                return None
            kernels.append(kernel)
        return kernels

    def priors(self, changed: Configurations, places: Array, names: Collection[str]) -> list[Array] | None:
        """Return the kernels among changed contexts, shape (q, q), for each part; the arguments are as above."""
        numbers, new = self._changed(changed, names)
        kernels = []
        for number, part in enumerate(self.full.parts):
            design = self.designs[part.kind]
            spans = _spans(design, numbers)
            changed_side = _Side(design.columns[places], new[min(part.kind, len(new) - 1)].columns, places)
            kernel = _changed_kernel(
                part.theta, design, spans, self._among_contexts[number], changed_side, changed_side
            )
            if kernel is None:
                return None
            kernels.append(kernel)
        return kernels

    def _changed(self, changed: Configurations, names: Collection[str]) -> tuple[list[int], tuple[KernelDesign, ...]]:
        """Return the positions of the variables that may have changed, and their columns."""
        variables = self.full.basis.variables
        numbers = [at for at, variable in enumerate(variables) if not set(names).isdisjoint(variable.members)]
        basis = replace(self.full.basis, variables=tuple(variables[at] for at in numbers))
        return numbers, basis.designs(changed)


def _spans(design: KernelDesign, numbers: Collection[int]) -> list[slice]:
    """Return the columns of variables."""
    return [slice(design.starts[number], design.starts[number + 1]) for number in numbers]


def _changed_kernel(
    theta: Hyperparameters,
    design: KernelDesign,
    spans: list[slice],
    kernel_terms: tuple[Array, Array],
    first: _Side,
    second: _Side,
) -> Array | None:
    """Return the kernel between two sides after the change, None if a factor is too close to 0."""
    relevances = theta.relevances[design.relevances]
    product, distances = (values[np.ix_(first.places, second.places)] for values in kernel_terms)
    start = 0
    for span in spans:
        # The columns after the change are those of the changed variables only, except of rows that do not change.
        changed_span = slice(start, start + span.stop - span.start)
        start = changed_span.stop
        a, b = first.before[:, span], second.before[:, span]
        new_a = first.after[:, span if first.after is first.before else changed_span]
        new_b = second.after[:, changed_span]
        weights = relevances[span]
        old_factor = 1 + theta.interaction * ((a * weights) @ b.T)
        if np.abs(old_factor).min(initial=1.0) < _SMALL:
            return None
        product *= (1 + theta.interaction * ((new_a * weights) @ new_b.T)) / old_factor
        distances += _distances(new_a, new_b, weights) - _distances(a, b, weights)
    return kernel_of(theta, product, np.maximum(distances, 0.0))


def _distances(a: Array, b: Array, weights: Array) -> Array:
    """Return the weighted squared distances between rows, shape (n, m)."""
    return np.asarray((a**2 @ weights)[:, None] + b**2 @ weights - 2 * ((a * weights) @ b.T))
