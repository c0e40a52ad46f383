"""Study files: what they say, and everything that may be wrong with them."""

from __future__ import annotations

from pathlib import Path

from splc.study import read_study


def test_defaults(study_file: Path) -> None:
    """A list of samplings is all that a study needs."""
    study_file.write_text('samplings = [" pb : 9, 3 "]', encoding="utf-8")
    study = read_study(study_file)
    assert (study.samplings, study.seeds, study.scale, study.constant) == (("pb:9,3",), (0,), 1.0, True)
    assert (study.learners, study.measures) == (None, ())
