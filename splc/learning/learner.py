"""The contract of a learner, and the problem that it gets: measurements, a property, the learning set, callbacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeVar, get_args

import numpy as np

from splc.data.configurations import Configurations, describe_configuration
from splc.data.measurements import Measurements
from splc.errors import LearningError, SpecError, plural
from splc.learning.features import FeatureTable, feature_table, observed_features
from splc.learning.folds import Groups, repeated_settings
from splc.learning.result import LearningResult, Stage, Step
from splc.system.options import BinaryOption
from splc.types import Array, Missing

_SAMPLED = "sampled configuration was", "sampled configurations were"
# The beginnings of notes about omitted configurations, which are not repeated for the parts of a sum.
WITHOUT_VALUE = "left out, without a value of "
WHERE_ZERO = "left out of relative errors, where "
INTERRUPTED = "interrupted"
OnStep = Callable[[Step], None]


def ignore(step: Step) -> None:
    """Do nothing after a step."""


def match(
    measurements: Measurements, sampled: Configurations, missing: Missing = "error", instead: str = ""
) -> tuple[Array, tuple[str, ...]]:
    """Return the positions of sampled configurations among the measured ones, and notes.

    `missing`: the policy for sampled configurations that were not measured: 'error'; 'drop' leaves them out; 'nearest'
    takes the measured configuration with the same binary options whose numeric options are the fewest steps away (SPL
    Conqueror's rule), or leaves them out if there is none.
    """
    if missing not in (policies := get_args(Missing)):
        raise SpecError(f"unknown policy {missing!r} for missing configurations", hint=f"one of {', '.join(policies)}")
    positions = measurements.configurations.find(sampled)
    absent = np.flatnonzero(positions < 0)
    notes: tuple[str, ...] = ()
    if len(absent) and missing == "error":
        listed = [describe_configuration(sampled, int(row)) for row in absent[:10]]
        omitted = [f"… and {len(absent) - 10} more"] if len(absent) > 10 else []
        raise LearningError(
            f"{len(absent):,} of {plural(len(sampled), 'sampled configuration', 'sampled configurations')} "
            f"{'was' if len(absent) == 1 else 'were'} not measured:\n    " + "\n    ".join(listed + omitted),
            hint=f"measure them, {instead}or choose --missing drop or nearest (in Python the argument missing)",
        )
    if len(absent) and missing == "nearest":
        positions[absent] = replaced = nearest(measurements.configurations, sampled[absent])
        if count := int((replaced >= 0).sum()):
            notes = (f"{plural(count, *_SAMPLED)} not measured and replaced by the nearest measured one",)
        absent = np.flatnonzero(positions < 0)
    if len(absent):
        notes += (f"{plural(len(absent), *_SAMPLED)} not measured and left out",)
    present = positions[positions >= 0]
    _, first = np.unique(present, return_index=True)
    if len(first) < len(present):
        duplicate_text = plural(len(present) - len(first), "sampled configuration has", "sampled configurations have")
        notes += (f"{duplicate_text} the same nearest measured one as another",)
    return present[np.sort(first)], notes


def rows_of(
    measurements: Measurements, learning_set: Configurations | Array | None, missing: Missing
) -> tuple[Array, tuple[str, ...]]:
    """Return the positions of a learning set among the measured configurations, and notes; `missing`: see `match`."""
    if isinstance(learning_set, Configurations):
        return match(measurements, learning_set, missing)
    rows = np.arange(len(measurements))
    if learning_set is None:
        return rows, ()
    selected = np.asarray(learning_set)
    return rows[selected if selected.size else selected.astype(np.int64)], ()


def nearest(measured: Configurations, wanted: Configurations) -> Array:
    """Return the nearest measured configuration with the same binary options for each wanted one, or -1."""
    binary = np.array([isinstance(option, BinaryOption) for option in measured.system.options], dtype=bool)
    steps = measured.indices.astype(np.int64)
    result = np.full(len(wanted), -1)
    for i, indices in enumerate(wanted.indices):
        row = indices.astype(np.int64)
        candidates = np.flatnonzero((steps[:, binary] == row[binary]).all(axis=1))
        if len(candidates):
            result[i] = candidates[np.argmin(np.abs(steps[candidates][:, ~binary] - row[~binary]).sum(axis=1))]
    return result


@dataclass(frozen=True, eq=False)
class LearningProblem:
    """A property to learn, and the measurements to learn it from."""

    measurements: Measurements  # the measured configurations that have a value of the property
    nfp: str  # the property
    rows: Array  # the positions of the learning set among these, distinct, shape (n,)
    # all configurations that were measured, whatever property; they bound observed variables
    everything: Configurations
    observed: tuple[str, ...] = ()  # the observed variables to learn from besides the options
    evaluation: Measurements | None = None  # to judge the model by; None: the measurements outside of the learning set
    validation: Array | None = None  # the positions that candidates are judged by; None: the learning set
    seed: int = 0  # the seed of whatever a learner draws
    on_step: OnStep = ignore  # called after every step, a round or a stage
    # called with the expected share of the work that is done, by learners that can tell
    on_share: Callable[[float], None] = lambda share: None
    should_stop: Callable[[], bool] = lambda: False  # asked after every step; true keeps what is learned and ends
    provenance: Mapping[str, Any] = field(default_factory=dict)  # recorded in the result
    notes: tuple[str, ...] = ()  # what the user should know about the learning set
    # the groups of the measured configurations that folds keep together, where they were stated
    given_groups: Groups | None = None

    @cached_property
    def configurations(self) -> Configurations:
        """The configurations of the learning set."""
        return self.measurements.configurations[self.rows]

    @cached_property
    def target(self) -> Array:
        """The values of the learning set, shape (n,)."""
        return self.values[self.rows]

    @cached_property
    def repetitions(self) -> Array:
        """The repeated measurements of the learning set, shape (n, repetitions), NaN where one is missing."""
        return self.measurements.repetitions(self.nfp)[self.rows]

    @cached_property
    def groups(self) -> Groups | None:
        """The groups of the measured configurations that folds keep together; None if each one is a group."""
        if self.given_groups is not None:
            return self.given_groups
        return repeated_settings(self.measurements.configurations, self.rows)

    @cached_property
    def values(self) -> Array:
        """The values of all measured configurations."""
        return self.measurements.column(self.nfp)

    def features(self, numeric_disabled: bool, rows: Array | None = None) -> FeatureTable:
        """Return measured configurations as features; `rows`: their positions, None: the learning set."""
        rows = self.rows if rows is None else rows
        observed = observed_features(self.everything, self.observed)
        return feature_table(self.measurements.configurations[rows], self.values[rows], numeric_disabled, observed)


def usable_rows(
    measurements: Measurements, nfp: str, learning_set: Configurations | Array | None, missing: Missing
) -> tuple[Measurements, Array, tuple[str, ...]]:
    """Return the measured configurations that have a value, the positions to learn from among them, and notes."""
    usable = measurements.measured(nfp)
    notes: list[str] = []
    if len(usable) < len(measurements):
        count_text = plural(len(measurements) - len(usable), "configuration", "configurations")
        notes.append(f"{WITHOUT_VALUE}{nfp}: {count_text}")
    if len(usable) == 0:
        raise LearningError(f"no configuration has a value of {nfp}")
    if isinstance(learning_set, Configurations):
        rows, remarks = match(usable, learning_set, missing)
        notes += remarks
    else:
        selected, _ = rows_of(measurements, learning_set, missing)
        rows = np.flatnonzero(np.isin(np.flatnonzero(~np.isnan(measurements.column(nfp))), selected))
    if zeros := int((usable.column(nfp) == 0).sum()):
        notes.append(f"{WHERE_ZERO}{nfp} is 0: {plural(zeros, 'configuration', 'configurations')}")
    return usable, rows, tuple(notes)


T = TypeVar("T")


class Learner(Protocol):
    """A learner with its settings.

    To add one, write a class with these members in a module of this package, whose `learn` reports its steps to
    `problem.on_step`, asks `problem.should_stop` between them, and ends with `splc.learning.judging.judged`, and add it
    to the table in `splc.learning.registry`.
    """

    @property
    def name(self) -> str:
        """Its name in the registry."""

    @property
    def preset(self) -> str:
        """The name of the settings that it started from."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """All its settings by name, in JSON's types."""

    @property
    def draws(self) -> bool:
        """True if the result depends on the seed."""

    @property
    def suffix(self) -> str:
        """The suffix of the file that its models are written to by default: `.log` or `.json`."""

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn from the learning set of a problem; an `SplcError` if nothing can be learned."""


def only_step(text: str, fit: Callable[[], T], on_step: OnStep) -> tuple[T, float]:
    """Return what the only step of a learner fits, and the seconds that it took."""
    started = time.monotonic()
    result = fit()
    seconds = time.monotonic() - started
    on_step(Stage(1, text, seconds))
    return result, seconds


def one_thread(*, with_scipy: bool = True) -> Any:
    """Return a context of one thread for linear algebra: with several, last bits differ, and it takes longer."""
    if with_scipy:
        # Only libraries that are loaded have their threads limited.
        import scipy.linalg  # noqa: F401

    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return the libraries that are loaded; the look-up takes 3 ms. `modules`: another number of imported modules."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
