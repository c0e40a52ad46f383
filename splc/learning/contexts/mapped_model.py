"""The full model of a context whose configurations are measured in others: the joint model, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.contexts.joint_model import ContextModel, ContextRows, JointModel
from splc.learning.contexts.mapped_process import MappedProcess
from splc.learning.contexts.resampled_errors import shares_of_smaller_errors
from splc.learning.contexts.source_mixture import SourceMixture, mapped_rows, mixed
from splc.learning.contexts.sources import Sources
from splc.learning.projection import FullModel, KernelDesign, positive_scale
from splc.types import Array

# A context is a source if it has this share of the rows, and at least this multiple of their number.
MEASURED, RICHER = 0.9, 1.25
# Fewer rows do not show how the contexts differ.
FEWEST = 3
# The least and the largest weight of the mapped values beside the joint model: few rows cannot tell which is better.
WEIGHTS = (0.25, 0.75)


@dataclass(frozen=True, eq=False)
class MappedModel(FullModel):
    """A full model of ln y: a mixture of the joint model and of a process that maps the values of other contexts."""

    shared: ContextModel | None = None  # the joint model about the context
    sources: Sources | None = None  # the values of the other contexts
    process: MappedProcess | None = None  # the process of all rows
    processes: tuple[MappedProcess, ...] = ()  # those of the rows outside of each fold
    weight: float = 0.5  # the weight of the process

    @cached_property
    def predictor(self) -> SourceMixture:
        """The mixture."""
        assert self.shared is not None
        assert self.sources is not None
        assert self.process is not None
        noise = self.process.noise_variance / median(self.data.repetitions.tolist())
        facts = (self.shared.ensemble, self.sources, self.process, self.weight, float(noise))
        return SourceMixture(self.scale, self.quantile, *facts, runs=self.runs)

    def fold_predictions(self, configurations: Configurations, designs: Sequence[KernelDesign]) -> Array:
        """Return the predictions of the fold models in units of the scale, shape (folds, m)."""
        assert self.shared is not None
        assert self.sources is not None
        joint = np.log(self.shared.fold_predictions(configurations, designs) * self.shared.scale.unit)
        rows = mapped_rows(self.basis, self.sources, configurations)
        mapped = np.array([process.moments(rows)[0] for process in self.processes])
        return self.scale.backward((1 - self.weight) * joint + self.weight * mapped - np.log(self.scale.unit))

    def covariance(self, configurations: Configurations, designs: Sequence[KernelDesign], projection: Array) -> Array:
        """Return the posterior covariance of W t at m configurations, shape (k, k), for W of shape (k, m)."""
        assert self.shared is not None
        assert self.sources is not None
        assert self.process is not None
        g = self.shared.predictor.moments(configurations, variances=False)[0]
        rows = mapped_rows(self.basis, self.sources, configurations)
        base = self.shared.covariance(configurations, designs, projection * self.shared.scale.slope(g))
        apart = projection @ (np.log(g * self.shared.scale.unit) - self.process.moments(rows)[0])
        between = self.weight * (1 - self.weight) * np.outer(apart, apart)
        return np.asarray((1 - self.weight) * base + self.weight * self.process.covariance(rows, projection) + between)


def fit_mapped_model(joint: JointModel, name: str, parts: Mapping[str, ContextRows]) -> MappedModel | None:
    """Return the full model of a context with the values of others; None if too little is measured in these."""
    shared = joint.of(name)
    target = parts[name]
    refits, places = shared.refits, shared.places
    context = shared.basis.context
    if len(target.y) < FEWEST or len(shared.rows) < len(target.y):
        return None
    if refits is None or places is None or context is None or target.y.min() <= 0:
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
    rows = mapped_rows(shared.basis, sources, shared.configurations)
    t, noise, folds = np.log(shared.data.y), 1 / shared.data.repetitions, shared.data.folds
    first = joint.whole.refits
    assert first is not None
    theta = first.first.optimum.logarithms
    theta = np.concatenate([theta[: rows.design.distinct], theta[-4:]])
    process = MappedProcess.fit(rows, t, noise, theta)
    processes = []
    mapped = np.empty((2, len(t)))
    for fold in range(int(folds.max()) + 1):
        out, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        process_of_rest = MappedProcess.fit(rows.rows(train), t[train], noise[train], theta)
        processes.append(process_of_rest)
        mean, variance = process_of_rest.moments(rows.rows(out))
        mapped[:, out] = mean, np.sqrt(variance + process_of_rest.noise_variance * noise[out])
    held = np.log(shared.held_out * shared.scale.unit), refits.deviations * shared.scale.slope(shared.held_out)
    low, high = WEIGHTS
    better = np.mean(shares_of_smaller_errors(mapped[0] - t, held[0] - t, positive=True))
    weight = float(low + (high - low) * better)
    means, deviations = mixed(weight, held, (mapped[0], mapped[1]))
    scale = positive_scale("log", shared.data.y)
    return MappedModel(
        shared.basis,
        scale,
        shared.rows,
        shared.configurations,
        shared.data,
        replace(refits, means=means - np.log(scale.unit), deviations=deviations),
        shared=shared,
        sources=sources,
        process=process,
        processes=tuple(processes),
        weight=weight,
    )
