"""Columns that models were learned from."""

from __future__ import annotations

import pytest

from splc.formats.column_choice import ColumnChoice
from splc.formats.models.stored_model import choice_of, columns_in_lines, columns_object, stated_columns


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
