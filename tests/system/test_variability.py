"""Variability."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc import VariabilityModel
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError, VariabilityError
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.extension import extended, joint_system, restricted
from splc.system.options import BinaryOption, NumericOption, step_values
from splc.system.variability import ROOT, plain_name
from tests.support.examples import examples
from tests.support.golden_messages import check_messages
from tests.support.strategies import models
from tests.system.test_constraints import TABLE


def chain(length: int) -> tuple[BinaryOption, ...]:
    """Return options each of which is the parent of the next."""
    return tuple(BinaryOption(f"o{i}", f"o{i - 1}" if i else None) for i in range(length))


class TestProblems:
    def test_all_at_once_with_lines(self) -> None:
        """Duplicate names, unknown and numeric references, and cycles are reported together, in order of lines."""
        options = (
            BinaryOption("a", "b", line=3),
            BinaryOption("b", "a", line=4),
            BinaryOption("c", "nobody", line=5),
            BinaryOption("c", line=6),
            BinaryOption("d", implied=(("a", "x"), ("root",)), line=7),
            BinaryOption("e", excluded=(("cc",),), line=8),
            BinaryOption(" ", line=9),
            BinaryOption("root", line=10),
            NumericOption("x", (1.0,), "x2", line=12),
            NumericOption("y", (1.0,), "x", line=13),
        )
        with pytest.raises(VariabilityError) as caught:
            VariabilityModel("m", options, source="m.xml")
        assert [(p.file, p.line, p.message) for p in caught.value.problems] == [
            ("m.xml", 3, "a is its own ancestor"),
            ("m.xml", 5, "c: parent names the unknown option 'nobody'"),
            ("m.xml", 6, "the name 'c' is used twice"),
            ("m.xml", 7, "d: impliedOptions names the numeric option 'x'"),
            ("m.xml", 8, "e: excludedOptions names the unknown option 'cc'"),
            ("m.xml", 9, "an option without a name"),
            ("m.xml", 10, "the name 'root' is reserved for the root"),
            ("m.xml", 12, "x: parent names the unknown option 'x2'"),
            ("m.xml", 13, "y: parent names the numeric option 'x'"),
        ]
        texts = {p.message: (p.text, p.hint) for p in caught.value.problems}
        assert texts["a is its own ancestor"] == ("a → b → a", None)
        assert texts["the name 'c' is used twice"] == (None, "first used in line 5")
        assert texts["e: excludedOptions names the unknown option 'cc'"][1] == "did you mean 'c'?"

    def test_hints(self) -> None:
        """Hints state the first use of a name where its line is known, and what can be named."""
        options = (
            BinaryOption("a"),
            BinaryOption("a"),
            BinaryOption("b", implied=(("x",),), line=5),
            NumericOption("x", (1.0,)),
        )
        with pytest.raises(VariabilityError) as caught:
            VariabilityModel("m", options)
        assert {problem.message: problem.hint for problem in caught.value.problems} == {
            "the name 'a' is used twice": None,
            "b: impliedOptions names the numeric option 'x'": "only binary options can be named here",
        }
        with pytest.raises(VariabilityError) as observed:
            VariabilityModel("m", (BinaryOption("a"),), observed=("a",))
        assert observed.value.problems[0].hint == "rename it"

    @pytest.mark.parametrize(
        "option",
        [BinaryOption("a", "root"), BinaryOption("a", excluded=(("root",),)), NumericOption("a", (1.0,), "root")],
    )
    def test_the_root_can_only_be_implied(self, option: BinaryOption | NumericOption) -> None:
        """The root is a parent without being named, and cannot be excluded."""
        with pytest.raises(VariabilityError, match="names the unknown option 'root'"):
            VariabilityModel("m", (option,))

    @pytest.mark.parametrize("values", [(2.0, 1.0), (1.0, 1.0), (1.0, math.nan, 2.0), (math.nan,), (1.0, math.inf), ()])
    def test_domains(self, values: tuple[float, ...]) -> None:
        """The values of a numeric option must be finite, ascending, distinct, and at least one."""
        with pytest.raises(VariabilityError, match=r"^4: (the values of x are not finite|x has no values)"):
            VariabilityModel("m", (BinaryOption("a"), NumericOption("x", values, line=4)))

    def test_cycles(self) -> None:
        """Every cycle of parents is reported once, with its members only."""
        options = (
            BinaryOption("tail", "a"),
            BinaryOption("a", "b"),
            BinaryOption("b", "c"),
            BinaryOption("c", "a"),
            BinaryOption("self", "self"),
            BinaryOption("fine"),
        )
        with pytest.raises(VariabilityError) as caught:
            VariabilityModel("m", options)
        assert [p.text for p in caught.value.problems] == ["a → b → c → a", "self → self"]

    def test_many_options(self) -> None:
        """A chain of 1,500 parents is read; a cycle of 1,500 and 500 unknown parents are refused."""
        assert len(VariabilityModel("m", chain(1500)).names) == 1500
        with pytest.raises(VariabilityError, match="o0 is its own ancestor"):
            VariabilityModel("m", (BinaryOption("o0", "o1499"), *chain(1500)[1:]))
        with pytest.raises(VariabilityError, match="and 480 more problems"):
            VariabilityModel("m", tuple(BinaryOption(f"option_{i}", f"optoin{i}") for i in range(500)))


class TestOptions:
    def test_by_kind_and_by_name(self) -> None:
        """Options are found by kind, by position and by any spelling of their names."""
        a, x = BinaryOption("rc-lookahead"), NumericOption("x", (1.0, 2.0))
        model = VariabilityModel("m", (a, x))
        assert (model.binary_options, model.numeric_options) == ((a,), (x,))
        assert (model.names, model.positions) == (("rc-lookahead", "x"), {"rc-lookahead": 0, "x": 1})
        assert model.option("rclookahead") is a is model.option("rc-lookahead")

    def test_repr(self) -> None:
        """The text of a system in a notebook is short, whatever the number of its options is."""
        system = VariabilityModel.of({"fast": bool, "x": [1, 2], "mode": ["a", "b"]}, ["!fast | mode_a"], name="tool")
        assert repr(system) == "<VariabilityModel: tool, 4 binary options, 1 numeric option, 1 constraint>"

    def test_constraints_by_kind(self) -> None:
        """Constraints keep their order within each kind."""
        options = (BinaryOption("a"), NumericOption("x", (1.0, 2.0)))
        table = VariabilityModel("m", options).name_table
        first, second, third = parse_boolean("a", table), parse_arithmetic("x > 1", table), parse_boolean("!a", table)
        model = VariabilityModel("m", options, (first, second, third))
        assert model.boolean_constraints == (first, third)
        assert model.arithmetic_constraints == (second,)

    def test_equality_ignores_locations(self) -> None:
        """Models are equal if their options and constraints are, regardless of their files."""
        one = VariabilityModel("m", (BinaryOption("a", line=3),), source="a.xml")
        assert one == VariabilityModel("m", (BinaryOption("a", line=9),), source="b.xml", notes=("note",))
        assert hash(one) == hash(VariabilityModel("m", (BinaryOption("a"),)))
        assert one != VariabilityModel("m", (BinaryOption("a", optional=False),))


class TestSpellings:
    def test_stripped_names(self) -> None:
        """SPL Conqueror's spelling of a name or a switch is accepted."""
        model = VariabilityModel("m", (BinaryOption("rc-lookahead"), NumericOption("a b", (1.0,), deselected_flag=0.0)))
        assert model.spellings["rclookahead"] == "rc-lookahead"
        assert model.spellings["Enabledab"] == "Enableda b"
        assert model.spellings[ROOT] == ROOT

    def test_ambiguous_stripped_names_are_not_offered(self) -> None:
        """A stripped name that several options share, or that is another option's name, is not accepted for them."""
        model = VariabilityModel("m", tuple(map(BinaryOption, ("a-b", "a.b", "c-d", "cd", "ro-ot"))))
        assert "ab" not in model.spellings
        assert model.spellings["cd"] == "cd"
        assert model.spellings["root"] == ROOT

    @given(st.lists(st.text("ab-. _", min_size=1, max_size=4).filter(str.strip), min_size=1, max_size=6, unique=True))
    def test_every_spelling_is_a_name_or_its_stripped_form(self, names: list[str]) -> None:
        """Every name is its own spelling; any other spelling is the stripped form of exactly one name."""
        model = VariabilityModel("m", tuple(map(BinaryOption, names)))
        everything = {*names, ROOT}
        for spelling, name in model.spellings.items():
            assert spelling == name or [n for n in everything if plain_name(n) == spelling] == [name]
        assert all(model.spellings[name] == name for name in everything)

    def test_switches(self) -> None:
        """An optional numeric option x has the switches Enabledx and Disabledx, unless an option has that name."""
        x, y = NumericOption("x", (1.0,), deselected_flag=0.0), NumericOption("y", (1.0,))
        assert VariabilityModel("m", (x, y)).switches == {"Enabledx": (0, True), "Disabledx": (0, False)}
        model = VariabilityModel("m", (BinaryOption("Enabledx"), x))
        assert model.switches == {"Disabledx": (1, False)}
        assert model.spellings["Enabledx"] == "Enabledx"
        assert isinstance(model.option("Enabledx"), BinaryOption)


