"""Learned models as logs: what is written, and what is read from our logs and SPL Conqueror's."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.formats.models.log_reader import WhichRound, parse_stored_log
from splc.formats.models.log_writer import learned_log_text, model_log_text
from splc.formats.models.read import read_model
from splc.io.files import Source
from splc.learning.result import LearnedTerm, Round
from splc.learning.stepwise.candidates import BASE, Candidate
from splc.models.influence import InfluenceModel
from splc.models.terms import Factor, Term, option_term
from splc.models.text.reader import expand_text
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.learning_results import influence_models, result_of, results, small_system, systems

LLVM = (
    "1;228.863313802081 * time_passes + 16.0598697916664 * gvn;5.19351862172252;5.19351862172252;5.19351862172252;"
    "5.19351862172252;0.271752;2;16.0598697916664 * gvn;1;0.95858714258515;5.19351862172252"
)
SYNTHETIC = (
    "6;12.236096407816 * root + 0.2 * y * y + 99.9999999999999 * 1 / y + -1.71418880307689 * log10( x ) + "
    "2.99999999999999 * log10( x ) * y + 20.8580412221262 * log10( x ) * A + "
    "-0.203428973374668 * log10( x ) * A * ( 64 - x );1.59106515700654;1.59106515700654;1.59106515700654;"
    "1.59106515700654;16.119391;12;-0.203428973374668 * log10( x ) * A * ( 64 - x );3;0.518876092658467;"
)
REAL = f"""command: vm FeatureModel.xml
command: all measurements.xml
command: mlsettings lossFunction:RELATIVE abortError:10
Current machine learning settings: lossFunction:RELATIVE epsilon:0 blacklisted:\x20
Configs with too large deviation: 0
1024 configurations loaded. abortError set to highest deviation value: 9.13.
Total sampling time: 00:00:00.0112233
Learning: NumberOfConfigurationsLearning:1024 NumberOfConfigurationsValidation:1024
Learning progress:
Candidate: 1 * gvn -->Error: 5.19
{LLVM[: LLVM.rindex(";") + 1]}
Elapsed learning time(seconds): 00:00:00.2717520
Prediction Error: 5.19351862172252 %
average model:\x20
Finished
Round, Model, LearningError, LearningErrorRel, ValidationError, ValidationErrorRel, ElapsedSeconds, ModelComplexity, \
BestCandidate, BestCandidateSize, BestCandidateScore, TestError
Models:
Termination reason: abortError
{LLVM}
Analyze finished
"""


def parsed(
    text: str, system: VariabilityModel | None = None, which: WhichRound = "last", learning: int | None = None
) -> InfluenceModel:
    """Return the model of a log."""
    return parse_stored_log(Source("a.log", text.encode()), system, which, learning)[0].model


def line(number: int, model: str, error: float = 1.0) -> str:
    """Return a round line of SPL Conqueror's."""
    return f"{number};{model};{error};{error};{error};{error};0.1;2;1 * x;1;0.5;"


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


def test_a_real_log_is_read() -> None:
    """The log of SPL Conqueror with all its lines gives the published model."""
    model = parsed(REAL)
    assert model.influences == {option_term("time_passes"): 228.863313802081, option_term("gvn"): 16.0598697916664}
    assert parsed(REAL.replace("\n", "\r\n")) == model
    assert parsed("\ufeff" + REAL) == model


def test_a_real_log_without_analysis_is_read() -> None:
    """Older logs, which say Elapsed=, and logs that end after learning are read too."""
    end = REAL.index("Round, Model")
    old = REAL[:end].replace("Elapsed learning time(seconds): ", "Elapsed=")
    assert parsed(old) == parsed(REAL)
    assert parsed(LLVM) == parsed(REAL)


def test_all_functions_of_a_real_round_are_read() -> None:
    """Squares, reciprocals, logarithms and mirrors of a real round line give the sum of terms that they mean."""
    expected = expand_text(
        "12.236096407816 + 0.2*y^2 + 99.9999999999999/y - 1.71418880307689*log10(x) + 2.99999999999999*log10(x)*y"
        " + (20.8580412221262 - 0.203428973374668*64)*log10(x)*A + 0.203428973374668*x*log10(x)*A",
        None,
    )
    found = parsed(SYNTHETIC).influences
    assert found.keys() == expected.keys()
    assert all(found[term] == pytest.approx(value, rel=1e-12) for term, value in expected.items())


