"""Files of machine parameters: their content, and messages about wrong content."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.models.read import parameters_text, parse_parameters, read_parameters, write_parameters
from splc.io.files import Source
from splc.models.parameters import Parameters, ParameterTable, Quantity
from tests.support.format_strategies import mutated
from tests.support.paths import ROOT

GOOD = (ROOT / "casestudies" / "smg2000" / "3d" / "parameters.toml").read_text(encoding="utf-8")
SIGNS = '=["{\n9e.#'

finite = st.floats(allow_nan=False, allow_infinity=False)
quantities = st.one_of(
    finite.map(Quantity.exactly),
    st.builds(
        lambda values, level: Quantity(values[1], values[0], values[2], level),
        st.lists(finite, min_size=3, max_size=3).map(sorted),
        st.one_of(st.none(), st.floats(0, 1, exclude_min=True, exclude_max=True)),
    ),
    finite.map(Quantity.undetermined),
)
tables = st.builds(
    ParameterTable,
    st.text(min_size=1, max_size=8).filter(str.strip),
    st.dictionaries(finite, quantities, min_size=1, max_size=4).map(lambda rows: tuple(sorted(rows.items()))),
)
names = st.from_regex(r"[a-zA-Zäα_][\w.-]{0,5}", fullmatch=True).filter(lambda name: not name.startswith(("log", "ln")))


def parsed(text: str | bytes) -> Parameters:
    """Return what a file of this content holds."""
    return parse_parameters(Source("p.toml", text if isinstance(text, bytes) else text.encode()))


@given(st.dictionaries(names, st.one_of(quantities, tables), max_size=5), st.text(max_size=20))
def test_written_files_read_back(found: dict[str, Quantity | ParameterTable], heading: str) -> None:
    """Numbers, intervals and tables of any size and name are read as they were written, below any heading."""
    read = parsed(parameters_text(Parameters(found), heading))
    assert read.quantities == found
    assert not read.expressions


@given(st.dictionaries(names, st.text(min_size=1, max_size=9).filter(str.strip), max_size=5))
def test_expressions_read_back(found: dict[str, str]) -> None:
    """Expressions of any characters are read as they were written."""
    assert parsed(parameters_text(Parameters({}, found))).expressions == found


def test_files(tmp_path: Path) -> None:
    """A file is read, and written with a heading; its content, with lines, is that of the golden file."""
    path = tmp_path / "p.toml"
    path.write_text(GOOD)
    found = read_parameters(path)
    assert found.source == str(path)
    write_parameters(found, tmp_path / "again.toml", "measured\non a cluster")
    again = read_parameters(tmp_path / "again.toml")
    assert (again.quantities, again.expressions) == (found.quantities, found.expressions)


@given(st.binary(max_size=60) | mutated(GOOD, SIGNS))
def test_only_input_errors(content: bytes) -> None:
    """Any bytes are parameters with usable names and finite numbers, or refused as bad input with their file."""
    try:
        found = parsed(content)
    except InputError as caught:
        files = {problem.file for problem in caught.problems}
    else:
        again = parsed(parameters_text(found))
        assert (again.quantities, again.expressions) == (dict(found.quantities), dict(found.expressions))
        return
    assert files == {"p.toml"}
