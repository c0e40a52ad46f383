"""A real program that is no solver, from its description to a model of it: gzip on a generated file."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SYSTEM = """<vm name="gzip">
  <binaryOptions>
    <configurationOption><name>name</name><outputString>--name</outputString><optional>True</optional>
      </configurationOption>
    <configurationOption><name>rsyncable</name><outputString>--rsyncable</outputString><optional>True</optional>
      </configurationOption>
  </binaryOptions>
  <numericOptions>
    <configurationOption><name>level</name><prefix>-</prefix><values>1;9</values></configurationOption>
    <configurationOption><name>size</name><values>1;4</values><outputString>noOutput</outputString>
      </configurationOption>
  </numericOptions>
</vm>
"""
# The bytes that come out, which are the same in every run, unlike the seconds.
COUNTING = """#!/bin/sh
size=$1
shift
gzip --stdout "$@" "input$size" > "output" && echo "bytes: $(wc -c < output)"
"""


@pytest.mark.skipif(shutil.which("gzip") is None, reason="needs gzip")
def test_from_description_to_model(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Described, sampled, measured, learned and compared: gzip's bytes are what its options say."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "compress").write_text(COUNTING, encoding="utf-8")
    (tmp_path / "compress").chmod(0o755)
    words = ["option", "term", "influence", "model", "measure", "sample", "learn", "compare", "level"]
    rng = random.Random(1)
    for size in (1, 4):
        text = " ".join(rng.choice(words) for _ in range(2000 * size))
        (tmp_path / f"input{size}").write_text(text, encoding="ascii")

    assert json.loads(run("describe", "--json").stdout)["valid_configurations"] == 16
    assert run("sample", "--sampling", "all+ff", "-o", "all.csv").exit_code == 0
    measured = run(
        *("measure", "--command", "./compress {size} {options}", "--configurations", "all.csv", "--repeat", "2"),
        *("--property", r"bytes=regex:bytes: +(\d+)", "--property", "seconds=time"),
    )
    assert measured.exit_code == 0, measured.stderr

    expected = {level: len(gzip.compress((tmp_path / "input4").read_bytes(), level, mtime=0)) for level in (1, 9)}
    rows = [line.split(",") for line in (tmp_path / "measurements.csv").read_text(encoding="utf-8").splitlines()]
    assert rows[0] == ["name", "rsyncable", "level", "size", "bytes", "seconds"]
    assert len(rows) == 1 + 32
    for level, size in expected.items():
        found = {int(row[4]) for row in rows[1:] if row[:4] == ["0", "0", str(level), "4"]}
        # Headers and matchers of gzip and zlib differ a little.
        assert len(found) == 1
        assert found.pop() == pytest.approx(size, rel=0.1)

    learned = json.loads(run("learn", "--property", "bytes", "--sampling", "pairwise+ff", "--json").stdout)
    assert learned["error_all"] < 5
    assert any("size" in term["term"] for term in learned["model"]["terms"])
    # An expert's idea: half of what goes in comes out, whatever the options.
    (tmp_path / "analytical.txt").write_text("half = 2000\nbytes = half * size\n", encoding="utf-8")
    compared = run("compare", "analytical.txt", "learned.log", "--property", "bytes", "--json")
    assert compared.exit_code == 0, compared.stderr
    semantic = json.loads(compared.stdout)["semantic"]
    assert semantic["configurations"] == 16
    assert semantic["cosine"] > 0.9
    assert semantic["error_rate"] > learned["error_all"]
    assert run("learn", "--property", "seconds", "-o", "seconds.log").exit_code == 0
