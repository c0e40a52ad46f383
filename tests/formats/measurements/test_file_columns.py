"""Columns of tables that are read without a description of the system."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.columns import StatedRoles
from splc.formats.inference import inference_of
from splc.formats.measurements.tables import read_file_columns
from splc.io.files import Source

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
