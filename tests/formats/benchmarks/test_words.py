"""Options in the words of commands and in names."""

from __future__ import annotations

import pytest

from splc.formats.benchmarks.declaration import differing, options_of_commands, pairs_in, without_units


@pytest.mark.parametrize(
    ("commands", "options"),
    [
        (["gzip -1 a", "gzip -9 a"], [{"word2": "1"}, {"word2": "9"}]),
        (["make -j1", "make -j16"], [{"j": "1"}, {"j": "16"}]),
        (["x --level=1 'a b'", "x --level=9 'a b'"], [{"level": "1"}, {"level": "9"}]),
        (["x --level 1", "x --level 9"], [{"level": "1"}, {"level": "9"}]),
        (["grep a", "rg a"], [{"word1": "grep"}, {"word1": "rg"}]),
        (["x", "x --fast"], [{"fast": "0"}, {"fast": "1"}]),
        (["x --fast --n=2", "x --n=4"], [{"n": "2", "fast": "1"}, {"n": "4", "fast": "0"}]),
        (["x 'a", "x b"], [{"word2": "'a"}, {"word2": "b"}]),
        (["x", "x"], [{}, {}]),
    ],
)
def test_options_of_commands(commands: list[str], options: list[dict[str, str]]) -> None:
    """The words in which commands differ are options, named by the words themselves where these say so."""
    assert options_of_commands(commands) == options


def test_pairs_in() -> None:
    """Names state options as `name=value`, separated by commas, semicolons or two underscores."""
    assert pairs_in("level=9,input=a_b") == {"level": "9", "input": "a_b"}
    assert pairs_in("level=9__input=a.b__2") == {"level": "9", "input": "a.b"}
    assert pairs_in("level9") == {}


def test_without_units() -> None:
    """Sizes become bytes where all values of the option are sizes or whole numbers."""
    rows = [
        {"bs": "4k", "name": "4k", "n": "1"},
        {"bs": "1M", "name": "x", "n": "2"},
        {"bs": "512", "name": "y", "n": "3"},
    ]
    assert [row["bs"] for row in without_units(rows)] == ["4096", "1048576", "512"]
    assert [row["bs"] for row in without_units(rows, 1000)] == ["4000", "1000000", "512"]
    assert [row["name"] for row in without_units(rows)] == ["4k", "x", "y"]
    assert [row["n"] for row in without_units(rows)] == ["1", "2", "3"]


def test_differing() -> None:
    """Entries that all rows share are left out; an entry that a row lacks is another value."""
    assert differing([{"a": "1", "b": "1"}, {"a": "1", "b": "2"}]) == [{"b": "1"}, {"b": "2"}]
    assert differing([{"a": "1"}, {}]) == [{"a": "1"}, {"a": ""}]
