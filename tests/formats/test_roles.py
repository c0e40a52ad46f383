"""Tables of configurations that are still to be measured, among tables of measurements."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.value_texts import TRUTH
from splc.formats.column_choice import ColumnChoice
from splc.formats.measurements.selections import truth_words
from splc.formats.roles import option_columns
from splc.io.cells import plain_rows

TABLES = {
    "options": ({"mode": "abab", "x": "1122", "y": "1111"}, ("mode", "x", "y")),
    "the last one too": ({"x": "123123", "y": "111222"}, ("x", "y")),
    "numbered rows": ({"id": "123456", "x": "111222", "y": "123123"}, ("x", "y")),
    "empty column": ({"x": "112233", "y": "121212", "remark": "      "}, ("x", "y")),
    "a measured name": ({"x": "112233", "time": "121212"}, None),
    "a setting": ({"x": "112233", "time_limit": "121212"}, ("x", "time_limit")),
    "repeated rows": ({"x": "112233", "y": "111222"}, None),
}


@pytest.mark.parametrize(("cells", "options"), TABLES.values(), ids=TABLES.keys())
def test_evidence(cells: dict[str, str], options: tuple[str, ...] | None) -> None:
    """All columns are options but those that number rows, unless one has the evidence of a measured value."""
    columns = {name: [*texts] for name, texts in cells.items()}
    assert option_columns(columns, ColumnChoice(), measured=None) == options
    assert option_columns(columns, ColumnChoice(), measured=True) is None


def test_fractions() -> None:
    """Fractions that differ in nearly every row are measured, unless they are named as options."""
    columns = {"x": [*"112233"], "y": [f"{at}.{at}3" for at in range(6)]}
    assert option_columns(columns, ColumnChoice(), measured=None) is None
    assert option_columns(columns, ColumnChoice(options=("y",)), measured=None) == ("x", "y")
    assert option_columns(columns, ColumnChoice(), measured=False) == ("x", "y")
    assert option_columns(columns, ColumnChoice(ignore=("y",)), measured=None) == ("x",)
    assert option_columns({**columns, "z": [*"121212"]}, ColumnChoice(ignore=("y",)), measured=None) == ("x", "z")


def test_counts() -> None:
    """Whole numbers with many values that the other columns make unnecessary are measured."""
    rows = range(60)
    columns = {
        "x": [str(at % 10) for at in rows],
        "y": [str(at // 10) for at in rows],
        "n": [str(at**2) for at in rows],
    }
    assert option_columns(columns, ColumnChoice(), measured=None) is None
    assert option_columns(columns, ColumnChoice(ignore=("n",)), measured=None) == ("x", "y")


WORDS = [
    ("yes no yes", ("no", "yes")),
    ("True False", ("False", "True")),
    ("ON ON", ("OFF", "ON")),
    ("off", ("off", "on")),
    ("0 yes", ("0", "yes")),
    ("1 0", None),
    ("1", None),
    ("yes Yes no", None),
    ("yes maybe", None),
]


@pytest.mark.parametrize(("texts", "words"), WORDS)
def test_words(texts: str, words: tuple[str, str] | None) -> None:
    """The words of a column of a binary option, the missing one is the opposite; mixed spellings have none."""
    assert truth_words(texts.split()) == words


@given(st.lists(st.sampled_from(["yes", "no", " yes", "no ", "Yes", "NO", "1", "0", "on", "maybe", ""]), min_size=1))
def test_words_of_each_cell(cells: list[str]) -> None:
    """The words are those of one cell after the other, stripped, for texts and for the cells of a file."""
    values: dict[str, int | None] = {}
    for cell in cells:
        if cell.strip():
            values[cell.strip()] = TRUTH.get(cell.strip().lower())
    words = {value: word for word, value in values.items()}
    clear = bool(values) and None not in words and len(words) == len(values) and not {"0", "1"}.issuperset(values)
    table = plain_rows("".join(f"x,{cell}\n" for cell in cells).encode(), ",")
    assert table is not None
    for texts in (cells, table.columns()[1]):
        found = truth_words(texts)
        assert (found is not None) == clear
        if found is not None:
            assert {TRUTH[word.lower()] for word in found} == {0, 1}
            assert all(found[value] == word for value, word in words.items() if value is not None)
