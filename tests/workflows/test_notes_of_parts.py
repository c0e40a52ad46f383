"""Notes of one part of a request: of one value of a context, of the comparison with other learners."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from splc.errors import SplcError
from splc.workflows import calibrate, learn
from splc.workflows.scripts.check import checked
from splc.workflows.split import Split
from tests.support.paths import ROOT


def test_notes_name_the_value_of_the_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes on the parameters of one version name the version."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = [f"{version},{n},{(2 + at) * n + rng.uniform():.6g}" for at, version in enumerate("vw") for n in range(1, 9)]
    Path("measurements.csv").write_text("\n".join(["version,n,time", *rows]) + "\n", encoding="utf-8")
    # a and b cannot be told apart, which a note of each version says.
    Path("analytical.txt").write_text("time = (a + b) * n\n", encoding="utf-8")
    found = calibrate.run_by(calibrate.Request(free=("a", "b"), nfp="time", measurements="measurements.csv"), "version")
    assert list(found) == ["v", "w"]
    for version, result in found.items():
        own = [note.text for note in result.notes if "told apart" in note.text]
        assert own
        assert all(text.startswith(f"version {version!r}: ") for text in own)


def test_a_better_learner_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the learners that are compared, a scaling model that is better is a note of the result."""
    folder = tmp_path / "2d"
    shutil.copytree(ROOT / "casestudies/smg2000/2d", folder, ignore=shutil.ignore_patterns("learned.*", "results*"))
    monkeypatch.chdir(folder)
    for text in ("pmnf is better", None):
        monkeypatch.setattr(Split, "better_scaling", lambda *_, own=text: own)
        notes = [note.text for note in learn.run(learn.Request(sampling="pb:9,3", baselines=True)).notes]
        assert ("pmnf is better" in notes) is (text is not None)


def test_problems_of_scripts_show_the_command(tmp_path: Path) -> None:
    """A problem of a command has its line, and the line as it is written."""
    file = tmp_path / "one.a"
    file.write_text("log one.log\nscript one.a\n", encoding="utf-8")
    with pytest.raises(SplcError) as caught:
        checked((str(file),))
    [problem] = caught.value.problems
    assert (problem.line, problem.text) == (2, "script one.a")
    assert problem.message == "the script calls itself"
