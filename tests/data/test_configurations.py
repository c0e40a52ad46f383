"""Configurations."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc import VariabilityModel
from splc.data.configurations import Configurations, describe_configuration, fixed_indices, value_indices
from splc.data.table import assignment_texts, value_texts
from splc.formats.measurements.selections import parse_configuration
from splc.io import csv_rows
from splc.system.options import BinaryOption, NumericOption, Option
from tests.support.golden_messages import check_calls
from tests.support.strategies import all_assignments, models


def test_texts_are_read_again() -> None:
    """Every configuration is the one that its texts say; alternatives are values of one option."""
    system = VariabilityModel.of({"codec": ["lz4", "zstd -3", "a/b", "a:b"], "cache": bool, "x": [1, 2.5]})
    space = Space(system)
    every = Configurations(system, space.solutions.unrank(range(int(space.count))))
    assert len(every) == 16
    for row in range(len(every)):
        text = ",".join(assignment_texts(every.system, every.assignment(row)).values())
        assert parse_configuration(text, system).find(every[[row]])[0] == 0
        assert value_texts(every.system, every.assignment(row)).keys() == {"codec", "cache", "x"}
    assert describe_configuration(parse_configuration("codec=a:b,x=2.5", system), 0) == "codec=a:b, x=2.5"


SYSTEM = VariabilityModel(
    "m",
    (
        BinaryOption("solver", optional=False),
        BinaryOption("solver_cg", parent="solver", optional=False, excluded=(("solver_mg",),)),
        BinaryOption("solver_mg", parent="solver", optional=False, excluded=(("solver_cg",),)),
        BinaryOption("b"),
        NumericOption("x", (1.0, 2.0, 4.0)),
        NumericOption("o", (0.0, 4.0), deselected_flag=-1.0),
    ),
)


MANY = tuple(float(i * i) for i in range(300))
OPTIONAL = NumericOption("o", (0.1, 0.5, 3.0), deselected_flag=-1.0)
SMALL = VariabilityModel.of({"rc-lookahead": bool, "x": MANY, "o": OPTIONAL})
WIDE = VariabilityModel("wide", tuple(BinaryOption(f"b{at}") for at in range(20)))
NOTHING = VariabilityModel("nothing", ())


@st.composite
def some(draw: st.DrawFn, model: VariabilityModel = SMALL, most: int = 12) -> Configurations:
    """Configurations, some of them repeated, with indices around the ends of a byte."""
    row = [
        st.sampled_from(sorted({0, option.size - 1, *(i for i in (1, 254, 255, 256, 257) if i < option.size)}))
        for option in model.options
    ]
    rows = draw(st.lists(st.tuples(*row), max_size=most))
    return Configurations(model, np.array(rows, dtype=int).reshape(len(rows), len(model.options)))


# Rows of up to one word and of several words are compared in different ways.
PAIRS = st.sampled_from([SMALL, WIDE]).flatmap(lambda model: st.tuples(some(model), some(model)))


class TestConstruction:
    def test_arrays_are_not_shared(self) -> None:
        """An array that can still be changed is copied, also a part of another one; it stays writeable."""
        own = np.zeros((2, 3), dtype=np.uint16)
        part = own[:]
        part.setflags(write=False)
        found = [Configurations(SMALL, own), Configurations(SMALL, part)]
        own[:] = 1
        assert [each.indices.tolist() for each in found] == [[[0, 0, 0], [0, 0, 0]]] * 2

    @given(some(), some())
    def test_equality(self, one: Configurations, other: Configurations) -> None:
        """Configurations are equal if all their rows are, in the same order, and are not hashable."""
        assert (one == other) == (one.indices.tolist() == other.indices.tolist())
        assert one != one.indices.tolist()
        with pytest.raises(TypeError):
            hash(one)


class TestValues:
    @given(models())
    def test_round_trip(self, model: VariabilityModel) -> None:
        """Values of all options lead back to the same indices, deselected ones included."""
        every = all_assignments(model)
        columns = {name: every.value(name) for name in model.names}
        assert Configurations.from_columns(model, columns) == every
        for row in range(0, len(every), 7):
            assert list(every.assignment(row)) == list(model.names)
            for name, value in every.assignment(row).items():
                assert value == columns[name][row] or math.isnan(value) == math.isnan(columns[name][row])

    @given(
        st.lists(st.integers(-1000, 1000), min_size=1, max_size=20, unique=True),
        st.lists(st.integers(-11000, 11000), max_size=20),
        st.floats(1e-3, 1e6),
    )
    def test_values_are_recognised(self, table: list[int], wanted: list[int], scale: float) -> None:
        """A value is recognised if it is one of the option's up to rounding, otherwise not."""
        values = tuple(sorted(v * scale for v in table))
        option = NumericOption("x", values)
        asked = np.array([w / 10 * scale for w in wanted] + [v * (1 + 1e-12) for v in values])
        expected = [
            next((i for i, v in enumerate(values) if math.isclose(v, a, rel_tol=1e-9)), -1) for a in asked.tolist()
        ]
        assert value_indices(option, asked).tolist() == expected


