"""CSV of measurements."""

from __future__ import annotations

import gzip
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc.data.measurements import Measurements
from splc.data.table import assignment_texts, is_text
from splc.errors import MeasurementError
from splc.formats.detect import format_named
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.selections import assignment_text, parse_assignments, parse_configuration
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.format_strategies import measurements
from tests.support.golden_messages import Lines, check_calls, shown
from tests.support.inferred_tables import inferred
from tests.support.strategies import models

HEADER = "rc-lookahead,fast,left,right,x,tile-size,seconds\n"


def read(folder: Path, model: VariabilityModel, text: str, **options: Any) -> Measurements:
    """Read a file with this content."""
    path = folder / "m.csv"
    path.write_text(text, encoding="utf-8")
    return read_measurements(path, model, **options)


class TestFiles:
    def test_compressed_and_from_standard_input(
        self, tmp_path: Path, system: VariabilityModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The content decides the format of a file, regardless of its name, compression and origin."""
        content = (HEADER + "1,0,1,0,5,8,3\n").encode()
        path = tmp_path / "measurements.xml.gz"
        path.write_bytes(gzip.compress(content))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read_measurements(path, system)["seconds"].tolist() == [3]
        assert read_measurements("-", system).report.source == "<stdin>"

    def test_too_many_repetitions(self, tmp_path: Path, system: VariabilityModel, monkeypatch: Any) -> None:
        """A file whose table of repetitions would not fit into memory is refused."""
        monkeypatch.setattr("splc.data.measurements.MAX_CELLS", 5)
        with pytest.raises(MeasurementError, match="3 repetitions, too many"):
            read(tmp_path, system, HEADER + "1,0,1,0,5,8,3\n" * 3 + "0,0,1,0,5,8,3\n")


class TestWriting:
    @pytest.mark.parametrize("form", ["csv", "xml"])
    @examples(30)
    @given(measured=measurements())
    def test_reads_back_equal(
        self, tmp_path_factory: pytest.TempPathFactory, form: str, measured: Measurements
    ) -> None:
        """A file that was written reads back equal: configurations, properties, and every repetition in its place."""
        path = tmp_path_factory.getbasetemp() / f"written.{form}"
        format_named("measurements", form).write(measured, path)
        again = read_measurements(path, measured.system)
        assert again.configurations == measured.configurations
        assert set(again.properties) == set(measured.properties)
        assert form == "xml" or again.properties == measured.properties
        for name in measured.properties:
            width = again.values[name].shape[1]
            np.testing.assert_array_equal(again.values[name], measured.values[name][:, :width])
            assert np.isnan(measured.values[name][:, width:]).all()

    @examples(30)
    @given(measurements())
    def test_spl_conquerors_table_reads_back(
        self, tmp_path_factory: pytest.TempPathFactory, measured: Measurements
    ) -> None:
        """SPL Conqueror's table has the aggregated value of each configuration and no empty cells."""
        with np.errstate(over="ignore"):
            # Infinite means are refused.
            assume(not any(np.isinf(np.nansum(values, axis=1)).any() for values in measured.values.values()))
        path = tmp_path_factory.getbasetemp() / "spl.csv"
        write_measurements_splconqueror_csv(measured, path)
        again = read_measurements(path, measured.system)
        assert again.configurations == measured.configurations
        for name in measured.properties:
            np.testing.assert_array_equal(again[name], measured[name])
        assert all(";;" not in line and not line.endswith(";") for line in path.read_text("utf-8").splitlines())


def group(output: str | None = None) -> VariabilityModel:
    """Return a system with the group `preset` of `preset_slow` and `preset_fast`, and the option `x`."""
    words = Presentation(output)
    slow = BinaryOption("preset_slow", "preset", False, excluded=(("preset_fast",),), presentation=words)
    fast = BinaryOption("preset_fast", "preset", False, excluded=(("preset_slow",),))
    return VariabilityModel("s", (BinaryOption("preset", optional=False), slow, fast, BinaryOption("x")))


def test_written_tables(tmp_path: Path, system: VariabilityModel) -> None:
    """Files of measurements, and the options that rows of tables select, are as the golden file has it."""

    def written(text: str, form: str = "csv", model: VariabilityModel = system, **stated: Any) -> Lines:
        """Return a file that is written; `stated`: other names of properties, and contexts."""
        found = read(tmp_path, model, text)
        values = {stated.get(name, name): values for name, values in found.values.items()}
        found = replace(found, values=values, contexts=stated.get("contexts", found.contexts))
        notes = format_named("measurements", form).write(found, tmp_path / "w")
        return Lines("\n".join([*(tmp_path / "w").read_text("utf-8").splitlines(), *notes]))

    def rows(text: str, model: VariabilityModel | None = None, **stated: Any) -> Lines:
        """Return the selected options of each configuration, and its values of the last property."""
        if model is None:
            model = inferred(text, **stated).system
        found = read(tmp_path, model, text)
        own = (
            [name for name, value in found.configurations.assignment(at).items() if value] for at in range(len(found))
        )
        values = found.repetitions(found.properties[-1])
        return Lines("\n".join(f"{', '.join(names)}: {shown(each)}" for names, each in zip(own, values, strict=True)))

    other = VariabilityModel("s", (*group().options, BinaryOption("after"), BinaryOption("zlib")))
    dashed, year = (VariabilityModel("m", (BinaryOption(name),)) for name in ("run-time", "2019"))
    names = {"HEADER": HEADER, "group": group, "other": other, "dashed": dashed, "year": year, "SYSTEM": SYSTEM}

    def configuration(text: str) -> Lines:
        return Lines(shown(parse_configuration(text, SYSTEM).indices))

    def exists(name: str) -> bool:
        return (tmp_path / name).exists()

    check_calls("written-tables", written, rows, configuration, exists, **names)


MODES = ("fast", "safe, slow", "a,b,c")
SYSTEM = VariabilityModel(
    "system",
    (
        BinaryOption("base", optional=False),
        BinaryOption("cache"),
        BinaryOption("lru", parent="cache"),
        BinaryOption("a=b"),
        NumericOption("x", (1.0, 2.5, 4.0)),
        NumericOption("y", (8.0, 9.0), deselected_flag=-1.0),
        NumericOption("one", (7.0,)),
    ),
)


@examples(50)
@given(st.data())
def test_texts_of_values_are_read_back(data: st.DataObject) -> None:
    """Texts of `assignment_text` give the same values."""
    system = data.draw(models())
    names = data.draw(st.lists(st.sampled_from(system.names), unique=True))
    values = {name: data.draw(st.integers(0, system.option(name).size - 1)) for name in names}
    assert parse_assignments(assignment_text(values, system).split(","), system) == values


def test_texts_with_commas_are_read_back() -> None:
    """Configurations of a system with commas in names and in words are read from their own texts."""
    lines = [f'{a},{b},"{mode}",{x},{a + x}.5' for a in (0, 1) for b in (0, 1) for mode in MODES for x in (1, 2)]
    table = "\n".join(['"a,b",b,mode,"x, y",time', *lines]) + "\n"
    system = inferred(table, options=("mode",)).system
    every = Space(system).enumerate()
    assert len(every) == len(lines)
    for row in range(len(every)):
        text = ",".join(assignment_texts(system, every.assignment(row)).values())
        assert parse_configuration(text, system) == every[[row]], text


def test_calls() -> None:
    """Texts of values are read as the golden file has it."""
    codecs = VariabilityModel.of({"codec": ["bz2", "l z", "1"], "x": [1, 2]})

    def assigned(text: str, system: VariabilityModel = SYSTEM) -> dict[str, int]:
        return parse_assignments([text], system)

    check_calls("assignments-of-values", is_text, assigned, codecs=codecs)
