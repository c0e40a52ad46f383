"""A surrogate of the difference of a new version from others, and the configurations that these have.

The difference between two versions has the kernel of the versions themselves: an option that matters may differ, one
that does not matter does not. Its variance is reduced by the rows of the new version, of which no value is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.active.surrogate import Surrogate
from splc.learning.contexts.joint_model import ContextRows, fit_joint_model
from splc.learning.projection import FullModel, KernelPosterior, Variable, fit_full_model
from splc.types import Array


def context_surrogate(
    sources: Mapping[str, ContextRows], known: Configurations, repetitions: Array, variables: Sequence[Variable]
) -> Surrogate | None:
    """Return the surrogate of the difference of a context from others; None if nothing influences these.

    `repetitions`: the number of measurements of each, shape (n,).
    """
    whole = _model_of(sources, tuple(variables))
    if whole.refits is None:
        return None
    basis = replace(whole.basis, context=None)
    designs = basis.designs(known)
    parts = []
    for part in whole.refits.parts:
        design = designs[part.kind]
        # Relevances of the context follow those of the options.
        logarithms = np.concatenate([part.logarithms[: design.distinct], part.logarithms[-4:]])
        noise = 1 / np.asarray(repetitions, dtype=float)
        parts.append(KernelPosterior(logarithms, design, np.zeros(len(known)), noise, 0.0, 1.0, part.kind))
    return Surrogate(basis, tuple(parts))


def paired(sources: Mapping[str, ContextRows], space: Configurations) -> Array:
    """Return which configurations were measured in other contexts, shape (m,), bool."""
    return np.asarray(np.any([part.configurations.find(space) >= 0 for part in sources.values()], axis=0))


def _model_of(sources: Mapping[str, ContextRows], variables: tuple[Variable, ...]) -> FullModel:
    """Return the full model of the other contexts."""
    if len(sources) > 1:
        return fit_joint_model(sources, variables).whole
    (part,) = sources.values()
    return fit_full_model(part.configurations, part.y, variables, part.repetitions)
