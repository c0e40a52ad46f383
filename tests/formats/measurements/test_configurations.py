"""Configurations as a CSV table."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.observations import Observed
from splc.errors import ConfigurationError, InputError
from splc.formats.measurements.configurations import PredictionInputs, read_configurations, read_inputs, read_observed
from splc.formats.measurements.csv import write_configurations
from splc.formats.measurements.rows import Policy
from splc.formats.models.json import model_json_text, parse_stored_json
from splc.formats.models.log_reader import parse_stored_log
from splc.formats.models.log_writer import model_log_text
from splc.formats.models.text import parse_stored_text
from splc.io.files import Source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.format_strategies import configurations

HEADER = "rc-lookahead,fast,left,right,x,tile-size"


@given(configurations())
def test_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, some: Configurations) -> None:
    """Written configurations read back equal, in order and with repetitions; additional columns are ignored."""
    path = tmp_path_factory.getbasetemp() / "written.csv"
    write_configurations(some, path, {"predicted value": np.linspace(0, 1, len(some))})
    assert read_configurations(path, some.system) == some


def test_text_of_the_file(tmp_path: Path, system: VariabilityModel) -> None:
    """Options are in model order, deselected options are flags, and NaN in an additional column is an empty field."""
    some = Configurations(system, np.array([[1, 0, 1, 0, 1, 3], [0, 0, 0, 1, 0, 0]]))
    write_configurations(some, tmp_path / "c.csv", {"t": np.array([np.nan, 0.1])})
    assert (tmp_path / "c.csv").read_text() == HEADER + ",t\n1,0,1,0,5,-1,\n0,0,0,1,1,8,0.1\n"


def test_one_column_and_a_separator_at_its_end(tmp_path: Path) -> None:
    """A header of one name may end with a separator; then fields behind it are empty."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)),))
    (tmp_path / "c.csv").write_text("x,\n2,\n1,\n")
    assert read_configurations(tmp_path / "c.csv", system).value("x").tolist() == [2.0, 1.0]


def test_a_header_alone_is_no_configuration(tmp_path: Path, system: VariabilityModel) -> None:
    """A table without rows has no configurations."""
    path = tmp_path / "c.csv"
    path.write_text(HEADER + "\n")
    assert len(read_configurations(path, system)) == 0


def test_a_column_with_the_name_of_an_option(tmp_path: Path, system: VariabilityModel) -> None:
    """An additional column cannot have the name of an option."""
    some = Configurations(system, np.array([[1, 0, 1, 0, 1, 3]]))
    with pytest.raises(ConfigurationError):
        write_configurations(some, tmp_path / "c.csv", {"x": np.array([1.0])})


SYSTEM = VariabilityModel("small", (NumericOption("x", (1.0, 2.0, 4.0)),))


def inputs(
    text: str, nfp: str | None = None, expected: str | None = None, policy: Policy | None = None
) -> PredictionInputs:
    """Return the configurations of a table."""
    return read_inputs(Source("t.csv", text.encode()), SYSTEM, policy or Policy(), nfp, expected)


def test_configurations_alone() -> None:
    """Rows without measured values are kept as they are, with their lines."""
    found = inputs("x\n4\n1\n\n4\n")
    assert found.configurations.column("x").tolist() == [4, 1, 4]
    assert (found.nfp, found.measured, found.properties, found.lines.tolist()) == (None, None, (), [2, 3, 5])


@pytest.mark.parametrize(
    ("nfp", "expected", "name"),
    [(None, None, None), ("t", None, "t"), (None, "u", "u"), (None, "v", None), ("t", "u", "t")],
)
def test_measured_values(nfp: str | None, expected: str | None, name: str | None) -> None:
    """The property is the named one, else that of the model if the file has it."""
    found = inputs("x,t,u\n4,10.5,1.5\n1,20.5,2.5\n4,12.5,3.5\n", nfp, expected)
    assert (found.nfp, found.properties) == (name, ("t", "u"))
    if name is None:
        assert found.measured is None
    else:
        np.testing.assert_array_equal(found.measured, {"t": [11.5, 20.5], "u": [2.5, 2.5]}[name])
        assert found.configurations.column("x").tolist() == [4, 1]
        assert found.lines.tolist() == [2, 3]