class TestHierarchy:
    def test_observed_variables(self) -> None:
        """Observed variables come last in terms; they are no options, and have names of their own."""
        model = VariabilityModel("m", (BinaryOption("a"),), observed=("load", "size"))
        assert model.term_order == (*model.names, "load", "size")
        error = model.unknown("load")
        assert error.problems[0].message == "'load' is an observed variable, not an option"
        assert "measured configurations only" in (error.problems[0].hint or "")
        assert "unknown option 'lod'" in model.unknown("lod").problems[0].message
        assert "'load'" in (model.unknown("lod").problems[0].hint or "")
        for observed, message in (
            (("a",), "'a' is also the name of an option"),
            (("load", "load"), "'load' is empty or a duplicate"),
            ((" ",), "' ' is empty or a duplicate"),
        ):
            with pytest.raises(VariabilityError, match=message) as caught:
                VariabilityModel("m", (BinaryOption("a"),), observed=observed)
            assert len(caught.value.problems) == 1

    def test_mandatory(self) -> None:
        """An option is mandatory if neither it nor an ancestor is optional or excludes others."""
        model = VariabilityModel(
            "m",
            (
                BinaryOption("p"),
                BinaryOption("m", optional=False),
                BinaryOption("child", "m", optional=False),
                BinaryOption("optional child", "m"),
                BinaryOption("of optional", "p", optional=False),
                BinaryOption("left", optional=False, excluded=(("right",),)),
                BinaryOption("right", optional=False),
                BinaryOption("several", optional=False, excluded=(("p", "m"),)),
            ),
        )
        assert model.mandatory == {"m", "child", "several"}
        assert model.base_option == "m"

    @pytest.mark.parametrize(
        ("options", "base"),
        [
            ((BinaryOption("a"), BinaryOption("b", optional=False), BinaryOption("c", optional=False)), "b"),
            ((BinaryOption("a"), NumericOption("x", (1.0,))), ROOT),
            (
                (
                    BinaryOption("child", "p", optional=False),
                    BinaryOption("l", optional=False, excluded=(("r",),)),
                    BinaryOption("r", optional=False, excluded=(("l",),)),
                    BinaryOption("p", optional=False),
                ),
                "p",
            ),
        ],
    )
    def test_base_option(self, options: tuple[BinaryOption | NumericOption, ...], base: str) -> None:
        """The base option is the first mandatory option at top level, otherwise the root."""
        assert VariabilityModel("m", options).base_option == base

    def test_exclusions_and_groups(self) -> None:
        """Exclusions are symmetric; an alternative group consists of non-optional siblings that exclude each other."""
        model = VariabilityModel(
            "m",
            (
                BinaryOption("p", optional=False),
                BinaryOption("c", "p", optional=False, excluded=(("a",), ("b",))),
                BinaryOption("a", "p", optional=False, excluded=(("b",),)),
                BinaryOption("b", "p", optional=False),
                BinaryOption("o", "p", excluded=(("a",), ("o",), ("b", "c"))),
                BinaryOption("q", optional=False, excluded=(("r",),)),
                BinaryOption("r", optional=False),
            ),
        )
        assert model.exclusions == {
            "p": (),
            "c": ("a", "b"),
            "a": ("c", "b", "o"),
            "b": ("c", "a"),
            "o": ("a",),
            "q": ("r",),
            "r": ("q",),
        }
        assert model.alternative_groups == (("c", "a", "b"), ("q", "r"))
        option = model.option("o")
        assert isinstance(option, BinaryOption)
        assert model.alternatives(option) == ()

    def test_many_options(self) -> None:
        """Derived values of 2,000 options with alternatives are computed quickly."""
        names = [f"o{i}" for i in range(2000)]
        options = tuple(
            BinaryOption(name, f"o{i // 2 - 1}" if i > 1 else None, optional=False, excluded=((names[i ^ 1],),))
            for i, name in enumerate(names)
        )
        model = VariabilityModel("m", options)
        assert len(model.alternative_groups) == 1000
        assert model.mandatory == frozenset()
        assert len(model.spellings) == 2001


