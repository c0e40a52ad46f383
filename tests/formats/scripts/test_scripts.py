"""Scripts of SPL Conqueror: lines, arguments, and what is wrong with them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import parse_spec
from splc.formats import detect
from splc.formats.scripts.commands import COMMANDS, parse_lines
from splc.formats.scripts.samplings import STRATEGIES, sampling_of, script_lines, spec_of
from splc.io.files import Source
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls
from tests.support.paths import ROOT


@pytest.mark.parametrize(("name", "text"), [("x.a", "anything"), ("x", "# c\nvm a.xml"), ("x", "log a.log\nvm a.xml")])
def test_detection(name: str, text: str) -> None:
    """Scripts are told by their suffix, or by their first command."""
    assert detect.kind_of(Source(name, text.encode())) == "script"


@pytest.mark.parametrize("text", ["2 * x + log(y)", "all * 3", "log = 5", "binary,numeric,time\n1,2,3", "vm / 2"])
def test_what_is_no_script(text: str) -> None:
    """Model text and tables are no scripts, although options may have the names of commands."""
    assert detect.kind_of(Source("x", text.encode())) != "script"


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


def test_the_number_of_binary_options() -> None:
    """`random` without a number draws as many configurations as there are binary options."""
    assert spec_of([sampling_of("binary", "random")], BINARIES) == "random:2,compat,seed=0"


def test_draws_of_the_program_before_june_2023() -> None:
    """Random binary selections have the rule of the older program; other samplings are the same."""
    for arguments, spec in (("random numConfigs:5 seed:3", "random:5,compat=2018,seed=3"), ("negfw", "negoptionwise")):
        assert spec_of([replace(sampling_of("binary", arguments), redraws=True)], BINARIES) == spec
    numeric = [sampling_of("binary", "allbinary"), sampling_of("numeric", "random sampleSize:2 seed:1")]
    assert spec_of([replace(each, redraws=True) for each in numeric], _system("binary")) == "all+random:2,compat,seed=1"


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda each: f"{each.kind} {each.name} {each.flag}")
def test_lines_are_read_back(strategy: object) -> None:
    """The line of a spec is read back as that spec, for every strategy."""
    row = next(each for each in STRATEGIES if each is strategy)
    flag = f" {row.flag}:true" if row.flag else ""
    needed = "".join(f" {key.name}:2" for key in row.keys if key.default is None)
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


def test_parts_of_hybrid_samplings() -> None:
    """A hybrid sampling of one kind of options is a part, which is joined with the other kind."""
    found = sampling_of("hybrid", "distribution-aware onlyBinary:true numConfigs:3")
    assert found.kind == "binary"
    assert spec_of([found], _system("binary")) == "distaware:3,seed=0+ff"
    assert sampling_of("hybrid", "distribution-aware onlyNumeric:true onlyBinary:false").kind == "numeric"


def test_a_file_to_draw_from() -> None:
    """The file takes its place in the spec when the script runs; a name with signs of specs is refused."""
    found = sampling_of("binary", "random numConfigs:3 fromFile:../all.csv")
    assert (found.file, spec_of([found], BINARIES, "/tmp/all.csv")) == (
        "../all.csv",
        "random:3,compat,seed=0,from=/tmp/all.csv",
    )


def test_options_in_lines() -> None:
    """A restriction to options is part of the line."""
    assert script_lines("pairwise[a,b]+pb:9,3[x]") == (
        "binary pairwise [a,b]",
        "numeric plackettburman measurements:9 level:3 [x]",
    )


def test_calls() -> None:
    """Strategies become specs, and specs lines of scripts, as the golden file has it."""
    check_calls("samplings-of-scripts", script_lines, spec=lambda kind, arguments: sampling_of(kind, arguments).spec)


def test_the_page_names_everything() -> None:
    """The page about SPL Conqueror names every command and every strategy."""
    page = (ROOT / "docs" / "howto" / "spl-conqueror.md").read_text(encoding="utf-8")
    names = [name for each in COMMANDS for name in (each.name, *each.aliases)]
    for name in (*names, *(name for each in STRATEGIES for name in (each.name, each.design))):
        assert f"`{name}" in page or f" {name}" in page, name
