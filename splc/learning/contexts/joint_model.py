"""One full model of all values of a context, such as all versions, which share what they have in common.

The kernel is that of the default learner with the context as one more alternative group: an influence may differ
between the values of the context if the option matters, and if the context does (docs/decisions/0016-contexts.md).

In: the rows of each value (`ContextRows`), and the variables. Out: a `JointModel`, and of it the full model of each
value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from splc.data.configurations import Configurations
from splc.learning import projection
from splc.learning.projection import FOLDS, ROWS_OF_MODEL, ContextBlock, Data, FullModel, OptionBasis, Variable
from splc.types import Array

# Fewer values cannot show that they are numbers.
MIN_NUMBERS = 3
# Of more rows, outliers have little influence, and a second fit takes long.
ROWS_OF_WEIGHTS = 300
# The degrees of freedom of Student's distribution that the noise of rows is weighted by.
FREEDOM = 4
# A stem, a number and a unit: `8`, `0.5`, `16 GB`, `cells_50`, `node-3`.
_NUMBER = re.compile(r"(.*?[^\d.-]-?|)(-?\d+(?:\.\d+)?)\s*(\D*)")
# The stems of versions, whose numbers are no magnitudes: `v3`, `release-2`.
_VERSION = re.compile(r"(?:.*[^a-z])?(?:v|ver|version|r|rel|release|rev|revision)[^a-z]*", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class ContextRows:
    """The measurements of one value of a context."""

    configurations: Configurations  # n distinct configurations
    y: Array  # their values, shape (n,)
    repetitions: Array  # the number of measurements of each, shape (n,)
    runs: float = 0.0  # the half width of intervals of ln y of a run around the value of its configuration

    @classmethod
    def of(cls, configurations: Configurations, y: Array, repeated: Array) -> ContextRows:
        """Return the rows of repeated measurements, shape (n, repetitions), NaN where one is missing."""
        runs = (
            projection.run_width(np.log(y)[:, None] - np.log(repeated))
            if np.nanmin(repeated, initial=np.inf) > 0
            else 0.0
        )
        return cls(configurations, y, (~np.isnan(repeated)).sum(axis=1), runs)


@dataclass(frozen=True, eq=False)
class JointModel:
    """One full model of all values of a context."""

    whole: FullModel  # the full model of the rows of all values; its `rows` are those of `origins`
    names: tuple[str, ...]  # the values of the context
    places: Array  # the context of each row, positions in `names`, shape (all rows,)
    origins: Array  # the position of each row among the rows of its context, shape (all rows,)

    def of(self, name: str) -> FullModel:
        """Return the full model of one value of the context, which learned from the rows of all values."""
        model, place = self.whole, self.names.index(name)
        data, fits, rows = model.data, model.refits, np.flatnonzero(self.places == place)
        block = replace(model.basis.context or ContextBlock(self.names), place=place)
        refits = None
        if fits is not None:
            folds = fits.folds[: int(data.folds[rows].max()) + 1]
            refits = replace(fits, folds=folds, means=fits.means[rows], deviations=fits.deviations[rows])
        designs = tuple(design.rows(rows) for design in data.designs)
        return FullModel(
            replace(model.basis, context=block),
            model.scale,
            self.origins[rows],
            model.configurations[rows],
            Data(designs, data.y[rows], data.repetitions[rows], given_folds=data.folds[rows]),
            refits,
            model.constant,
            whole=model,
            places=self.places,
        )


def fit_joint_model(
    parts: Mapping[str, ContextRows],
    variables: tuple[Variable, ...],
    scale: str = "auto",
    on_fit: Callable[[int], None] = lambda iterations: None,
) -> JointModel:
    """Return one full model of all values of a context."""
    names = tuple(parts)
    every = Configurations.concatenate([part.configurations for part in parts.values()])
    constants = projection.option_constants(every.unique())
    variables = projection.canonical_order(variables, constants)
    # The contexts take turns, so that the first thousand rows have equally many of each.
    orders = [projection.hash_order(part.configurations, constants) for part in parts.values()]
    ranks = np.concatenate([np.arange(len(order)) for order in orders])
    places = np.repeat(np.arange(len(names)), [len(order) for order in orders])
    turn = np.lexsort((places, ranks))
    turn = turn[_kept(places[turn])]
    ranks, places, origins = ranks[turn], places[turn], np.concatenate(orders)[turn]
    starts = np.cumsum([0, *(len(order) for order in orders)])[:-1]
    rows = starts[places] + origins
    y = np.concatenate([part.y for part in parts.values()])[rows].astype(float)
    repetitions = np.concatenate([part.repetitions for part in parts.values()])[rows].astype(float)
    configurations = every[rows]

    def data_of(block: ContextBlock, weights: Array, used: tuple[Variable, ...]) -> tuple[OptionBasis, Data]:
        basis = OptionBasis(used, block)
        designs = basis.designs(configurations, places)
        # Each fold of a context is predicted from the other folds of all contexts.
        return basis, Data(designs, y, repetitions * weights, on_fit, ranks % FOLDS)

    equal = np.ones(len(rows))
    positive = bool(y.min() > 0)
    block = ContextBlock(names)
    if positive and variables and (numbers := numbers_of_contexts(names)):
        unnumbered, log = projection.without_numbers(variables), projection.positive_scale("log", y)

        def evidence(block: ContextBlock) -> float:
            return projection.first_fit(data_of(block, equal, unnumbered)[1], len(unnumbered), log).evidence

        block = max(block, ContextBlock(names, numbers=numbers), key=evidence)

    def fitted(weights: Array, scale: str, tested: bool) -> FullModel:
        data = partial(data_of, block, weights)
        return projection.chosen_model(
            configurations, rows, variables, data, positive=positive, scale=scale, tested=tested
        )

    model = fitted(equal, scale, True)
    if model.refits is not None and len(rows) <= ROWS_OF_WEIGHTS:
        # Noise of Student's distribution has few large values: one step of its iterated least squares for the errors
        # outside of the folds (Lange, Little and Taylor, Journal of the American Statistical Association 84, 1989).
        weights = np.asarray((FREEDOM + 1) / (FREEDOM + model.ratios**2))
        model = unweighted(fitted(weights, model.scale.name if positive else scale, False), weights)
    return JointModel(model, names, places, origins)


def unweighted(model: FullModel, weights: Array) -> FullModel:
    """Return a model of weighted rows with the deviations of a measurement of any row outside of the folds."""
    refits, data = model.refits, model.data
    assert refits is not None
    variances = np.array([fold.noise_variance for fold in refits.folds])[data.folds] * refits.first.posterior.noise
    deviations = np.sqrt(np.maximum(refits.deviations**2 + variances * (weights - 1), 0.0))
    data = replace(data, repetitions=data.repetitions / weights)
    return replace(model, data=data, refits=replace(refits, deviations=deviations))


def numbers_of_contexts(names: Sequence[str]) -> tuple[float, ...]:
    """Return the numbers in the values of a context.

    They are empty if there are few, or if not all are distinct numbers with one stem and one unit. Versions such as
    1.10 and v3 are names.
    """
    matches = [_NUMBER.fullmatch(name) for name in names]
    if len(names) < MIN_NUMBERS or None in matches or len({(match[1], match[3]) for match in matches if match}) > 1:
        return ()
    if any(_VERSION.fullmatch(match[1]) for match in matches if match):
        return ()
    texts = [match[2] for match in matches if match]
    numbers = tuple(map(float, texts))
    exact = all(text in (f"{number:g}", f"{number:.1f}") for text, number in zip(texts, numbers, strict=True))
    return numbers if exact and len(set(numbers)) == len(numbers) else ()


def _kept(places: Array) -> Array:
    """Return the first rows up to the limit, and all rows of the context with fewest if these are at most half of it.

    (Without it, a context with 450 rows beside two with 4,096 has 1.00 and 1.10 times the error on deeparch.)
    """
    counts = np.bincount(places)
    if len(places) <= ROWS_OF_MODEL or counts.min() > ROWS_OF_MODEL // 2:
        return np.arange(min(len(places), ROWS_OF_MODEL))
    poor = places == counts.argmin()
    rich = np.flatnonzero(~poor)[: ROWS_OF_MODEL - int(counts.min())]
    return np.sort(np.concatenate([np.flatnonzero(poor), rich]))
