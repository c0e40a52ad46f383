"""The change of influences between two models of one system, such as those of two versions, by sets of options.

Influences of different models are not comparable: a term that is in one model only changes the meaning of the others.
So the terms of both models are fitted to the measurements before and after the change. A factor that most influences
have in common (a faster machine) is stated once, and a change is what differs from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from comparison.syntactic import names_in
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.learning.effects import term_texts
from splc.learning.projection.constants import NORMAL_QUANTILE
from splc.learning.projection.decomposition import Decomposition
from splc.models.influence import InfluenceModel, Link
from splc.types import Array

# Many terms are compared, so a change must be larger than this many half widths of its 90 % interval.
SETTLED = 2.0
_MOST_ROWS = 10_000
_DEPENDENT = 1e-8
_ROUNDING = 1e-9


@dataclass(frozen=True)
class TermChange:
    """The influences of a term before and after a change.

    Attributes:
        text: the term, as `splc.learning.effects.term_texts` writes it.
        first: the influence before the change.
        second: the influence after it.
        intervals: the change beyond the common factor, divided by half the width of its 90 % interval.
    """

    text: str
    first: float
    second: float
    intervals: float


@dataclass(frozen=True)
class SetChange:
    """The change of the terms over one set of options.

    Attributes:
        options: the options, in the system's order; empty for the constant.
        size: the mean absolute change of the prediction by these terms beyond the common factor, in percent: of the
            mean prediction after the change, for products of each prediction.
        terms: the terms.
    """

    options: tuple[str, ...]
    size: float
    terms: tuple[TermChange, ...]

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
    """The change of a model.

    Attributes:
        link: the link of the models that are compared.
        factor: the factor that most influences of a sum have in common, 1 if it is not clearly another one. The common
            factor of a product is its constant.
        sets: the changes of sets of options, the settled and larger ones first.
    """

    link: Link
    factor: float
    sets: tuple[SetChange, ...]


def model_change(
    first: InfluenceModel,
    second: InfluenceModel,
    before: tuple[Configurations, Array],
    after: tuple[Configurations, Array],
) -> ModelChange:
    """Return what changed between two models.

    Args:
        first: the model before the change. Its link decides; of a second model with another link no terms are used.
        second: the model after it.
        before: configurations and their measured values before the change; values of 0 (for products also negative
            ones) are left out.
        after: the same after the change.

    Raises:
        ConfigurationError: if there are too few configurations, or a term has no value at one.
    """
    union = _with_sets_of(first, second) if first.link == second.link else first
    designs = [_design(union, configurations, values) for configurations, values in (before, after)]
    kept = _independent([design for design, _ in designs])
    fits = [_fitted(design[:, kept], values, union.link) for design, values in designs]
    (old, old_errors), (new, new_errors) = fits
    factor = 1.0 if union.link == "log" else _common_factor(old, new, old_errors, new_errors)
    design, values = designs[1]
    whole = abs(float(np.mean(values)))
    apart = new - factor * old
    # Exact models of measurements without noise differ by rounding only.
    least = _ROUNDING * (1.0 if union.link == "log" else whole)
    apart[np.abs(apart) * np.abs(design[:, kept]).mean(axis=0) <= least] = 0.0
    widths = NORMAL_QUANTILE * np.hypot(new_errors, factor * old_errors)
    relative = np.divide(np.abs(apart), widths, out=np.full(len(apart), np.inf), where=widths > 0)
    relative[apart == 0] = 0.0
    texts = term_texts(union, after[0].system)
    groups: dict[frozenset[str], list[int]] = {}
    for place, at in enumerate(kept):
        groups.setdefault(union.options_of(union.terms[at][0]), []).append(place)
    sets = []
    for options, places in groups.items():
        total = design[:, [kept[place] for place in places]] @ apart[places]
        size = np.mean(np.abs(np.expm1(total))) if union.link == "log" else np.mean(np.abs(total)) / whole
        terms = tuple(TermChange(texts[kept[at]], float(old[at]), float(new[at]), float(relative[at])) for at in places)
        sets.append(SetChange(names_in(options, union.order), 100 * float(size), terms))
    return ModelChange(union.link, factor, tuple(sorted(sets, key=lambda e: (not e.settled, -e.size, e.options))))


@dataclass(frozen=True)
class TermCourse:
    """The influence of a term in several models, in the unit of the prediction (of its logarithm for products).

    Attributes:
        text: the term, as `splc.learning.effects.term_texts` writes it.
        means: the influence times the mean absolute value of the term, for each model.
        widths: half the widths of the 90 % intervals of these.
        changed: whether the influence clearly changed from each model to the next one.
    """

    text: str
    means: tuple[float, ...]
    widths: tuple[float, ...]
    changed: tuple[bool, ...]


@dataclass(frozen=True)
class ModelCourse:
    """The influences of several models of one system, such as those of its versions.

    Attributes:
        link: the link of the models.
        terms: the terms, those that clearly changed and larger ones first.
        factors: the factor that most influences have in common, for each change.
    """

    link: Link
    terms: tuple[TermCourse, ...]
    factors: tuple[float, ...]


def model_course(
    models: Sequence[InfluenceModel], measured: Sequence[tuple[Configurations, Array]], changes: Sequence[ModelChange]
) -> ModelCourse:
    """Return the influences of several models, with the terms of all of them.

    Args:
        models: the models, at least one. The link of the first one decides; of others with another link no terms are
            used.
        measured: the configurations and measured values of each model.
        changes: the changes from each model to the next one.

    Raises:
        ConfigurationError: if there are too few configurations, or a term has no value at one.
    """
    union = models[0]
    for each in models[1:]:
        union = _with_sets_of(union, each) if each.link == union.link else union
    designs = [_design(union, configurations, values) for configurations, values in measured]
    kept = _independent([design for design, _ in designs])
    fits = [_fitted(design[:, kept], values, union.link) for design, values in designs]
    sizes = np.mean([np.abs(design[:, kept]).mean(axis=0) for design, _ in designs], axis=0)
    settled = [
        {term.text for each in change.sets for term in each.terms if term.intervals > SETTLED} for change in changes
    ]
    texts = term_texts(union, measured[0][0].system)
    terms = []
    for place, at in enumerate(kept):
        text = texts[at]
        means = tuple(float(influences[place] * sizes[place]) for influences, _ in fits)
        widths = tuple(float(NORMAL_QUANTILE * errors[place] * sizes[place]) for _, errors in fits)
        terms.append(TermCourse(text, means, widths, tuple(text in each for each in settled)))
    terms.sort(key=lambda term: (not any(term.changed), -max(map(abs, term.means)), term.text))
    return ModelCourse(union.link, tuple(terms), tuple(change.factor for change in changes))


def _with_sets_of(first: InfluenceModel, second: InfluenceModel) -> InfluenceModel:
    """Return the first model with the terms of the second one over sets of options that it has no term of.

    Several terms over one set are nearly collinear, so that no change of one of them could be settled.
    """
    sets = {first.options_of(term) for term, _ in first.terms}
    added = [pair for pair in second.terms if second.options_of(pair[0]) not in sets]
    known = {each.name for each in first.derived}
    derived = (*first.derived, *(each for each in second.derived if each.name not in known))
    order = tuple(dict.fromkeys((*first.order, *second.order)))
    return replace(first, terms=(*first.terms, *added), derived=derived, order=order)


def _design(model: InfluenceModel, configurations: Configurations, values: Array) -> tuple[Array, Array]:
    """Return the values of the terms, shape (n, terms), and the measured values of the configurations that are used."""
    used = np.flatnonzero((values > 0 if model.link == "log" else values != 0) & ~np.isnan(values))
    used = used[:: -(-len(used) // _MOST_ROWS) or 1]
    plain = replace(model, terms=tuple((term, 1.0) for term, _ in model.terms))
    return plain.contributions(configurations[used]), values[used]


def _independent(designs: Sequence[Array]) -> list[int]:
    """Return the columns that are linearly independent of the earlier ones in all designs."""
    kept: list[int] = []
    parts = [Decomposition.of(design[:, :0]) for design in designs]
    for at in range(designs[0].shape[1]):
        columns = [
            design[:, at] / max(float(np.linalg.norm(design[:, at])), np.finfo(float).tiny) for design in designs
        ]
        # The rest of a dependent column can be 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            longer = [part.extended(column) for part, column in zip(parts, columns, strict=True)]
        if min(part.coordinates[-1, -1] for part in longer) > _DEPENDENT:
            kept.append(at)
            parts = longer
    return kept


def _fitted(design: Array, values: Array, link: Link) -> tuple[Array, Array]:
    """Return the influences that fit measured values with the least relative error, and their standard errors."""
    rows, terms = design.shape
    if rows <= terms:
        message = f"{rows} configurations are too few to compare {terms} influences"
        raise ConfigurationError(message, hint="measure more configurations, or learn models with fewer terms")
    weights = np.ones(rows) if link == "log" else 1.0 / np.abs(values)
    target = np.log(values) if link == "log" else values * weights
    q, r = np.linalg.qr(design * weights[:, np.newaxis])
    influences = np.linalg.solve(r, q.T @ target)
    residuals = target - (design * weights[:, np.newaxis]) @ influences
    inverse = np.linalg.solve(r, np.eye(terms))
    errors = np.sqrt((inverse**2).sum(axis=1) * float(residuals @ residuals) / (rows - terms))
    return influences, np.maximum(errors, _ROUNDING * np.abs(influences))


def _common_factor(old: Array, new: Array, old_errors: Array, new_errors: Array) -> float:
    """Return the factor that leaves the fewest changes, 1 unless another one leaves fewer.

    Candidates are the ratios of the influences that are known well.
    """
    known = (np.abs(old) > 3 * NORMAL_QUANTILE * old_errors) & (np.abs(new) > 3 * NORMAL_QUANTILE * new_errors)
    ratios = new[known] / old[known]
    candidates = np.array([1.0, *ratios[ratios > 0]])[:, np.newaxis]
    unchanged = np.abs(new - candidates * old) <= SETTLED * NORMAL_QUANTILE * np.hypot(
        new_errors, candidates * old_errors
    )
    counts = unchanged.sum(axis=1)
    best = int(np.argmax(counts))
    if counts[best] == counts[0]:
        return 1.0
    return float(np.median(ratios[unchanged[best][known]]))
