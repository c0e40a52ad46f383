"""UVL: features, groups, constraints, numbers, and what cannot be expressed."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.errors import SplcError
from splc.formats.system.uvl import parse_uvl
from splc.io.files import Source
from splc.system.variability import VariabilityModel
from tests.formats.system.conftest import valid_rows
from tests.fuzz.seeds import UVL

LETTERS = "ABCD"
FLAT = "features\n\tR\n\t\toptional\n" + "".join(f"\t\t\t{letter}\n" for letter in LETTERS) + "constraints\n\t"


def read(text: str) -> VariabilityModel:
    """Read a model."""
    return parse_uvl(Source("f.uvl", text.encode()))


def satisfying(text: str) -> set[tuple[int, ...]]:
    """Return the selections of A to D that are valid with a constraint."""
    return {row[1:] for row in valid_rows(read(FLAT + text + "\n"))}


def holding(function: Callable[..., bool]) -> set[tuple[int, ...]]:
    """Return the selections of A to D for which a function holds."""
    return {row for row in itertools.product((0, 1), repeat=4) if function(*row)}


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("A => B", lambda a, b, c, d: not a or b),
        ("A <=> B", lambda a, b, c, d: a == b),
        ("!(A & B) | C", lambda a, b, c, d: not (a and b) or c),
        ("A | B & !C", lambda a, b, c, d: a or (b and not c)),
        ("A => B => C", lambda a, b, c, d: not (not a or b) or c),
        ("A & B => C | D", lambda a, b, c, d: not (a and b) or c or d),
        ("(A <=> B) <=> (C <=> !D)", lambda a, b, c, d: (a == b) == (c != d)),
        ("!!A", lambda a, b, c, d: a),
        ("A | !A", lambda a, b, c, d: True),
        ('"A" & (\n\tB\n\t| C)', lambda a, b, c, d: a and (b or c)),
    ],
)
def test_constraints(text: str, function: Callable[..., bool]) -> None:
    """Operators bind as in UVL's grammar: !, &, |, =>, <=>, and those of one level associate to the left."""
    assert satisfying(text) == holding(function)


def test_a_constraint_of_many_clauses() -> None:
    """A constraint that distributes into too many clauses keeps its meaning, and no option is added."""
    pairs = range(10)
    names = [f"{letter}{pair}" for pair in pairs for letter in "ab"]
    text = "features\n\tR\n\t\toptional\n" + "".join(f"\t\t\t{name}\n" for name in names)
    stated = " | ".join(f"a{pair} & b{pair}" for pair in pairs)
    system = read(f"{text}constraints\n\t{stated}\n")
    assert [option.name for option in system.options] == ["R", *names]
    assert len(system.constraints) == 1
    assert Space(system).count == 4**10 - 3**10


@pytest.mark.parametrize(
    ("group", "sizes"),
    [
        ("or", {1, 2, 3, 4}),
        ("alternative", {1}),
        ("mandatory", {4}),
        ("optional", {0, 1, 2, 3, 4}),
        ("[2..3]", {2, 3}),
        ("[0..1]", {0, 1}),
        ("[2..*]", {2, 3, 4}),
        ("[3]", {3}),
        ("[0..*]", {0, 1, 2, 3, 4}),
    ],
)
def test_groups(group: str, sizes: set[int]) -> None:
    """If the feature above a group is selected, as many of its features are as the group says, otherwise none."""
    members = "".join(f"\t\t\t\t\t{letter}\n" for letter in LETTERS)
    system = read(f"features\n\tR\n\t\toptional\n\t\t\tP\n\t\t\t\t{group}\n{members}")
    wanted = {row for row in itertools.product((0, 1), repeat=4) if sum(row) in sizes}
    assert valid_rows(system) == {(1, 0, 0, 0, 0, 0)} | {(1, 1, *row) for row in wanted}


