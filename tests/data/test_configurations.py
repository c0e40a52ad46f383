"""Configurations."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc import VariabilityModel
from splc.data import repetitions
from splc.data.configurations import Configurations, describe_configuration, fixed_indices, index_type, value_indices
from splc.data.table import assignment_texts, value_texts
from splc.errors import ConfigurationError
from splc.formats.measurements.selections import parse_configuration
from splc.system.options import BinaryOption, NumericOption, Option
from tests.support.golden_messages import check_messages
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


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"x": 4, "b": True}, {"x": 2, "b": 1}),
        ({"b": 0, "x": 1.0}, {"b": 0, "x": 0}),
        ({"solver": " mg "}, {"solver_mg": 1}),
        ({"solver": "solver_cg", "x": 2}, {"solver_cg": 1, "x": 1}),
        ({}, {}),
    ],
)
def test_values(values: dict[str, Any], expected: dict[str, int]) -> None:
    """Numbers are indices of values; the text of a member of an alternative group selects the member."""
    assert fixed_indices(SYSTEM, values) == expected


def test_deselected_options() -> None:
    """None deselects a numeric option that may be deselected."""
    assert fixed_indices(SYSTEM, {"o": None}) != fixed_indices(SYSTEM, {"o": 4})


def test_wrong_values() -> None:
    """Unknown options and values that an option does not have are refused."""
    check_messages("fixed-values", lambda text: fixed_indices(SYSTEM, json.loads(text)))


MANY = tuple(float(i * i) for i in range(300))
SMALL = VariabilityModel(
    "system",
    (
        BinaryOption("rc-lookahead"),
        NumericOption("x", MANY),
        NumericOption("o", (0.1, 0.5, 3.0), deselected_flag=-1.0),
    ),
)
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


class TestConstruction:
    @pytest.mark.parametrize("size", [2, 255, 256, 257, 65536, 65537])
    def test_the_smallest_type_that_holds_every_index(self, size: int) -> None:
        """Indices take one byte up to 256 values, two up to 65,536, and are kept exactly."""
        model = VariabilityModel("m", (NumericOption("x", tuple(map(float, range(size)))),))
        assert index_type(model).itemsize == (1 if size <= 256 else 2 if size <= 65536 else 4)
        configurations = Configurations(model, np.array([[size - 1], [0]]))
        assert configurations.indices.dtype == index_type(model)
        assert configurations.value("x").tolist() == [size - 1, 0]

    @pytest.mark.parametrize(
        "indices",
        [[[2, 0, 0]], [[0, 300, 0]], [[0, 0, 4]], [[0, 0, -1]], [[0, 0]], [0, 0, 0], [[[0, 0, 0]]], [[0.5, 0, 0]]],
    )
    def test_what_does_not_fit_is_refused(self, indices: list[list[float]]) -> None:
        """Other shapes, indices outside of the values, and indices that are not whole numbers are errors."""
        with pytest.raises(ConfigurationError):
            Configurations(SMALL, np.array(indices))

    def test_rows_without_columns_do_not_fit_a_system_with_options(self) -> None:
        """Five empty rows are an error for a system with options; zero rows are not."""
        with pytest.raises(ConfigurationError):
            Configurations(SMALL, np.zeros((5, 0)))
        for empty in (np.array([]), np.zeros((0, 0)), np.zeros((0, 3))):
            assert Configurations(SMALL, empty).indices.shape == (0, 3)

    def test_arrays_are_not_shared(self) -> None:
        """An array that can still be changed is copied, also a part of another one; it stays writeable."""
        own = np.zeros((2, 3), dtype=np.uint16)
        part = own[:]
        part.setflags(write=False)
        found = [Configurations(SMALL, own), Configurations(SMALL, part)]
        own[:] = 1
        assert [each.indices.tolist() for each in found] == [[[0, 0, 0], [0, 0, 0]]] * 2

    def test_immutable(self) -> None:
        """Indices can be written neither through the configurations nor through the array they were made from."""
        array = np.array([[1, 2, 3]])
        configurations = Configurations(SMALL, array)
        array[0, 0] = 0
        assert configurations.indices.tolist() == [[1, 2, 3]]
        with pytest.raises(ValueError, match="read-only"):
            configurations.indices[0, 0] = 0
        with pytest.raises(ValueError, match="read-only"):
            configurations[:1].indices[0, 0] = 0

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

    def test_columns(self) -> None:
        """Binary options and switches are 0 or 1 in terms, the root is 1, a deselected option NaN."""
        configurations = Configurations(SMALL, np.array([[1, 2, 0], [0, 299, 3]]))
        assert configurations.column("rclookahead").tolist() == [1, 0]
        assert configurations.column("x").tolist() == [4, 299**2]
        np.testing.assert_array_equal(configurations.column("o"), [0.1, np.nan])
        assert configurations.column("Enabledo").tolist() == [1, 0]
        assert configurations.column("Disabledo").tolist() == [0, 1]
        assert configurations.column("root").tolist() == [1, 1]

    def test_unknown_column(self) -> None:
        """An unknown name is refused with the nearest one, switches included."""
        with pytest.raises(ConfigurationError, match="unknown option 'Enablde_o'") as caught:
            Configurations(SMALL, np.array([[1, 2, 0]])).column("Enablde_o")
        assert caught.value.problems[0].hint == "did you mean 'Enabledo'?"

    def test_the_flag_and_nan_are_deselected(self) -> None:
        """The flag of an optional option, or NaN, is deselected."""
        columns = {"rc-lookahead": [0, 0, 1], "x": [0, 1, 4], "o": [-1, math.nan, 3]}
        found = Configurations.from_columns(SMALL, columns)
        assert found.indices.tolist() == [[0, 0, 3], [0, 1, 3], [1, 2, 2]]
        with pytest.raises(ConfigurationError, match="row 1: x has no value"):
            Configurations.from_columns(SMALL, {**columns, "x": [0, math.nan, 4]})

    def test_stripped_names(self) -> None:
        """Columns may be named in SPL Conqueror's spelling."""
        columns = {"rclookahead": [1], "x": [9], "o": [3]}
        assert Configurations.from_columns(SMALL, columns).indices.tolist() == [[1, 3, 2]]

    def test_wrong_columns(self) -> None:
        """Values that an option does not have, unknown options and columns of different lengths are errors."""
        columns = {"rc-lookahead": [1, 0], "x": [1, 4], "o": [0.1, 3]}
        check_messages(
            "configurations",
            lambda text: Configurations.from_columns(SMALL, {**columns, **json.loads(text)}),
        )

    def test_a_missing_column(self) -> None:
        """Every option needs its values."""
        with pytest.raises(ConfigurationError, match="no values for the option 'o'"):
            Configurations.from_columns(SMALL, {"rc-lookahead": [1], "x": [1]})

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

    @given(some())
    def test_unique(self, configurations: Configurations) -> None:
        """The distinct rows are kept, in order of their first appearance."""
        rows = list(map(tuple, configurations.indices.tolist()))
        assert list(map(tuple, configurations.unique().indices.tolist())) == list(dict.fromkeys(rows))

    @given(some(), some())
    def test_find(self, configurations: Configurations, wanted: Configurations) -> None:
        """The position of the first equal row is found, -1 where there is none."""
        rows, asked = configurations.indices.tolist(), wanted.indices.tolist()
        assert configurations.find(wanted).tolist() == [rows.index(row) if row in rows else -1 for row in asked]

    @given(some(), some())
    def test_colliding_hashes(self, configurations: Configurations, wanted: Configurations) -> None:
        """Configurations with equal hashes are grouped and found by their values."""
        rows, asked = configurations.indices.tolist(), wanted.indices.tolist()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(repetitions, "SPREAD", np.uint64(0))
            ours, theirs = (
                Configurations(SMALL, np.array(rows)),
                Configurations(SMALL, np.array(asked)),
            )
            assert ours.find(theirs).tolist() == [rows.index(row) if row in rows else -1 for row in asked]
            firsts, group = ours.groups()
        assert firsts.tolist() == [at for at, row in enumerate(rows) if row not in rows[:at]]
        assert [int(firsts[place]) for place in group] == [rows.index(row) for row in rows]

    def test_equal_systems(self) -> None:
        """Systems with equal options need not be the same object."""
        one, other = (
            Configurations(VariabilityModel("m", (BinaryOption("a"), NumericOption("x", (1.0, 2.0)))), np.array(rows))
            for rows in ([[0, 1], [1, 0]], [[1, 0]])
        )
        assert one.find(other).tolist() == [1]
        assert Configurations.concatenate([one, other]).indices.tolist() == [[0, 1], [1, 0], [1, 0]]

    def test_find_the_first_of_many_equal_rows(self) -> None:
        """Among hundreds of equal rows the first is found."""
        rows = np.array([[0, 256, 1], [1, 0, 0], [0, 1, 3]])[np.arange(600) % 3]
        assert Configurations(SMALL, rows).find(Configurations(SMALL, rows[:3])).tolist() == [0, 1, 2]

    @given(some(), some(), some())
    def test_concatenate(self, a: Configurations, b: Configurations, c: Configurations) -> None:
        """Sets of configurations are concatenated."""
        joined = Configurations.concatenate([a, b, c])
        assert joined.indices.tolist() == a.indices.tolist() + b.indices.tolist() + c.indices.tolist()

    def test_other_systems(self) -> None:
        """Configurations of systems with other options can be neither found nor concatenated; those of a copy can."""
        ours = Configurations(SMALL, np.array([[1, 2, 0]]))
        theirs = Configurations(
            VariabilityModel("other", (*SMALL.options[:2], BinaryOption("o"))), np.array([[1, 2, 0]])
        )
        with pytest.raises(ConfigurationError, match="different options"):
            ours.find(theirs)
        with pytest.raises(ConfigurationError, match="different options"):
            Configurations.concatenate([ours, theirs])
        copy = Configurations(VariabilityModel("copy", SMALL.options), np.array([[0, 0, 0], [1, 2, 0]]))
        assert copy.find(ours).tolist() == [1]

    def test_a_system_without_options(self) -> None:
        """A system without options has one configuration, which may be repeated."""
        three = Configurations(NOTHING, np.zeros((3, 0), dtype=int))
        assert (len(three), len(three[1:]), len(three[0]), len(three.unique())) == (3, 2, 1, 1)
        assert three.find(three).tolist() == [0, 0, 0]
        assert three.assignment(0) == {}
        assert len(Configurations.from_columns(NOTHING, {})) == 0

    @pytest.mark.parametrize("system", [SMALL, NOTHING])
    def test_no_rows(self, system: VariabilityModel) -> None:
        """Zero configurations have no keys and no values, and none can be found in them."""
        none = Configurations(system, np.zeros((0, len(system.options)), dtype=int))
        one = Configurations(system, np.zeros((1, len(system.options)), dtype=int))
        assert (len(none), len(none.keys), len(none.unique()), len(none[:])) == (0, 0, 0, 0)
        assert none.find(one).tolist() == [-1]
        assert one.find(none).tolist() == none.find(none).tolist() == []
        assert none.column("root").shape == (0,)

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