class TestRows:
    @given(some(), st.data())
    def test_subsets(self, configurations: Configurations, data: st.DataObject) -> None:
        """Rows are selected by a slice, positions, a mask or one position, as from a list."""
        rows = configurations.indices.tolist()
        mask = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
        picks = data.draw(st.lists(st.integers(-len(rows), len(rows) - 1), max_size=5)) if rows else []
        assert configurations[1:4].indices.tolist() == rows[1:4]
        assert configurations[np.array(mask, dtype=bool)].indices.tolist() == list(itertools.compress(rows, mask))
        assert configurations[np.array(picks, dtype=int)].indices.tolist() == [rows[i] for i in picks]
        for i in range(len(rows)):
            assert configurations[i].indices.tolist() == [rows[i]]

    @given(some())
    def test_keys_order_as_indices(self, configurations: Configurations) -> None:
        """Keys sort as rows of indices do, and are equal exactly if rows are."""
        rows = list(map(tuple, configurations.indices.tolist()))
        keys = configurations.keys
        assert [rows[i] for i in np.argsort(keys, kind="stable")] == sorted(rows)
        for (i, a), (j, b) in itertools.product(enumerate(rows), repeat=2):
            assert (keys[i] == keys[j]) == (a == b)
            assert (keys[i] < keys[j]) == (a < b)

    @pytest.mark.parametrize("spread", [0, int(csv_rows.SPREAD)])
    @given(PAIRS)
    def test_groups(self, spread: int, given: tuple[Configurations, Configurations]) -> None:
        """Configurations are grouped and found by their values, also if their hashes are equal."""
        rows, asked = (each.indices.tolist() for each in given)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(csv_rows, "SPREAD", np.uint64(spread))
            ours, theirs = (Configurations(each.system, each.indices) for each in given)
            assert ours.find(theirs).tolist() == [rows.index(row) if row in rows else -1 for row in asked]
            firsts, group = ours.groups()
        assert firsts.tolist() == [at for at, row in enumerate(rows) if row not in rows[:at]]
        assert ours.unique() == ours[firsts]
        assert [int(firsts[place]) for place in group] == [rows.index(row) for row in rows]

    @given(some(), some(), some())
    def test_concatenate(self, a: Configurations, b: Configurations, c: Configurations) -> None:
        """Sets of configurations are concatenated."""
        joined = Configurations.concatenate([a, b, c])
        assert joined.indices.tolist() == a.indices.tolist() + b.indices.tolist() + c.indices.tolist()

    def test_large_sets(self) -> None:
        """100,000 configurations of 60 options are found within a second."""
        options: list[Option] = [BinaryOption(f"b{i}") for i in range(59)]
        model = VariabilityModel("m", (*options, NumericOption("x", MANY)))
        rng = np.random.default_rng(0)
        indices = rng.integers(0, 2, (100_000, 60))
        configurations = Configurations(model, indices)
        order = rng.permutation(len(indices))
        assert (configurations.find(configurations[order]) == order).all()
        assert len(configurations.unique()) == len(indices)


@pytest.mark.parametrize(("rows", "largest", "kind"), [(16, 127, np.uint8), (4096, 32_767, np.uint16)])
def test_distinct_rows_of_one_large_option(rows: int, largest: int, kind: type[np.unsignedinteger[Any]]) -> None:
    """As many values as keys of a size can tell are told apart."""
    indices = np.arange(largest + 1 - rows // 2, largest + 1, dtype=kind).repeat(2)[:, np.newaxis]
    system = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(largest + 1)))),))
    assert np.array_equal(Configurations(system, indices).unique().indices[:, 0], np.unique(indices))


def test_copies_in_other_processes() -> None:
    """Copies have the same columns, also those of switches and of the root, whatever was looked up before."""
    found = Configurations(SMALL, np.array([[0, 7, 1], [1, 299, 3]]))
    names = ("root", "rc-lookahead", "rclookahead", "x", "o", "Enabledo", "Disabledo")
    wanted = [found.column(name).tolist() for name in names]
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301
    np.testing.assert_array_equal([copy.column(name).tolist() for name in names], wanted)
    assert wanted[0] == [1, 1]
    assert wanted[-2:] == [[1, 0], [0, 1]]


def rows(indices: Any, system: VariabilityModel = SMALL) -> Configurations:
    """Return the configurations of indices."""
    return Configurations(system, np.array(indices))


def read(columns: Mapping[str, Any], system: VariabilityModel = SMALL) -> list[list[int]]:
    """Return the indices of the configurations of columns, in a table that may have others."""
    found: list[list[int]] = Configurations.from_columns(system, columns).indices.tolist()
    return found


def framed(columns: Mapping[str, Any], system: VariabilityModel = SMALL) -> list[list[int]]:
    """Return the same of a table that may have other columns."""
    found: list[list[int]] = Configurations.from_frame(system, columns).indices.tolist()
    return found


def within(one: VariabilityModel, columns: Mapping[str, Any], other: VariabilityModel) -> tuple[Any, ...]:
    """Return the configurations that another system has, too, and which these are."""
    found, kept = Configurations.from_columns(one, columns).within(other)
    return found.indices.tolist(), kept.tolist()


def typed(size: int) -> tuple[Any, ...]:
    """Return the type of indices of so many values, and the first and the last value of an option."""
    found = Configurations(system(NumericOption("x", tuple(map(float, range(size))))), np.array([[size - 1], [0]]))
    return f"{found.indices.dtype}", found.value("x").tolist()


def system(*options: Option) -> VariabilityModel:
    """Return a system of options."""
    return VariabilityModel("m", options)


def test_calls() -> None:
    """Values, indices and columns of configurations, and messages about wrong ones."""
    values = (fixed_indices, value_indices, describe_configuration)
    made = (rows, typed, read, framed, within, system, VariabilityModel.of, Configurations.concatenate)
    options = {"B": BinaryOption, "N": NumericOption, "SYSTEM": SYSTEM, "SMALL": SMALL, "NOTHING": NOTHING}
    check_calls("configurations", *values, *made, np=np, **options)
