"""Explanations: aliases, overviews, response surfaces, and sums of contributions against sums by brute force."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import learn
from splc.learning.projection.ensemble import Ensemble
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, Term, option_term
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Link
from splc.workflows.explain.contributions import Contribution, sums_of
from splc.workflows.explain.importance import alias_notes, aliases, associations, choices_of, overview
from splc.workflows.pictures import MAX_VALUES, ResponseSurface, response_surface
from tests.support.examples import examples

TEXT = "interchangeable, because they always change together in {}: {}"
NUMERIC = NumericOption("x", (1.0, 2.0, 4.0))
# Terms over two sets of options; the first two differ only in the member of an alternative group.
TERMS = {
    "codec_a": ("codec", ("codec",)),
    "codec_b": ("codec", ("codec",)),
    "log2(codec)": ("log2(codec)", ("codec",)),
    "codec_a * x": ("codec * x", ("codec", "x")),
    "x": ("x", ("x",)),
}


@examples(60)
@given(st.dictionaries(st.sampled_from(sorted(TERMS)), st.tuples(*[st.integers(-9, 9)] * 2), min_size=1))
def test_sums_by_brute_force(values: dict[str, tuple[int, int]]) -> None:
    """A sum of terms has the name of their group, a single term its own; sums are those of their terms."""
    contributions = [
        Contribution(text, float(one), float(other), 1, *TERMS[text]) for text, (one, other) in values.items()
    ]
    found = {}
    for whole, parts in sums_of(contributions):
        for part in parts or [whole]:
            found[part.text] = (part.value, part.reference, part.count)
        if parts:
            assert whole.value == pytest.approx(math.fsum(part.value for part in parts))
            assert whole.count == sum(part.count for part in parts)
    expected = {}
    for group in {TERMS[text][0] for text in values}:
        members = [text for text in values if TERMS[text][0] == group]
        sums = tuple(float(sum(values[text][side] for text in members)) for side in (0, 1))
        expected[group if len(members) > 1 else members[0]] = (*sums, len(members))
    assert found == expected
    differences = [abs(whole.difference) for whole, _ in sums_of(contributions)]
    assert differences == sorted(differences, reverse=True)


def switches(*names: str) -> tuple[BinaryOption, ...]:
    """Return optional binary options."""
    return tuple(BinaryOption(name, optional=True) for name in names)


def found_aliases(space: Space, some: Configurations | None = None, values: np.ndarray | None = None) -> list[str]:
    """Return the notes about options that always change together, of a system or of a model learned from rows."""
    full: Ensemble | None = None
    if some is not None and values is not None:
        predictor = learn(Measurements(some, {"t": values}), "t").predictor
        assert isinstance(predictor, Ensemble)
        full = predictor
    return [note.text for note in alias_notes(full, space)]


@pytest.mark.parametrize(
    ("columns", "choices", "found"),
    [
        ([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]], [(0,), (1,), (2,)], [(0, 1)]),
        # Complements, and values of numeric options in another order.
        ([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]], [(0,), (1,), (2,)], [(0, 1)]),
        ([[0, 1, 2, 2], [0, 1, 0, 1], [2, 0, 1, 1]], [(0,), (1,), (2,)], [(0, 2)]),
        ([[0, 1, 1, 0], [0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1]], [(0,), (1,), (2,), (3,)], [(0, 3), (1, 2)]),
        # Options that do not change are not named.
        ([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]], [(0,), (1,), (2,)], []),
        ([[0, 1, 1, 2], [0, 1, 1, 1]], [(0,), (1,)], []),
        # Two members of a group always change together; an option that follows one of them is named with it.
        ([[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]], [(0, 1), (2,)], [(0, 2)]),
        ([[0, 1, 1, 0], [1, 0, 0, 1]], [(0, 1)], []),
    ],
)
def test_aliases(columns: list[list[int]], choices: list[tuple[int, ...]], found: list[tuple[int, ...]]) -> None:
    """They are the options with the same partition of the configurations."""
    assert sorted(aliases(np.array(columns).T, choices)) == found


def test_notes_about_aliases() -> None:
    """Those of all valid configurations come first; of the learning set only others are named."""
    together = tuple(BinaryOption(name, optional=True, implied=((other,),)) for name, other in ("ab", "ba"))
    space = Space(VariabilityModel("s", (*together, *switches("c", "d"), NUMERIC)))
    first = TEXT.format("all valid configurations", "a and b")
    assert found_aliases(space) == [first]
    everything = space.enumerate()
    some = everything[np.flatnonzero(everything.column("c") == everything.column("d"))]
    values = 10 + 5 * some.column("a") + 3 * some.column("c") + some.column("x")
    learned = "the 12 configurations learned from"
    assert found_aliases(space, some, values) == [first, TEXT.format(learned, "c and d")]
    # Options are those of these names, whatever further ones a system has, and in which order.
    wider = VariabilityModel("s", (*switches("e", "d", "c", "b", "a"), NumericOption("y", (1.0, 2.0)), NUMERIC))
    assert found_aliases(Space(wider), some, values) == [TEXT.format(learned, "d and c, b and a")]
    assert found_aliases(Space(VariabilityModel("s", (*switches("a", "b"), NUMERIC)))) == []


def test_aliases_in_large_spaces() -> None:
    """Of many valid configurations nothing is known but those that were learned from."""
    system = VariabilityModel("s", switches(*(f"o{at}" for at in range(16))))
    assert found_aliases(Space(system)) == []
    indices = np.random.default_rng(1).integers(0, 2, (40, 16))
    indices[:, 3] = 1 - indices[:, 8]
    found = found_aliases(Space(system), Configurations(system, indices), 10.0 + indices[:, 3] + 2 * indices[:, 1])
    assert found == [TEXT.format("the 40 configurations learned from", "o3 and o8")]


def test_associations() -> None:
    """Options that change together have 1, in either direction; independent and constant ones have 0."""
    one = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    other = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    indices = np.array([one, 1 - one, other, np.ones(8, dtype=int), 1 - other]).T
    # The last choice is an alternative group of two options.
    found = associations(indices, [(0,), (1,), (2,), (3, 4)])
    expected = np.array([[1.0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])
    assert found == pytest.approx(expected, abs=1e-12)


def test_overview_of_used_options() -> None:
    """Options that all configurations have are not unused, and terms without influence are no interactions."""
    options = (BinaryOption("always", optional=False), BinaryOption("a"), BinaryOption("b"), NumericOption("n", (1, 2)))
    system = VariabilityModel("s", options)
    a, b = option_term("a"), option_term("b")
    model = InfluenceModel.of_system([(CONSTANT, 1.0), (a, 2.0), (a * b, 0.0)], system)
    found = overview(model, Space(system))
    assert [each.name for each in found.options] == ["a"]
    assert (found.unused, found.interactions) == (("b", "n"), ())


def test_groups_of_one_title_have_the_names_of_their_members() -> None:
    """Alternative groups below one parent are told apart by their members; a title that is used once stays."""
    options = [BinaryOption("top", optional=False), BinaryOption("free")]
    for group in (("red", "blue"), ("hot", "cold")):
        for name in group:
            excluded = tuple((other,) for other in group if other != name)
            options.append(BinaryOption(name, "top", optional=False, excluded=excluded))
    assert choices_of(VariabilityModel("s", tuple(options)))[0] == ["top", "free", "red|blue", "hot|cold"]
    one = VariabilityModel("s", tuple(options[1:2] + [replace(each, parent=None) for each in options[2:4]]))
    assert choices_of(one) == (["free", "red|blue"], [(0,), (1, 2)])


OPTIONS: tuple[BinaryOption | NumericOption, ...] = (
    *switches("a"),
    *(NumericOption("n", (1.0, 2.0, 4.0)), NumericOption("m", tuple(map(float, range(1, 31))))),
)
A, N, M = map(option_term, "anm")


def surface(*terms: tuple[Term, float], link: Link = "identity", constraint: str = "") -> ResponseSurface:
    """Return the response surface of a model over n and m."""
    system = VariabilityModel("s", OPTIONS)
    if constraint:
        system = VariabilityModel("s", OPTIONS, (parse_arithmetic(constraint, system.name_table),))
    model = InfluenceModel.from_terms(terms, ("a", "n", "m"), link=link)
    return response_surface(model, link, Space(system), ("n", "m"))


def test_surfaces() -> None:
    """A cell is the mean over the other options, of products the geometric one; of many values both ends are shown.

    Pairs of values that no configuration has are empty.
    """
    found = surface((N * M, 1.0), (A, 4.0))
    assert (found.names, found.x.tolist()) == (("n", "m"), [1, 2, 4])
    assert (len(found.y), found.y[0], found.y[-1]) == (MAX_VALUES, 1, 30)
    # About half of the contexts have `a`.
    rest = found.predicted - np.outer(found.y, found.x)
    assert rest == pytest.approx(np.full_like(rest, rest[0, 0]))
    assert 1 < rest[0, 0] < 3
    product = surface((N, 0.5), (A, 3.0), link="log").predicted
    assert product[:, 1] / product[:, 0] == pytest.approx(np.exp(0.5))
    assert np.log(product[0, 0]) - 0.5 == pytest.approx(1.5, abs=0.5)
    valid = surface((N * M, 1.0), constraint="n * m <= 30")
    assert np.isnan(valid.predicted).tolist() == (np.outer(valid.y, valid.x) > 30).tolist()
