"""Commands and what they print: templates, arguments, programs, and the values of properties."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.command_strings import output_strings
from splc.data.configurations import Configurations
from splc.io.csv_rows import split_line
from splc.measuring.command import BoundCommand, bind, parse_template, program
from splc.measuring.properties import extract, parse_properties
from splc.measuring.runner import Ended
from splc.measuring.setup import require_batchable
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls, check_cases, check_messages

EXTRAS = ("options", "repetition")


def bound(text: str, configurations: Configurations) -> BoundCommand:
    """Return a template over configurations."""
    return bind(parse_template(text, configurations.system, EXTRAS), configurations, output_strings(configurations))


def lines(command: BoundCommand) -> list[str]:
    """Return the argument vectors of all configurations, quoted as for a shell."""
    return [shlex.join(command.arguments(row)) for row in range(command.count)]


def test_arguments(configurations: Configurations) -> None:
    """A template gives the argument vector of each configuration, split like a shell's but run without one."""
    check_cases("command-lines", lambda text: lines(bound(text, configurations)))


def test_messages(configurations: Configurations) -> None:
    """Messages about a command have its text or the placeholder; all are reported together, before anything is run."""
    system = configurations.system
    check_messages("commands", lambda text: bind(parse_template(text, system, EXTRAS), configurations))
    template = parse_template("run {x} {cache?a} {options}", system, EXTRAS)
    check_messages("output-strings", lambda text: bind(template, configurations, text.split("|")))
    check_messages("batch-commands", lambda text: require_batchable(text.split(), template, system))
    require_batchable(["cache", "x"], parse_template("run {x} {cache?a}", system, EXTRAS), system)


@given(st.lists(st.text(st.characters(exclude_characters="\0\x01\x02", exclude_categories=["Cs"])), max_size=5))
def test_what_is_quoted_arrives(words: list[str]) -> None:
    """Any text that is quoted as for a shell, its braces doubled, arrives as it is."""
    model = VariabilityModel("s", (BinaryOption("b"),))
    text = shlex.join(["run", *words]).replace("{", "{{").replace("}", "}}")
    command = bind(parse_template(text, model, ()), Configurations(model, np.array([[0]])))
    assert command.arguments(0) == ("run", *words)


@pytest.mark.parametrize(("name", "word"), [("x", "r3"), ("repetition", "r7")])
def test_extras(name: str, word: str) -> None:
    """Placeholders that are not options are filled in when the run is known; an option of this name comes first."""
    rows = Configurations(VariabilityModel("s", (NumericOption(name, (7.0,)),)), np.array([[0]]))
    assert bound("run r{repetition}", rows).arguments(0, {"repetition": "3"}) == ("run", word)


def child(name: str, output: str | None = None) -> BinaryOption:
    """Return a child of the alternative group `solver`."""
    excluded = tuple((other,) for other in ("cg", "mg", "direct") if other != name)
    presentation = Presentation(output_string=output)
    return BinaryOption(name, parent="solver", optional=False, excluded=excluded, presentation=presentation)


def test_group_gives_its_selected_child() -> None:
    """The parent of an alternative group is replaced by its child's output string, or name; elsewhere it is a value."""
    options = (BinaryOption("solver", optional=True), child("cg", " CG "), child("mg"), child("direct", "--direct now"))
    rows = Configurations(
        VariabilityModel("s", options), np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    )
    command = bound("run {solver?-s {solver}|none} {cg} {= 2*solver}", rows)
    assert lines(command) == ["run -s CG 1 2", "run -s mg 0 2", "run -s direct 0 2", "run none 0 0"]
    assert set(command.template.option_names) == {"solver", "cg", "mg", "direct"}
    check_messages("groups", lambda text: bound(text, rows))


def test_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program is a path, or is found in PATH; messages have what is wrong with it, and what to do."""
    monkeypatch.chdir(tmp_path)
    Path("solver").touch()
    Path("below").mkdir()
    check_messages("programs", lambda name: program(name, "."))
    Path("solver").chmod(0o755)
    assert program("./solver", ".") == program("solver", "/", str(tmp_path)) == str(tmp_path / "solver")


NESTED = json.dumps({"a": {"b.c": [1, {"d": "2.5"}], "n": None, "t": True}, "big": 10**400})


def value(text: str, stdout: str = "") -> float | str:
    """Return the value of a property, or why there is none."""
    values, wrong = extract(parse_properties([text], ()), Ended(0, stdout, "took 2", 1.5, 0.25))
    assert len(values) + len(wrong) == 1
    return wrong[0] if wrong else next(iter(values.values()))


def test_properties() -> None:
    """Properties and their values, and messages about them."""
    check_calls("properties", parse_properties, value, split_line, NESTED=NESTED, LARGEST=csv.field_size_limit())


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_arrives(number: float) -> None:
    """Every finite number is read as it was printed, from all sources."""
    assert value("p=csv:p", f"a,p\n1,{number!r}\n") == number
    assert value("p=json:p", json.dumps({"p": number})) == number
    assert value("p=regex:p=(.*)", f"p={number!r}") == number
