"""Tests of the roles of columns: properties, contexts, ignored columns."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import MeasurementError
from splc.formats.column_choice import ColumnChoice, Context, columns_of, kind_of, natural
from splc.io.numbers import parse_column
from tests.support.golden_messages import check_messages


def kind(texts: list[str]) -> str:
    """Return the kind of a column of texts."""
    return kind_of(texts, parse_column(texts))


class TestKind:
    @pytest.mark.parametrize(
        ("texts", "expected"),
        [
            (["1", "2.5", "-3e4"], "numbers"),
            (["1", "x"], "numbers"),
            (["1", "x", "y"], "text"),
            (["0.9.1", "0.9.2"], "text"),
            (["1", "timeout", "n/a", "NaN", "Failed", ""], "numbers"),
            (["", "nan", "timeout"], "empty"),
            (["1e999", "x"], "numbers"),
            (["1_000", "2_000"], "text"),
            ([], "empty"),
        ],
    )
    def test_the_majority_decides(self, texts: list[str], expected: str) -> None:
        """A column is text if fewer than half of its values are numbers; words for missing values do not count."""
        assert kind(texts) == expected

    @given(st.lists(st.sampled_from(["1", "2.5", "x", "y z", "", "NaN", "timeout", "1e999"])))
    def test_it_does_not_depend_on_the_order_of_rows(self, texts: list[str]) -> None:
        """The kind of a column is that of its reversed and of its sorted cells."""
        assert kind(texts) == kind(texts[::-1]) == kind(sorted(texts))

    @given(st.lists(st.sampled_from(["1", "2.5", "x", "y z", "", "NaN"]), min_size=1))
    def test_repeated_rows_change_nothing(self, texts: list[str]) -> None:
        """The kind of a column is that of the same rows twice."""
        assert kind(texts) == kind(texts * 2)


class TestContext:
    def test_values_are_in_natural_order(self) -> None:
        """Numbers within values are compared as numbers; spaces around a value do not count."""
        found = Context.of(["0.10", " 0.9", "0.9 ", "1.0-rc1", "1.0", ""])
        assert found.values == ("", "0.9", "0.10", "1.0", "1.0-rc1")
        assert found.codes.tolist() == [2, 1, 1, 4, 3, 0]

    @given(st.lists(st.text(max_size=6)))
    def test_the_order_is_total(self, texts: list[str]) -> None:
        """Distinct texts have distinct keys, so that the order does not depend on the order of the rows."""
        assert len({natural(text) for text in texts}) == len(set(texts))

    def test_matching(self) -> None:
        """A stated value is an equal text; numbers are equal as numbers where there is no such text."""
        assert Context.of(["5.1", "5.10", "6"]).matching("5.1") == (0,)
        assert Context.of(["5", "6.0"]).matching(" 6") == (1,)
        assert Context.of(["1", "1.0", "2"]).matching("1e0") == (0, 1)
        assert Context.of(["a", "6.0"]).matching("6") == ()


TABLE = {"version": ["a", "b"], "revision": ["1", "2"], "time": ["3", "x"]}


class TestColumns:
    def test_roles(self) -> None:
        """Text columns are contexts, numeric ones properties; the user's choice overrides."""
        for choice, properties, contexts in (
            (ColumnChoice(), ["revision", "time"], ["version"]),
            (ColumnChoice(("revision",), ("version",)), ["time"], ["revision"]),
            (ColumnChoice(where={"revision": "1"}, by=("version",)), ["time"], ["version", "revision"]),
        ):
            found = columns_of(TABLE, choice, "f")
            assert ([*found[0]], [*found[1]]) == (properties, contexts)

    def test_wrong_choices(self) -> None:
        """Unknown columns, options and contradictions are errors with a hint."""

        def reject(text: str) -> None:
            columns_of(TABLE, ColumnChoice(**json.loads(text)), "f", options={"fast"}, nfp="time")

        check_messages("roles-of-columns", reject)

    def test_other_files_may_lack_columns(self) -> None:
        """A lenient choice ignores columns that are not there."""
        _, contexts = columns_of(TABLE, ColumnChoice(("gone",), ("too",)).lenient, "f")
        assert [*contexts] == ["version"]

    def test_the_property_must_be_numeric(self) -> None:
        """A property that is named and is text is an error with its values, escaped."""
        with pytest.raises(MeasurementError, match=r"'time' is a column of text: '3 ms', '\\x1b"):
            columns_of({"time": ["3 ms", "\x1b[31m", "n/a"]}, ColumnChoice(), "f", nfp="time")

    def test_units_are_named(self) -> None:
        """If all texts of a property are numbers with one unit, the message says to leave it out."""
        for texts, hint in ((["3 ms", "4ms", "n/a"], "without the unit 'ms'"), (["3 ms", "4 s"], None)):
            with pytest.raises(MeasurementError) as caught:
                columns_of({"time": texts}, ColumnChoice(), "f", nfp="time")
            assert (hint or "None") in str(caught.value.problems[0].hint)


def test_choices_over_others() -> None:
    """Options override the settings file; a stated context switches a selection off."""
    file = ColumnChoice(("year",), ("day",), {"version": "1", "host": "a"}, ("suite",), ("mode",))
    assert ColumnChoice().over(file) == file
    found = ColumnChoice(where={"version": "2"}, by=("host",), options=("px",)).over(file)
    assert found == ColumnChoice(("year",), ("day",), {"version": "2"}, ("host",), ("px",))
    assert ColumnChoice(ignore=("version", "year")).over(file).where == {"host": "a"}
    assert ColumnChoice(ignore=("version", "year")).over(file).contexts == ()
    assert ColumnChoice(contexts=("day",)).over(file).ignore == ()
