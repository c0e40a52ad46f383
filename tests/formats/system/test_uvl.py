"""UVL: features, groups, constraints, numbers, and what cannot be expressed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from antlr4 import CommonTokenStream, InputStream
from antlr4.error.ErrorListener import ErrorListener
from hypothesis import assume, event, given, reject
from hypothesis import strategies as st
from uvl.UVLCustomLexer import UVLCustomLexer
from uvl.UVLPythonParser import UVLPythonParser

from sampling import Space
from splc.errors import OutputError, SplcError
from splc.formats import detect
from splc.formats.detect import read_variability_model
from splc.formats.system.uvl import parse_uvl, write_uvl
from splc.io.files import Source, read_source
from splc.system.constraints import BooleanConstraint, Constraint, parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, Option
from splc.system.variability import ROOT, VariabilityModel
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.strategies import all_assignments, models


def read(text: str) -> VariabilityModel:
    """Read a model."""
    return parse_uvl(Source("f.uvl", text.encode()))


def test_comments_and_line_ends() -> None:
    """Comments, blank lines, spaces instead of tabs, and line ends of other systems do not matter."""
    plain = "features\n\tR\n\t\toptional\n\t\t\tA\n\t\t\tB\nconstraints\n\tA => B\n"
    commented = "// a\n/* b\n c */\n" + plain.replace("\n", "  // d\n\n")
    for text in (commented, plain.replace("\t", "    "), plain.replace("\n", "\r\n"), "\ufeff" + plain, plain.rstrip()):
        assert read(text) == read(plain)


def read_in(form: str, text: str) -> Lines:
    """Return how much a file states, with the last constraint."""
    found: VariabilityModel = detect.format_named("system", form).read(Source(f"f.{form}", text.encode()))
    texts = [f"{each.text:.60}" for each in found.constraints]
    return Lines("\n".join([f"{len(found.options)} options, {len(texts)} constraints", *texts[-1:]]))


def uvl(constraint: str, members: str = "") -> Lines:
    """Return how much a model of two features, three numbers and others states with a constraint."""
    optional, mandatory = (f"\t\t{kind}\n" for kind in ("optional", "mandatory"))
    features = (
        f"features\n\tR\n{optional}\t\t\tA\n\t\t\tB\n\t\t\tInteger o\n{mandatory}\t\t\tInteger n\n\t\t\tInteger m\n"
    )
    known = [f"{name} >= 1 & {name} <= 1000" for name in "nmo"]
    return read_in("uvl", f"{features}{members}constraints\n" + "".join(f"\t{each}\n" for each in (*known, constraint)))


def options_of(count: int) -> str:
    """Return the lines of optional features, or of a group."""
    return "\t\toptional\n" + "".join(f"\t\t\tX{at}\n\t\t\tY{at}\n" for at in range(count))


def write_in(form: str, constraint: str, numbers: int = 3) -> str:
    """Return whether a system of binary options and one of numbers, if any, is written with a constraint."""
    values = {f"b{at}": bool for at in range(14)} | ({"x": [float(at) for at in range(numbers)]} if numbers else {})
    with tempfile.TemporaryDirectory() as folder:
        detect.format_named("system", form).write(VariabilityModel.of(values, [constraint]), Path(folder) / "file")
    return "written"


def test_limits() -> None:
    """A system or a file beyond a limit is refused by its name; one at the limit is read and written."""
    check_calls("system-limits", uvl, read=read_in, write=write_in, options=options_of)


FEATURES = ("A", "B", '"C d"', "A {x 1, y 'z'}", "B {c [1, true]}", *"DEFGHIJKLMNO")
GROUPS = ("mandatory", "optional", "or", "[1..2]", "alternative")
CONSTRAINTS = ("A => B", "!(A & B) | A", "(A", "A &", "A <=> B & !A", "A B", "=> A", '"C d" | A', "A | | B", "!!B")


class Errors(ErrorListener):  # type: ignore[misc]
    """Collects the syntax errors of a text."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []

    def syntaxError(self, recognizer: Any, symbol: Any, line: int, column: int, message: str, error: Any) -> None:  # noqa: N802
        """Add an error."""
        self.lines.append(line)


def tree_of(text: str) -> tuple[Any, list[int]]:
    """Return the syntax tree of a text, and the lines of its errors."""
    errors = Errors()
    lexer = UVLCustomLexer(InputStream(text))
    parser = UVLPythonParser(CommonTokenStream(lexer))
    for each in (lexer, parser):
        each.removeErrorListeners()
        each.addErrorListener(errors)
    return parser.featureModel(), errors.lines


def features(tree: Any) -> Iterator[str]:
    """Yield the names of the features in a syntax tree, in their order."""
    if isinstance(tree, UVLPythonParser.FeatureContext):
        yield tree.reference().getText().strip('"')
    for child in getattr(tree, "children", None) or ():
        yield from features(child)


@examples(20)
@given(models(binary=5, numeric=1, most_constraints=2))
def test_written_models(system: VariabilityModel) -> None:
    """Written models have no syntax errors, and the features of the system."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.uvl"
        try:
            write_uvl(system, path)
        except OutputError:
            reject()
        tree, errors = tree_of(path.read_text(encoding="utf-8"))
    assert errors == []
    assert set(system.names) <= set(features(tree))


def messages(text: str) -> list[str]:
    """Return what our reader says against a text."""
    try:
        parse_uvl(Source("f.uvl", text.encode()))
    except SplcError as error:
        return [problem.message for problem in error.problems]
    return []


def subtrees(depth: int) -> st.SearchStrategy[str]:
    """Lines of a feature and of all below it."""
    names = st.sampled_from(FEATURES if depth > 1 else ["R"]).map(lambda name: "\t" * depth + f"{name}\n")
    if depth > 4:
        return names
    keywords = st.sampled_from(GROUPS).map(lambda keyword: "\t" * (depth + 1) + f"{keyword}\n")
    members = st.lists(subtrees(depth + 2), min_size=1, max_size=2).map("".join)
    groups = st.tuples(keywords, members).map("".join)
    return st.tuples(names, st.lists(groups, max_size=2).map("".join)).map("".join)


@given(subtrees(1))
def test_features(tree_text: str) -> None:
    """Every feature tree of UVL is read, unless a name is used twice or a group cannot be fulfilled."""
    text = f"features\n{tree_text}"
    tree, errors = tree_of(text)
    assert errors == []
    found = messages(text)
    event("refused" if found else "read")
    if found:
        # A feature that is used twice may be below itself.
        reasons = ("used twice", "can never be fulfilled", "is its own ancestor")
        assert all(any(reason in message for reason in reasons) for message in found)
    else:
        assert set(parse_uvl(Source("f.uvl", text.encode())).names) == set(features(tree))


@pytest.mark.parametrize("text", CONSTRAINTS)
def test_constraints_of_the_grammar(text: str) -> None:
    """A constraint is one for both readers or for neither."""
    model = f'features\n\tR\n\t\toptional\n\t\t\tA\n\t\t\tB\n\t\t\t"C d"\nconstraints\n\t{text}\n'
    _, errors = tree_of(model)
    assert bool(errors) == bool(messages(model))


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
        detect.format_named("system", form).write(system, path)
        source = replace(read_source(path), name="anything")
        assert detect.kind_of(source) == "system"
        found = detect.format_of("system", source)
        assert found is not None
        assert found.name == form
        return read_variability_model(source)


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


@pytest.mark.parametrize("form", ["xml", "uvl", "featureide", "dimacs", "configspace"])
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
