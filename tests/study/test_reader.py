"""Study files: what they say, and everything that may be wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.errors import InputError
from splc.io.tables import Spread
from splc.study import read_study


def refused(path: Path, text: str) -> str:
    """Return the message for a study file."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_study(path)
    return str(caught.value)


def test_defaults(study_file: Path) -> None:
    """A list of samplings is all that a study needs."""
    study_file.write_text('samplings = [" pb : 9, 3 "]', encoding="utf-8")
    study = read_study(study_file)
    assert (study.samplings, study.seeds, study.scale, study.constant) == (("pb:9,3",), (0,), 1.0, True)
    assert (study.learners, study.measures, dict(study.reference.values)) == (None, (), {})


def test_published_values_of_a_file(study_file: Path) -> None:
    """Published values can be a CSV file; its errors have its name and lines."""
    path = study_file.parent / "published.csv"
    path.write_text(
        "compared,measure,sampling,value,deviation\n"
        'analytical_learned,SC,"pb:9,3",-7,\n'
        "analytical_learned,error_rate,ff,9.8,10\n"
        "measured_analytical,ER,,9.7,\n",
        encoding="utf-8",
    )
    study_file.write_text('samplings = ["ff", "pb:9,3"]\nreference = "published.csv"\n', encoding="utf-8")
    reference = read_study(study_file).reference
    assert reference.value("analytical_learned", "syntactic", "pb:9,3") == -7
    assert reference.value("analytical_learned", "error_rate", "ff") == Spread(9.8, 9.8 * 10 / 100)
    assert reference.value("measured_analytical", "error_rate", None) == 9.7
    path.write_text("compared,measure,sampling,value\nx,SC,ff,1\nanalytical_learned,SC,ff,one\n", encoding="utf-8")
    text = refused(study_file, 'samplings = ["ff"]\nreference = "published.csv"\n')
    assert "published.csv:2: unknown comparison 'x'" in text
    assert "published.csv:3: the value of SC must be a number" in text
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert "there is no column compared, measure" in refused(
        study_file, 'samplings = ["ff"]\nreference = "published.csv"\n'
    )


def test_published_values_with_other_separators(study_file: Path) -> None:
    """Tables of published values may be separated by semicolons, with spaces around cells."""
    path = study_file.parent / "published.csv"
    path.write_text("compared;measure;sampling;value\r\nmeasured_learned; ER ;pb:9,3; 9.5\r\n", encoding="utf-8")
    study_file.write_text('samplings = ["pb:9,3"]\nreference = "published.csv"\n', encoding="utf-8")
    assert read_study(study_file).reference.value("measured_learned", "error_rate", "pb:9,3") == 9.5


def test_published_values_without_a_title(study_file: Path) -> None:
    """The place of the title among the published values does not matter; without one, they have a usual one."""
    values = "[reference.analytical_learned]\nSC = { ff = -4.2 }\n[reference.measured_analytical]\nER = 9.7\n"
    found = []
    for title in ("", 'title = "thesis"\n'):
        study_file.write_text(f'samplings = ["ff"]\n[reference]\n{title}{values}', encoding="utf-8")
        found.append(read_study(study_file).reference)
    assert (
        found[0].values
        == found[1].values
        == {
            "analytical_learned": {"syntactic": {"ff": -4.2}},
            "measured_analytical": {"error_rate": {None: 9.7}},
        }
    )
    assert [each.title for each in found] == ["published", "thesis"]