def test_names_with_spaces() -> None:
    """The only property of a file is used, also if its name has more spaces than in the model."""
    text = "x,run  time\n4,10.5\n1,20.5\n"
    for expected in (None, "run time", "run  time"):
        assert inputs(text, expected=expected).nfp == "run  time"
    assert inputs(text, expected="runtime").nfp is None


def test_a_property_that_the_file_does_not_have() -> None:
    """The message has the properties of the file."""
    with pytest.raises(InputError) as caught:
        inputs("x,time\n4,10.5\n1,20.5\n", "tme")
    assert [(each.message, each.file, each.hint) for each in caught.value.problems] == [
        ("there is no column for the property 'tme'", "t.csv", "did you mean 'time'?")
    ]


def test_failed_runs_are_not_contexts() -> None:
    """A column that says which runs failed selects the values that are compared, as where models are learned."""
    found = inputs("x,status,time\n4,ok,10.5\n1,timeout,99\n")
    assert (found.nfp, found.runs is None) == ("time", False)
    np.testing.assert_array_equal(found.columns["time"], [10.5, math.nan])


def test_invalid_configurations() -> None:
    """Invalid rows are errors with their lines, or are left out and reported."""
    with pytest.raises(ConfigurationError) as caught:
        inputs("x\n4\n3\n1\n5\n")
    assert [(each.file, each.line) for each in caught.value.problems] == [("t.csv", 3), ("t.csv", 5)]
    found = inputs("x\n4\n3\n1\n5\n", policy=Policy(invalid="drop"))
    assert found.configurations.column("x").tolist() == [4, 1]
    assert (found.lines.tolist(), [line for line, _ in found.report.invalid]) == ([2, 4], [3, 5])
    assert found.report.rows == 4


LEVELED = VariabilityModel("m", (NumericOption("x", (1.0, 2.0, 4.0)), NumericOption("y", (0.0, 5.0))))
LEVELS = "x,y,level,C,s\n1,0,0,100,6.5\n1,0,1,30,\n2,5,0,200,6.75\n"
RUNS = "x,y,iterations\n2,5,9\n1,0,8\n"