def test_the_last_of_several_learnings_counts() -> None:
    """Of several learnings the last is read unless another is asked for."""
    again = REAL.replace("228.863313802081", "100")
    assert parsed(REAL + again).influences[option_term("time_passes")] == 100
    assert parsed(REAL + again, learning=1) == parsed(REAL)
    unmarked = "\n".join([line(1, "1 * x"), line(2, "2 * x + 3 * y"), line(1, "5 * x")])
    assert parsed(unmarked).influences == {option_term("x"): 5.0}


def test_the_test_error_need_not_be_there() -> None:
    """A round line that ends with the score, without a `;`, is read."""
    assert parsed(line(1, "2 * x").rstrip(";")) == parsed(line(1, "2 * x"))


def test_a_separator_after_the_last_field() -> None:
    """A round line with all fields may end with a `;`; a further field is an error."""
    assert parsed(f"{LLVM};") == parsed(LLVM)


def test_the_link_belongs_to_its_own_learning() -> None:
    """A log link that our log states does not spread to a log of SPL Conqueror that follows it."""
    ours = model_log_text(InfluenceModel.from_terms({option_term("x"): 1.0}, link="log"))
    assert parsed(ours).link == "log"
    assert parsed(ours + REAL).link == "identity"
    assert parsed(ours + REAL, learning=1).link == "log"


def test_rounds_that_appear_twice_count_once() -> None:
    """With useBackward every round has two lines; the later line counts."""
    text = "Learning progress:\n" + "\n".join(
        [line(1, "1 * x"), line(1, "2 * x"), line(2, "3 * x + 1 * y"), line(2, "4 * x + 1 * y")]
    )
    assert parsed(text).influences[option_term("x")] == 4
    assert parsed(text, which=1).influences[option_term("x")] == 2


def test_which_round_is_read() -> None:
    """The last round is read, or the one with the least validation error, or a numbered one."""
    text = "\n".join([line(1, "1 * x", 9), line(2, "2 * x", 3), line(3, "3 * x", 5)])
    assert parsed(text).influences == {option_term("x"): 3.0}
    assert parsed(text, which="best").influences == {option_term("x"): 2.0}
    assert parsed(text, which=1).influences == {option_term("x"): 1.0}


def test_the_average_of_bagging_is_the_model() -> None:
    """A non-empty block `average model:` is the model of a log with bagging."""
    text = REAL.replace("average model: \n", "average model: \n  2 * time_passes + \n  -1E-05 * gvn + \n")
    assert parsed(text).influences == {option_term("time_passes"): 2.0, option_term("gvn"): -1e-05}
    assert parsed(text, which=1) == parsed(REAL)
    one_line = REAL.replace("average model: \n", "average model: 3 * gvn + \n")
    assert parsed(one_line).influences == {option_term("gvn"): 3.0}
    again = REAL + one_line
    assert parsed(again).influences == {option_term("gvn"): 3.0}
    assert parsed(again, learning=1) == parsed(REAL)


@pytest.mark.parametrize("first", ["", "2 * x + "])
def test_each_averaged_model_has_its_own_facts(first: str) -> None:
    """The property, the link and the contexts of an averaged model are those stated before it."""

    def averaged(nfp: str, link: str, version: str) -> str:
        facts = f'nfp {nfp}\ncommand: splc link: {link}\ncommand: splc contexts: {{"version": "{version}"}}'
        end = "Analyze finished\n"
        return f"command: {facts}\nLearning progress:\naverage model: {first}\n  3 * y + \n{end}"

    text = averaged("time", "identity", "1.0") + averaged("energy", "log", "2.0")
    found = parse_stored_log(Source("a.log", text.encode()), learning=0)
    facts = [(each.nfp, each.model.link, each.contexts) for each in found]
    assert facts == [("time", "identity", {"version": "1.0"}), ("energy", "log", {"version": "2.0"})]


def test_names_that_spl_conqueror_shortens_are_understood() -> None:
    """With the system, names without their special characters mean the option; the base option is the constant."""
    system = small_system()
    model = parsed(line(1, "2 * base + 3 * rclookahead + 4 * Enabledy * y"), system)
    assert model.influences == {
        expand_key("1"): 2.0,
        option_term("rc-lookahead"): 3.0,
        option_term("Enabledy") * option_term("y"): 4.0,
    }


def expand_key(text: str) -> object:
    """Return the only term of a text."""
    return next(iter(expand_text(text, None)))


def test_a_name_in_an_average_keeps_its_plus() -> None:
    """In the averaged model a name may end with a plus, which joins nothing."""
    text = "Learning progress:\naverage model: \n  2 * c++ + \n  3 * x + \nAnalyze finished\n"
    model = parsed(text)
    assert model.influences == {option_term("c++"): 2.0, option_term("x"): 3.0}


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
