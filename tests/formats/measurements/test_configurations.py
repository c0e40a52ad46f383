"""Configurations as a CSV table."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations, Observed
from splc.errors import ConfigurationError, InputError
from splc.formats.measurements.configurations import read_configurations, read_inputs, read_observed
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
from tests.support.golden_messages import check_calls

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


def inputs(text: str, nfp: str | None = None, expected: str | None = None, **policy: Any) -> tuple[object, ...]:
    """Return the property of a table of configurations, their values, lines and measured values, and what it lacks."""
    found = read_inputs(Source("t.csv", text.encode()), SYSTEM, Policy(**policy), nfp, expected)
    values = found.configurations.column("x").tolist(), found.lines.tolist()
    measured = None if found.measured is None or found.runs is None else (found.measured.tolist(), found.runs.tolist())
    others = {name: column.tolist() for name, column in found.columns.items()}
    return found.nfp, *values, measured, found.properties, others, found.report.rows, found.report.invalid


LEVELED = VariabilityModel("m", (NumericOption("x", (1.0, 2.0, 4.0)), NumericOption("y", (0.0, 5.0))))
LEVELS = "x,y,level,C,s\n1,0,0,100,6.5\n1,0,1,30,\n2,5,0,200,6.75\n"
RUNS = "x,y,iterations\n2,5,9\n1,0,8\n"


def observed(*texts: str) -> Configurations:
    """Return the observations in files with these texts in the current folder, the last one compressed."""
    paths = [Path(f"observed{number}.csv") for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(gzip.compress(text.encode()) if path == paths[-1] else text.encode())
    return read_observed(paths, LEVELED)


def variables(*texts: str) -> dict[str, list[float]]:
    """Return the values of the options and of the observed variables of the system in files."""
    found = observed(*texts)
    assert found.system == LEVELED
    names = (*found.system.names, *found.system.observed)
    return {name: found.column(name).tolist() for name in names}


def test_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configurations to predict, with measured values, and observed variables are read as the golden file has it."""
    monkeypatch.chdir(tmp_path)
    check_calls("configurations-in-tables", inputs, variables, LEVELS=LEVELS, RUNS=RUNS)


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
    def test_every_format_of_models_knows_observed_variables(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A model of options and observed variables reads back from text, JSON and a log, and predicts the same."""
        monkeypatch.chdir(tmp_path)
        some = observed(LEVELS)
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
