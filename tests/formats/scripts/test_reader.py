"""Scripts of SPL Conqueror: lines, arguments, and what is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.formats import registry
from splc.formats.scripts.commands import COMMANDS, ScriptCommand
from splc.formats.scripts.reader import parse_lines, parse_script, settings_of
from splc.io.files import Source


def commands(text: str) -> tuple[ScriptCommand, ...]:
    """Return the commands of a script."""
    return parse_script(Source("script.a", text.encode())).commands


def test_lines() -> None:
    """Comments, empty lines, letter case and Windows line ends have no meaning; the text is kept for the echo."""
    found = commands("# a script\r\n\r\nVM  My Models/a.xml  # the system\r\n  analyze-learning\r\n")
    assert [(each.name, each.line, each.text, each.words) for each in found] == [
        ("vm", 3, "VM  My Models/a.xml", ("My Models/a.xml",)),
        ("analyze-learning", 4, "analyze-learning", ()),
    ]


def test_every_command_of_a_small_script() -> None:
    """Names, files and truth values are arguments."""
    texts = ["nfp run time", "log my log.txt", "select-all-measurements true", "solver z3", "printsettings"]
    assert [each.words for each in commands("\n".join(texts))] == [
        ("run time",),
        ("my log.txt",),
        ("true",),
        ("z3",),
        (),
    ]


def test_older_spellings() -> None:
    """`start` learns, and strategies were commands of their own."""
    found = commands("start\nallbinary\nrandom numConfigs:3 seed:2\nexpdesign centralcomposite\npairwise\n")
    assert [each.name for each in found] == ["learn-splconqueror", "binary", "binary", "numeric", "binary"]
    assert [each.sampling.spec for each in found[1:] if each.sampling] == [
        "all",
        "random:3,compat,seed=2",
        "cci:compat",
        "pairwise",
    ]


def test_settings() -> None:
    """Settings are pairs; a value may contain a colon, and pairs may be far apart."""
    (found,) = commands("mlsettings abortError:5   learnTimeLimit:00:10:00 parallelization:True")
    assert found.values == {"abortError": "5", "learnTimeLimit": "00:10:00", "parallelization": "True"}


def test_lists() -> None:
    """The choices of a search are lists, beside its own arguments."""
    (found,) = commands("learn-splconqueror-opt abortError=[1, 5] bagging=[true] randomized samples:4 file:a.csv")
    assert found.lists == {"abortError": ("1", "5"), "bagging": ("true",)}
    assert found.values == {"samples": "4", "file": "a.csv"}
    assert found.words == ("randomized",)
    assert found.outputs == ("a.csv",)


def test_files() -> None:
    """A command knows the files that it reads and those that it writes."""
    truemodel, drawn = commands("truemodel terms.txt out.csv\nbinary random numConfigs:3 fromFile:all.csv")
    assert (truemodel.inputs, truemodel.outputs) == (("terms.txt",), ("out.csv",))
    assert drawn.inputs == ("all.csv",)


def test_a_file_of_settings() -> None:
    """`load-mlsettings` reads `name value` lines."""
    assert settings_of(Source("a", b"abortError 5\n# no\nbagging:true\n")) == {"aborterror": "5", "bagging": "true"}
    assert settings_of(Source("a", b"abortError\t5\nbagging: true")) == {"aborterror": "5", "bagging": "true"}
    assert settings_of(Source("a", b"learnTimeLimit: 00:01:30\nbagging  : true")) == {
        "learntimelimit": "00:01:30",
        "bagging": "true",
    }


@pytest.mark.parametrize(("name", "text"), [("x.a", "anything"), ("x", "# c\nvm a.xml"), ("x", "log a.log\nvm a.xml")])
def test_detection(name: str, text: str) -> None:
    """Scripts are told by their suffix, or by their first command."""
    assert registry.kind_of(Source(name, text.encode())) == "script"


@pytest.mark.parametrize("text", ["2 * x + log(y)", "all * 3", "log = 5", "binary,numeric,time\n1,2,3", "vm / 2"])
def test_what_is_no_script(text: str) -> None:
    """Model text and tables are no scripts, although options may have the names of commands."""
    assert registry.kind_of(Source("x", text.encode())) != "script"


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
