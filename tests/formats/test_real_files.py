"""The formats on published and on our own files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling.space.space import Space
from splc.data.measurements import Measurements
from splc.errors import InputError, MeasurementError
from splc.formats.measurements.csv import write_measurements_csv
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.splconqueror_xml import write_measurements_xml
from splc.formats.system.splconqueror_xml import read_variability_model, write_variability_model
from splc.system.variability import VariabilityModel
from tests.support.paths import SMG2000

PUBLISHED = {
    "LLVM": ("FeatureModel.xml", "measurements.xml", 1024),
    "x264": ("FeatureModel.xml", "measurements.xml", 1152),
    "Dune": ("FeatureModel.xml", "measurements.xml", 2304),
    "exastencils": ("FeatureModel.xml", "SS-X.csv.gz", 86058),
    "splc_examples": ("VariabilityModel.xml", "measurements.xml", 20),
}


def load(data: Path, name: str) -> tuple[VariabilityModel, Measurements]:
    """Read a published system and all of its rows."""
    system, file, _ = PUBLISHED[name]
    model = read_variability_model(data / name / system)
    return model, read_measurements(data / name / file, model)


@pytest.mark.real_data
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_systems(data: Path, name: str) -> None:
    """Every published file is read completely, and no value of its properties but LLVM's MainMemory is missing."""
    _, measured = load(data, name)
    assert len(measured) == PUBLISHED[name][2]
    assert set(measured.report.missing) == ({"MainMemory"} if name == "LLVM" else set())


@pytest.mark.real_data
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "exastencils" else name for name in PUBLISHED]
)
def test_published_systems_read_back(data: Path, tmp_path: Path, name: str) -> None:
    """Every published system and its measurements read back equal after they were written."""
    model, measured = load(data, name)
    write_variability_model(model, tmp_path / "system.xml")
    assert read_variability_model(tmp_path / "system.xml") == model
    write_measurements_csv(measured, tmp_path / "m.csv")
    write_measurements_xml(measured[:3000], tmp_path / "m.xml")
    for again, rows in (("m.csv", slice(None)), ("m.xml", slice(3000))):
        kept = read_measurements(tmp_path / again, model)
        assert kept.configurations == measured.configurations[rows]
        for nfp in measured.properties:
            np.testing.assert_array_equal(kept[nfp], measured[nfp][rows])


@pytest.mark.real_data
def test_the_invalid_rows_of_spl_conquerors_example(data: Path) -> None:
    """Four of the twenty rows of SPL Conqueror's own example are invalid, which is an error unless they are dropped."""
    folder = data / "splc_examples"
    model = read_variability_model(folder / "VariabilityModel.xml")
    space = Space(model)
    path = folder / "measurements.xml"
    with pytest.raises(MeasurementError, match=r"xml:48: the configuration violates: binOpt4 implies binOpt2"):
        read_measurements(path, model, check=space.check, explain=space.violations)
    kept = read_measurements(path, model, check=space.check, invalid="drop")
    assert len(kept) == 16
    assert [line for line, _ in kept.report.invalid] == [48, 103, 158, 213]


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["LLVM", "x264", "Dune", "exastencils"])
def test_all_other_published_rows_are_valid(data: Path, name: str) -> None:
    """No row of the other published files fails the check, and they are all valid configurations."""
    model, measured = load(data, name)
    space = Space(model)
    assert space.check(measured.configurations).all()
    assert space.count == len(measured)


@pytest.mark.real_data
def test_the_decimal_comma_in_llvms_main_memory(data: Path) -> None:
    """A comma in a file with decimal points is not a thousands separator: only that value is missing."""
    _, measured = load(data, "LLVM")
    np.testing.assert_array_equal(measured.repetitions("MainMemory")[0], [353200, 23216, 371536])
    np.testing.assert_array_equal(measured.repetitions("MainMemory")[2], [np.nan, 337952, np.nan])
    assert measured["Performance"][2] == 216.403333333333
    assert np.nanmax(measured.repetitions("MainMemory")) < 1e6


@pytest.mark.real_data
def test_a_large_document_is_read_whole(data: Path, tmp_path: Path) -> None:
    """4 MB of XML are read, every repetition of every configuration."""
    model = read_variability_model(data / "Dune" / "FeatureModel.xml")
    text = (data / "Dune" / "measurements.xml").read_text(encoding="utf-8-sig")
    start, end = text.index("<row>"), text.rindex("</results>")
    (tmp_path / "large.xml").write_text(text[:start] + text[start:end] * 7 + text[end:], encoding="utf-8")
    measured = read_measurements(tmp_path / "large.xml", model, duplicates="mean")
    assert measured.repetitions("Performance").shape == (2304, 7)


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["splc_examples", pytest.param("LLVM", marks=pytest.mark.slow)])
def test_truncated(data: Path, tmp_path: Path, name: str) -> None:
    """A published file that is truncated at any position is refused with its name and a line."""
    model = read_variability_model(data / name / PUBLISHED[name][0])
    content = (data / name / "measurements.xml").read_bytes().rstrip()
    path = tmp_path / "cut.xml"
    for length in range(1, len(content), len(content) // 150):
        path.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"cut\.xml"):
            read_measurements(path, model)


@pytest.mark.real_data
def test_a_system_instead_of_measurements(data: Path) -> None:
    """A file given instead of another one is recognised."""
    model = read_variability_model(data / "LLVM" / "FeatureModel.xml")
    with pytest.raises(InputError, match="this is a variability model"):
        read_measurements(data / "LLVM" / "FeatureModel.xml", model)
    with pytest.raises(InputError, match="these are measurements"):
        read_variability_model(data / "LLVM" / "measurements.xml")
    with pytest.raises(MeasurementError, match="unknown option"):
        read_measurements(data / "x264" / "measurements.xml", model)


@pytest.mark.parametrize(("case", "count"), [("1d", 144), ("2d", 240), ("3d", 320)])
def test_smg2000(case: str, count: int) -> None:
    """Every configuration of SMG2000 was measured three times."""
    folder = SMG2000 / case
    measured = read_measurements(folder / "measurements.csv", read_variability_model(folder / "system.xml"))
    assert len(measured) == count
    assert measured.repetitions("solve_seconds").shape == (count, 3)
    assert not measured.report.missing
