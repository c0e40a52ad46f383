"""Columns that models were learned from, and terms that are given by a file."""

from __future__ import annotations

import pytest

from splc.errors import InputError
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.models.columns import choice_of, columns_in_lines, columns_object, stated_columns
from splc.formats.models.term_list import parse_term_list
from splc.io.files import Source
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel("small", (BinaryOption("cache"), NumericOption("x", (1.0, 2.5, 4.0))))


def test_columns_read_back() -> None:
    """The columns that a file states are those that were written; without any, nothing is written."""
    written = columns_object({"version": "1.0"}, ColumnChoice(options=("px",), ignore=("id", "date")))
    assert written == {"contexts": {"version": "1.0"}, "columns": {"options": ["px"], "ignore": ["id", "date"]}}
    expected = ColumnChoice(usual={"version": "1.0"}, options=("px",), ignore=("id", "date"))
    assert stated_columns(written) == expected
    texts = {"contexts": '{"version": "1.0"}', "columns": '{"options": ["px"], "ignore": ["id", "date"]}'}
    assert columns_in_lines({**texts, "more": "not JSON"}) == expected
    assert columns_object({}, ColumnChoice()) == {}
    assert columns_object({}, ColumnChoice(ignore=("id",))) == {"columns": {"ignore": ["id"]}}


@pytest.mark.parametrize(
    "stated",
    [
        None,
        3,
        {"contexts": 1, "columns": []},
        {"contexts": {"v": 1}, "columns": {"options": "px", "ignore": [1, None]}},
    ],
)
def test_damaged_columns(stated: object) -> None:
    """Content of the wrong type states nothing."""
    assert stated_columns(stated) == ColumnChoice()


def test_choice_of_several_models() -> None:
    """Columns of all models are chosen, and only contexts in which they agree have a usual value; none has to exist."""
    one = ColumnChoice(usual={"version": "1", "mode": "a"}, options=("px",), ignore=("id",))
    other = ColumnChoice(usual={"version": "2", "mode": "a"}, options=("px", "nx"), ignore=("date",))
    found = choice_of([one, other, one])
    assert (
        found == ColumnChoice(options=("px", "nx"), ignore=("id", "date"), usual={"version": None, "mode": "a"}).lenient
    )
    assert set(found.optional) >= {"px", "nx", "id", "date"}
    assert choice_of([]) == ColumnChoice().lenient


def test_term_lists() -> None:
    """A file has a term per line; comments and empty lines do not count."""
    learner = parse_term_list(Source("t.txt", b"# terms\nx * x # a square\n\n  cache * log10(x)\nroot\n"), SYSTEM)
    assert [term.text() for term in learner.terms] == ["x^2", "cache * log10(x)", "1"]


def test_wrong_term_lists() -> None:
    """All lines that are no term, or a duplicate, are reported with their text."""
    with pytest.raises(InputError) as caught:
        parse_term_list(Source("t.txt", b"x\ncash\nx\ncache\ncache * root\n"), SYSTEM)
    assert [(each.file, each.line, each.message, each.text, each.hint) for each in caught.value.problems] == [
        ("t.txt", 2, "unknown name 'cash'", "cash", "did you mean 'cache'?"),
        ("t.txt", 3, "duplicate term 'x'", "x", "options that are always selected are left out of a term"),
        (
            "t.txt",
            5,
            "duplicate term 'cache'",
            "cache * root",
            "options that are always selected are left out of a term",
        ),
    ]
    with pytest.raises(InputError) as caught:
        parse_term_list(Source("t.txt", b"# nothing\n"), SYSTEM)
    assert str(caught.value).split("\n    ") == ["t.txt: there are no terms", "give one term per line: 'x * y'"]
