"""Hypothesis strategies: random small variability models with every kind of option and constraint."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.system.constraints import BooleanConstraint, Constraint, OptionLiteral, parse_arithmetic
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
