"""Notes of one part of a request: of one value of a context, of the comparison with other learners."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc.errors import SplcError
from splc.splconqueror.check import checked
from splc.workflows import calibrate
from splc.workflows.by import ByValue
from tests.cli.conftest import MEASUREMENTS, SYSTEM


def test_notes_name_the_value_of_the_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes on the parameters of one version name the version."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"{version},{n},{(2 + at) * n + rng.uniform():.6g}" for at, version in enumerate("vw") for n in range(1, 9)]
    Path("measurements.csv").write_text("\n".join(["version,n,time", *rows]) + "\n", encoding="utf-8")
    # a and b cannot be told apart, which a note of each version says.
    Path("analytical.txt").write_text("time = (a + b) * n\n", encoding="utf-8")
    request = calibrate.Request(free=("a", "b"), nfp="time", measurements="measurements.csv", by="version")
    found = calibrate.run(request)
    assert isinstance(found, ByValue)
    assert list(found.results) == ["v", "w"]
    for version, result in found.results.items():
        own = [note.text for note in result.notes if "interchangeable" in note.text]
        assert own
        assert all(text.startswith(f"version {version!r}: ") for text in own)


def test_problems_of_scripts_show_the_command(tmp_path: Path) -> None:
    """A problem of a command has its line, and the line as it is written."""
    file = tmp_path / "one.a"
    file.write_text("log one.log\nscript one.a\n", encoding="utf-8")
    with pytest.raises(SplcError) as caught:
        checked((str(file),))
    [problem] = caught.value.problems
    assert (problem.line, problem.text) == (2, "script one.a")
    assert problem.message == "the script calls itself"


def test_hybrid_samplings_stand_alone(tmp_path: Path) -> None:
    """A hybrid sampling and a binary one cannot be joined; a hybrid one alone can be learned from."""
    (tmp_path / "s.xml").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "m.csv").write_text(MEASUREMENTS, encoding="utf-8")
    hybrid = "hybrid distribution-aware distribution:uniform numConfigs:2 seed:1\n"
    file = tmp_path / "one.a"
    text = "vm s.xml\nall m.csv\nnfp time\n{}learn-splconqueror\n"
    file.write_text(text.format(hybrid), encoding="utf-8")
    assert len(checked((str(file),))) == 1
    file.write_text(text.format(f"binary allbinary\n{hybrid}"), encoding="utf-8")
    with pytest.raises(SplcError) as caught:
        checked((str(file),))
    [problem] = caught.value.problems
    assert problem.message == "a hybrid sampling cannot be joined with binary and numeric ones"
    assert (problem.line, problem.text) == (6, "learn-splconqueror")