def test_a_group_of_many() -> None:
    """A cardinality that would need too many clauses is one comparison."""
    members = "".join(f"\t\t\tf{number}\n" for number in range(14))
    system = read(f"features\n\tR\n\t\t[7..7]\n{members}")
    assert len(system.constraints) == 2
    assert Space(system).count == 3432


def test_several_groups_below_one_feature() -> None:
    """Groups below one feature are independent of each other."""
    system = read(
        "features\n\tR\n\t\tor\n\t\t\tA\n\t\t\tB\n\t\talternative\n\t\t\tC\n\t\t\tD\n\t\tmandatory\n\t\t\tE\n"
    )
    assert Space(system).count == 6
    assert system.alternative_groups == (("C", "D"),)


def test_names() -> None:
    """Names in quotes keep their characters; the reserved name has a number, and a note says so."""
    features = "".join(f"\t\t\t{name}\n" for name in ('"a b"', '"x.y"', '"or"', "ähm"))
    system = read(f'features\n\troot\n\t\toptional\n{features}constraints\n\troot => "x.y"\n')
    assert system.names == ("root_1", "a b", "x.y", "or", "ähm")
    assert "'root_1'" in system.notes[0]
    assert {row[2] for row in valid_rows(system)} == {1}


NUMBERS = """
features
    R {price 1}
        mandatory
            Integer n
            Real x
        optional
            A {price 3, constraint A => n > 1}
            Integer k
constraints
    n >= 1 & n < 4
    x == 0.5 | x == 2
    k == 3 | k == 5
    sum(price) + n * x <= 7
    k => A
    k | n < 3
"""


def test_numbers() -> None:
    """Features with stated values are numeric options; constraints compare them, and sums of attributes."""
    system = read(NUMBERS)
    x, n, k = (system.options[system.positions[name]] for name in "xnk")
    assert (n.size, x.size, k.size) == (3, 2, 3)
    expected = {
        (a, number, value, level)
        for a, number, value, level in itertools.product((0, 1), (1, 2, 3), (0.5, 2), (3, 5, None))
        if (not a or number > 1) and 1 + 3 * a + number * value <= 7 and (a if level else number < 3)
    }
    assert Space(system).count == len(expected)


def test_comments_and_line_ends() -> None:
    """Comments, blank lines, spaces instead of tabs, and line ends of other systems do not matter."""
    plain = "features\n\tR\n\t\toptional\n\t\t\tA\n\t\t\tB\nconstraints\n\tA => B\n"
    commented = "// a\n/* b\n c */\n" + plain.replace("\n", "  // d\n\n")
    for text in (commented, plain.replace("\t", "    "), plain.replace("\n", "\r\n"), "\ufeff" + plain, plain.rstrip()):
        assert read(text) == read(plain)


def test_ignored_attributes_are_noted() -> None:
    """Attributes and texts are not part of configurations, which notes say."""
    system = read("features\n\tR {abstract, a 1, b 'x', c [1, 2], d {e 2}}\n\t\tmandatory\n\t\t\tString s\n")
    assert len(system.notes) == 2
    assert "4 attributes" in system.notes[0]
    assert "'s'" in system.notes[1]


@given(at=st.integers(0, len(UVL)), piece=st.text('"{}[]()\n |&=<>!.,a1/*', max_size=4), skipped=st.integers(0, 12))
def test_damaged_files(at: int, piece: str, skipped: int) -> None:
    """A damaged file is read, or is an error of the file."""
    found: list[str | None] = []
    try:
        read(UVL[:at] + piece + UVL[at + skipped :])
    except SplcError as error:
        found += [problem.file for problem in error.problems]
    assert set(found) <= {"f.uvl"}


def test_indentation_below_lines_that_are_refused() -> None:
    """Lines in a refused group are compared with each other only: every group may have its own indentation."""
    groups = [f"    some{number}\n{' ' * (6 + number)}F{number}\n" for number in range(1, 19)]
    with pytest.raises(SplcError) as raised:
        read("features\n  A\n" + "".join(groups))
    assert len(raised.value.problems) == len(groups)
