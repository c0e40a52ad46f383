"""Contexts of measurements in commands and messages: one value, or several in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.measuring.journal import read_journal
from tests.cli.conftest import Run

TIME = ("--property", r"time=regex:(\d+)")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a table of configurations, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.csv").write_text("mode,level\nfast,1\nsafe,2\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("batch", [(), ("--batch-by", "mode,level")], ids=["runs", "batch"])
@pytest.mark.parametrize("values", [("2 b",), ("2 b", "3")], ids=["one", "two"])
def test_the_value_in_the_command(run: Run, table: Path, values: tuple[str, ...], batch: tuple[str, ...]) -> None:
    """A placeholder is the value of a context, one argument also with a space, whether it has one value or several."""
    contexts = [text for value in values for text in ("--context", f"version={value}")]
    if batch:
        contexts = contexts[:2]
        code = r'NR == 1 {{print $0 ",time"}} NR > 1 {{print $0 "," length("{version}")}}'
        command, read = f"awk '{code}'", ("--property", "time")
    else:
        command, read = (
            r"""sh -c 'echo "$# arguments $1"' x {version} {level}""",
            ("--property", r"time=regex:(\d+) arguments"),
        )
    found = run("measure", "first.csv", "--command", command, *read, *contexts, *batch)
    assert found.exit_code == 0, found.stderr
    runs = [record for record in read_journal("measurements.journal") if record["kind"] == "run"]
    assert [each["values"]["time"] for each in runs] == [3.0 if batch else 2.0] * 2 * (1 if batch else len(values))
    header, *rows = Path("measurements.csv").read_text(encoding="utf-8").splitlines()
    place = header.split(",").index("version")
    assert {row.split(",")[place] for row in rows} == set(values[:1] if batch else values)


def test_failures_name_values_as_tables_do(run: Run, table: Path) -> None:
    """Messages about failed runs name options and contexts as tables do."""
    contexts = ("--context", "version=a", "--context", "version=b")
    found = run("measure", "first.csv", "--command", "false {version}", *TIME, *contexts, "--keep-going")
    assert found.exit_code == 1
    assert "version=a" in found.stderr
    assert "mode=fast" in found.stderr
    for inside in ("version_a", "version_b", "mode_fast", "mode_safe"):
        assert inside not in found.stderr
