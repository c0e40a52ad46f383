"""The plan of a measurement: warm-ups, repetitions, further ones of values that deviate too much, and their scatter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.errors import Problems, SpecError
from splc.measuring.execution import Run, RunResults

Order = Literal["repetition", "random"]
# The default limit of repetitions that a limit of the deviation may require.
MOST = 10
# The limit of all counts of a plan, far beyond what can be measured.
LIMIT = 10**15
# The runs of a stage are listed in parts of about this number.
PART = 100_000


@dataclass(frozen=True)
class Plan:
    """The number and the order of the runs of each configuration.

    Raises:
        SpecError: naming all values that are out of range.
    """

    repeat: int = 1  # repetitions of each configuration
    warmup: int = 0  # runs of each configuration before those, not used
    # 'repetition': all configurations once, then all again; 'random': shuffled (long plans part by part)
    order: Order = "repetition"
    seed: int = 0  # of the shuffling
    # repeat a configuration until the relative standard deviation of its values of the first property is at most this
    # (0.1: 10 %); None for no limit
    max_deviation: float | None = None
    max_repeat: int = MOST  # but not more often than this

    def __post_init__(self) -> None:
        problems = Problems()
        for number, noun in ((max(self.repeat, self.max_repeat), "repetitions"), (self.warmup, "warm-ups")):
            if number > LIMIT:
                problems.add(f"so many {noun} are too many; at most {LIMIT:,} are possible")
        if self.repeat < 1:
            problems.add(f"at least one repetition is needed, not {self.repeat}")
        if self.warmup < 0:
            problems.add(f"there cannot be {self.warmup} warm-up runs")
        if self.seed < 0:
            problems.add(f"the seed must be at least 0, not {self.seed}")
        if self.max_deviation is not None:
            if not 0 < self.max_deviation < math.inf:
                problems.add(f"the deviation must be positive, not {self.max_deviation:g}", hint="0.1 is 10 %")
            if self.max_repeat < max(self.repeat, 2):
                problems.add(
                    f"at most {self.max_repeat} repetitions cannot bring the deviation of {self.repeat} down",
                    hint="a deviation needs at least two values, and at least as many as are made anyway",
                )
        problems.raise_if_any(SpecError)

    def stages(self, count: int, recorded: RunResults) -> Iterator[list[Run]]:
        """Yield lists of runs; each may depend on what was recorded of those before.

        The runs depend only on values, not on when or in which session they were measured, so that an
        interrupted and resumed measurement requires the same runs.
        """
        yield from self._parts(count, range(-self.warmup, 0), 0)
        yield from self._parts(count, range(self.repeat), 1)
        yield from self.further(count, recorded)

    def further(self, count: int, recorded: RunResults) -> Iterator[list[Run]]:
        """Yield the stages that values require which deviate too much."""
        if self.max_deviation is None:
            return
        for repetition in range(self.repeat, self.max_repeat):
            rows = self.unsettled(range(count), recorded, repetition)
            if not rows:
                return
            yield self._ordered([(row, repetition) for row in rows], 2 + repetition)

    def unsettled(self, rows: Sequence[int], recorded: RunResults, below: int | None = None) -> list[int]:
        """Return the configurations whose values deviate by more than the limit; a single value is not enough.

        Configurations without any value are not among them, since repeating a failure does not help. `below`: only
        repetitions before this one count.
        """
        if self.max_deviation is None:
            return []
        values_by_row = {row: values for row in rows if (values := recorded.first_values(row, below))}
        return [row for row, values in values_by_row.items() if relative_deviation(values) > self.max_deviation]

    def _parts(self, count: int, repetitions: range, stage: int) -> Iterator[list[Run]]:
        """Yield the runs of some repetitions of all configurations, a part of the repetitions at a time."""
        step = max(1, PART // max(count, 1))
        for part_index, start in enumerate(range(repetitions.start, repetitions.stop, step)):
            block = range(start, min(start + step, repetitions.stop))
            yield self._ordered([(row, repetition) for repetition in block for row in range(count)], stage, part_index)

    def _ordered(self, runs: list[Run], stage: int, part_index: int = 0) -> list[Run]:
        if self.order == "repetition":
            return runs
        seed = [self.seed, stage, part_index] if part_index else [self.seed, stage]
        run_order = np.random.default_rng(seed).permutation(len(runs))
        return [runs[run_index] for run_index in run_order.tolist()]


def relative_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation (of a sample, n - 1) over the absolute mean; infinite for a single value."""
    if len(values) < 2:
        return math.inf
    array = np.array(values, dtype=float)
    largest = float(np.abs(array).max())
    if largest == 0 or (array == array[0]).all():
        return 0.0
    # Scaled, since squares of huge values overflow and those of tiny values underflow.
    scaled = array / largest
    mean = abs(float(scaled.mean()))
    return float(scaled.std(ddof=1)) / mean if mean > 0 else math.inf


@dataclass(frozen=True)
class Scatter:
    """The median and the largest relative standard deviation (0.01: 1 %) of configurations with several values."""

    name: str
    configurations: int
    median: float
    largest: float
    row: int


def scatters(recorded: RunResults) -> tuple[Scatter, ...]:
    """Return the scatter of each property that was measured repeatedly; warm-ups and failed runs do not count."""
    values: dict[str, dict[int, list[float]]] = {name: {} for name in recorded.properties}
    for (row, repetition), result in sorted(recorded.results.items()):
        if repetition >= 0 and result.reason is None:
            for name, rows in values.items():
                rows.setdefault(row, []).append(result.values[name])
    results = []
    for name, rows in values.items():
        deviations = {row: relative_deviation(row_values) for row, row_values in rows.items() if len(row_values) > 1}
        if deviations:
            worst = max(deviations, key=deviations.__getitem__)
            median = float(np.median(list(deviations.values())))
            results.append(Scatter(name, len(deviations), median, deviations[worst], worst))
    return tuple(results)
