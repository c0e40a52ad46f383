"""The tuners: each yields the rows of a table that it runs, given the values of those before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

import splc.learning.active
import splc.learning.projection
import splc.tuning
from casestudies.evaluation.evaluation import hash_of
from casestudies.tuning.choices import Choices
from casestudies.tuning.samplers import SAMPLERS, Sampler, installed_samplers
from casestudies.tuning.tables import TuningTable
from splc.tuning import Tuner

RANDOM, TREE, TUNE = "random", "tree", "splc tune"
GENETIC, CLIMBING = "genetic", "hill climbing"
# Random runs of the tree before its first prediction.
FIRST_ROWS = 10
# The size of a generation, and the probability that a choice of a child is a random one, as in Kernel Tuner.
GENERATION, MUTATION = 20, 0.1


def installed() -> tuple[str, ...]:
    """Return the tuners that can be run here."""
    return (RANDOM, TREE, GENETIC, CLIMBING, *installed_samplers(), TUNE)


def rows_of(tuner: str, table: TuningTable, seed: int, budget: int) -> Iterator[int]:
    """Yield the rows that a tuner runs."""
    if tuner == TUNE:
        yield from _tuned(table, seed, budget)
    elif tuner in SAMPLERS:
        choices = Choices(table.configurations.system)
        yield from _sampled(table, SAMPLERS[tuner][1](choices, seed, budget), choices)
    elif tuner in OWN:
        yield from OWN[tuner](table, seed)
    else:
        yield from np.random.default_rng([seed, 1]).permutation(len(table.y)).tolist()


def _tuned(table: TuningTable, seed: int, budget: int) -> Iterator[int]:
    found = Tuner(table.configurations, "y", budget, verify=0, seed=seed)
    while (trial := found.ask()) is not None:
        row = int(table.configurations.find(found.history.configurations[[trial.row]])[0])
        value = None if np.isnan(table.y[row]) else float(table.y[row])
        found.tell(trial, value, failed="it failed" if value is None else None)
        yield row


def _tree(table: TuningTable, seed: int) -> Iterator[int]:
    """Yield the row that a regression tree predicts to be the best, as FLASH does (Nair et al., TSE 2018)."""
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng([seed, 2])
    features = table.configurations.indices.astype(float)
    rows: list[int] = rng.permutation(len(table.y))[:FIRST_ROWS].tolist()
    yield from rows
    while len(rows) < len(table.y):
        model = DecisionTreeRegressor(random_state=seed).fit(features[rows], [table.told(row) for row in rows])
        predicted = model.predict(features)
        predicted[rows] = np.inf
        rows.append(int(rng.choice(np.flatnonzero(predicted == predicted.min()))))
        yield rows[-1]


def _genetic(table: TuningTable, seed: int) -> Iterator[int]:
    """Yield the rows of a genetic search: parents by rank, uniform crossover; a row is run once.

    A child that is no row becomes the nearest one.
    """
    rng, choices = np.random.default_rng([seed, 5]), Choices(table.configurations.system)
    codes, sizes = choices.codes(table.configurations), np.array(choices.sizes)
    left = np.ones(len(table.y), dtype=bool)
    rows = rng.permutation(len(table.y))[:GENERATION]
    while left.any():
        for row in dict.fromkeys(rows[left[rows]].tolist()):
            left[row] = False
            yield row
        ranked = rows[np.argsort([table.told(row) for row in rows], kind="stable")]
        chances = np.arange(len(rows), 0, -1) / (len(rows) * (len(rows) + 1) / 2)
        parents = codes[rng.choice(ranked, (GENERATION, 2), p=chances)]
        children = np.where(rng.random((GENERATION, len(sizes))) < 0.5, parents[:, 0], parents[:, 1])
        children = np.where(rng.random(children.shape) < MUTATION, rng.integers(0, sizes, children.shape), children)
        distances = np.array([(codes != child).sum(axis=1) for child in children])
        # Of equally near rows, any.
        rows = np.argmin(distances + rng.random(distances.shape) / 2, axis=1)


def _climbing(table: TuningTable, seed: int) -> Iterator[int]:
    """Yield the rows of hill climbing: the first change of one choice that is better is taken; random restarts."""
    rng = np.random.default_rng([seed, 6])
    codes = Choices(table.configurations.system).codes(table.configurations)
    left = np.ones(len(table.y), dtype=bool)
    while left.any():
        current, found = int(rng.choice(np.flatnonzero(left))), True
        left[current] = False
        yield current
        while found:
            near, found = np.flatnonzero(left & ((codes != codes[current]).sum(axis=1) == 1)), False
            for row in rng.permutation(near).tolist():
                left[row] = False
                yield row
                if table.told(row) < table.told(current):
                    current, found = row, True
                    break


OWN: Mapping[str, Callable[[TuningTable, int], Iterator[int]]] = {TREE: _tree, GENETIC: _genetic, CLIMBING: _climbing}


def _sampled(table: TuningTable, sampler: Sampler, choices: Choices) -> Iterator[int]:
    """Yield the rows of a sampler, which knows no constraints: what is no row becomes the nearest one not run yet."""
    codes = choices.codes(table.configurations)
    left = np.ones(len(table.y), dtype=bool)
    while left.any():
        distances = (codes != sampler.ask()).sum(axis=1).astype(float)
        distances[~left] = np.inf
        row = int(np.argmin(distances))
        left[row] = False
        sampler.tell(table.told(row))
        yield row


@cache
def code_of(tuner: str) -> str:
    """Return the hash of the code that decides the rows of a tuner."""
    packages = (splc.learning.projection, splc.learning.active, splc.tuning) if tuner == TUNE else ()
    files = [file for each in packages for file in sorted(Path(str(each.__file__)).parent.glob("*.py"))]
    own = ("choices.py", "samplers.py") if tuner not in (RANDOM, TREE, TUNE) else ()
    return hash_of(Path(__file__), *(Path(__file__).with_name(name) for name in own), *files)
