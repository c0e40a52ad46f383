"""Scripts of SPL Conqueror: lines, arguments, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import parse_spec
from splc.formats import detect
from splc.formats.models.log_writer import script_lines
from splc.formats.scripts import COMMANDS, STRATEGIES, parse_lines, sampling_of, spec_of
from splc.io.files import Source
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls
from tests.support.paths import ROOT


def test_detection() -> None:
    """The suffix of a script tells its kind, whatever it contains."""
    assert detect.kind_of(Source("x.a", b"anything")) == "script"


WORDS = st.sampled_from(
    [each.name for each in COMMANDS] + ["twise", "random", "[a,b]", "t:2", "numConfigs:3", "x=[1,2]", "#", "start", ":"]
)
LINES = st.lists(WORDS | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8), max_size=5)


@given(st.lists(LINES.map(" ".join), max_size=6))
def test_any_text(lines: list[str]) -> None:
    """Every line of any text is a command, or has a problem."""
    text = "\n".join(lines)
    script, problems = parse_lines(Source("script.a", text.encode()))
    assert all(each.file == "script.a" for each in problems)
    stated = {number for number, line in enumerate(text.splitlines(), 1) if line.partition("#")[0].strip()}
    assert {each.line for each in problems} | {each.line for each in script.commands} == stated


def test_names_are_distinct() -> None:
    """No two commands have one name."""
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    assert len(set(names)) == len(names)


BINARIES = VariabilityModel("a", (BinaryOption("a"), BinaryOption("b")))


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: f"{each.kind} {each.name} {each.flag}")
def test_lines_are_read_back(strategy: object) -> None:
    """The line of a spec is read back as that spec, for every strategy."""
    row = next(each for each in STRATEGIES if each is strategy)
    flag = f" {row.flag}:true" if row.flag else ""
    needed = "".join(f" {key.name}:2" for key in row.keys if key.ours is not None and key.default is None)
    spec = sampling_of(row.kind, row.name + needed + flag).resolved(2)
    if row.kind == "numeric":
        spec = f"all+{spec}"
    elif row.kind == "binary":
        spec = f"{spec}+ff"
    line = script_lines(spec)[1 if row.kind == "numeric" else 0]
    again = sampling_of(row.kind, line.removeprefix(row.kind))
    assert parse_spec(spec_of([again], _system(row.kind))).text == parse_spec(spec).text


def _system(kind: str) -> VariabilityModel:
    numeric = NumericOption("x", (1.0, 2.0))
    return BINARIES if kind == "hybrid" else VariabilityModel("b", (*BINARIES.options, numeric))


def spec(kind: Any, arguments: str) -> str:
    """Return the spec of a command."""
    return sampling_of(kind, arguments).spec


def drawn(*commands: str, redraws: bool = False, file: str = "") -> str:
    """Return the spec of commands for a system of two binary options, and a numeric one if it is named."""
    samplings = [sampling_of(each.split()[0], each.split(maxsplit=1)[1]) for each in commands]  # type: ignore[arg-type]
    is_numeric = any(each.startswith("numeric") or "only" in each for each in commands)
    system = _system("numeric" if is_numeric else "hybrid")
    return spec_of([replace(each, redraws=redraws) for each in samplings], system, file)


def test_calls() -> None:
    """Strategies become specs, and specs lines of scripts, as the golden file has it."""
    check_calls("samplings-of-scripts", script_lines, spec, drawn)


def test_the_page_names_everything() -> None:
    """The page about SPL Conqueror names every command and every strategy."""
    page = (ROOT / "docs" / "howto" / "spl-conqueror.md").read_text(encoding="utf-8")
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    for name in (*names, *(name for each in STRATEGIES for name in (each.name, each.design))):
        assert f"`{name}" in page or f" {name}" in page, name
