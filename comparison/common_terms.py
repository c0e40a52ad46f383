"""The terms of several models of one system, fitted to the measurements of each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, plural
from splc.io.numbers import power_of_two
from splc.models.basis.orthogonal_fit import independent
from splc.models.basis.regression import Regression
from splc.models.influence import InfluenceModel
from splc.models.levels import term_texts
from splc.types import Array, Link

# Relative differences below this are rounding.
ROUNDING = 1e-9
_MAX_ROWS = 10_000
_DEPENDENT = 1e-8


@dataclass(frozen=True)
class Undetermined:
    """The terms whose influences cannot be computed from the configurations on one side of a change."""

    zero: tuple[str, ...] = ()  # terms that are 0 in all of them, such as those of an option that is never selected
    # terms that cannot be told apart, such as those of two options that are always selected together
    confounded: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class CommonTerms:
    """The terms of k models, fitted to the measurements of each with the least relative error."""

    model: InfluenceModel  # a model with all these terms
    texts: Sequence[str]  # the terms, m of them
    designs: Sequence[Array]  # the values of the terms for the configurations of each model, shape (n, m)
    values: Sequence[Array]  # the measured values of these
    influences: Array  # the influences for each model, shape (k, m)
    errors: Array  # their standard errors
    determined: Array  # whether the configurations determine an influence, shape (k, m)

    @classmethod
    def of(cls, models: Sequence[InfluenceModel], measured: Sequence[tuple[Configurations, Array]]) -> CommonTerms:
        """Fit the terms of all models that have the link of the first one."""
        union = models[0]
        for model in models[1:]:
            union = _with_sets_of(union, model) if model.link == union.link else union
        designs, values = zip(*(_design(union, *data) for data in measured), strict=True)
        # Of terms that depend on each other in all configurations one is enough.
        columns = independent(np.vstack(designs), _DEPENDENT)
        union = replace(union, terms=tuple(union.terms[column] for column in columns))
        designs = tuple(design[:, columns] for design in designs)
        # Squares of huge values would overflow, those of tiny ones vanish.
        units = [1.0 if union.link == "log" else power_of_two(measurements) for measurements in values]
        pairs = zip(designs, values, units, strict=True)
        fits = [_fitted(design, measurements / unit, union.link) for design, measurements, unit in pairs]
        scales = np.array(units)[:, np.newaxis]
        influences = scales * np.array([fit.coefficients for fit in fits])
        errors = scales * np.array([fit.errors for fit in fits])
        errors = np.maximum(errors, ROUNDING * np.abs(influences))
        determined = np.array([fit.determined for fit in fits])
        texts = term_texts(union, measured[0][0].system)
        return cls(union, texts, designs, values, influences, errors, determined)

    def undetermined(self, at: int) -> Undetermined:
        """Return the terms that the configurations of a model do not determine."""
        zero = ~self.designs[at].any(axis=0)
        indices = (np.flatnonzero(mask).tolist() for mask in (zero, ~self.determined[at] & ~zero))
        zeros, confounded = (tuple(self.texts[index] for index in terms) for terms in indices)
        return Undetermined(zeros, confounded)


def _with_sets_of(first: InfluenceModel, second: InfluenceModel) -> InfluenceModel:
    """Return the first model with the terms of the second one over sets of options that it has no term of.

    Several terms over one set are nearly collinear, so that no change of one of them could be settled.
    """
    sets = {first.options_of(term) for term, _ in first.terms}
    added = [pair for pair in second.terms if second.options_of(pair[0]) not in sets]
    known = {subexpression.name for subexpression in first.derived}
    derived = (*first.derived, *(subexpression for subexpression in second.derived if subexpression.name not in known))
    order = tuple(dict.fromkeys((*first.order, *second.order)))
    return replace(first, terms=(*first.terms, *added), derived=derived, order=order)


def _design(model: InfluenceModel, configurations: Configurations, values: Array) -> tuple[Array, Array]:
    """Return the values of the terms, shape (n, terms), and the measured values of the configurations that are used."""
    used = np.flatnonzero((values > 0 if model.link == "log" else values != 0) & ~np.isnan(values))
    used = used[:: -(-len(used) // _MAX_ROWS) or 1]
    plain = replace(model, terms=tuple((term, 1.0) for term, _ in model.terms))
    return plain.contributions(configurations[used]), values[used]


def _fitted(design: Array, values: Array, link: Link) -> Regression:
    """Fit the influences to measured values with the least relative error."""
    weights = np.ones(len(values)) if link == "log" else 1.0 / np.abs(values)
    target = np.log(values) if link == "log" else values * weights
    fit = Regression.of(design * weights[:, np.newaxis], target)
    if fit.freedom == 0:
        rows = plural(len(values), "configuration is", "configurations are")
        message = f"{rows} too few to compare {plural(design.shape[1], 'influence', 'influences')}"
        raise ConfigurationError(message, hint="measure more configurations, or learn models with fewer terms")
    return fit
