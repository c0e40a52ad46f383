"""Configurations as a CSV table."""

from __future__ import annotations

import gzip
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations, Observed
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
from tests.support.golden_messages import Lines, check_calls
from tests.support.inferred_tables import inferred

HEADER = "rc-lookahead,fast,left,right,x,tile-size"


@given(configurations(), st.booleans())
def test_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, some: Configurations, of_table: bool) -> None:
    """Written configurations read back equal, in order and with repetitions; additional columns are ignored."""
    path = tmp_path_factory.getbasetemp() / "written.csv"
    some = Configurations(replace(some.system, inferred=of_table), some.indices)
    write_configurations(some, path, {"predicted value": np.linspace(0, 1, len(some))})
    assert read_configurations(path, some.system) == some


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


def written(rows: list[list[int]], model: VariabilityModel, **extra: list[float]) -> Lines:
    """Return configurations as a table in the current folder; `extra`: additional columns."""
    columns = {name: np.array(values) for name, values in extra.items()}
    write_configurations(Configurations(model, np.array(rows)), "c.csv", columns)
    return Lines(Path("c.csv").read_text(encoding="utf-8"))


def configured(text: str, model: VariabilityModel) -> list[object]:
    """Return the configurations of a table."""
    found = read_configurations(Source("c.csv", text.encode()), model)
    return [*map(found.assignment, range(len(found)))]


def test_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: VariabilityModel) -> None:
    """Configurations, with measured values, and observed variables are read and written as the golden file has it."""
    monkeypatch.chdir(tmp_path)

    def text_model(text: str) -> str:
        return parse_stored_text(Source("m", text.encode()), LEVELED)[0].text

    names = {"LEVELS": LEVELS, "RUNS": RUNS, "HEADER": HEADER, "SYSTEM": SYSTEM, "system": system}
    check_calls("configurations-in-tables", inputs, variables, written, configured, text_model, inferred, **names)


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
