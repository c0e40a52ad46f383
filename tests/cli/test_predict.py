"""`splc predict`: what golden files do not hold."""

from __future__ import annotations

import gzip
from pathlib import Path

from splc.formats.models.read import read_stored_model
from tests.cli.conftest import MEASUREMENTS, Run


def test_compressed_streams(run: Run, folder: Path) -> None:
    """Standard input may be compressed, and so is a file by its name."""
    (folder / "model.txt").write_text("10 * cache + x\n", encoding="utf-8")
    stream = gzip.compress(MEASUREMENTS.encode())
    assert run("predict", "model.txt", "-", "-o", "p.csv.gz", "--property", "time", stdin=stream).stdout == ""
    assert gzip.decompress((folder / "p.csv.gz").read_bytes()).startswith(b"cache,left,right,x,time,predicted\n")


def test_each_learning_of_a_log_has_its_property(folder: Path) -> None:
    """In a log of several learnings the property is that of the learning whose model is read."""
    learning = "command: nfp {}\nLearning progress:\n1;2 * x;1;1;1;1;0;1;2 * x;1;1;\n"
    text = learning.format("time") + learning.format("main memory") + "command: nfp energy\n"
    (folder / "a.log").write_text(text, encoding="utf-8")
    assert read_stored_model("a.log").nfp == "main memory"
