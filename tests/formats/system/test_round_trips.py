"""Feature models that are written and read again: every format keeps the valid configurations."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc.errors import OutputError
from splc.formats import registry
from splc.formats.system.read import parse_system
from splc.io.files import read_source
from splc.system.constraints import BooleanConstraint, Constraint, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, Option
from splc.system.variability import ROOT, VariabilityModel
from tests.support.examples import examples
from tests.support.strategies import all_assignments, models

CLAUSES = ("featureide", "dimacs", "configspace")
# Names with signs and words of the formats.
NAMES = ("a b", "x.y", "größe", "mandatory", "c(d)", "~e", "f-1", "7zip", "g|h", "root2")


def valid(system: VariabilityModel, names: Sequence[str]) -> set[tuple[float, ...]]:
    """Return the valid configurations by brute force, as values in this order, -99 for deselected options."""
    every = all_assignments(system)
    found = every[Space(system).check(every)]
    values = np.column_stack([np.nan_to_num(found.column(name), nan=-99.0) for name in names])
    return set(map(tuple, values.tolist()))


def through(system: VariabilityModel, form: str) -> VariabilityModel:
    """Return a system that was written and read in a format."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        registry.format_named("system", form).write(system, path)
        source = replace(read_source(path), name="anything")
        assert registry.kind_of(source) == "system"
        found = registry.format_of("system", source)
        assert found is not None
        assert found.name == form
        return parse_system(source)


def renamed(system: VariabilityModel, names: Sequence[str]) -> VariabilityModel:
    """Return a system whose binary options have other names."""
    new = {option.name: name for option, name in zip(system.binary_options, names, strict=False)}
    new |= {option.name: option.name for option in system.numeric_options} | {ROOT: ROOT}

    def groups(given: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(new[name] for name in group) for group in given)

    options: list[Option] = []
    for option in system.options:
        parent = None if option.parent is None else new[option.parent]
        if isinstance(option, BinaryOption):
            implied, excluded = groups(option.implied), groups(option.excluded)
            option = replace(option, implied=implied, excluded=excluded)
        options.append(replace(option, name=new[option.name], parent=parent))
    bare = VariabilityModel(system.name, tuple(options))
    stated: list[Constraint] = []
    for constraint in system.constraints:
        text = re.sub(r"\bb\d\b", lambda found: f"`{new[found[0]]}`", constraint.text)
        if isinstance(constraint, BooleanConstraint):
            stated.append(parse_boolean(text, bare.name_table))
        else:
            how = (constraint.kind, constraint.requires, constraint.negated)
            stated.append(parse_arithmetic(text, bare.name_table, *how))
    return replace(bare, constraints=tuple(stated))


@pytest.mark.parametrize("form", ["xml", "uvl", *CLAUSES])
@examples(24)
@given(system=models(binary=5, numeric=0), names=st.permutations(NAMES))
def test_binary_options(form: str, system: VariabilityModel, names: list[str]) -> None:
    """A system of binary options has the same valid configurations in every format, whatever its names are."""
    assume(Space(system).count)
    system = renamed(system, names)
    read = through(system, form)
    assert set(system.names) <= set(read.names)
    assert valid(read, system.names) == valid(system, system.names)
    assert Space(read).count == Space(system).count


@given(system=models(binary=3, numeric=2))
def test_numeric_options(system: VariabilityModel) -> None:
    """UVL keeps the valid configurations of numeric options, too, unless it names the constraints that it lacks."""
    assume(Space(system).count)
    try:
        read = through(system, "uvl")
    except OutputError as error:
        lacking = {problem.text for problem in error.problems}
    else:
        assert valid(read, system.names) == valid(system, system.names)
        return
    assert lacking
    assert lacking <= {constraint.text for constraint in system.constraints}
