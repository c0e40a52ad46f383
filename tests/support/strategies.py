"""Hypothesis strategies: random small variability models with every kind of option and constraint."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.system.constraints import BooleanConstraint, Constraint, OptionLiteral, parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel

Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def binary_options(draw: Draw, most: int = 5) -> tuple[BinaryOption, ...]:
    """Binary options with parents, implications and exclusions among them."""
    names = [f"b{i}" for i in range(draw(st.integers(0, most)))]
    options = []
    for rank, name in enumerate(names):
        others = [other for other in names if other != name]
        groups = st.lists(st.lists(st.sampled_from(others), min_size=1, max_size=2, unique=True), max_size=1)
        options.append(
            BinaryOption(
                name,
                parent=draw(st.sampled_from([None, *names[:rank]])),
                optional=draw(st.booleans()),
                implied=tuple(map(tuple, draw(groups))) if others else (),
                excluded=tuple(map(tuple, draw(groups))) if others else (),
            )
        )
    return tuple(options)


@st.composite
def numeric_options(draw: Draw, most: int = 2, optional: bool = True) -> tuple[NumericOption, ...]:
    """Numeric options with few values, some of them optional."""
    options = []
    for rank in range(draw(st.integers(0, most))):
        values = draw(st.lists(st.integers(-2, 6), min_size=1, max_size=4, unique=True))
        flag = draw(st.sampled_from([None, -99.0])) if optional else None
        options.append(NumericOption(f"n{rank}", tuple(map(float, sorted(values))), deselected_flag=flag))
    return tuple(options)


@st.composite
def constraints(draw: Draw, model: VariabilityModel) -> Constraint:
    """A boolean, non-boolean or mixed constraint over the options (and switches and the root) of a model."""
    names = [*model.names, *model.switches, ROOT]
    if draw(st.booleans()):
        literals = draw(
            st.lists(st.builds(OptionLiteral, st.sampled_from(names), st.booleans()), min_size=1, max_size=3)
        )
        conjunction = draw(st.integers(0, 3)) == 0
        sign = (" & " if conjunction else " | ").join(f"{'' if x.positive else '!'}{x.name}" for x in literals)
        return BooleanConstraint(tuple(literals), conjunction, sign)
    factor = st.one_of(st.sampled_from(names), st.sampled_from(names), st.integers(0, 3).map(str))
    terms = st.lists(st.tuples(factor, st.sampled_from([" + ", " - ", " * ", " / "])), min_size=1, max_size=4).map(
        lambda parts: "".join(f"{name}{sign}" for name, sign in parts[:-1]) + parts[-1][0]
    )
    text = f"{draw(terms)} {draw(st.sampled_from(['>=', '<=', '!=', '=', '<', '>']))} {draw(terms)}"
    mixed = draw(st.booleans())
    return parse_arithmetic(
        text,
        model.name_table,
        "mixed" if mixed else "non-boolean",
        draw(st.sampled_from(["all", "none"])) if mixed else "all",
        draw(st.booleans()) if mixed else False,
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
    stated = tuple(draw(constraints(bare)) for _ in range(draw(st.integers(0, most_constraints))))
    return VariabilityModel("random", options, stated)


def all_assignments(model: VariabilityModel) -> Configurations:
    """Return every combination of value indices, valid or not, in lexicographic order."""
    rows = list(itertools.product(*(range(option.size) for option in model.options)))
    return Configurations(model, np.array(rows))
