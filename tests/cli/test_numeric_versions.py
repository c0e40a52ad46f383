"""Versions that are numbers, in tables without a description: `--by` names a context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "command", [("learn",), ("calibrate", "model.txt", "--free", "scale")], ids=lambda each: each[0]
)
def test_by(folder: Path, run: Run, command: tuple[str, ...]) -> None:
    """The column that --by names is a context, as with --context, although its values are numbers."""
    rows = [
        f"{a},{b},{c},{version},{(10 + 3 * a + 2 * b + c) * version}"
        for version in (1.5, 2.5)
        for a in (0, 1)
        for b in (0, 1)
        for c in (0, 1)
    ]
    (folder / "measurements.csv").write_text("\n".join(["a,b,c,version,time", *rows]) + "\n", encoding="utf-8")
    (folder / "system.xml").unlink(missing_ok=True)
    (folder / "model.txt").write_text("10 + 3 * a\n", encoding="utf-8")
    done = run(*command, "--property", "time", "--by", "version", "--json")
    assert done.exit_code == 0, done.stderr
    assert "warning" not in done.stderr
    found = json.loads(done.stdout)
    assert [each["value"] for each in found["models" if command[0] == "learn" else "values"]] == ["1.5", "2.5"]
