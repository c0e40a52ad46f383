"""Response surfaces of two numeric options, and the association of options in samples."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.models.influence import InfluenceModel
from splc.models.terms import Term, option_term
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain.aliases import associations
from splc.workflows.explain.pictures import MAX_VALUES, response_surface

OPTIONS = (
    BinaryOption("a", optional=True),
    NumericOption("n", (1.0, 2.0, 4.0)),
    NumericOption("m", tuple(float(value) for value in range(1, 31))),
)
A, N, M = map(option_term, "anm")


def model(*terms: tuple[Term, float], link: str = "identity") -> InfluenceModel:
    """Return a model of the options."""
    return InfluenceModel.from_terms(terms, ("a", "n", "m"), link="log" if link == "log" else "identity")


def test_means() -> None:
    """A cell is the mean over the other options; of many values, some are shown, with both ends."""
    space = Space(VariabilityModel("s", OPTIONS))
    found = response_surface(model((N * M, 1.0), (A, 4.0)), "identity", space, ("n", "m"))
    assert found.names == ("n", "m")
    assert found.x.tolist() == [1, 2, 4]
    assert len(found.y) == MAX_VALUES
    assert (found.y[0], found.y[-1]) == (1, 30)
    # About half of the contexts have `a`.
    rest = found.predicted - np.outer(found.y, found.x)
    assert rest == pytest.approx(np.full_like(rest, rest[0, 0]))
    assert 1 < rest[0, 0] < 3


def test_products() -> None:
    """Means of products are geometric."""
    space = Space(VariabilityModel("s", OPTIONS))
    found = response_surface(model((N, 0.5), (A, 3.0), link="log"), "log", space, ("n", "m"))
    ratios = found.predicted[:, 1] / found.predicted[:, 0]
    assert ratios == pytest.approx(np.full_like(ratios, np.exp(0.5)))
    assert np.log(found.predicted[0, 0]) - 0.5 == pytest.approx(1.5, abs=0.5)


def test_pairs_that_are_not_valid() -> None:
    """Pairs of values that no configuration has are empty."""
    bare = VariabilityModel("s", OPTIONS)
    system = VariabilityModel("s", OPTIONS, (parse_arithmetic("n * m <= 30", bare.name_table),))
    found = response_surface(model((N * M, 1.0)), "identity", Space(system), ("n", "m"))
    assert np.isnan(found.predicted).tolist() == (np.outer(found.y, found.x) > 30).tolist()


def test_associations() -> None:
    """Options that change together have 1, in either direction; independent and constant ones have 0."""
    one = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    other = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    indices = np.array([one, 1 - one, other, np.ones(8, dtype=int), 1 - other]).T
    # The last choice is an alternative group of two options.
    found = associations(indices, [(0,), (1,), (2,), (3, 4)])
    expected = np.array([[1.0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
    assert found == pytest.approx(expected, abs=1e-12)