def test_unknown_options_are_refused_with_the_nearest_name() -> None:
    """An option is found by its name; an unknown one is refused with the nearest name, or with all names."""
    system = VariabilityModel.of({"cache": bool, "x": [1, 2]}, name="s")
    assert system.option("x").name == "x"
    for name, hint in (("cach", "did you mean 'cache'?"), ("zzzz", "known are: cache, x")):
        with pytest.raises(ConfigurationError) as caught:
            system.option(name)
        assert str(caught.value) == f"unknown option {name!r}\n    {hint}"


def test_values_that_are_no_option() -> None:
    """A definition that is neither bool, numbers nor texts is refused with what to give."""
    with pytest.raises(VariabilityError) as caught:
        VariabilityModel.of({"a": [1, "b"]}, name="s")
    hint = "give bool, a list of numbers, or a list of texts"
    assert str(caught.value) == f"a: [1, 'b'] are not values of an option\n    {hint}"


def test_constraints() -> None:
    """Mixed operators, parentheses and unknown names are refused, with the column and how to write constraints."""
    check_messages("constraints", lambda text: parse_boolean(text, TABLE))


def test_steps() -> None:
    """A minimum above the maximum, a step that does not increase, and text that is not a step are refused."""

    def reject(text: str) -> None:
        ends, _, step = text.partition(":")
        minimum, _, maximum = ends.partition("..")
        step_values("x", float(minimum), float(maximum), step.strip())

    check_messages("steps", reject)


