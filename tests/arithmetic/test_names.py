"""The search of known names against trying all spellings; where names, functions and numbers end."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import NameTable, UnknownNameError
from splc.arithmetic.tree import Name, Number, Sum
from splc.errors import ExpressionError, Problem


def ends(text: str, end: int) -> bool:
    """Return whether no word continues at an offset."""
    return not re.fullmatch(r"\w\w", text[end - 1 : end + 1])


@given(
    st.dictionaries(st.text("ab+ ", min_size=1, max_size=6), st.sampled_from("xyz"), max_size=6),
    st.text("aabb+  \t\n", min_size=1, max_size=10),
)
def test_names_are_found_as_by_trying_all(spellings: dict[str, str], text: str) -> None:
    """The longest spelling wins; spaces between words may be others unless the spelling is then ambiguous."""
    table = NameTable(spellings)
    meanings: dict[tuple[str, ...], set[str]] = {}
    for spelling, name in spellings.items():
        if len(spelling.split()) > 1:
            meanings.setdefault(tuple(spelling.split()), set()).add(name)
    clear = {words: min(names) for words, names in meanings.items() if len(names) == 1}
    for at in range(len(text)):
        best: tuple[str, int] | None = None
        for end in range(at + 1, len(text) + 1):
            part = text[at:end]
            loose = clear.get(tuple(part.split())) if part == part.strip() and "\n" not in part else None
            # An operator is a name in backticks only.
            meant = (spellings.get(part) if part != "+" else None) or loose
            if meant and ends(text, end):
                best = meant, end - at
        assert table.find(text, at) == best
        assert table.begins(text[at]) == any(spelling[0] == text[at] for spelling in spellings)
    assert table.meaning(text) == (spellings.get(text) or clear.get(tuple(text.split())))
    assert table.real == tuple(sorted(set(spellings.values())))


def test_where_names_and_functions_end() -> None:
    """A name of a function is the function unless a known name is longer; a word after a number is an error."""
    assert parse("log(x) + 1", NameTable({"log(x)": "y", "x": "x"})) == Sum(((1, Name("y")), (1, Number(1.0))))
    with pytest.raises(ExpressionError, match="'b' is not expected here"):
        parse("a+b", NameTable({"a+": "a+", "a": "a", "b": "b"}))
    for text in ("a~", "2~"):
        with pytest.raises(ExpressionError, match="'~' does not belong"):
            parse(text, NameTable({"a": "a"}))
    with pytest.raises(ExpressionError, match="'2a' is neither a number nor a name"):
        parse("2ab * a")
    with pytest.raises(UnknownNameError) as caught:
        parse("`abcd` + 1", NameTable({"abce": "abce"}))
    assert caught.value.name == "abcd"
    assert caught.value.problems == (
        Problem("unknown name 'abcd'", column=1, text="`abcd` + 1", hint="did you mean 'abce'?"),
    )
