"""`splc describe`, `splc sample` and `splc convert`: entangled systems, large tables, compressed streams."""

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

LEFT = "<configurationOption><name>left</name><optional>True</optional>{}</configurationOption>\n"


def described(run: Run, *arguments: str) -> dict[str, Any]:
    """Return the JSON object."""
    result = run("describe", *arguments, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


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
