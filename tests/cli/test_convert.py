"""`splc convert`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from splc import read_model, read_variability_model
from splc.formats.detect import kind_of
from splc.io.files import Source
from tests.cli.conftest import MEASUREMENTS, SYSTEM, Run

ROUND = "1;2 * cache + 3 * x;1;1;1;1;0.1;2;3 * x;1;1;1\n"


def test_compressed_streams(run: Run, folder: Path) -> None:
    """`-` is standard input and output; what comes in may be compressed, and so is a file by its name."""
    stream = gzip.compress(MEASUREMENTS.encode())
    assert run("convert", "-", "-o", "-", "--to", "csv", stdin=stream).stdout == MEASUREMENTS
    (folder / "model.txt").write_text("10 * cache + x\n", encoding="utf-8")
    assert run("predict", "model.txt", "-", "-o", "p.csv.gz", "--property", "time", stdin=stream).stdout == ""
    assert gzip.decompress((folder / "p.csv.gz").read_bytes()).startswith(b"cache,left,right,x,time,predicted\n")


@pytest.mark.parametrize("suffix", [".json", ".txt", ".log", ".json.gz", ".log.gz"])
def test_there_and_back(run: Run, folder: Path, suffix: str) -> None:
    """A model survives a conversion into every format, and back."""
    (folder / "model.txt").write_text("T = 1.5 + 2 * cache * x^2 - 0.1 * log10(x) * left\n", encoding="utf-8")
    expected = read_model("model.txt", read_variability_model("system.xml"))
    assert run("convert", "model.txt", "-o", f"a{suffix}").exit_code == 0
    assert read_model(f"a{suffix}", read_variability_model("system.xml")) == expected
    assert run("convert", f"a{suffix}", "-o", "b.txt").exit_code == 0
    assert read_model("b.txt", read_variability_model("system.xml")) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (SYSTEM, "system"),
        ("<?xml version='1.0'?><!-- <vm> --><results>", "measurements"),
        ("<html/>", None),
        ("<", None),
        ("a,b,time\n1,2,3\n", "measurements"),
        ("1;0;3.5\n0;1;2\n", "measurements"),
        ('{"schema": "splc.learn/1"}', "model"),
        ("Learning progress:\n" + ROUND, "model"),
        (ROUND, "model"),
        ("# a comment, with a comma\nT = 2 * cache\n", "model"),
        ("2 * `a,b;c` + 3", "model"),
        ("2 * `b;c#d` + 3", "model"),
        ("2 * `b#d` + `x;y`", "model"),
        ("", "model"),
    ],
)
def test_kinds(text: str, kind: str | None) -> None:
    """The content of a file decides its kind, whatever its name."""
    assert kind_of(Source("a", text.encode())) == kind
    assert kind_of(Source("a", b"\xef\xbb\xbf" + text.encode())) == kind


def test_kinds_of_other_encodings() -> None:
    """An XML file in UTF-16 is recognised as well."""
    assert kind_of(Source("a", SYSTEM.encode("utf-16"))) == "system"


@pytest.mark.parametrize(
    "text",
    [
        "exp(0.5 + 0.25 * x + cache)",
        "0.5 + 2 * cache * log10(x + 1) + max(0, x - 2)",
        "9.5 + 2 * cache * [x >= 3] + min(x, 3) - 4 / x",
    ],
)
def test_products_and_subexpressions(run: Run, folder: Path, text: str) -> None:
    """Products and factors that are not products of options survive every format of models."""
    (folder / "m.txt").write_text(text, encoding="utf-8")
    wanted = run("predict", "m.txt", "measurements.csv", "--property", "time").stdout
    for source, target in (("m.txt", "a.log"), ("a.log", "b.json"), ("b.json", "c.txt"), ("c.txt", "d.json")):
        assert run("convert", source, "-o", target).exit_code == 0
        assert run("predict", target, "measurements.csv", "--property", "time").stdout == wanted
    for name in ("a.log", "d.json"):
        greatest = json.loads(run("optimize", name, "--maximize", "--json").stdout)
        assert greatest["configuration"]["x"] == 4
