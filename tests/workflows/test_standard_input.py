"""Requests that read standard input leave the stream of the caller in place."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from splc.workflows import convert, describe
from tests.cli.conftest import MEASUREMENTS, OTHER, SYSTEM

PACKAGES = [Path(__file__).parents[2] / name for name in ("splc", "sampling", "comparison")]


@pytest.mark.parametrize(
    ("content", "work"),
    [
        (SYSTEM, lambda: convert.run(convert.Request(source="-", output="system.xml"))),
        (MEASUREMENTS, lambda: convert.run(convert.Request(source="-", output="o.csv", system="system.xml"))),
        (OTHER, lambda: convert.run(convert.Request(source="-", output="o.json", system="system.xml"))),
        (SYSTEM, lambda: describe.run(describe.Request(system="-"))),
        (MEASUREMENTS, lambda: describe.run(describe.Request(system="-"))),
    ],
    ids=["convert a system", "convert measurements", "convert a model", "describe a system", "describe measurements"],
)
def test_the_stream_of_the_caller(content: str, work: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard input is read to its end, and remains the stream that it was; the next call reads it again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    for _ in range(2):
        stream = io.TextIOWrapper(io.BytesIO(content.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stream)
        work()
        assert sys.stdin is stream
        assert stream.read() == ""


def test_streams_are_not_replaced() -> None:
    """Only the command line assigns standard streams."""
    for file in (file for package in PACKAGES for file in package.rglob("*.py") if "cli" not in file.parts):
        assert not re.search(r"^ *sys\.std(in|out|err) *=", file.read_text(encoding="utf-8"), re.MULTILINE), file