def test_messages_on_indices() -> None:
    """The error states what does not fit."""
    check_messages("indices", lambda text: Configurations(SMALL, np.array(json.loads(text))))


def test_texts() -> None:
    """A configuration is described by its selected options and values, a set by its size."""
    found = Configurations(SMALL, np.array([[1, 2, 0], [0, 3, 3]]))
    assert [describe_configuration(found, row) for row in (0, 1)] == ["rc-lookahead, x=4, o=0.1", "x=9, o=deselected"]
    binary = Configurations(VariabilityModel("b", (BinaryOption("a"),)), np.array([[0]]))
    assert describe_configuration(binary, 0) == "(nothing selected)"
    assert (found.summary(), binary.summary()) == ("2 configurations of system", "1 configuration of b")


def test_precision_of_values() -> None:
    """Values match to one part in 10^9, whichever side they are on."""
    option = NumericOption("x", (0.0, 1.0, 1.0 + 1e-6, 5.0))
    asked = np.array([1 - 0.9e-9, 1 + 0.9e-9, 1 + 1.1e-9, 1 - 1.1e-9, 5 + 4.5e-9, 5 + 5.5e-9, 1e-12, -0.0, 6.0, -1.0])
    assert value_indices(option, asked).tolist() == [1, 1, -1, -1, 3, -1, -1, 0, -1, -1]


