"""Learn the values of a context together: each value with the joint model, unless learning alone is clearly better.

In: the rows of each value (`ContextRows`, `Sharing`). Out: the fit of each value (`Sharing.fit_of`). A `JointModel` is
one full model of all values, which share what they have in common: its kernel is that of the default learner with the
context as one more alternative group (docs/decisions/0016-contexts.md). Where the configurations of a value are
measured in others, too, its model is a mixture of the joint model and of a process that maps their values
(`fit_mapped_model`). Which of two models is better is decided by resamples of held-out rows, those of the Bayesian
bootstrap (Rubin, The Annals of Statistics 9, 1981), so that few rows decide little. A value without rows has a
predictor only (`further_predictor`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from statistics import median

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.learning import projection
from splc.learning.contexts.sources import MappedProcess, SourceMixture, Sources, mixed
from splc.learning.folds import splits
from splc.learning.learner import LearningProblem
from splc.learning.projection import ROWS_OF_MODEL, ContextBlock, Ensemble, FullModel
from splc.types import Array

MIN_NUMBERS = 3  # fewer values cannot show that they are numbers
ROWS_OF_WEIGHTS = 300  # of more rows, outliers have little influence, and a second fit takes long
FREEDOM = 4  # the degrees of freedom of Student's distribution that the noise of rows is weighted by
# A stem, a number and a unit: `8`, `0.5`, `16 GB`, `cells_50`, `node-3`.
_NUMBER = re.compile(r"(.*?[^\d.-]-?|)(-?\d+(?:\.\d+)?)\s*(\D*)")
# The stems of versions, whose numbers are no magnitudes: `v3`, `release-2`.
_VERSION = re.compile(r"(?:.*[^a-z])?(?:v|ver|version|r|rel|release|rev|revision)[^a-z]*", re.IGNORECASE)
ALONE = 0.8  # a value of the context is learned alone if its held-out errors are smaller in this share of resamples
FEWEST = 10  # fewer rows cannot show that learning alone is better
# A context is a source if it has this share of the rows, and at least this multiple of their number.
MEASURED, RICHER = 0.9, 1.25
FEWEST_MAPPED = 3  # fewer rows do not show how the contexts differ
# The least and the largest weight of the mapped values beside the joint model: few rows cannot tell which is better.
WEIGHTS = (0.25, 0.75)
DRAWS = 200
LARGEST = 600.0  # greater differences of ln y are clipped


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
        positive = np.nanmin(repeated, initial=np.inf) > 0
        runs = projection.run_width(np.log(y)[:, None] - np.log(repeated)) if positive else 0.0
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
        return replace(
            model,
            basis=replace(model.basis, context=block),
            rows=self.origins[rows],
            configurations=model.configurations[rows],
            data=projection.Data(designs, data.y[rows], data.repetitions[rows], given_folds=data.folds[rows]),
            refits=refits,
            whole=model,
            places=self.places,
        )


def fit_joint_model(
    parts: Mapping[str, ContextRows],
    variables: tuple[projection.Variable, ...],
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

    def data_of(
        block: ContextBlock, weights: Array, used: tuple[projection.Variable, ...]
    ) -> tuple[projection.OptionBasis, projection.Data]:
        basis = projection.OptionBasis(used, block)
        designs = basis.designs(configurations, places)
        # Each fold of a context is predicted from the other folds of all contexts.
        return basis, projection.Data(designs, y, repetitions * weights, on_fit, ranks % projection.FOLDS)

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


@dataclass(eq=False)
class Sharing:
    """The rows of all values of a context, and their joint model."""

    parts: Mapping[str, ContextRows]  # value of the context → what was measured of it
    scale: str = "auto"  # the scale of the full models, see `fit_full_model`
    # value → the weight of learning it alone, of the values that were learned
    weights: dict[str, float] = field(default_factory=dict, init=False)
    given: JointModel | None = field(default=None, init=False)  # the joint model of the given rows, once it was fitted

    @classmethod
    def of(cls, parts: Mapping[str, Measurements], nfp: str, scale: str = "auto") -> Sharing:
        """Return the rows of all values of a context that have a value of the property."""
        rows = {}
        for value, part in parts.items():
            usable = part.measured(nfp)
            rows[value] = ContextRows.of(usable.configurations, usable.column(nfp), usable.repetitions(nfp))
        return cls(rows, scale)

    @property
    def counts_numbers(self) -> bool:
        """True if the values of the context count as numbers in the joint model of the given rows."""
        context = None if self.given is None else self.given.whole.basis.context
        return context is not None and bool(context.numbers)

    def weights_of(self, values: Iterable[str]) -> dict[str, float]:
        """Return value → the weight of learning it alone, of those values that were learned."""
        return {value: self.weights[value] for value in values if value in self.weights}

    def fit_of(self, name: str) -> projection.FullModelFit | None:
        """Return the fit of one value; None without rows of it and of others."""
        return partial(self.fit, name) if name in self.parts and len(self.parts) > 1 else None

    def fit(
        self, name: str, problem: LearningProblem, alone: projection.SingleFit, on_fit: Callable[[int], None]
    ) -> FullModel:
        """Return the full model of one value: the joint one, unless that of these rows alone is clearly better."""
        rows = ContextRows.of(problem.configurations, problem.target, problem.repetitions)
        joint = self.joint(name, rows, on_fit)
        shared = fit_mapped_model(joint, name, {**self.parts, name: rows}) or joint.of(name)
        # The rows that are given may be in another order.
        shared = replace(shared, rows=rows.configurations.find(shared.configurations))
        # The test whether influences can be distinguished from noise takes longest: it is left out where both of its
        # results have the same consequence.
        single = alone(tested=False)
        constant = replace(single, refits=None, constant=projection.NO_INFLUENCE)
        weight, other = (weight_of_alone(each, shared, len(rows.y)) for each in (single, constant))
        if max(weight, other) > ALONE:
            single = alone()
            weight = weight_of_alone(single, shared, len(rows.y))
        if self.is_given(name, rows):
            self.weights[name] = weight
        return single if weight > ALONE else shared

    def is_given(self, name: str, own: ContextRows) -> bool:
        """Return whether rows are those that are given of a value; the rows of a fold are fewer."""
        part = self.parts[name]
        return len(part.y) == len(own.y) and bool((own.configurations.find(part.configurations) >= 0).all())

    def joint(self, name: str, own: ContextRows, on_fit: Callable[[int], None] = lambda iterations: None) -> JointModel:
        """Return the joint model of all values, with these rows of one of them."""
        given = self.is_given(name, own)
        if given and self.given is not None:
            return self.given
        parts = self.parts if given else {**self.parts, name: own}
        every = Configurations.concatenate([part.configurations for part in parts.values()])
        variables = projection.varying(projection.variables_of(every.system), every)
        found = fit_joint_model(parts, variables, self.scale, on_fit)
        self.given = found if given else self.given
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class MappedModel(FullModel):
    """The full model of a context whose configurations are measured in others: their values, and the joint model."""

    shared: FullModel  # the joint model about the context
    sources: Sources  # the values of the other contexts
    process: MappedProcess  # the process of all rows
    processes: tuple[MappedProcess, ...]  # those of the rows outside of each fold
    weight: float  # the weight of the process

    @cached_property
    def predictor(self) -> SourceMixture:
        """The mixture of both."""
        noise = float(self.process.noise_variance / median(self.data.repetitions.tolist()))
        of_process = self.process, self.weight, noise
        return SourceMixture(self.scale, self.quantile, self.sources, *of_process, runs=self.runs)

    def at(self, configurations: Configurations, unmeasured: Configurations) -> projection.SpacePredictions:
        """Return what is predicted of configurations; `unmeasured`: the last ones, whose deviations are wanted."""
        scale, weight, process = self.scale, self.weight, self.process
        found = self.shared.at(configurations, unmeasured)
        rows, unit, wanted = self.sources.mapped(configurations), self.shared.scale.unit, len(found.deviations)
        t, (mapped, variance) = np.log(found.means * unit), process.moments(rows)
        apart = t - mapped
        joint = t[-wanted:], found.deviations
        _, deviations = mixed(weight, joint, (mapped[-wanted:], np.sqrt(variance[-wanted:] + self.predictor.noise)))
        folds = np.array([each.moments(rows)[0] for each in self.processes])
        folds = (1 - weight) * np.log(found.folds * unit) + weight * folds

        def covariance(weights: Array) -> Array:
            base = found.covariance(weights * self.shared.scale.slope(found.means))
            between = weight * (1 - weight) * np.outer(weights @ apart, weights @ apart)
            return np.asarray((1 - weight) * base + weight * process.covariance(rows, weights) + between)

        means, folds = (scale.backward(each - np.log(scale.unit)) for each in (t - weight * apart, folds))
        return projection.SpacePredictions(means, deviations, folds, covariance)


def fit_mapped_model(joint: JointModel, name: str, parts: Mapping[str, ContextRows]) -> MappedModel | None:
    """Return the full model of a context with the values of others; None if too little is measured in these."""
    shared = joint.of(name)
    target, first = parts[name], joint.whole.refits
    if len(target.y) < FEWEST_MAPPED or len(shared.rows) < len(target.y):
        return None
    if shared.refits is None or first is None or shared.basis.context is None or target.y.min() <= 0:
        return None
    measurements: dict[int, tuple[Configurations, Array]] = {}
    for index, source in enumerate(joint.names):
        part = parts[source]
        measured = float(np.mean(part.configurations.find(target.configurations) >= 0))
        if source != name and part.y.min() > 0 and len(part.y) >= RICHER * len(target.y) and measured >= MEASURED:
            measurements[index] = (part.configurations, part.y)
    if not measurements:
        return None
    sources = Sources.of(shared.ensemble, measurements)
    rows = sources.mapped(shared.configurations)
    t, noise, folds = np.log(shared.data.y), 1 / shared.data.repetitions, shared.data.folds
    theta = first.first.posterior.logarithms
    theta = np.concatenate([theta[: rows.design.distinct], theta[-4:]])
    processes, mapped = [], np.empty((2, len(t)))
    for out, train in splits(folds):
        processes.append(process := MappedProcess.fit(rows.rows(train), t[train], noise[train], theta))
        mean, variance = process.moments(rows.rows(out))
        mapped[:, out] = mean, np.sqrt(variance + process.noise_variance * noise[out])
    refits, scale, (low, high) = shared.refits, projection.positive_scale("log", shared.data.y), WEIGHTS
    held = np.log(shared.held_out * shared.scale.unit), refits.deviations * shared.scale.slope(shared.held_out)
    better = np.mean(shares_of_smaller_errors(mapped[0] - t, held[0] - t, positive=True))
    weight = float(low + (high - low) * better)
    means, deviations = mixed(weight, held, (mapped[0], mapped[1]))
    process = MappedProcess.fit(rows, t, noise, theta)
    refits = replace(refits, means=means - np.log(scale.unit), deviations=deviations)
    of_joint = {each.name: getattr(shared, each.name) for each in fields(shared)}
    own = {"scale": scale, "refits": refits, "constant": "", "process": process, "processes": tuple(processes)}
    return MappedModel(**{**of_joint, **own}, shared=shared, sources=sources, weight=weight)


def weight_of_alone(alone: FullModel, shared: FullModel, rows: int) -> float:
    """Return how often a model of rows alone has smaller held-out errors, by both measures; 0 with few rows."""
    if shared.refits is None:
        return 1.0
    if rows < FEWEST:
        return 0.0
    # Of other rows there is no held-out value.
    first, second = np.full((2, rows), np.nan)
    first[alone.rows], second[shared.rows] = alone.residuals, shared.residuals
    finite = np.isfinite(first) & np.isfinite(second)
    if not finite.any():
        return 0.0
    return min(shares_of_smaller_errors(first[finite], second[finite], positive=shared.scale.positive))


def shares_of_smaller_errors(first: Array, second: Array, *, positive: bool) -> tuple[float, ...]:
    """Return the shares of the resamples in which the first errors, (n,), are smaller, for each measure of errors.

    These are errors of ln y, where all rows count alike, and relative ones, where values that are predicted too high
    count most; of values that are not positive only differences.
    """
    differences = np.array([first, second])
    draws = np.random.default_rng(0).dirichlet(np.ones(len(first)), DRAWS)
    measures = [np.abs(differences)]
    if positive:
        measures.append(np.abs(np.expm1(np.minimum(differences, LARGEST))))
    return tuple(float(np.mean(draws @ (errors[0] - errors[1]) < 0)) for errors in measures)


def further_predictor(sharing: Sharing, name: str) -> SourceMixture | Ensemble:
    """Return what predicts a value without rows: the joint model at its number, or the mean of the other values."""
    parts = sharing.parts
    if not all((part.y > 0).all() for part in parts.values()):
        raise LearningError("a value without measurements can be predicted only where all values are positive")
    first = next(iter(parts))
    joint = sharing.joint(first, parts[first])
    if joint.whole.scale.name != "log" and joint.whole.basis.context and joint.whole.basis.context.numbers:
        # Levels are those of ln y.
        joint = Sharing(parts, "log").joint(first, parts[first])
    whole, block = joint.whole, joint.whole.basis.context
    runs = median(part.runs for part in parts.values())
    if block is not None and block.numbers and (numbers := numbers_of_contexts((*joint.names, name))):
        block = replace(block, place=len(block.names), unmeasured=numbers[-1:])
        return replace(whole.ensemble, basis=replace(whole.basis, context=block), places=joint.places, runs=runs)
    measured = {joint.names.index(each): (part.configurations, part.y) for each, part in parts.items()}
    sources = Sources.of(joint.of(joint.names[0]).ensemble, measured)
    return SourceMixture(projection.positive_scale("log", whole.data.y), whole.quantile, sources, runs=runs)
