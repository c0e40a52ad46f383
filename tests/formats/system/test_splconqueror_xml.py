"""SPL Conqueror's XML of variability models."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from splc.errors import InputError, OutputError
from splc.formats.detect import read_variability_model
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.formats.conftest import SYSTEM
from tests.support.format_strategies import systems


class TestWriting:
    @given(systems())
    def test_reads_back_equal(self, tmp_path_factory: pytest.TempPathFactory, model: VariabilityModel) -> None:
        """A model that was written reads back equal."""
        path = tmp_path_factory.getbasetemp() / "written.xml"
        write_variability_model(model, path)
        again = read_variability_model(path)
        assert again == model
        assert again.notes == ()

    def test_everything_reads_back_equal(self, tmp_path: Path, system: VariabilityModel) -> None:
        """A system with every kind of element reads back equal, also compressed, and keeps its step functions."""
        path = tmp_path / "written.xml.gz"
        write_variability_model(system, path)
        assert read_variability_model(path) == system
        assert read_variability_model(path).numeric_options[0].step == "n + 4"

    def test_steps_that_do_not_give_the_values(self, tmp_path: Path) -> None:
        """If a step function does not give an option's values, the values are listed."""
        option = NumericOption("x", (1.0, 2.0, 7.0), step="n + 1")
        write_variability_model(VariabilityModel("m", (option,)), tmp_path / "m.xml")
        assert "<values>1;2;7</values>" in (tmp_path / "m.xml").read_text()

    def test_names_that_xml_cannot_represent(self, tmp_path: Path) -> None:
        """A name with a control character is an error, and no file is written."""
        model = VariabilityModel("m", (BinaryOption("a\x01b"),))
        with pytest.raises(OutputError):
            write_variability_model(model, tmp_path / "m.xml")
        assert not list(tmp_path.iterdir())


class TestDamagedFiles:
    def test_truncated_anywhere(self, tmp_path: Path) -> None:
        """A file that is truncated at any position is an error with its name."""
        data = SYSTEM.read_bytes().rstrip()
        path = tmp_path / "m.xml"
        for length in range(0, len(data), 7):
            path.write_bytes(data[:length])
            with pytest.raises(InputError, match=r"m\.xml"):
                read_variability_model(path)
