"""The preset `spaces`: how good the configuration is that is found in spaces that no table has."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from casestudies.tuning.choices import Choices
from casestudies.tuning.made_systems import NOISE, SIZES, MadeSystem, made_system, noise_factor
from casestudies.tuning.samplers import SAMPLERS, TPE, installed_samplers
from casestudies.tuning.summaries import error_of, lines_of, mean_of
from casestudies.tuning.tuners import RANDOM, TUNE, code_of
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.io.tables import Cell, Table
from splc.tuning import Tuner

SEEDS, BUDGET = 20, 60


class MadeRuns:
    """Runs of a made system, with noise of a seed, of which some fail."""

    def __init__(self, system: MadeSystem, seed: int) -> None:
        self.system = system
        self.values: list[float | None] = []
        self._rng = np.random.default_rng([seed, 3])
        self._best: tuple[float, Configurations] | None = None

    def run(self, configuration: Configurations) -> float | None:
        """Return the value of a run, None if it fails."""
        factor = noise_factor(self._rng, NOISE)
        fails = bool(self.system.fails(configuration)[0])
        value = None if fails else factor * float(self.system.values(configuration)[0])
        self.values.append(value)
        if value is not None and (self._best is None or value < self._best[0]):
            self._best = value, configuration
        return value

    @property
    def worst(self) -> float:
        """The worst value so far, which other tuners are told of a failed run."""
        return max((value for value in self.values if value is not None), default=1e3)

    @property
    def best(self) -> Configurations:
        """The configuration of the least value."""
        assert self._best is not None
        return self._best[1]


def found_by(tuner: str, runs: MadeRuns, seed: int, budget: int) -> Configurations:
    """Return the configuration that a tuner finds: one row."""
    system = runs.system
    if tuner == TUNE:
        found = Tuner(system.space, "y", budget, seed=seed)
        while (trial := found.ask()) is not None:
            value = runs.run(found.history.configurations[[trial.row]])
            found.tell(trial, value, failed="it failed" if value is None else None)
        return found.report().best.configuration
    if tuner == RANDOM:
        drawn = system.space.draw(budget, np.random.default_rng([seed, 1]))
        for row in range(budget):
            runs.run(drawn[[row]])
        return runs.best
    choices = Choices(system.space.system)
    sampler = SAMPLERS[tuner][1](choices, seed, budget)
    while len(runs.values) < budget:
        value = runs.run(valid_near(system.space, choices.configuration(sampler.ask()), len(runs.values)))
        sampler.tell(runs.worst if value is None else value)
    return runs.best


def valid_near(space: Space, configuration: Configurations, seed: int) -> Configurations:
    """Return a valid configuration that has as many values of another one as constraints let it: one row."""
    if space.check(configuration)[0]:
        return configuration
    rng = np.random.default_rng([seed, 4])
    found = space.draw(1, rng)
    for _ in range(2):
        for position in rng.permutation(len(space.system.options)).tolist():
            indices = found.indices.copy()
            indices[0, position] = configuration.indices[0, position]
            changed = Configurations(space.system, indices)
            if space.check(changed)[0]:
                found = changed
    return found


@dataclass(frozen=True)
class SpacesEvaluation(Evaluation):
    """The regret of the configuration that is found after some runs."""

    preset: ClassVar[str] = "spaces"

    systems: tuple[str, ...] = tuple(SIZES)  # names of made systems
    tuners: tuple[str, ...] = (RANDOM, *(name for name in installed_samplers() if name == TPE), TUNE)  # names of tuners
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        own = hash_of(Path(__file__), Path(__file__).with_name("made_systems.py"))
        for system in self.systems:
            for tuner in self.tuners:
                for seed in range(self.seeds):
                    cell = {"system": system, "tuner": tuner, "seed": seed, "code": code_of(tuner), "spaces": own}
                    yield f"{system}, {tuner}, seed {seed}", {**cell, "budget": BUDGET}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row with the regret, the share of failed runs and the CPU time of a run."""
        system = made_system(cell["system"])
        runs = MadeRuns(system, cell["seed"])
        started = time.process_time()
        found = found_by(cell["tuner"], runs, cell["seed"], cell["budget"])
        seconds = (time.process_time() - started) / cell["budget"]
        median = float(np.median(system.values(system.draws)))
        best, value = (float(system.values(each)[0]) for each in (system.optimum, found))
        return [
            {
                "system": cell["system"],
                "tuner": cell["tuner"],
                "seed": cell["seed"],
                "valid": float(f"{system.space.count:.2g}"),
                "value": rounded(value),
                "regret": rounded(100 * (value - best) / (median - best)),
                "failed": rounded(100 * sum(each is None for each in runs.values) / len(runs.values)),
                "ms": rounded(1000 * seconds),
            }
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (spaces_table(rows),)


def spaces_table(rows: Sequence[Row]) -> Table:
    """Return the means over the seeds, for each system and tuner."""
    lines: list[tuple[Cell, ...]] = []
    for system, tuner, own in lines_of(rows):
        means = (mean_of(own, "value"), mean_of(own, "regret"), error_of(own, "regret"))
        valid = f"{own[0]['valid']:.0e}" if system else ""
        lines.append((system, valid, tuner, *means, mean_of(own, "failed"), mean_of(own, "ms")))
    header = ("system", "configurations", "tuner", "value", "regret %", "±", "failed runs %", "ms of CPU per run")
    return Table(header, tuple(lines), f"After {BUDGET} runs: means over seeds, and two standard errors")
