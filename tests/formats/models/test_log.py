"""Learned models as logs: what is written, and what is read from our logs and SPL Conqueror's."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc import read_measurements, read_variability_model
from splc.formats.models.log_reader import WhichRound, learnings_of, parse_stored_log
from splc.formats.models.log_writer import learned_log_text, model_log_text
from splc.formats.models.read import read_model
from splc.io.files import Source, read_source
from splc.learning.result import LearnedTerm, Round
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import Factor, Term, option_term
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.learning_results import influence_models, result_of, results, small_system, systems
from tests.support.real_data import DATA


def parsed(
    text: str, system: VariabilityModel | None = None, which: WhichRound = "last", learning: int | None = None
) -> InfluenceModel:
    """Return the model of a log."""
    return parse_stored_log(Source("a.log", text.encode()), system, which, learning)[0].model


@examples(30)
@given(st.data())
def test_logs_read_back_to_the_last_bit(data: st.DataObject) -> None:
    """The log of any learning result reads back as exactly its model."""
    system = data.draw(systems())
    result = data.draw(results(system))
    assert parsed(learned_log_text(result), system) == result.model


def test_size_of_the_best_candidate_counts_occurrences() -> None:
    """The size is what SPL Conqueror's own log states for this candidate: an option counts as often as it occurs."""
    candidate = Candidate(Term((Factor("gvn"), Factor("x", 0, 1))), mirrors=(("x", 64.0, None),))
    terms = (BASE.learned(1.0), candidate.learned(-0.5))
    rounds = (Round(1, terms[1], 1.0, 2.0, 2.0, terms, 0.5),)
    text = learned_log_text(result_of(small_system(), list(rounds[0].terms), rounds))
    assert ";4;-0.5 * gvn * log10( x ) * ( 64 - x );3;1;" in text


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


def test_the_lines_of_a_log() -> None:
    """The lines are SPL Conqueror's, in its order; what it has no line for are `command:` lines."""
    terms, rounds = example_rounds()
    result = result_of(small_system(), terms, rounds)
    lines = learned_log_text(result, test_errors=[10.0, 2.5]).splitlines()
    grammar = [text for text in lines if not text.startswith("command: ")]
    first = "1;12 * base + -2 * gvn;9;9;9;9;0.5;2;-2 * gvn;1;5;"
    second = "2;12.5 * base + -3 * gvn + 1E-05 * x * x;8;8;8;8;0.75;4;1E-05 * x * x;2;0.25;"
    assert grammar[0].startswith("Current machine learning settings: lossFunction:RELATIVE epsilon:0 ")
    assert grammar[0].endswith(" learnTimeLimit:00:00:00 scoreMeasure:RELERROR blacklisted: ")
    assert grammar[1:] == [
        "Configs with too large deviation: 0",
        "20 configurations loaded.",
        "Learning: NumberOfConfigurationsLearning:9",
        "Learning progress:",
        first,
        second,
        "Elapsed learning time(seconds): 00:00:00.2500000",
        "Prediction Error: 2.5 %",
        "Round, Model, LearningError, LearningErrorRel, ValidationError, ValidationErrorRel, ElapsedSeconds, "
        "ModelComplexity, BestCandidate, BestCandidateSize, BestCandidateScore, TestError",
        "Models:",
        "Termination reason: abortError",
        first + "10",
        second + "2.5",
        "Analyze finished",
    ]
    assert "command: splc sampling: pb:9,3" in lines
    assert "command: splc seed: 3" in lines


def test_facts_of_the_provenance_keep_their_names() -> None:
    """Each fact is a line of its own; the version of splc is called `version`."""
    terms, rounds = example_rounds()
    facts = {"splc": "9.9", "system": "s.xml", "weights": "log"}
    result = dataclasses.replace(result_of(small_system(), terms, rounds), provenance=facts)
    lines = learned_log_text(result, test_errors=[10.0, 2.5]).splitlines()
    for line in ("version: 9.9", "system: s.xml", "weights: log"):
        assert f"command: splc {line}" in lines


def test_the_prediction_error_is_the_last_test_error() -> None:
    """The error of the model is that of the last round, also if there is one only; without rounds that of all rows."""
    terms, rounds = example_rounds()
    for number in (1, 2):
        result = result_of(small_system(), terms, rounds[:number])
        text = learned_log_text(result, test_errors=[10.0, 7.5][:number])
        assert f"\nPrediction Error: {('10', '7.5')[number - 1]} %\n" in text
    assert "\nPrediction Error: 2.5 %\n" in learned_log_text(result_of(small_system(), terms, rounds))


