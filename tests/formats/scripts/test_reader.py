"""Scripts of SPL Conqueror: lines, arguments, and what is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats import registry
from splc.formats.scripts.commands import COMMANDS, ScriptCommand, Usage
from splc.formats.scripts.reader import parse_lines, parse_script, settings_of
from splc.io.files import Source


def commands(text: str) -> tuple[ScriptCommand, ...]:
    """Return the commands of a script."""
    return parse_script(Source("script.a", text.encode())).commands


def refused(text: str) -> str:
    """Return the message about a script that is wrong."""
    with pytest.raises(InputError) as caught:
        commands(text)
    return str(caught.value)


def test_lines() -> None:
    """Comments, empty lines, letter case and Windows line ends have no meaning; the text is kept for the echo."""
    found = commands("# a script\r\n\r\nVM  My Models/a.xml  # the system\r\n  analyze-learning\r\n")
    assert [(each.name, each.line, each.text, each.words) for each in found] == [
        ("vm", 3, "VM  My Models/a.xml", ("My Models/a.xml",)),
        ("analyze-learning", 4, "analyze-learning", ()),
    ]


@pytest.mark.parametrize(
    "usage", [each for each in COMMANDS if each.form in {"nothing", "words", "file"}], ids=lambda usage: usage.name
)
def test_numbers_of_arguments(usage: Usage) -> None:
    """A command with fewer or more arguments than it can have is refused with its usage."""
    word = "true" if "true" in usage.arguments else "SVR" if "python" in usage.name else "a.csv"
    for number in range(4):
        # The only argument of these commands may contain spaces.
        words = min(number, 1) if usage.form == "file" else number
        text = " ".join([usage.name, *[word] * number])
        if usage.least <= words and (usage.most is None or words <= usage.most):
            assert [each.name for each in commands(text)] == [usage.name]
        else:
            shown = f"{usage.name} {usage.arguments}".rstrip()
            assert refused(text).endswith(f"wrong arguments of {usage.name}\n    {text}\n    write {shown}")


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("anlyze-learning", "did you mean 'analyze-learning'"),
        ("vm", "write vm MODEL.xml"),
        ("binary pairwize", "did you mean 'pairwise'"),
        ("binary", "binary names no sampling strategy"),
        ("binary pairwise t:2", "pairwise has no argument 't'"),
        ("binary random numConfigs:x", "random"),
        ("numeric plackettburman measurements:9 level:4", "no design of 9 measurements with 4 levels"),
        ("numeric random", "random needs numConfigs"),
        ("twise", "twise needs t"),
        ("mlsettings abortErorr:1", "did you mean 'abortError'"),
        ("mlsettings bagging:maybe", "neither true nor false"),
        ("select-all-measurements yes", "neither true nor false"),
        ("learn-python SVM", "did you mean 'SVR'"),
        ("learn-python SVR c:1", "has no parameter 'c'"),
        ("learn-python SVR C:-1", "'C' parameter"),
        ("learn-python LinearDecisionTreeRegression", "choose DecisionTreeRegression"),
        ("learn-splconqueror-opt samples:3", "write NAME=[VALUE,VALUE]"),
        ("learn-splconqueror-opt abortError=[1] samples:0", "at least 1"),
        ("learn-splconqueror-opt abortError=[1,x]", "abortError"),
        ("learn-splconqueror-opt abortError=[1] sampels:3", "did you mean 'samples'"),
        ("learn-splconqueror-opt randomised abortError=[1]", "did you mean 'randomized'"),
        ("learn-python SVR writefinalpredictionresults:maybe", "'maybe' is neither true nor false"),
        ("learn-python-opt SVM C=[1]", "did you mean 'SVR'"),
        ("learn-python-opt SVR C=[1,-1]", "'C' parameter"),
        ("learn-python-opt SVR C=[1] performWithOptimal:maybe", "'maybe' is neither true nor false"),
        ("all check:maybe a.csv", "'maybe' is neither true nor false"),
        ("convert-vm a b c", "write convert-vm FOLDER FOLDERS FILES TARGET"),
        ("clean-sampling now", "wrong arguments of clean-sampling"),
    ],
)
def test_wrong_lines(text: str, message: str) -> None:
    """A wrong line is reported with its number, its text and what to write."""
    found = refused(f"\n{text}\n")
    assert found.startswith("script.a:2: ")
    assert text in found
    assert message in found


def test_all_at_once() -> None:
    """Every wrong line of a script is reported."""
    found = refused("vn a\nnfp\nstart\nbinary optionwize\nmlsettings a:1 b:2")
    assert [line.split(":")[1] for line in found.splitlines() if line.startswith("script.a")] == [
        "1",
        "2",
        "4",
        "5",
        "5",
    ]


def test_a_file_of_settings() -> None:
    """`load-mlsettings` reads `name value` lines."""
    assert settings_of(Source("a", b"abortError 5\n# no\nbagging:true\n")) == {"aborterror": "5", "bagging": "true"}
    assert settings_of(Source("a", b"abortError\t5\nbagging: true")) == {"aborterror": "5", "bagging": "true"}
    assert settings_of(Source("a", b"learnTimeLimit: 00:01:30\nbagging  : true")) == {
        "learntimelimit": "00:01:30",
        "bagging": "true",
    }
    with pytest.raises(InputError, match="a:2: unknown setting"):
        settings_of(Source("a", b"abortError 5\nabort 3"))


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
