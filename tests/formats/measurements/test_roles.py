"""The roles of columns of tables without a description: rules with one reason each."""

from __future__ import annotations

import itertools

import pytest

from splc.errors import InputError
from splc.formats.measurements.inference import MOST_CHILDREN
from splc.system.options import NumericOption
from tests.support.inferred_tables import inferred, rows


def test_few_rows() -> None:
    """In a few rows, fractions that differ in each of them can be an option."""
    assert inferred("f,time\n0.5,10\n1.5,20\n2.5,30\n3.5,41\n").system.names == ("f",)


def test_names_of_counters() -> None:
    """A column with the name of a counter is none if it has fractions."""
    cells = [[run / 2, px, run * px + 0.123] for run, px in itertools.product((1, 2, 3), (1, 2, 4))]
    found = inferred(rows("run,px,time", cells))
    assert (found.system.names, found.ignored) == (("run", "px"), {})


def test_constant_results() -> None:
    """Zeros in all rows to the right of a property are no option."""
    found = inferred("px,time,failed\n1,1.5,0\n2,2.5,0\n3,3.7,0\n4,4.1,0\n5,5.2,0\n")
    assert (found.system.names, found.properties) == (("px",), ("time", "failed"))


def test_flags() -> None:
    """The flag of a deselected option is below all of its values."""
    system = inferred("x,y,time\n-3,1,1.5\n0,1,2.5\n,1,3.5\n2,2,4.5\n", options=("x",)).system
    x = system.option("x")
    assert isinstance(x, NumericOption)
    assert (x.values, x.deselected_flag) == ((-3, 0, 2), -4)


def test_many_texts() -> None:
    """A column of very many texts is no option."""
    text = rows("name,px,time", [[f"n{at}", at % 4, at + 0.5] for at in range(MOST_CHILDREN + 1)])
    with pytest.raises(InputError, match="the column 'name' has 1,001 different texts"):
        inferred(text, options=("name",))
