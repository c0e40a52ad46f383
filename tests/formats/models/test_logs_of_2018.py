"""Published logs of SPL Conqueror's program of 2018, and damaged logs."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_measurements, read_variability_model
from splc.formats.models.log_lines import MIN_FIELDS, learnings_of
from splc.formats.models.log_reader import parse_stored_log
from splc.io.files import Source, read_source
from splc.models.influence import InfluenceModel
from tests.support.real_data import DATA

LOGS = ("Dune_divDistBased_t2", "Dune_solvBased_t1", "LLVM_distBased_t3", "x264_henard_t1", "x264_rand_t2")
ROUNDS = (
    "1;10.5 * root;40.1;40.1;40.1;40.1;0.1;1;10.5 * root;1;1.79769313486232E+308;",
    "2;9.5 * root + 2.25 * x;20.2;20.2;20.2;20.2;0.2;2;2.25 * x;1;0.5;",
)


def parsed(text: str) -> tuple[InfluenceModel, tuple[str, ...]]:
    """Return the model of a log and the notes."""
    [found] = parse_stored_log(Source("a.log", text.encode()))
    return found.model, found.notes


WHOLE = "Learning progress:\n" + "\n".join(ROUNDS) + "\n"


@pytest.mark.real_data
@pytest.mark.parametrize("name", [*LOGS, "x264_twise_t1", "x264_twise_t2"])
def test_stated_errors_are_those_of_the_models(name: str) -> None:
    """The error that a log states is that of its model on all measurements of the system."""
    folder = DATA / name.split("_", maxsplit=1)[0]
    system = read_variability_model(folder / "FeatureModel.xml")
    measured = read_measurements(folder / "measurements.xml", system)
    source = read_source(DATA / "splc_logs" / f"{name}.log")
    [found] = parse_stored_log(source, system)
    stated = [line.rsplit(";", 1)[1] for line in source.text().splitlines() if re.fullmatch(r"\d+(;[^;]*){11}", line)]
    values = measured["Performance"]
    errors = abs(found.model.predict(measured.configurations) - values) / values
    assert 100 * errors.mean() == pytest.approx(float(stated[-1]), rel=1e-10)
    assert len(found.notes) == 1
    assert found.notes[0].startswith("numbers out of range are read as infinite (line ")


@pytest.mark.real_data
def test_samplings_sizes_and_test_errors_of_rounds() -> None:
    """A learning has the commands that drew its learning set, its size, and the test error of each round."""
    [found] = learnings_of(read_source(DATA / "splc_logs" / "x264_henard_t1.log"))[0]
    assert found.sampling == ("binary satoutput henard:true numConfigs:12 seed:3",)
    assert found.configurations == 12
    assert [this.test_error for this in found.rounds.values()] == [34.237334662276, 13.993756221183]
    [found] = learnings_of(read_source(DATA / "splc_logs" / "x264_twise_t2.log"))[0]
    assert (found.sampling, found.configurations) == (("twise t:2",), 65)


def test_samplings_until_they_are_cleaned() -> None:
    """Sampling commands add up until a command cleans them."""
    clean = "command: clean-sampling\n"
    text = f"command: binary pairwise\ncommand: numeric random sampleSize:3\n{WHOLE}{clean}command: twise t:2\n{WHOLE}"
    found = learnings_of(Source("a.log", text.encode()))[0]
    assert [each.sampling for each in found] == [("binary pairwise", "numeric random sampleSize:3"), ("twise t:2",)]


def test_decimal_commas() -> None:
    """Logs of programs with a decimal comma are read, names with digits and exponents included."""
    text = "1;10,5 * root + -2,25E-05 * x1 * log10( y2 ) + 3 * z;1,5;1,5;1,5;1,5;0,1;2;3 * z;1;0,5;\n"
    model, notes = parsed(text)
    other, none = parsed(re.sub(r"(\d),(\d)", r"\1.\2", text))
    assert model == other
    assert len(model.terms) == 3
    assert notes == ("decimal commas are read as points (line 1)",)
    assert none == ()


def test_missing_fields() -> None:
    """A round with missing fields is a round; a line with hardly any field is none."""
    for fields in range(MIN_FIELDS, 11):
        model, notes = parsed(";".join(ROUNDS[1].split(";")[:fields]) + "\nAnalyze finished\n")
        assert len(model.terms) == 2
        assert notes == ("rounds with fewer than 12 fields are read without the missing ones (line 1)",)


@given(st.integers(len("Learning progress:\n" + ROUNDS[0]), len(WHOLE)))
def test_logs_that_are_cut_off(length: int) -> None:
    """A log that ends anywhere has the model of its last whole round, or of one whose model is whole."""
    model, notes = parsed(WHOLE[:length])
    second = WHOLE[:length].splitlines()[-1].count(";") >= 2 and length > len("Learning progress:\n" + ROUNDS[0]) + 1
    assert [influence for _, influence in model.terms] == ([9.5, 2.25] if second else [10.5])
    last = WHOLE[:length].splitlines()[-1].split(";")
    # The last two fields are optional, and a number alone is no round.
    whole = len(last) == 1 or len(last) == 12 or (len(last) == 11 and bool(last[-1]))
    assert any("cut off" in note for note in notes) is not whole


def test_log_that_ends_while_learning_is_analyzed() -> None:
    """A log that ends before 'Analyze finished' is cut off."""
    header = "Round, Model, LearningError\nModels:\n"
    _, notes = parsed(WHOLE + header + ROUNDS[0] + "\n")
    assert notes[-1] == "the log is cut off after line 6"
    _, notes = parsed(WHOLE + header + ROUNDS[0] + "\nAnalyze finished\n")
    assert "cut off" not in " ".join(notes)


def test_windows_line_ends() -> None:
    """Carriage returns do not change a log."""
    assert parsed(WHOLE.replace("\n", "\r\n")) == parsed(WHOLE)


def test_numbers_out_of_range_are_no_errors_of_rounds() -> None:
    """An error out of range is infinite; the round with the smallest error is another one."""
    text = WHOLE.replace("20.2", "1.79769313486232E+308")
    [best] = parse_stored_log(Source("a.log", text.encode()), round="best")
    assert len(best.model.terms) == 1
    assert math.isinf(float("1.79769313486232E+308"))


def test_what_logs_state_about_learning() -> None:
    """A learning has the settings, the seed, the evaluation set and the scores that the log states before it."""
    head = (
        "Current machine learning settings: abortError:1 unknown:3 first:log10( x ) * a "
        "crossValidation-k:5 blacklisted: \n"
        "command: splc seed: 7\ncommand: evaluationset some where.csv\n"
        "3 configurations loaded. abortError set to highest deviation value: 2.5.\n"
    )
    later = "command: clean-global\nCurrent machine learning settings: abortError:3 blacklisted: \n"
    first, second = learnings_of(Source("a.log", (head + WHOLE + later + WHOLE).encode()))[0]
    assert dict(first.settings) == {
        "abortError": "2.5",
        "first": "log10( x ) * a",
        "crossValidation-k": "5",
        "blacklisted": "",
    }
    assert (first.seed, first.evaluation) == (7, "some where.csv")
    assert [this.score for this in first.rounds.values()] == [math.inf, 0.5]
    assert (dict(second.settings), second.evaluation) == ({"abortError": "3", "blacklisted": ""}, None)