@examples(24)
@given(st.data())
def test_described_configurations_stay_valid(data: st.DataObject) -> None:
    """A configuration without the further values is valid in the extended system if it is in the system."""
    system = data.draw(models())
    further = {option.name: [-10.5, 2.25] for option in system.numeric_options}
    larger = extended(system, further)
    everything = Space(system).enumerate()
    columns = {name: everything.value(name) for name in system.names}
    same = Configurations.from_columns(larger, columns)
    assert Space(larger).check(same).all()
    for name in system.names:
        assert np.array_equal(same.value(name), everything.value(name), equal_nan=True)
    listed = np.ones(Space(larger).count, dtype=bool)
    all_larger = Space(larger).enumerate()
    for name, values in further.items():
        listed &= ~np.isin(all_larger.value(name), values)
    assert int(listed.sum()) == len(everything)


def test_joint_systems() -> None:
    """Systems with the same options have one with the values of all; others have none."""
    flag = BinaryOption("a")
    one = VariabilityModel("one", (flag, NumericOption("x", (1.0, 2.0))))
    two = VariabilityModel("two", (NumericOption("x", (2.0, 8.0)), flag))
    joint = joint_system([one, two])
    assert joint is not None
    assert joint.options == (flag, NumericOption("x", (1.0, 2.0, 8.0)))
    assert joint_system([one, one]) is one
    assert joint_system([one, VariabilityModel("three", (flag,))]) is None
    assert joint_system([one, VariabilityModel("four", (BinaryOption("b"), NumericOption("x", (1.0, 2.0))))]) is None


@examples(30)
@given(st.data())
def test_joint_systems_have_all_configurations(data: st.DataObject) -> None:
    """What is valid in one of two systems with the same options is valid in the joint one, which has what both have."""
    system = data.draw(models())
    first, second = (
        VariabilityModel("part", system.options, stated) for stated in (system.constraints[1:], system.constraints[:-1])
    )
    joint = joint_system([first, second])
    assert joint is not None
    assert set(joint.constraints) == {*first.constraints} & {*second.constraints}
    for each in (first, second):
        everything = Space(each).enumerate()
        columns = {name: everything.value(name) for name in system.names}
        assert Space(joint).check(Configurations.from_columns(joint, columns)).all()


@examples(30)
@given(st.data())
def test_fixing_is_filtering(data: st.DataObject) -> None:
    """The valid configurations of the restricted system are those that have the values."""
    system = data.draw(models())
    everything = Space(system).enumerate().indices
    assume(len(everything))
    fixed = {
        name: data.draw(st.integers(0, system.option(name).size - 1))
        for name in data.draw(st.lists(st.sampled_from(system.names), max_size=3, unique=True))
    }
    kept = np.ones(len(everything), dtype=bool)
    for name, index in fixed.items():
        kept &= everything[:, system.positions[name]] == index
    assert Space(restricted(system, fixed)).enumerate().indices.tolist() == everything[kept].tolist()


def test_texts_of_constraints() -> None:
    """Fixed values are stated as constraints that can be shown."""
    options = (BinaryOption("a"), BinaryOption("b"), NumericOption("x", (1.0, 2.5), deselected_flag=0.0))
    system = VariabilityModel("s", (*options, NumericOption("y", (1.0, 2.5))))
    found = restricted(system, {"a": 1, "b": 0, "x": 1, "y": 0}).constraints
    assert [each.text for each in found] == ["a", "!b", "Enabledx", "x = 2.5", "y = 1"]
    assert [each.text for each in restricted(system, {"x": 2}).constraints] == ["Disabledx"]


def test_tiny_values_are_told_apart() -> None:
    """Values that differ by less than the tolerance of constraints are different values."""
    system = VariabilityModel("tiny", (NumericOption("x", (0.0, 1e-12, 2e-12, 1.0)),))
    for index in range(4):
        assert Space(restricted(system, {"x": index})).enumerate().indices.tolist() == [[index]]
