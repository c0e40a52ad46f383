"""Learned models as logs: what is written, and what is read from our logs and SPL Conqueror's."""

from __future__ import annotations

import dataclasses
import re
from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc import read_measurements, read_variability_model
from splc.formats.models.log_reader import parse_stored_log
from splc.formats.models.log_writer import learned_log_text, model_log_text
from splc.formats.models.stored_model import ReadOptions, WhichRound
from splc.io.files import Source, read_source
from splc.learning.result import LearnedTerm, LearningResult, Round
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import Factor, Term, option_term
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.golden_messages import Lines, check_calls
from tests.support.learning_results import influence_models, result_of, results, small_system, systems, uncertain_result
from tests.support.real_data import DATA


def parsed(
    text: str, system: VariabilityModel | None = None, which: WhichRound = "last", learning: int | None = None
) -> InfluenceModel:
    """Return the model of a log."""
    options = ReadOptions(round=which, learning=learning)
    return parse_stored_log(Source("a.log", text.encode()), system, options)[0].model


@examples(30)
@given(st.data())
def test_logs_read_back_to_the_last_bit(data: st.DataObject) -> None:
    """The log of any learning result reads back as exactly its model."""
    system = data.draw(systems())
    result = data.draw(results(system))
    assert parsed(learned_log_text(result), system) == result.model


@examples(30)
@given(st.data())
def test_logs_read_back_without_the_system(data: st.DataObject) -> None:
    """Without the system the same influences come back, where no term hides behind an always selected option."""
    system = data.draw(systems())
    result = dataclasses.replace(data.draw(results(system)), base="root")
    known = all(" " not in name and name != "log10" for name in system.names)
    assume(known and not any("( " in each and " - " in each for term in result.terms for each in term.further))
    assert parsed(learned_log_text(result)).influences == result.model.influences


@given(influence_models())
def test_models_without_history_read_back(model: InfluenceModel) -> None:
    """A model reads back from the log that is written without a learning result; fractional exponents are defined."""
    assume(model.terms)
    read = parsed(model_log_text(model))
    assert (read.influences, read.link) == (model.influences, model.link)


def example_rounds() -> tuple[list[LearnedTerm], tuple[Round, ...]]:
    """Return the terms and rounds of a run with two rounds."""
    gvn, square = Candidate(option_term("gvn")), Candidate(option_term("x", 2))
    terms = [BASE.learned(12.5), gvn.learned(-3.0), square.learned(1e-05)]
    rounds = (
        Round(1, gvn.learned(-2.0), 5.0, 9.0, 9.0, (BASE.learned(12.0), gvn.learned(-2.0)), 0.5),
        Round(2, square.learned(1e-05), 0.25, 8.0, 8.0, tuple(terms), 0.75),
    )
    return terms, rounds


def test_the_lines_of_logs() -> None:
    """The lines are SPL Conqueror's, in its order; what it has no line for are `command:` lines."""
    terms, rounds = example_rounds()
    learned = partial(result_of, small_system())
    first = learned_log_text(learned(terms, rounds), test_errors=[10.0, 7.5])
    judged = (rounds[0], dataclasses.replace(rounds[1], error=7.0, learning_error=6.0))
    mirror = Candidate(Term((Factor("gvn"), Factor("x", 0, 1))), mirrors=(("x", 64.0, None),)).learned(-0.5)
    size = (Round(1, mirror, 1.0, 2.0, 2.0, (BASE.learned(1.0), mirror), 0.5),)

    def log(result: LearningResult, test_errors: list[float | None] | None = None) -> Lines:
        """Return the lines that the first log does not have."""
        lines = learned_log_text(result, test_errors=test_errors).splitlines()
        return Lines("\n".join(line for line in lines if line not in first.splitlines()))

    names = {"terms": terms, "rounds": rounds, "judged": judged, "size": size, "first": Lines(first)}
    check_calls("lines-of-logs", log, uncertain_result, dataclasses.replace, learned=learned, **names)


def test_a_log_names_what_produced_it_on_single_lines() -> None:
    """Facts that hold line breaks cannot forge lines of the log."""
    terms, rounds = example_rounds()
    result = result_of(small_system(), terms, rounds)
    result = dataclasses.replace(result, notes=("a\n9;1 * x;",), provenance={"sampling": "x\nAnalyze finished"})
    text = learned_log_text(result)
    assert text.count("\nAnalyze finished") == 1
    assert parsed(text, small_system()) == result.model


def test_a_bagged_model_is_written_as_average() -> None:
    """A model without rounds is round 0, and the averaged model of bagging has its own block; both read back."""
    result = result_of(small_system(), example_rounds()[0], termination="bagging", bagging=True)
    text = learned_log_text(result)
    assert parsed(text, small_system()) == parsed(text, small_system(), 0) == result.model


LOGS = ["Dune_divDistBased_t2", "Dune_solvBased_t1", "LLVM_distBased_t3"]
LOGS += [f"x264_{name}" for name in ("henard_t1", "rand_t2", "twise_t1", "twise_t2")]
ROUNDS = (
    "1;10.5 * root;40.1;40.1;40.1;40.1;0.1;1;10.5 * root;1;1.79769313486232E+308;",
    "2;9.5 * root + 2.25 * x;20.2;20.2;20.2;20.2;0.2;2;2.25 * x;1;0.5;",
)


WHOLE = "Learning progress:\n" + "\n".join(ROUNDS) + "\n"


@pytest.mark.real_data
@pytest.mark.parametrize("name", LOGS)
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


@given(st.integers(len("Learning progress:\n" + ROUNDS[0]), len(WHOLE)))
def test_logs_that_are_cut_off(length: int) -> None:
    """A log that ends anywhere has the model of its last whole round, or of one whose model is whole."""
    [found] = parse_stored_log(Source("a.log", WHOLE[:length].encode()))
    second = WHOLE[:length].splitlines()[-1].count(";") >= 2 and length > len("Learning progress:\n" + ROUNDS[0]) + 1
    assert [influence for _, influence in found.model.terms] == ([9.5, 2.25] if second else [10.5])
    last = WHOLE[:length].splitlines()[-1].split(";")
    # The last two fields are optional, and a number alone is no round.
    whole = len(last) == 1 or len(last) == 12 or (len(last) == 11 and bool(last[-1]))
    assert any("cut off" in note for note in found.notes) is not whole
