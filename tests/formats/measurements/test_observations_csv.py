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
from splc.errors import InputError
from splc.formats.measurements.configurations import write_configurations
from splc.formats.measurements.observations_csv import read_observed
from splc.formats.models.json import model_json_text, parse_stored_json
from splc.formats.models.log_reader import parse_stored_log
from splc.formats.models.log_writer import model_log_text
from splc.formats.models.text import parse_stored_text
from splc.io.files import Source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

SYSTEM = VariabilityModel("m", (NumericOption("x", (1.0, 2.0, 4.0)), NumericOption("y", (0.0, 5.0))))
LEVELS = "x,y,level,C,s\n1,0,0,100,6.5\n1,0,1,30,\n2,5,0,200,6.75\n"
RUNS = "x,y,iterations\n2,5,9\n1,0,8\n"


def read(folder: Path, *texts: str) -> Configurations:
    """Return the observations in files with these texts."""
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"observed{number}.csv")
        paths[-1].write_text(text, encoding="utf-8")
    return read_observed(paths, SYSTEM)


class TestReading:
    def test_levels_become_variables(self, tmp_path: Path) -> None:
        """A row per level gives a variable per level, missing where a configuration lacks the level or the value."""
        found = read(tmp_path, LEVELS)
        assert found.system == SYSTEM
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
        assert read_observed([path], SYSTEM).column("C_0").tolist() == [100.0, 200.0]

    def test_no_file_observes_nothing(self) -> None:
        """Without files no configuration was observed and the system has no observed variable."""
        found = read_observed([], SYSTEM)
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
        model = VariabilityModel("m", SYSTEM.options, observed=tuple(columns))
        some = Configurations(model, np.array(rows), Observed(columns, np.ones(len(rows), dtype=bool)))
        path = tmp_path_factory.mktemp("observed") / "observed.csv"
        write_configurations(some, path, {name: some.column(name) for name in columns})
        found = read_observed([path], SYSTEM)
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
            parse_stored_text(Source("m", b"x * C_1"), SYSTEM)
