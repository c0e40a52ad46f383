"""Tables as texts: numbers with a decimal comma, and columns that are read without a description of the system."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError, MeasurementError
from splc.formats.column_choice import ColumnChoice, Context, StatedRoles, columns_of, kind_of, natural
from splc.formats.inference import inference_of
from splc.formats.measurements.tables import read_file_columns
from splc.formats.table import NOTE, split_table
from splc.io.files import Source
from splc.io.numbers import number_text, parse_column, parse_number
from tests.support.golden_messages import check_calls, check_messages


def read(text: str, *exempt: str) -> tuple[list[list[str]], bool]:
    """Return the rows of a table with `;`, and whether decimal commas became points."""
    table = split_table(Source("t.csv", text.encode()), separator=";", exempt=exempt)
    assert table.remarks in ((), (NOTE,))
    return [list(row) for row in table.rows], bool(table.remarks)


def as_they_are(text: str) -> list[list[str]]:
    """Return the cells of a table with `;` as they are."""
    return [line.split(";") for line in text.splitlines()]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_all_numbers(values: list[float]) -> None:
    """Numbers with decimal commas are those with points; integers and texts between them change nothing."""
    texts = [number_text(value) for value in [0.5, *values]]
    lines = ["name;time", *(f"v{at};{text.replace('.', ',')}" for at, text in enumerate(texts))]
    found, has_commas = read("\n".join(lines))
    assert [parse_number(row[1]) for row in found[1:]] == [0.5, *values]
    assert [row[0] for row in found] == [line.split(";")[0] for line in lines]
    assert has_commas


@pytest.mark.parametrize(
    "text",
    [
        "x;time\n1;2\n3;1.5\n",
        "x;time\n1;1,234,567\n2;1,234\n",
        "x;host\n1;a,b\n2;1,2,3\n",
        "x;time\n1;timeout\n2;\n",
    ],
)
def test_no_decimal_commas(text: str) -> None:
    """Points, integers with separators of thousands, and texts with commas are read as before."""
    assert read(text) == (as_they_are(text), False)


def test_ambiguous() -> None:
    """Tables with other numbers, too, and commas that could separate thousands are refused with their line."""
    check_messages("decimal-commas", read)


@pytest.mark.parametrize("text", ["x;time\n1;1,234\n2;0,500\n", "x;time\n1;1,234\n2;12,5\n", "x;time\n1;1234,125\n"])
def test_no_thousands(text: str) -> None:
    """One number that has no separators of thousands shows that all commas are decimal."""
    assert read(text) == (as_they_are(text.replace(",", ".")), True)


@pytest.mark.parametrize("text", ["1;1,5;0.9\n2;2,5;0.9.1\n3;2,5;0.9.2\n", "1;1,5;1.9\n2;2,5;1.10\n"])
def test_columns_without_numbers(text: str) -> None:
    """Points in columns of text do not matter, and those of contexts do not, if they are named."""
    table = f"x;time;version\n{text}"
    expected = as_they_are(table.replace(",", ".")), True
    assert read(table, "version") == expected
    if "0.9.1" in text:
        assert read(table) == expected
    else:
        with pytest.raises(InputError, match=r"'1\.9' has a decimal point"):
            read(table)


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


def test_cells_beyond_the_header_and_short_rows() -> None:
    """Cells without a name do not count, and rows that are too short are left out."""
    found = read_file_columns(Source("table.csv", b"a,t,,\n1,2,,\n3,4,,\n"))
    assert {name: list(cells) for name, cells in found.columns.items()} == {"a": ["1", "3"], "t": ["2", "4"]}
    found = read_file_columns(Source("table.csv", b"a,t\n1,2\n3\n5,6,7\n"))
    assert {name: list(cells) for name, cells in found.columns.items()} == {"a": ["1", "5"], "t": ["2", "6"]}


def test_words_are_zeros_and_ones() -> None:
    """Columns of words such as `yes` and `off` are binary options, also with numbers among them."""
    rows = b"a,b,c,time\nyes,TRUE, on,1.5\nno,0,off,2.25\nno,true,on,3.125\nyes,FALSE,off,4.5\n"
    found = inference_of(Source("table.csv", rows))
    assert found.columns == ("a", "b", "c")
    assert [option.name for option in found.system.binary_options] == ["a", "b", "c"]


def test_columns_of_xml() -> None:
    """Options that a row names are 1 there and 0 elsewhere; numbers have the values of the rows."""
    data = "".join(f"<data columname='{name}'>{{}}</data>" for name in ("Configuration", "Variable Features", "t"))
    rows = [("root,b,a10,", "x;4, y;0.5", 1), ("a2", "x 8", 2), ("b,x,", "", 3)]
    found = read_file_columns(
        Source("m.xml", f"<results>{''.join(f'<row>{data.format(*row)}</row>' for row in rows)}</results>".encode())
    )
    assert {name: list(cells) for name, cells in found.columns.items()} == {
        "a2": ["0", "1", "0"],
        "a10": ["1", "0", "0"],
        "b": ["1", "0", "1"],
        "x": ["4", "8", ""],
        "y": ["0.5", "", ""],
    }
    assert found.stated == StatedRoles(("a2", "a10", "b", "x", "y"), (), ("t",), ("x", "y"))


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


def test_calls() -> None:
    """The kinds of columns are those of the golden file."""
    check_calls("kinds-of-columns", kind)
