"""Published logs of SPL Conqueror's program of 2018, and damaged logs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import read_measurements, read_variability_model
from splc.formats.models.log_reader import learnings_of, parse_stored_log
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
