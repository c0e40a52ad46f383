"""The names of an alternative group's members, and the numbers in them: a hypothesis that the data decide about."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest

from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.learning.projection.predictor import Ensemble
from tests.support.member_names import PROPERTY, REAL, measured, permuted, unnumbered
from tests.support.real_data import with_real

REAL_SLOW = [pytest.mark.real_data, pytest.mark.slow]
MAX_JUDGED = 1000
# Renamed members may raise an error by this factor.
MAX_WORSE = 1.05


def learned(found: Measurements, size: int, seed: int) -> tuple[LearningResult, tuple[float, ...]]:
    """Return the result for a sample of the rows, and the errors of the full and the printed model on others."""
    order = np.random.RandomState(100 + seed).permutation(len(found))
    result = learn(found, PROPERTY, learning_set=order[:size])
    rest = order[size : size + MAX_JUDGED]
    values, configurations = found.column(PROPERTY)[rest], found.configurations[rest]
    assert isinstance(result.intervals, Ensemble)
    predictions = (result.intervals.predict(configurations), result.model.predict(configurations))
    return result, tuple(mean_relative_error(each, values) or math.nan for each in predictions)


@cache
def errors_without_numbers(name: str, size: int, seed: int) -> tuple[float, ...]:
    """Return the errors under names without numbers."""
    return learned(unnumbered(measured(name)), size, seed)[1]


def numbered(result: LearningResult) -> list[str]:
    """Return the first members of the groups whose numbers are used."""
    assert isinstance(result.intervals, Ensemble)
    return [each.name for each in result.intervals.basis.variables if each.kind == "group" and each.values]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("SMG2000 2-D", 40),
        pytest.param("made", 77, marks=pytest.mark.slow),
        pytest.param("x264", 40, marks=REAL_SLOW),
        pytest.param("Dune", 49, marks=REAL_SLOW),
    ],
)
def test_names_without_numbers_do_not_matter(name: str, size: int) -> None:
    """Other names of members, in another order, change neither predictions nor the number of terms."""
    found = measured(name)
    first, others = (learned(unnumbered(found, seed), size, 1) for seed in (0, 5))
    np.testing.assert_allclose(others[1], first[1], rtol=1e-9)
    assert len(others[0].terms) == len(first[0].terms)
    validated = [result.cross_validated.mean if result.cross_validated else 0.0 for result in (first[0], others[0])]
    assert validated[1] == pytest.approx(validated[0], rel=1e-9)


@pytest.mark.parametrize(
    ("size", "seed"), [(25, 0), *(pytest.param(77, seed, marks=pytest.mark.slow) for seed in range(4))]
)
def test_block_sizes(size: int, seed: int) -> None:
    """Numbers of 21 block sizes that mean nothing are not used: nothing changes, and the model is not a constant."""
    found = measured("made")
    result, errors = learned(permuted(found, seed + 1), size, seed)
    assert result.termination == "projected"
    assert numbered(result) == []
    np.testing.assert_allclose(errors, errors_without_numbers("made", size, seed), rtol=1e-9)


def test_permuted_numbers() -> None:
    """Members renamed in random order have an error that is at most 5 % above that under unnumbered names."""
    assert_not_worse("SMG2000 2-D", 40, [0], [1])


@pytest.mark.slow
@pytest.mark.parametrize("size", [40, 77, 150])
@pytest.mark.parametrize("name", with_real("made", *REAL))
def test_permuted_numbers_of_many_samples(name: str, size: int) -> None:
    """On average over samples and permutations the error is at most 5 % above that under unnumbered names."""
    if size > 0.6 * len(measured(name)):
        pytest.skip("too few rows are left to judge the model by")
    assert_not_worse(name, size, range(5), (1, 101))


def assert_not_worse(name: str, size: int, samples: Iterable[int], permutations: Iterable[int]) -> None:
    """Assert that the geometric means of the errors under permuted numbers are not larger."""
    ratios = [
        np.array(learned(permuted(measured(name), sample + permutation), size, sample)[1])
        / np.array(errors_without_numbers(name, size, sample))
        for sample in samples
        for permutation in permutations
    ]
    assert (np.exp(np.mean(np.log(ratios), axis=0)) <= MAX_WORSE).all(), ratios


@pytest.mark.parametrize(
    ("name", "size", "seeds"),
    [
        ("SMG2000 2-D", 40, 1),
        pytest.param("SMG2000 2-D", 50, 3, marks=pytest.mark.slow),
        pytest.param("Dune", 49, 3, marks=REAL_SLOW),
        pytest.param("x264", 77, 3, marks=REAL_SLOW),
    ],
)
def test_numbers_that_mean_something(name: str, size: int, seeds: int) -> None:
    """Numbers that carry a meaning are used, and lower the error."""
    ratios = []
    for seed in range(seeds):
        result, errors = learned(measured(name), size, seed)
        assert numbered(result)
        ratios.append(np.array(errors) / np.array(errors_without_numbers(name, size, seed)))
    assert (np.exp(np.mean(np.log(ratios), axis=0)) < 1).all(), ratios


@pytest.mark.parametrize(
    ("name", "size", "seed", "groups"),
    [("SMG2000 3-D", 15, 0, 4), *(pytest.param("Dune", 49, seed, 3, marks=REAL_SLOW) for seed in (6, 8, 10))],
)
def test_numbers_that_mean_something_together(name: str, size: int, seed: int, groups: int) -> None:
    """Numbers of all groups are used where the evidence is for all of them together, but for none alone."""
    result, errors = learned(measured(name), size, seed)
    assert len(numbered(result)) == groups
    assert errors[0] < errors_without_numbers(name, size, seed)[0]
