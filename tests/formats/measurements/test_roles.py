"""The roles of columns of tables without a description: rules with one reason each."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest

from splc.errors import InputError
from splc.formats.inference import MAX_CHILDREN
from splc.system.options import NumericOption
from tests.support.inferred_tables import grid, inferred, kinds, rows


def test_few_rows() -> None:
    """In a few rows, fractions that differ in each of them can be an option."""
    assert inferred("f,time\n0.5,10\n1.5,20\n2.5,30\n3.5,41\n").system.names == ("f",)


FEW = "px,py,solve,setup,messages,failed\n1,1,1.5,0.25,10,0\n1,1,1.75,0.5,10,0\n1,1,1.25,0.75,10,0\n2,1,3.5,1.25,20,1\n"


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_properties_in_few_rows(count: int) -> None:
    """Fractions that differ in every row are a property in few rows, too, to the right of an option."""
    extended = f"{FEW}2,1,3.75,1.75,20,1\n"
    text = "\n".join(extended.splitlines()[: count + 1])
    for nfp in (None, "solve"):
        found = inferred(text, nfp=nfp)
        assert set(found.columns) == {"px", "py"}
        assert found.properties == ("solve", "setup", "messages", "failed")


def test_property_on_the_left_in_few_rows() -> None:
    """In few rows, the first column of fractions is a property if no other column differs in every row."""
    found = inferred("time,px,py\n1.5,1,1\n2.5,1,2\n3.25,2,1\n4.5,2,2\n")
    assert (found.columns, found.properties) == (("px", "py"), ("time",))


def random_table(rng: np.random.Generator) -> tuple[str, list[str]]:
    """Return a table with columns of all kinds in random order, and the names of its columns that are no times."""
    count = int(rng.integers(3, 40))
    kinds: dict[str, Callable[[], list[object]]] = {
        "switch": lambda: list(rng.integers(0, 2, count)),
        "small": lambda: list(rng.integers(1, 5, count)),
        "large": lambda: list(rng.integers(1, 200, count)),
        "share": lambda: [value / 4 for value in rng.integers(1, 5, count).tolist()],
        "word": lambda: list(rng.choice(["x", "y", "z"], count)),
        "gap": lambda: ["" if value == 4 else value for value in rng.integers(1, 5, count).tolist()],
        "time": lambda: [f"{value:.6f}" for value in rng.uniform(1, 2, count)],
    }
    columns = {f"{kind}{at}": kinds[kind]() for at, kind in enumerate(rng.choice([*kinds], int(rng.integers(3, 8))))}
    if "small0" in columns:
        columns["twice"] = [2 * int(str(value)) for value in columns["small0"]]
    names = [name for name in columns if not name.startswith("time")]
    return rows(",".join(columns), list(zip(*columns.values(), strict=True))), names


@pytest.mark.parametrize("seed", range(20))
def test_names_of_options_add_options(seed: int) -> None:
    """Options remain options if others are named, unless no property was left; then a warning says so."""
    rng = np.random.default_rng(seed)
    text, names = random_table(rng)
    try:
        before = inferred(text).columns
    except InputError:
        before = ()
    named = tuple(rng.permutation(names)[: int(rng.integers(1, 4))].tolist())
    found = None
    with suppress(InputError):
        found = inferred(text, options=named)
    if found is None:
        # No column is left that could be measured.
        assert "time" not in text
        return
    lost = set(before) - set(found.columns)
    assert set(named) <= set(found.columns)
    assert not lost or (len(lost) == 1 and f"{lost.pop()} is taken as the property" in "".join(found.warnings))


def test_property_on_the_left() -> None:
    """Naming one option does not make properties of the options to the right of a property."""
    cells = [[time, a, b] for (a, b, time) in grid((1, 2, 4), (3, 5))]
    assert inferred(rows("time,a,b", cells), options=("a",)).columns == ("a", "b")


class TestGaps:
    CELLS = tuple(grid((1, 2, 3), (4, 5, 6), (7, 8)))

    def text(self, header: str, empty: dict[int, tuple[int, ...]]) -> str:
        """Return a table with some empty cells: row → their columns."""
        cells = [list(each) for each in self.CELLS]
        for row, at in ((row, at) for row, places in empty.items() for at in places):
            cells[row][at] = ""
        return rows(header, cells)

    def test_options(self) -> None:
        """A few empty cells of an option leave it one, and a warning states their lines."""
        found = inferred(self.text("a,b,c,time", {0: (1,), 7: (1,), 12: (1,)}))
        assert kinds(found.system) == {"a": (1, 2, 3), "b": (4, 5, 6), "c": (7, 8)}
        (warning,) = found.warnings
        assert "b has no value in 3 of 18 rows (lines 2, 9, 14)" in warning

    def test_other_options_decide(self) -> None:
        """Cells that are empty where another option has some values need no warning."""
        found = inferred(self.text("a,b,c,time", {row: (1,) for row, each in enumerate(self.CELLS) if each[0] == 2}))
        assert (found.columns, found.warnings) == (("a", "b", "c"), ())
        b = found.system.option("b")
        assert isinstance(b, NumericOption)
        assert b.deselected_flag == 0

    @pytest.mark.parametrize("named", [None, "time"])
    def test_failed_runs(self, named: str | None) -> None:
        """A column without values where a property has none is a property."""
        found = inferred(self.text("a,b,failures,time", {3: (2, 3), 11: (2, 3)}), nfp=named)
        assert (found.columns, set(found.properties)) == (("a", "b"), {"failures", "time"})

    def test_words(self) -> None:
        """A column with words for missing values is a property."""
        text = self.text("a,b,c,time", {}).replace("1,4,7,", "1,4,failed,", 1)
        assert inferred(text).properties == ("c", "time")


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
    text = rows("name,px,time", [[f"n{at}", at % 4, at + 0.5] for at in range(MAX_CHILDREN + 1)])
    with pytest.raises(InputError, match="the column 'name' has 1,001 different texts"):
        inferred(text, options=("name",))