def read(folder: Path, *texts: str) -> Configurations:
    """Return the observations in files with these texts."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"observed{number}.csv")
        paths[-1].write_text(text, encoding="utf-8")
    return read_observed(paths, LEVELED)


class TestReading:
    def test_levels_become_variables(self, tmp_path: Path) -> None:
        """A row per level gives a variable per level, missing where a configuration lacks the level or the value."""
        found = read(tmp_path, LEVELS)
        assert found.system == LEVELED
        assert found.system.observed == ("level_0", "level_1", "C_0", "C_1", "s_0", "s_1")
        assert [found.assignment(row) for row in range(2)] == [{"x": 1.0, "y": 0.0}, {"x": 2.0, "y": 5.0}]
        nan = math.nan
        wanted = {
            "level_0": [1, 1],
            "level_1": [1, nan],
            "C_0": [100, 200],
            "C_1": [30, nan],
            "s_0": [6.5, 6.75],
            "s_1": [nan, nan],
        }
        for name, values in wanted.items():
            np.testing.assert_array_equal(found.column(name), values)

    def test_several_files_are_combined(self, tmp_path: Path) -> None:
        """Files with their rows in different orders give all variables of each configuration."""
        found = read(tmp_path, RUNS, LEVELS)
        assert found.system.observed[0] == "iterations"
        assert found.value("x").tolist() == [2.0, 1.0]
        assert found.column("iterations").tolist() == [9.0, 8.0]
        assert found.column("C_0").tolist() == [200.0, 100.0]

    def test_the_order_of_rows_does_not_matter(self, tmp_path: Path) -> None:
        """The order of rows does not matter."""
        header, *rows = LEVELS.splitlines()
        found, turned = read(tmp_path, LEVELS), read(tmp_path, "\n".join([header, *reversed(rows)]))
        for name in found.system.observed:
            np.testing.assert_array_equal(turned.column(name)[turned.find(found)], found.column(name))

    def test_compressed_files(self, tmp_path: Path) -> None:
        """A compressed file is read as any other."""
        path = tmp_path / "levels.csv.gz"
        path.write_bytes(gzip.compress(LEVELS.encode()))
        assert read_observed([path], LEVELED).column("C_0").tolist() == [100.0, 200.0]

    def test_no_file_observes_nothing(self) -> None:
        """Without files no configuration was observed and the system has no observed variable."""
        found = read_observed([], LEVELED)
        assert (len(found), found.system.observed) == (0, ())

    def test_files_must_be_about_the_same(self, tmp_path: Path) -> None:
        """A configuration that one of two files lacks, and a variable in both files, are errors."""
        with pytest.raises(InputError, match=r"observed0.csv:3: x=2, y=5: .*observed1.csv has no row"):
            read(tmp_path, "x,y,C\n1,0,5\n2,5,6\n", "x,y,s\n1,0,5\n")
        with pytest.raises(InputError, match=r"observed1.csv:3: x=2, y=5: .*observed0.csv has no row"):
            read(tmp_path, "x,y,C\n1,0,5\n", "x,y,s\n1,0,5\n2,5,6\n")
        with pytest.raises(InputError, match=r"observed1.csv: the variable 'C' is in .*observed0.csv already"):
            read(tmp_path, "x,y,C\n1,0,5\n", "x,y,C\n1,0,5\n")


class TestWriting:
    @given(st.data())
    def test_written_files_read_back(self, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
        """Observations are written and read back exactly, missing ones too."""
        rows = data.draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, unique=True))
        values = st.one_of(st.just(math.nan), st.floats(allow_nan=False, allow_infinity=False))
        columns = {
            name: np.array(data.draw(st.lists(values, min_size=len(rows), max_size=len(rows)))) for name in ("C_0", "s")
        }
        model = VariabilityModel("m", LEVELED.options, observed=tuple(columns))
        some = Configurations(model, np.array(rows), Observed(columns, np.ones(len(rows), dtype=bool)))
        path = tmp_path_factory.mktemp("observed") / "observed.csv"
        write_configurations(some, path, {name: some.column(name) for name in columns})
        found = read_observed([path], LEVELED)
        assert found == some
        for name in columns:
            np.testing.assert_array_equal(found.column(name), some.column(name))


class TestModels:
    def test_every_format_of_models_knows_observed_variables(self, tmp_path: Path) -> None:
        """A model of options and observed variables reads back from text, JSON and a log, and predicts the same."""
        some = read(tmp_path, LEVELS)
        model, _ = parse_stored_text(Source("m", b"3 * x * C_1 + log10(C_0) + 2 * y"), some.system)
        assert model.predict(some).tolist() == pytest.approx([92.0, math.log10(200) + 10])
        text, stored, log = (
            Source("m", each.encode()) for each in (model.text, model_json_text(model), model_log_text(model))
        )
        assert parse_stored_text(text, some.system)[0] == model
        assert parse_stored_json(stored, some.system).model == model
        assert parse_stored_log(log, some.system)[0].model == model

    def test_without_the_observations_the_names_are_not_known(self) -> None:
        """A model text with a variable that was not observed is an error with its name."""
        with pytest.raises(InputError, match="unknown name 'C_1'"):
            parse_stored_text(Source("m", b"x * C_1"), LEVELED)
