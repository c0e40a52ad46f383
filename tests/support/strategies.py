"""Random systems, one with constraints too complex to count, spaces that are not empty, and models of few terms."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Derived
from splc.models.terms import Subexpression, Term, option_term, product_of, quoted
from splc.models.text.reader import expand_subexpression
from splc.system.constraints import BooleanConstraint, Constraint, OptionLiteral, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel

Draw = Callable[[st.SearchStrategy[Any]], Any]


BOOLEANS = st.booleans()
VALUES = st.lists(st.integers(-2, 6), min_size=1, max_size=4, unique=True)
COMPARISONS = st.sampled_from([">=", "<=", "!=", "=", "<", ">"])
# Strategies are made once: making them takes as long as drawing from them.
_up_to = cache(lambda most: st.integers(0, most))
_one_of = cache(lambda *values: st.sampled_from(values))


@cache
def _groups(names: tuple[str, ...]) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(st.lists(_one_of(*names), min_size=1, max_size=2, unique=True), max_size=1)


@st.composite
def binary_options(draw: Draw, most: int = 5) -> tuple[BinaryOption, ...]:
    """Binary options with parents, implications and exclusions among them."""
    names = [f"b{i}" for i in range(draw(_up_to(most)))]
    options = []
    for rank, name in enumerate(names):
        others = tuple(other for other in names if other != name)
        options.append(
            BinaryOption(
                name,
                parent=draw(_one_of(None, *names[:rank])),
                optional=draw(BOOLEANS),
                implied=tuple(map(tuple, draw(_groups(others)))) if others else (),
                excluded=tuple(map(tuple, draw(_groups(others)))) if others else (),
            )
        )
    return tuple(options)


@st.composite
def numeric_options(draw: Draw, most: int = 2, optional: bool = True) -> tuple[NumericOption, ...]:
    """Numeric options with few values, some of them optional."""
    options = []
    for rank in range(draw(_up_to(most))):
        values = draw(VALUES)
        flag = draw(_one_of(None, -99.0)) if optional else None
        options.append(NumericOption(f"n{rank}", tuple(map(float, sorted(values))), deselected_flag=flag))
    return tuple(options)


@cache
def _parts(names: tuple[str, ...]) -> tuple[st.SearchStrategy[list[OptionLiteral]], st.SearchStrategy[str]]:
    """Return the strategies of the literals of a boolean constraint, and of a side of another one."""
    literals = st.lists(st.builds(OptionLiteral, _one_of(*names), BOOLEANS), min_size=1, max_size=3)
    factor = st.one_of(_one_of(*names), _one_of(*names), _up_to(3).map(str))
    terms = st.lists(st.tuples(factor, _one_of(" + ", " - ", " * ", " / ")), min_size=1, max_size=4)
    return literals, terms.map(lambda parts: "".join(f"{name}{sign}" for name, sign in parts[:-1]) + parts[-1][0])


@st.composite
def constraints(draw: Draw, model: VariabilityModel) -> Constraint:
    """A boolean, non-boolean or mixed constraint over the options (and switches and the root) of a model."""
    literals, sides = _parts((*model.names, *model.switches, ROOT))
    if draw(BOOLEANS):
        chosen = draw(literals)
        conjunction = draw(_up_to(3)) == 0
        sign = (" & " if conjunction else " | ").join(f"{'' if x.positive else '!'}{x.name}" for x in chosen)
        return BooleanConstraint(tuple(chosen), conjunction, sign)
    text = f"{draw(sides)} {draw(COMPARISONS)} {draw(sides)}"
    mixed = draw(BOOLEANS)
    return parse_arithmetic(
        text,
        model.name_table,
        "mixed" if mixed else "non-boolean",
        draw(_one_of("all", "none")) if mixed else "all",
        draw(BOOLEANS) if mixed else False,
    )


@st.composite
def models(
    draw: Draw, binary: int = 5, numeric: int = 2, most_constraints: int = 3, optional: bool = True
) -> VariabilityModel:
    """A variability model with at least one option; it may have no valid configuration."""
    options = (*draw(binary_options(binary)), *draw(numeric_options(numeric, optional)))
    if not options:
        options = (BinaryOption("b0"),)
    bare = VariabilityModel("random", options)
    stated = tuple(draw(constraints(bare)) for _ in range(draw(_up_to(most_constraints))))
    return VariabilityModel("random", options, stated)


def all_assignments(model: VariabilityModel) -> Configurations:
    """Return every combination of value indices, valid or not, in lexicographic order."""
    rows = list(itertools.product(*(range(option.size) for option in model.options)))
    return Configurations(model, np.array(rows))


def system_of(options: int, clauses: Iterable[str]) -> VariabilityModel:
    """Return a system of optional options `o0`, `o1`, … with constraints among them."""
    bare = VariabilityModel("s", tuple(BinaryOption(f"o{number}", optional=True) for number in range(options)))
    return replace(bare, constraints=tuple(parse_boolean(text, bare.name_table) for text in clauses))


def random_clauses(options: int, number: int, seed: int) -> list[str]:
    """Return random clauses of three options."""
    rng = np.random.default_rng(seed)
    return [
        " | ".join(("!" if rng.random() < 0.5 else "") + f"o{at}" for at in rng.choice(options, 3, replace=False))
        for _ in range(number)
    ]


# Its diagrams are given up within a second; solvers and chains find configurations.
ENTANGLED = system_of(60, random_clauses(60, 100, 0))


@st.composite
def influence_models(draw: st.DrawFn, system: VariabilityModel, least: int = 0) -> InfluenceModel:
    """Draw a model of few terms with whole influences, so that sums are exact in any order.

    `least`: the least number of terms, before equal ones are merged; with some, none is the constant.
    """
    names = [*system.names, *system.switches]
    functions = dict(draw(st.lists(_function(system), max_size=2))) if system.numeric_options else {}
    pairs = [(_product(term), float(influence)) for term, influence in draw(_pairs((*names, *functions), least))]
    return InfluenceModel.from_terms(pairs, names, derived=functions.values())


def spaces(**sizes: Any) -> st.SearchStrategy[Space]:
    """Return the strategy of spaces with a valid configuration; `sizes`: as for `models`."""
    return models(**sizes).map(Space).filter(lambda space: space.count > 0)


@st.composite
def spaces_with_model(draw: st.DrawFn, /, least: int = 0, **sizes: Any) -> tuple[Space, InfluenceModel]:
    """Draw a space with a valid configuration, and a model of its options as `influence_models` does."""
    space = draw(spaces(**sizes))
    return space, draw(influence_models(space.system, least))


@cache
def _pairs(names: tuple[str | Subexpression, ...], least: int) -> st.SearchStrategy[list[tuple[list[str], int]]]:
    term = st.lists(st.sampled_from(names), min_size=min(1, least), max_size=3)
    influence = st.sampled_from([1, 2, 3, -1, -2, -3] if least else range(-3, 4))
    return st.lists(st.tuples(term, influence), min_size=least, max_size=max(4, least))


FORMS = st.sampled_from(["[{} >= {!r}]", "[{} < {!r}]", "min({}, {!r})", "max({}, {!r})"])


@st.composite
def _function(draw: st.DrawFn, system: VariabilityModel) -> tuple[Subexpression, Derived]:
    """Draw a threshold or a saturation of a numeric option, with its name."""
    option = draw(st.sampled_from(system.numeric_options))
    form = draw(FORMS)
    name, derived = expand_subexpression(form.format(quoted(option.name), draw(st.sampled_from(option.values))), None)
    return name, derived[name]


def _product(names: list[str]) -> Term:
    return product_of(factor for name in names for factor in option_term(name).factors)
