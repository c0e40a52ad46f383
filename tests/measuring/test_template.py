"""Command templates."""

from __future__ import annotations

import shlex

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.command_strings import output_strings
from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.measuring.command import BoundCommand, bind, parse_template
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel

EXTRAS = ("options", "repetition")


def bound(text: str, configurations: Configurations) -> BoundCommand:
    """Return a template over configurations."""
    template = parse_template(text, configurations.system, EXTRAS)
    return bind(template, configurations, output_strings(configurations))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("''", ["''"] * 4),
        ("run {x}", ["run 1", "run 2.5", "run 1000000", "run 1"]),
        ("run -x={x} '{ x }'", ["run -x=1 1", "run -x=2.5 2.5", "run -x=1000000 1000000", "run -x=1 1"]),
        ("run {cache}", ["run 0", "run 1", "run 0", "run 1"]),
        ("run {cache?--cache}", ["run", "run --cache", "run", "run --cache"]),
        ("run {cache?--a 'b c'|-n}", ["run -n", "run --a 'b c'", "run -n", "run --a 'b c'"]),
        ("run c={cache?on|off}", ["run c=off", "run c=on", "run c=off", "run c=on"]),
        ("run {level?--level {level}}", ["run --level 3", "run --level 4", "run", "run"]),
        ("run {level?{cache?a|b}|{x}}", ["run b", "run a", "run 1000000", "run 1"]),
        ("run {= 2*x + cache}", ["run 2", "run 6", "run 2000000", "run 3"]),
        ("run {=x}{=2*x}", ["run 12", "run 2.55", "run 10000002000000", "run 12"]),
        ("run {options} end", ["run -x1 --level=3 end", "run --cache on -x2.5 --level=4 end"]),
        ("run {{x}} {{{x}}}", ["run '{x}' '{1}'", "run '{x}' '{2.5}'"]),
        ("run '' \"a b\" c\\ d", ["run '' 'a b' 'c d'"]),
        ("run '$HOME' `ls` ;>|", ["run '$HOME' '`ls`' ';>|'"]),
        ("run {repetition}", ["run '{repetition}'"]),
    ],
)
def test_arguments(text: str, arguments: list[str], configurations: Configurations) -> None:
    """A template gives the argument vector of each configuration, split like a shell's but run without one."""
    command = bound(text, configurations)
    given_lines = [shlex.join(command.arguments(row)) for row in range(len(configurations))]
    assert given_lines[: len(arguments)] == arguments


@given(st.lists(st.text(st.characters(exclude_characters="\0\x01\x02", exclude_categories=["Cs"])), max_size=5))
def test_what_is_quoted_arrives(words: list[str]) -> None:
    """Any text that is quoted as for a shell, its braces doubled, arrives as it is."""
    model = VariabilityModel("s", (BinaryOption("b"),))
    text = shlex.join(["run", *words]).replace("{", "{{").replace("}", "}}")
    command = bind(parse_template(text, model, ()), Configurations(model, np.array([[0]])))
    assert command.arguments(0) == ("run", *words)


def test_extras(configurations: Configurations) -> None:
    """Placeholders that are not options are filled in when the run is known."""
    assert bound("run r{repetition}", configurations).arguments(0, {"repetition": "3"}) == ("run", "r3")


def test_an_option_comes_first() -> None:
    """An option of the name of an extra is meant where both could be."""
    model = VariabilityModel("s", (NumericOption("repetition", (7.0,)),))
    command = bind(parse_template("run {repetition}", model, EXTRAS), Configurations(model, np.array([[0]])))
    assert command.arguments(0, {"repetition": "1"}) == ("run", "7")


GROUPED = VariabilityModel(
    "s",
    (
        BinaryOption("solver", optional=True),
        BinaryOption(
            "cg",
            parent="solver",
            optional=False,
            excluded=(("mg",), ("direct",)),
            presentation=Presentation(output_string=" CG "),
        ),
        BinaryOption("mg", parent="solver", optional=False, excluded=(("cg",), ("direct",))),
        BinaryOption(
            "direct",
            parent="solver",
            optional=False,
            excluded=(("cg",), ("mg",)),
            presentation=Presentation(output_string="--direct now"),
        ),
    ),
)


def test_group_gives_its_selected_child() -> None:
    """The parent of an alternative group is replaced by its child's output string, or name; elsewhere it is a value."""
    rows = Configurations(GROUPED, np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]]))
    command = bound("run {solver?-s {solver}|none} {cg} {= 2*solver}", rows)
    lines = [shlex.join(command.arguments(row)) for row in range(4)]
    assert lines == ["run -s CG 1 2", "run -s mg 0 2", "run -s direct 0 2", "run none 0 0"]
    assert set(command.template.option_names) == {"solver", "cg", "mg", "direct"}
    with pytest.raises(SpecError, match="solver is deselected in 1 configuration, but the command needs its value"):
        bound("run {solver}", rows)
