"""Study files: what they say, and everything that may be wrong with them."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('sampling = ["ff"]', "unknown key 'sampling'\n    did you mean 'samplings'?"),
        ('samplings = "ff"', "samplings must be a list of sampling specs"),
        ("samplings = []", "there are no samplings"),
        ('samplings = ["ff", 3]', "samplings must be sampling specs, in quotes\n    3"),
        ('samplings = ["fff"]', "unknown sampling 'fff'; did you mean 'ff'?"),
        ('samplings = ["pb:9,3", "pb:9, 3"]', "duplicate sampling 'pb:9, 3'"),
        ("seeds = [1, 1]", "duplicate seed"),
        ("seeds = [-1]", "a seed must not be negative"),
        ("seeds = [true]", "seeds must be whole numbers\n    true"),
        ("seeds = []", "there are no seeds"),
        ('system = "sytem.xml"', "system: there is no such file"),
        ('system = "sytem.xml"', "did you mean 'system.xml'?"),
        ("nfp = 3", "nfp must be the name of a property"),
        ("property = 3", "property must be the name of a property"),
        ('property = "a"\nnfp = "b"', "property is given twice, as property and as nfp"),
        ("scale = 0", "scale must be a number above 0"),
        ("scale = nan", "scale must be a number above 0"),
        ('constant = "no"', "constant must be true or false"),
        ('measures = ["smap"]', "unknown measure 'smap'\n    did you mean 'smape'?"),
        ('missing = "dorp"', "missing must be one of error, drop, nearest"),
        ("at = 4", "at must be a table"),
        ('at = { nodes = "4" }', "at.nodes must be a number"),
        ("learners = 3", "learners must be tables"),
        ("[learners]\na = 3", "learners.a must be a table"),
        (
            '[learners.a]\nabortErorr = 1\npreset = "splconqueror"',
            "unknown setting 'abortErorr'\n    did you mean 'abortError'?",
        ),
        ("[learners.a]\nabortError = 1", "no setting 'abortError'\n    --preset splconqueror has it"),
        ("[learners.a]\ntrems = 1", "unknown setting 'trems'\n    did you mean 'terms'?"),
        ('[learners.a]\npreset = "spl"', "no preset 'spl'\n    known are: default, splconqueror"),
        ("[reference]\ntitle = 3", "reference.title must be a text"),
        ("[reference.analytic_learned]\nSC = {ff = 1}", "did you mean 'analytical_learned'?"),
        ("[reference.analytical_learned]\nSX = {ff = 1}", "unknown measure 'SX'"),
        ("[reference.analytical_learned]\nSC = 1", "SC must be a table"),
        ("[reference.analytical_learned]\nSC = {cci = 1}", "'cci' is none of the study's samplings"),
        ('[reference.analytical_learned]\nSC = {ff = "1"}', "the value of SC must be a number"),
        ("[reference.analytical_learned]\nSC = {ff = [1, 2, 3]}", "the value of SC must be a number"),
        ('reference = "none.csv"', "there is no such file"),
        ("samplings = [", "not well-formed TOML"),
    ],
)
def test_bad_studies(study_file: Path, line: str, message: str) -> None:
    """Everything that is wrong with a study file is said with the line, and with the nearest known name."""
    before = "" if line.startswith("sampling") else 'samplings = ["ff"]\n'
    text = refused(study_file, before + line + "\n")
    assert message in text
    if "TOML" not in message and "no samplings" not in message:
        assert re.search(r"study\.toml:[123]: ", text)


def test_all_errors_at_once(study_file: Path) -> None:
    """All errors of a study file are reported at once, each with its line; in lists over several lines too."""
    text = refused(
        study_file, 'samplings = [\n  "ff",\n  "pbb:9,3",\n]\nseeds = ["a"]\nscales = 3\n[learners.a]\nepsilonn = 1\n'
    )
    assert [line.split(": ")[0].rpartition(":")[2] for line in text.splitlines() if "study.toml" in line] == list(
        "3568"
    )


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


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("measured_learned", "published.csv:2: 1 fields, but the header has 4"),
        ("measured_learned,ER,ff," + "9" * 200_000, "published.csv:2: not CSV: field larger than field limit"),
        ("measured_learned,ER,ff,1_0", "published.csv:2: the value of ER must be a number"),
        (
            "measured_learned,ER,ff,1\nmeasured_learned,error_rate,ff,2",
            "published.csv:3: measured_learned: error_rate is",
        ),
    ],
)
def test_wrong_rows_of_published_values(study_file: Path, rows: str, message: str) -> None:
    """Rows that are no values, and values that are given twice, are refused with their lines."""
    path = study_file.parent / "published.csv"
    path.write_text(f"compared,measure,sampling,value\n{rows}\n", encoding="utf-8")
    assert message in refused(study_file, 'samplings = ["ff"]\nreference = "published.csv"\n')
    path.write_text("compared,value,measure,sampling,value\n", encoding="utf-8")
    text = refused(study_file, 'samplings = ["ff"]\nreference = "published.csv"\n')
    assert "published.csv: two columns have the name value" in text


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
