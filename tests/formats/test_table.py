"""Tables as texts: numbers with a decimal comma, and columns that are read without a description of the system."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.column_choice import ColumnChoice, Context, columns_of, kind_of, natural
from splc.formats.measurements.tables import read_file_columns
from splc.formats.table import NOTE, split_table
from splc.io.files import Source
from splc.io.numbers import number_text, parse_column, parse_number
from tests.support.golden_messages import Lines, check_calls, check_messages, shown


def read(text: str, *exempt: str) -> tuple[list[list[str]], bool]:
    """Return the rows of a table with `;`, and whether decimal commas became points."""
    table = split_table(Source("t.csv", text.encode()), separator=";", exempt=exempt)
    assert table.remarks in ((), (NOTE,))
    return [list(row) for row in table.rows], bool(table.remarks)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_all_numbers(values: list[float]) -> None:
    """Numbers with decimal commas are those with points; integers and texts between them change nothing."""
    texts = [number_text(value) for value in [0.5, *values]]
    lines = ["name;time", *(f"v{at};{text.replace('.', ',')}" for at, text in enumerate(texts))]
    found, has_commas = read("\n".join(lines))
    assert [parse_number(row[1]) for row in found[1:]] == [0.5, *values]
    assert [row[0] for row in found] == [line.split(";")[0] for line in lines]
    assert has_commas


def test_ambiguous() -> None:
    """Tables with other numbers, too, and commas that could separate thousands are refused with their line."""
    check_messages("decimal-commas", read)


CELLS = st.sampled_from(["", "0", "1", " 2.5", "1e3", "yes", "No ", "x264", "é", "-7"])
# A line of tabs alone is blank.
HEADERS = st.lists(st.sampled_from(["a", "b ", " c", "time", "", "d"]), min_size=2, max_size=5).filter(any)


def table(rows: list[list[str]], separator: str, quoting: bool) -> Source:
    """Return the content of a table; quotes prevent that its columns are read at once."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL if quoting else csv.QUOTE_MINIMAL).writerows(rows)
    return Source("table.csv", text.getvalue().encode())


def outcome(source: Source) -> object:
    """Return the columns of a table, or the message about it."""
    try:
        return [
            (name, [cell.lstrip(" ") for cell in cells]) for name, cells in read_file_columns(source).columns.items()
        ]
    except InputError as error:
        return [(problem.message, problem.line, problem.hint) for problem in error.problems]


@given(st.data(), HEADERS, st.sampled_from(",;\t"))
def test_tables_with_and_without_quotes_have_the_same_columns(
    data: st.DataObject, header: list[str], separator: str
) -> None:
    """Columns, and messages with their lines, do not depend on quotes."""
    body = data.draw(st.lists(st.lists(CELLS, min_size=len(header), max_size=len(header)), max_size=5))
    plain, quoted = (outcome(table([header, *body], separator, quoting)) for quoting in (False, True))
    assert plain == quoted


@given(st.lists(st.lists(st.sampled_from(["0", "-2.5", "1e3", "cg", "é"]), min_size=2, max_size=2), min_size=3))
def test_tables_with_spaces_are_those_with_commas(rows: list[list[str]]) -> None:
    """Spaces may separate the cells, with a comment before them, in each of which there is a number."""
    body = [[str(at), *row] for at, row in enumerate(rows)]
    lines = ["# made, by hand", *("  ".join(row) for row in [["n", "mode", "time"], *body])]
    aligned = Source("table.dat", "\n".join(lines).encode())
    assert outcome(aligned) == outcome(table([["n", "mode", "time"], *body], ",", False))


def kind(texts: list[str]) -> str:
    """Return the kind of a column of texts."""
    return kind_of(texts, parse_column(texts))


class TestKind:
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


TABLE = {"version": ["a", "b"], "revision": ["1", "2"], "time": ["3", "x"]}


def matching(texts: list[str], value: str) -> list[str]:
    """Return the values of a context that a stated value means."""
    found = Context.of(texts)
    return [found.values[at] for at in found.matching(value)]


def columns(nfp: str | None = None, table: Mapping[str, list[str]] = TABLE, **choice: Any) -> tuple[list[str], ...]:
    """Return the properties and contexts of a table; with `lenient`, one that may lack columns."""
    lenient, chosen = choice.pop("lenient", False), ColumnChoice(**choice)
    found = columns_of(table, chosen.lenient if lenient else chosen, "f", options={"fast"}, nfp=nfp)
    return [*found[0]], [*found[1]]


def over(**choice: Any) -> Lines:
    """Return the choices of a file, overridden by others."""
    file = ColumnChoice(("year",), ("day",), {"version": "1", "host": "a"}, ("suite",), ("mode",))
    return Lines(shown(ColumnChoice(**choice).over(file)))


def test_calls() -> None:
    """Kinds of columns, their roles by the choices of users, and values of contexts are those of the golden file."""
    check_calls("kinds-of-columns", kind, matching, columns, over)