@pytest.mark.parametrize("count", [12, 13])
def test_messages_on_values(count: int) -> None:
    """Up to 12 values are listed; of more the nearest one is named."""
    system = VariabilityModel.of({"x": list(range(count))}, name="s")
    with pytest.raises(ConfigurationError) as caught:
        Configurations.from_columns(system, {"x": [1, 7.75]})
    listed = f"its values are {', '.join(map(str, range(count)))}"
    nearest = f"the nearest of its {count} values is 8"
    assert str(caught.value) == f"row 1: x cannot be 7.75; {listed if count == 12 else nearest}"


def test_options_that_need_no_column() -> None:
    """Options that are always selected, or have one value, may have no column; others must have one."""
    options = (
        BinaryOption("base", optional=False),
        BinaryOption("a"),
        NumericOption("one", (7.0,)),
        NumericOption("off", (7.0,), deselected_flag=0.0),
    )
    system = VariabilityModel("s", options)
    found = Configurations.from_columns(system, {"a": [0, 1], "off": [7, 0]})
    assert found.indices.tolist() == [[1, 0, 0, 0], [1, 1, 0, 1]]
    for missing, columns in (("a", {"off": [7]}), ("off", {"a": [1]})):
        with pytest.raises(ConfigurationError) as caught:
            Configurations.from_columns(system, columns)
        assert caught.value.problems[0].message == f"no values for the option {missing!r}"