def test_a_log_names_what_produced_it_on_single_lines() -> None:
    """Facts that hold line breaks cannot forge lines of the log."""
    terms, rounds = example_rounds()
    result = result_of(small_system(), terms, rounds)
    result = dataclasses.replace(result, notes=("a\n9;1 * x;",), provenance={"sampling": "x\nAnalyze finished"})
    text = learned_log_text(result)
    assert text.count("\nAnalyze finished") == 1
    assert parsed(text, small_system()) == result.model


def test_logs_are_deterministic_but_for_times() -> None:
    """Two runs that differ in times only give logs that differ in times only."""
    terms, rounds = example_rounds()
    result = result_of(small_system(), terms, rounds)
    slower = dataclasses.replace(
        result, seconds=9.0, rounds=tuple(dataclasses.replace(r, seconds=r.seconds * 3) for r in rounds)
    )

    def timeless(text: str) -> str:
        text = re.sub(r"time\(seconds\): \S+", "", text)
        return re.sub(r"(?m)^(\d+;(?:[^;]*;){5})[^;]*;", r"\1", text)

    assert timeless(learned_log_text(result)) == timeless(learned_log_text(slower))


def test_selection_by_cross_validation_shows_both_errors() -> None:
    """Learning errors and validation errors are different columns where folds were held out."""
    terms, rounds = example_rounds()
    rounds = (rounds[0], dataclasses.replace(rounds[1], error=7.0, learning_error=6.0))
    text = learned_log_text(result_of(small_system(), terms, rounds, crossValidation=True))
    assert ";6;6;7;7;0.75;" in text
    plain = result_of(small_system(), terms, rounds)
    assert ";6;6;6;6;0.75;" in learned_log_text(plain)
    judged = dataclasses.replace(plain, provenance={**plain.provenance, "validation_configurations": 4})
    assert ";6;6;7;7;0.75;" in learned_log_text(judged)
    text = learned_log_text(result_of(small_system(), terms, rounds, lossFunction="LEASTSQUARES"))
    assert ";7;6;7;6;0.75;" in text


def test_a_bagged_model_is_written_as_average(tmp_path: Path) -> None:
    """A model without rounds is round 0, and the averaged model of bagging has its own block; both read back."""
    terms, _ = example_rounds()
    result = result_of(small_system(), terms, termination="bagging", bagging=True)
    (tmp_path / "bagged.log").write_text(learned_log_text(result), encoding="utf-8")
    text = (tmp_path / "bagged.log").read_text(encoding="utf-8")
    assert "average model: \n  12.5 * base + \n  -3 * gvn + \n" in text
    assert "\n0;12.5 * base + -3 * gvn + 1E-05 * x * x;1.5;" in text
    assert read_model(tmp_path / "bagged.log", small_system()) == result.model
    assert parsed(text, small_system(), 0) == result.model


def test_commands_are_echoed() -> None:
    """The log has the commands of a script that learns so: the sampling before learning, and then its end."""
    result = result_of(small_system(), *example_rounds())
    result = dataclasses.replace(result, provenance={"sampling": "twise:2+random:5"}, seed=3)
    lines = [line for line in learned_log_text(result).splitlines() if line.startswith("command: ")]
    assert lines[-5:] == [
        "command: binary twise t:2",
        "command: numeric random numConfigs:5 seed:3",
        "command: learn-splconqueror",
        "command: analyze-learning",
        "command: clean-sampling",
    ]


LOGS = ("Dune_divDistBased_t2", "Dune_solvBased_t1", "LLVM_distBased_t3", "x264_henard_t1", "x264_rand_t2")
ROUNDS = (
    "1;10.5 * root;40.1;40.1;40.1;40.1;0.1;1;10.5 * root;1;1.79769313486232E+308;",
    "2;9.5 * root + 2.25 * x;20.2;20.2;20.2;20.2;0.2;2;2.25 * x;1;0.5;",
)


def parsed_2018(text: str) -> tuple[InfluenceModel, tuple[str, ...]]:
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
    model, notes = parsed_2018(WHOLE[:length])
    second = WHOLE[:length].splitlines()[-1].count(";") >= 2 and length > len("Learning progress:\n" + ROUNDS[0]) + 1
    assert [influence for _, influence in model.terms] == ([9.5, 2.25] if second else [10.5])
    last = WHOLE[:length].splitlines()[-1].split(";")
    # The last two fields are optional, and a number alone is no round.
    whole = len(last) == 1 or len(last) == 12 or (len(last) == 11 and bool(last[-1]))
    assert any("cut off" in note for note in notes) is not whole
