"""`splc describe`, `splc sample` and `splc convert`: real and entangled systems, large tables, compressed streams."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from sampling.space import solutions
from splc.formats.measurements import csv
from splc.workflows import learn
from tests.cli.conftest import MEASUREMENTS, Run, description
from tests.support.entangled import random_clauses
from tests.support.real_data import real

LEFT = "<configurationOption><name>left</name><optional>True</optional>{}</configurationOption>\n"


def described(run: Run, *arguments: str) -> dict[str, Any]:
    """Return the JSON object."""
    result = run("describe", *arguments, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "binary", "numeric", "constraints", "valid"),
    [
        ("LLVM/FeatureModel.xml", 11, 0, 0, 1024),
        ("x264/FeatureModel.xml", 16, 0, 0, 1152),
        ("Dune/FeatureModel.xml", 31, 0, 0, 2304),
        ("exastencils/FeatureModel.xml", 5, 6, 6, 86058),
        ("splc_examples/VariabilityModel.xml", 4, 2, 2, 24),
    ],
)
def test_real_systems(run: Run, system: str, binary: int, numeric: int, constraints: int, valid: int) -> None:
    """The published systems have their published numbers of options and valid configurations, all of them measured."""
    tables = ("--measurements", str(real(system).with_name("measurements.xml"))) if numeric == 0 else ()
    found = described(run, str(real(system)), *tables)
    counted = (len(found["binary_options"]), len(found["numeric_options"]), found["constraints"])
    assert counted == (binary, numeric, constraints)
    assert found["valid_configurations"] == valid
    assert not tables or found["measurements"]["configurations"] == valid


def test_too_entangled_to_count(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A space that cannot be counted is described all the same, and it is said why."""
    compiled = solutions.compiled
    monkeypatch.setattr(solutions, "compiled", lambda a, b, c, _: compiled(a, b, c, (2**8,)))
    names = "".join(LEFT.replace("left", f"o{at}").format("") for at in range(80))
    constraints = "".join(f"<constraint>{escape(each)}</constraint>" for each in random_clauses(80, 150, 0))
    (folder / "system.xml").write_text(description(names, constraints=constraints), encoding="utf-8")
    result = run("describe")
    assert result.exit_code == 0
    assert "valid configurations: not counted" in result.stdout
    assert "transitions in every variable order" in result.stderr
    assert described(run)["valid_configurations"] is None


@pytest.mark.real_data
def test_a_file_of_measurements_is_extended(run: Run, folder: Path) -> None:
    """Measurements in XML are extended, too."""
    (folder / "system.xml").write_bytes(real("x264", "FeatureModel.xml").read_bytes())
    file = str(real("x264", "measurements.xml"))
    result = run("sample", "--sampling", "covering:2", "--extend", file)
    assert len(result.stdout.splitlines()) == 1
    assert "the existing sample lacks nothing" in result.stderr


def test_the_validation_set_is_disjoint_from_the_learning_set(folder: Path) -> None:
    """No configuration is in both, also where sampled configurations are replaced by the nearest measured ones."""
    lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "measurements.csv").write_text("".join(lines[:1] + lines[3:]), encoding="utf-8")
    for missing in ("drop", "nearest"):
        request = learn.Request(
            nfp="energy", sampling="all+random:2", validation="all+ff", missing=missing, write=False, seed=3
        )
        found = learn.run(request)
        assert found.evaluated is not None
        assert found.evaluated.learned_from == 0
        assert found.evaluated.configurations + len(found.rows) <= 8


def test_large_tables_are_written_piece_by_piece(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces in which a large table is written make no difference."""
    whole = run("sample", "--sampling", "all+ff").stdout
    monkeypatch.setattr(csv, "CELLS", 8)
    assert run("sample", "--sampling", "all+ff").stdout == whole


def test_compressed_streams(run: Run, folder: Path) -> None:
    """`-` is standard input and output; what comes in may be compressed, and so is a file by its name."""
    stream = gzip.compress(MEASUREMENTS.encode())
    assert run("convert", "-", "-o", "-", "--to", "csv", stdin=stream).stdout == MEASUREMENTS
    (folder / "model.txt").write_text("10 * cache + x\n", encoding="utf-8")
    assert run("predict", "model.txt", "-", "-o", "p.csv.gz", "--property", "time", stdin=stream).stdout == ""
    assert gzip.decompress((folder / "p.csv.gz").read_bytes()).startswith(b"cache,left,right,x,time,predicted\n")