@pytest.mark.parametrize(("given", "missing"), [("rate_a", "rate_b"), ("rate_b", "rate_a")])
def test_hints_on_missing_columns(given: str, missing: str) -> None:
    """A missing option has the nearest of the given ones as a hint, and none without any."""
    system = VariabilityModel.of({"rate_a": [1, 2], "rate_b": [1, 2]})
    with pytest.raises(ConfigurationError) as caught:
        Configurations.from_columns(system, {given: [1]})
    (problem,) = caught.value.problems
    assert (problem.message, problem.hint) == (f"no values for the option {missing!r}", f"did you mean {given!r}?")
    with pytest.raises(ConfigurationError) as none:
        Configurations.from_frame(system, {"time": [1]})
    assert none.value.problems[0].hint is None


def test_several_columns_of_an_option() -> None:
    """Two spellings of one option are an error."""
    with pytest.raises(ConfigurationError, match=r"^several columns are the option 'rc-lookahead'$"):
        Configurations.from_frame(SMALL, {"rc-lookahead": [1], "rclookahead": [1], "x": [1], "o": [3]})


def test_copies_in_other_processes() -> None:
    """Copies have the same columns, also those of switches and of the root, whatever was looked up before."""
    found = Configurations(SMALL, np.array([[0, 7, 1], [1, 299, 3]]))
    names = ("root", "rc-lookahead", "rclookahead", "x", "o", "Enabledo", "Disabledo")
    wanted = [found.column(name).tolist() for name in names]
    copy = pickle.loads(pickle.dumps(found))  # noqa: S301
    np.testing.assert_array_equal([copy.column(name).tolist() for name in names], wanted)
    assert wanted[0] == [1, 1]
    assert wanted[-2:] == [[1, 0], [0, 1]]


def test_configurations_of_another_system() -> None:
    """They are found by the names and values of options; those with values that it lacks are left out."""
    system = VariabilityModel.of({"a": bool, "n": [1, 2, 4]})
    rows = Configurations.from_columns(system, {"a": [0, 1, 1], "n": [1, 2, 4]})
    other = VariabilityModel("other", (NumericOption("n", (2.0, 3.0, 4.0)), BinaryOption("a")))
    found, kept = rows.within(other)
    assert kept.tolist() == [False, True, True]
    assert (found.value("n").tolist(), found.value("a").tolist()) == ([2, 4], [1, 1])
    assert rows.within(system)[0] == rows
    with pytest.raises(ConfigurationError, match="b"):
        rows.within(VariabilityModel.of({"b": bool}))
