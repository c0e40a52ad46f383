"""The unmeasured configurations that a printed model follows the full model at."""

from __future__ import annotations

import numpy as np
import pytest

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.observations import Observed
from splc.learning.problem import LearningProblem
from splc.learning.projection import unmeasured as module
from splc.learning.projection.order import hash_order, option_constants
from splc.learning.projection.unmeasured import space_of, unmeasured, valid_configurations
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED


def problem_of(
    everything: Configurations, learned: int, observed: tuple[str, ...] = (), known: Array | None = None
) -> LearningProblem:
    """Return a problem whose learning set is the first configurations of all that were measured."""
    if known is not None:
        columns = {name: np.arange(float(len(everything))) for name in observed}
        everything = Configurations(everything.system, everything.indices, Observed(columns, known))
    measured = Measurements(everything, {"seconds": np.arange(1.0, len(everything) + 1)})
    return LearningProblem(measured, "seconds", np.arange(learned), everything, observed)


def found_for(problem: LearningProblem) -> Configurations:
    """Return the unmeasured configurations of a problem, out of its space."""
    own = option_constants(problem.configurations, problem.target)
    return unmeasured(problem, space_of(problem, own), own)


def keys(some: Configurations) -> set[bytes]:
    """Return a key for each configuration."""
    return {row.tobytes() for row in some.indices}


@pytest.mark.parametrize("system", [BINARY, MIXED])
def test_all_valid_ones_of_a_small_system(system: VariabilityModel) -> None:
    """All valid configurations outside of the learning set are taken, in hash order."""
    valid = Space(system).enumerate()
    measured = valid[np.arange(0, len(valid), 2)]
    found = found_for(problem_of(measured, 10))
    assert keys(found) == keys(valid) - keys(measured[:10])
    own = option_constants(measured[:10], np.arange(10.0))
    assert (hash_order(found, own) == np.arange(len(found))).all()


@pytest.mark.parametrize("enumerated", [20_000, 100])
def test_some_of_a_large_system(enumerated: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 of all or of drawn ones are taken, also beside a larger learning set; none is in the learning set."""
    monkeypatch.setattr(module, "ENUMERATED", enumerated)
    valid = Space(VariabilityModel("eleven", tuple(BinaryOption(f"b{at}") for at in range(11)))).enumerate()
    for learned in (10, 1_400):
        found = found_for(problem_of(valid, learned))
        assert len(found) == len(keys(found)) == 500
        assert not keys(found) & keys(valid[:learned])


def test_spaces_that_cannot_be_counted() -> None:
    """Measured configurations outside of the learning set are taken if valid ones cannot be counted."""
    system = VariabilityModel.of({name: range(1, 201) for name in "xyz"}, ["x * y * z > 5"])
    measured = Configurations(system, np.random.default_rng(0).permutation(200 * 3)[:180].reshape(60, 3) // 3)
    assert keys(found_for(problem_of(measured, 10))) == keys(measured[10:])


def test_models_of_observed_variables() -> None:
    """Of observed variables, only measured configurations with known values are taken; of options alone, all."""
    system = VariabilityModel("observed", BINARY.options, BINARY.constraints, observed=("C",))
    valid = Space(system).enumerate()
    measured = valid[:60]
    known = np.arange(60) % 3 != 1
    found = found_for(problem_of(measured, 10, ("C",), known))
    assert keys(found) == {row.tobytes() for row in measured.indices[10:][known[10:]]}
    assert keys(found_for(problem_of(measured, 10, ("C",), np.ones(60, dtype=bool)))) == keys(measured[10:])
    without = problem_of(measured, 10)
    assert keys(found_for(without)) == keys(valid) - keys(measured[:10])


@pytest.mark.parametrize("limit", [128, 127])
def test_valid_configurations(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to a number of valid configurations, they are all taken; of more, so many distinct ones are drawn."""
    monkeypatch.setattr(module, "ENUMERATED", limit)
    found = valid_configurations(BINARY, 50)
    assert len(found) == len(set(found.keys.tolist())) == (128 if limit >= 128 else 50)


def test_the_order_of_options_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configurations that are drawn are the same for every order of options."""
    monkeypatch.setattr(module, "ENUMERATED", 10)
    reordered = VariabilityModel("reversed", BINARY.options[::-1], BINARY.constraints)
    first, second = (valid_configurations(system, 20) for system in (BINARY, reordered))
    assert (first.indices[:, ::-1] == second.indices).all()
