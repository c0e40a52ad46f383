"""Detection of file formats by content: model text that looks like a table, and tables that look like formulas."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.measurements import Measurements
from splc.errors import MeasurementError
from splc.formats import detect
from splc.formats.detect import experiment_format, kind_of, read_variability_model, system_format, xml_root_of_file
from splc.formats.experiments.read import read_experiment
from splc.formats.measurements.csv import write_measurements_csv
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.splconqueror_xml import write_measurements_xml
from splc.formats.measurements.tables import read_file_columns
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.io.files import Source
from splc.system.variability import VariabilityModel
from splc.workflows.convert import target_format
from tests.support.golden_messages import check_calls

NAMES = ["flag", "time (ms)", "f(x)", "p99 [us]", "a*b", "x^2", "#threads", "size >= 4", "Score Error (99,9%)"]
TEXTS = ["C = A * B", "sort (stable)", "a|b", "1.2.3", "x, y", "on"]


@given(st.data(), st.lists(st.sampled_from(NAMES), min_size=2, max_size=5, unique=True), st.sampled_from(",;\t|"))
def test_what_the_reader_of_tables_reads_is_a_table(data: st.DataObject, header: list[str], separator: str) -> None:
    """Names with units, formulas in cells and decimal commas in quotes make no table a model or a log."""
    if separator != ",":
        header = [name.replace(",", ".") for name in header]
    cells = [st.sampled_from(TEXTS) for _ in header[1:]]
    rows = data.draw(st.lists(st.tuples(st.sampled_from(["1", "2,5"]), *cells), min_size=1, max_size=3))
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([header, *rows])
    source = Source("a", text.getvalue().encode())
    assume(separator != "|" or not any(mark in text.getvalue() for mark in ",;\t"))
    assert list(read_file_columns(source).columns) == header
    assert kind_of(source) == "measurements"


def test_root_of_a_file(tmp_path: Path) -> None:
    """The root of XML is found in files as they are and in compressed ones; other files have none."""
    path = tmp_path / "file"
    assert xml_root_of_file(path) is None
    text = b"<?xml version='1.0'?><!-- a --><vm name='s'><x/></vm>"
    for data, root in ((text, "vm"), (gzip.compress(text), "vm"), (b"a,b\n1,2\n", None), (b"\x1f\x8bdamaged", None)):
        path.write_bytes(data)
        assert xml_root_of_file(path) == root


@pytest.mark.parametrize("form", detect.FORMATS, ids=lambda form: f"{form.kind}-{form.name}")
def test_functions_exist(form: detect.Format) -> None:
    """Every format can be read or written, and the functions that it names exist."""
    assert form.reader or form.writer
    assert form.reader is None or callable(form.read)
    assert form.writer is None or callable(form.write)


def test_a_format_with_a_suffix_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new line in the table is enough for a format that its suffix tells, and to write one by its suffix."""
    toy = detect.Format("experiment", "toy", ".toy", f"{__name__}:read_toy", by_suffix=True)
    monkeypatch.setattr(detect, "FORMATS", (*detect.FORMATS, toy))
    assert str(read_experiment(Source("a.toy.gz", b"anything"))) == str(("toy", b"anything"))
    toy = detect.Format("model", "toy", ".t", writer=f"{__name__}:read_toy")
    monkeypatch.setattr(detect, "FORMATS", (*detect.FORMATS, toy))
    assert target_format("model", "a.t.gz", None) == "toy"
    assert target_format("model", "a.txt", None) == "txt"
    assert target_format("system", "a.xml", None) == "xml"


def read_toy(source: Source) -> Any:
    """Return a mark instead of an experiment."""
    return "toy", source.data


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


def system_in(text: str) -> str | None:
    """Return the format of a system description, None for other files."""
    source = Source("a", text.encode())
    assert (kind_of(source) == "system") == (system_format(source) is not None)
    return system_format(source)


def kind(text: str, encoding: str = "utf-8") -> str | None:
    """Return the kind of a file, whatever its name, the same with a byte order mark."""
    found = kind_of(Source("a", text.encode(encoding)))
    assert encoding != "utf-8" or kind_of(Source("a", b"\xef\xbb\xbf" + text.encode())) == found
    return found


def experiment_in(text: str) -> str | None:
    """Return the format of an experiment, the same with a byte order mark and line ends of Windows."""
    found = experiment_format(Source("x", text.encode()))
    changed = text if text.startswith("PK") else "\ufeff" + text.replace("\n", "\r\n")
    assert experiment_format(Source("x", changed.encode())) == found
    return found


def test_calls() -> None:
    """Formats are told by content and by suffix as the golden file has it."""
    check_calls("detected-formats", kind, system_in, experiment_in, detect.suffix_of, detect.model_suffix)
