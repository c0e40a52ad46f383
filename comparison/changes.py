"""The change of influences between two models of one system, such as those of two versions, by sets of options.

Influences of different models are not comparable: a term that is in one model only changes the meaning of the others.
So the terms of both models are fitted to the measurements before and after the change. A factor that most influences
have in common (a faster machine) is stated once, and a change is what differs from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from comparison.intervals import term_values
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, plural
from splc.io.numbers import power_of_two
from splc.models.basis.regression import NORMAL_QUANTILE, Regression, independent
from splc.models.influence import InfluenceModel, term_texts
from splc.models.terms import names_in
from splc.types import Array, Link

# Relative differences below this are rounding.
ROUNDING = 1e-9
_MAX_ROWS = 10_000
Measured = tuple[Configurations, Array]
_DEPENDENT = 1e-8


@dataclass(frozen=True)
class Undetermined:
    """The terms whose influences cannot be computed from the configurations on one side of a change."""

    zero: tuple[str, ...] = ()  # terms that are 0 in all of them, such as those of an option that is never selected
    confounded: tuple[str, ...] = ()  # terms that cannot be told apart, such as those of options always selected


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
    def of(cls, models: Sequence[InfluenceModel], measured: Sequence[Measured]) -> CommonTerms:
        """Fit the terms of all models that have the link of the first one."""
        union = models[0]
        for model in models[1:]:
            union = _with_sets_of(union, model) if model.link == union.link else union
        designs, values = [], []
        for configurations, measurements in measured:
            used = np.flatnonzero((measurements if union.link == "log" else np.abs(measurements)) > 0)
            used = used[:: -(-len(used) // _MAX_ROWS) or 1]
            designs.append(term_values(union, configurations[used]))
            values.append(measurements[used])
        # Of terms that depend on each other in all configurations one is enough.
        columns = independent(np.vstack(designs), _DEPENDENT)
        union = replace(union, terms=tuple(union.terms[column] for column in columns))
        designs = [design[:, columns] for design in designs]
        # Squares of huge values would overflow, those of tiny ones vanish.
        units = [1.0 if union.link == "log" else power_of_two(measurements) for measurements in values]
        pairs = zip(designs, values, units, strict=True)
        fits = [_fitted(design, measurements / unit, union.link) for design, measurements, unit in pairs]
        scales = np.array(units)[:, np.newaxis]
        influences = scales * np.array([fit.coefficients for fit in fits])
        errors = np.maximum(scales * np.array([fit.errors for fit in fits]), ROUNDING * np.abs(influences))
        determined = np.array([fit.determined for fit in fits])
        return cls(union, term_texts(union, measured[0][0].system), designs, values, influences, errors, determined)

    def undetermined(self, at: int) -> Undetermined:
        """Return the terms that the configurations of a model do not determine."""
        zero = ~self.designs[at].any(axis=0)
        masks = zero, ~self.determined[at] & ~zero
        return Undetermined(*(tuple(np.array(self.texts, dtype=object)[mask].tolist()) for mask in masks))


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


SETTLED = 2.0  # many terms are compared, so a change must be larger than this many half widths of its 90 % interval


@dataclass(frozen=True)
class TermChange:
    """The influences of a term before and after a change."""

    text: str  # the term, as `splc.models.influence.term_texts` writes it
    first: float  # the influence before the change
    second: float  # the influence after it
    intervals: float  # the change beyond the common factor, divided by half the width of its 90 % interval


@dataclass(frozen=True)
class SetChange:
    """The change of the terms over one set of options."""

    options: tuple[str, ...]  # the options, in the system's order; empty for the constant
    size: float  # the mean absolute change beyond the common factor, in percent of the mean (products: each) prediction
    terms: tuple[TermChange, ...]  # the terms

    @property
    def intervals(self) -> float:
        """The largest change of an influence relative to its interval."""
        return max(term.intervals for term in self.terms)

    @property
    def settled(self) -> bool:
        """Whether the change is clearly larger than its uncertainty."""
        return self.intervals > SETTLED


@dataclass(frozen=True)
class ModelChange:
    """The change of a model."""

    link: Link  # the link of the models that are compared
    factor: float  # what most influences of a sum have in common, 1 if not clearly another; of a product, its constant
    sets: tuple[SetChange, ...]  # the changes of sets of options, the settled and larger ones first
    # the terms that the configurations before and after the change do not determine. They are in none of the sets.
    undetermined: tuple[Undetermined, Undetermined] = (Undetermined(), Undetermined())


def model_change(first: InfluenceModel, second: InfluenceModel, before: Measured, after: Measured) -> ModelChange:
    """Return what changed between two models; values of 0 (for products also negative ones) are left out.

    The link of the model before the change decides; of a second model with another link no terms are used.
    """
    common = CommonTerms.of((first, second), (before, after))
    known = np.flatnonzero(common.determined.all(axis=0))
    (old, new), (old_errors, new_errors) = common.influences[:, known], common.errors[:, known]
    union, design, values = common.model, common.designs[1][:, known], common.values[1]
    factor = 1.0 if union.link == "log" else _common_factor(old, new, old_errors, new_errors)
    mean_value = float(np.mean(np.abs(values)))
    differences = new - factor * old
    # Exact models of measurements without noise differ by rounding only.
    least = ROUNDING * (1.0 if union.link == "log" else mean_value)
    differences[np.abs(differences) * np.abs(design).mean(axis=0) <= least] = 0.0
    widths = NORMAL_QUANTILE * np.hypot(new_errors, factor * old_errors)
    relative = np.divide(np.abs(differences), widths, out=np.full(len(differences), np.inf), where=widths > 0)
    relative[differences == 0] = 0.0
    groups: dict[frozenset[str], list[int]] = {}
    for position, index in enumerate(known.tolist()):
        groups.setdefault(union.options_of(union.terms[index][0]), []).append(position)
    sets = []
    for options, places in groups.items():
        total = design[:, places] @ differences[places]
        size = np.mean(np.abs(np.expm1(total))) if union.link == "log" else np.mean(np.abs(total)) / mean_value
        terms = tuple(
            TermChange(common.texts[known[at]], float(old[at]), float(new[at]), float(relative[at])) for at in places
        )
        sets.append(SetChange(names_in(options, union.order), 100 * float(size), terms))
    ordered = tuple(sorted(sets, key=lambda e: (not e.settled, -e.size, e.options)))
    return ModelChange(union.link, factor, ordered, (common.undetermined(0), common.undetermined(1)))


@dataclass(frozen=True)
class TermCourse:
    """The influence of a term in several models, in the unit of the prediction (of its logarithm for products)."""

    text: str  # the term, as `splc.models.influence.term_texts` writes it
    means: tuple[float, ...]  # the influence times the mean absolute value of the term, by model; NaN: not determined
    widths: tuple[float, ...]  # half the widths of the 90 % intervals of these
    changed: tuple[bool, ...]  # whether the influence clearly changed from each model to the next one


@dataclass(frozen=True)
class ModelCourse:
    """The influences of several models of one system, such as those of its versions."""

    link: Link  # the link of the models
    terms: tuple[TermCourse, ...]  # the terms, those that clearly changed and larger ones first
    factors: tuple[float, ...]  # the factor that most influences have in common, for each change


def model_course(
    models: Sequence[InfluenceModel], measured: Sequence[Measured], changes: Sequence[ModelChange]
) -> ModelCourse:
    """Return the influences of several models with the terms of all of them; the link of the first one decides."""
    common = CommonTerms.of(models, measured)
    sizes = np.mean([np.abs(design).mean(axis=0) for design in common.designs], axis=0)
    settled = [{row.text for own in change.sets for row in own.terms if row.intervals > SETTLED} for change in changes]
    all_means = np.where(common.determined, common.influences * sizes, np.nan)
    all_widths = np.where(common.determined, NORMAL_QUANTILE * common.errors * sizes, np.nan)
    terms = [
        TermCourse(text, tuple(means), tuple(widths), tuple(text in texts for texts in settled))
        for text, means, widths in zip(common.texts, all_means.T.tolist(), all_widths.T.tolist(), strict=True)
        if not np.isnan(means).all()
    ]
    terms.sort(key=lambda term: (not any(term.changed), -np.nanmax(np.abs(term.means)), term.text))
    return ModelCourse(common.model.link, tuple(terms), tuple(change.factor for change in changes))


def _common_factor(old: Array, new: Array, old_errors: Array, new_errors: Array) -> float:
    """Return the factor that leaves the fewest changes, 1 unless another one leaves fewer.

    Candidates are the ratios of the influences that are known well. A factor that only one influence has is not common.
    """
    known = (np.abs(old) > 3 * NORMAL_QUANTILE * old_errors) & (np.abs(new) > 3 * NORMAL_QUANTILE * new_errors)
    ratios = new[known] / old[known]
    candidates = np.array([1.0, *ratios[ratios > 0]])[:, np.newaxis]
    widths = NORMAL_QUANTILE * np.hypot(new_errors, candidates * old_errors)
    unchanged = np.abs(new - candidates * old) <= SETTLED * widths
    counts = unchanged.sum(axis=1)
    best = int(np.argmax(counts))
    return float(np.median(ratios[unchanged[best][known]])) if counts[best] > max(counts[0], 1) else 1.0
