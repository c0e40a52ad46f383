"""Printed lines and JSON of learned models, from results with given numbers."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from comparison.changes import ModelChange, SetChange, TermChange
from comparison.common_terms import Undetermined
from splc.cli.show import learn, learn_by
from splc.formats.models.json_objects import ModelObject, ScalingObject, UncertaintyObject
from splc.io.json_object import json_object
from splc.learning.effects import Effect, OptionEffects
from splc.learning.result import CrossValidated, FormScore, LearnedTerm, LearningResult, PrintedErrors, Round
from splc.learning.settings_search import SettingsSearch, Trial
from splc.models.terms import CONSTANT, option_term
from splc.workflows.learn.contexts import Change
from tests.cli.show.conftest import Printed
from tests.cli.show.test_scale import BEYOND, LINE
from tests.support.learning_results import result_of, small_system, uncertain_result
from tests.support.objects import of
from tests.support.schemas import content_of

GVN = LearnedTerm(option_term("gvn"), 3.0)
ROUND = Round(1, GVN, 8.0, 12.0, 9.0, (LearnedTerm(CONSTANT, 2.0), GVN), 0.5)
UNCERTAIN = replace(uncertain_result(), termination="projected")
TRIAL = Trial({"a": 1}, CrossValidated(2.0, 3.0, 4.0))
SEARCH = SettingsSearch((TRIAL,), TRIAL, 1, 5, 7)


def unreadable(result: LearningResult) -> LearningResult:
    """Return the result with a predictor that has no terms."""
    forest: Any = of()
    return replace(result, predictor=forest, learner="forest")


def learned(result: LearningResult, **values: Any) -> Any:
    """Return the result of `splc learn`."""
    known = {
        "measured": of(system=of(name="small"), contexts={}),
        "evaluated": None,
        "round_errors": (),
        "shares": (1.0, 2.0, 3.0, None),
        "effects": (OptionEffects((), 5.0, (Effect("1", 2.0, 5.0),)),),
        "predictions": (),
        "folds": 0,
        "compared": (),
        "output": "m.json",
        "companion": None,
        "plot": None,
        "search": None,
        "inference": None,
    }
    return of(result=result, **{**known, **values})


def test_readable_model(printed: Printed) -> None:
    """The terms come first, then errors, the reason for the end, the time and the files."""
    measured = of(system=of(name="small"), contexts={"version": "1"})
    learn.show(learned(UNCERTAIN, measured=measured, plot="p.svg", search=SEARCH))
    assert printed() == [
        "small: model of run time, version = '1'",
        "term  influence  share",
        "1             2  5.0 %",
        "",
        "share: mean contribution / mean prediction on the 9 configurations learned from "
        "(negative: it lowers the prediction)",
        "",
        "learning error   1.5 % on 9 configurations learned from",
        "error            undefined on 11 configurations not learned from",
        "error, all       2.5 % on 20 configurations measured",
        "cross-validated  3.5 % (median 2.5 %, 95th percentile 12.25 %)",
        "ended            further terms would change the prediction by less than its uncertainty",
        "time             0.25 s",
        "model            m.json",
        "plot             p.svg",
        "",
        "a  error  median  remark",
        "1    3 %     2 %  chosen",
        "error: mean relative error on 5 held-out folds of the learning set, 1 of 1 combinations",
    ]


def test_printed_and_full_model(printed: Printed) -> None:
    """The answer names length, form and what predicts; the errors of both models are side by side."""
    errors = PrintedErrors(4.5, None, 5.5, CrossValidated(5.0, 6.5, 20.0), 3.25)
    forms = (FormScore("sum", 4, 6.0, 6.5), FormScore("product", 3, 7.0, 7.5))
    result = replace(UNCERTAIN, printed=UNCERTAIN.model, printed_errors=errors, forms=forms)
    learn.show(learned(result, output="m.log", companion="m.json"))
    lines = printed()
    assert lines[0] == "small: model of run time (4 terms, a sum; predictions come from the full model)"
    assert lines[lines.index("") + 3 :] == [
        "                   printed  full model",
        "learning error       4.5 %       1.5 %  on 9 configurations learned from",
        "cross-validated      6.5 %       3.5 %",
        "error elsewhere  undefined   undefined  on 11 configurations not learned from",
        "difference          3.25 %              from the full model, on configurations not learned from",
        "",
        "other forms  product 7.5 % (3 terms)",
        "time         0.25 s",
        "model        m.log, m.json",
    ]
    content = learn.as_json(learned(replace(result, provenance={**result.provenance, "files": {}})))
    assert content["printed"] == asdict(errors)
    assert (content["error_all"], content["printed"]["error_all"]) == (2.5, 5.5)
    assert [each["form"] for each in content["forms"]] == ["sum", "product"]
    learn.show(learned(replace(result, termination="constant")))
    assert printed()[0] == "small: model of run time (a constant)"


def test_path(printed: Printed) -> None:
    """The models from few terms to many are shown on request, where the learner computes them."""
    learn.show(learned(UNCERTAIN), path=True)
    lines = printed()
    place = lines.index("terms  cross-validated  last term added")
    assert lines[place - 1 : place + 4] == [
        "",
        "terms  cross-validated  last term added",
        "    1             40 %  1",
        "    2             20 %  gvn",
        "    4           3.25 %  gvn * x",
    ]
    learn.show_path(replace(UNCERTAIN, path=()))
    assert printed() == ["", "path: the learner stepwise does not compute one"]


def test_rounds_and_other_predictors(printed: Printed) -> None:
    """Rounds are counted beside the time; a predictor without terms is named, and a scaling model shown as such."""
    result = result_of(small_system(), [LearnedTerm(CONSTANT, 2.0), GVN], (ROUND,))
    learn.show(learned(result, output=None))
    assert printed()[-1] == "time            0.25 s, 1 round"
    learn.show(learned(replace(result, rounds=(ROUND, ROUND)), output=None))
    assert printed()[-1] == "time            0.25 s, 2 rounds"
    learn.show(learned(unreadable(replace(result, rounds=())), output=None))
    lines = printed()
    assert lines[1:3] == ["The learner forest predicts without terms, so there is no model to show.", ""]
    assert lines[-1] == "time            0.25 s"
    assert not [line for line in lines if line.startswith("ended")]
    learn.show(learned(replace(result, scaling=LINE, rounds=()), output=None, predictions=(BEYOND,)))
    lines = printed()
    assert lines[1:5] == ["term  influence", "1             2", "p             3", ""]
    assert lines[6].startswith("p = 64 ")
    names = ["formula", "lead", "fit", "noise", "method", "learning", "error", "error,", "time"]
    assert [line.split()[0] for line in lines[8:]] == names


@pytest.mark.parametrize(
    ("termination", "settings", "rounds", "text"),
    [
        ("numberOfRounds", {"numberOfRounds": 7}, (ROUND,), "after 7 rounds (numberOfRounds)"),
        ("constant", {}, (), "no influence was found"),
        ("fitted", {}, (), "the predictor was fitted"),
        ("abortError", {"abortError": 13.0}, (ROUND,), "the error fell below 13 % (abortError)"),
        ("abortError", {"abortError": 12.0}, (ROUND,), "the model is exact: what error is left is rounding"),
        ("abortError", {"abortError": 13.0}, (), "the model is exact: what error is left is rounding"),
        (
            "abortError",
            {"abortError": 13.0, "lossFunction": "ABSOLUTE"},
            (ROUND,),
            "the error fell below 13 in units of run time, as a mean absolute error (abortError)",
        ),
        (
            "abortError",
            {"abortError": 13.0, "lossFunction": "LEASTSQUARES"},
            (ROUND,),
            "the error fell below 13 in squared units of run time, as a mean squared error (abortError)",
        ),
    ],
)
def test_terminations(termination: str, settings: dict[str, Any], rounds: tuple[Round, ...], text: str) -> None:
    """The end of learning in words, with the settings that decided."""
    result = result_of(small_system(), [LearnedTerm(CONSTANT, 2.0), GVN], rounds, termination, **settings)
    assert learn.termination_in_words(result) == text


FILE = {"path": "m.csv", "sha256": "abc"}


def test_json() -> None:
    """The object has the result, its provenance, and what was asked for besides."""
    base = UNCERTAIN
    result = replace(
        base, provenance={**base.provenance, "files": {"m": FILE}, "columns": {"options": ["c"]}}, notes=("a",)
    )
    inference = of(system=small_system(), uncertain=(), properties=(), contexts=(), ignored={}, assumptions=())
    measured = of(system=of(name="small"), contexts={"version": "1"})
    evaluated = of(source="e.csv", configurations=7, learned_from=2)
    found = learned(result, measured=measured, evaluated=evaluated, folds=5, search=SEARCH, inference=inference)
    content = content_of(learn.as_json(found), "splc.learn/1")
    assert content.pop("inferred")["binary_options"] == ["base", "gvn", "rc-lookahead"]
    assert content.pop("search")["folds"] == 5
    model = content.pop("model")
    assert [entry.pop("share") for entry in model["terms"]] == [1.0, 2.0, 3.0, None]
    assert model.pop("groups")[0]["terms"][0]["text"] == "1"
    assert model == json_object(ModelObject, result.model)
    assert content == {
        "system": "small",
        "nfp": "run time",
        "learner": "stepwise",
        "sampling": "pb:9,3",
        "learning_configurations": 9,
        "measured_configurations": 20,
        "contexts": {"version": "1"},
        "columns": {"options": ["c"]},
        "learning_error": 1.5,
        "error": None,
        "error_all": 2.5,
        **json_object(UncertaintyObject, result),
        "printed": None,
        "folds": 5,
        "evaluated_on": "e.csv",
        "evaluation": {"configurations": 7, "learned_from": 2},
        "left_out": 0,
        "rounds": [],
        "termination": "projected",
        "seconds": 0.25,
        "preset": "default",
        "settings": dict(result.settings),
        "seed": 3,
        "files": {"m": FILE},
        "output": "m.json",
        "companion": None,
        "notes": ["a"],
    }


@pytest.mark.parametrize(("loss", "error"), [("RELATIVE", 12.0), ("ABSOLUTE", 9.0)])
def test_json_of_rounds(loss: str, error: float) -> None:
    """The error of a round is a percentage whatever learning lowers."""
    result = result_of(small_system(), [LearnedTerm(CONSTANT, 2.0), GVN], (ROUND,), lossFunction=loss)
    result = replace(result, provenance={**result.provenance, "files": {}})
    content = learn.as_json(learned(result, shares=(1.0, 2.0), round_errors=(4.0,)))
    assert content["rounds"] == [
        {
            "round": 1,
            "term": "gvn",
            "error": error,
            "selection_error": 12.0,
            "learning_error": 9.0,
            "test_error": 4.0,
            "score": 8.0,
        }
    ]
    assert (content["folds"], content["evaluation"], content["evaluated_on"]) == (None, None, None)
    assert (content["inferred"], content["columns"], "search" in content) == (None, {}, False)
    other = learn.as_json(learned(unreadable(replace(result, rounds=()))))
    assert (other["model"], other["rounds"]) == (None, [])
    scaling = learn.as_json(learned(replace(result, rounds=(), scaling=LINE), shares=(1.0, 2.0), predictions=(BEYOND,)))
    assert scaling["scaling"] == json_object(ScalingObject, LINE)
    assert scaling["predictions"] == [vars(BEYOND)]


ONE = SetChange(("gvn",), 12.345, (TermChange("gvn", 2.0, 3.1234567, 4.5678),))
TWO = SetChange((), 1.0, (TermChange("1", 1.0, 2.0, 3.0), TermChange("x", 1.0, 1.5, 1.25)))
OPEN = SetChange(("x",), 0.5, (TermChange("x", 1.0, 1.0, 0.1),))


def change(*sets: SetChange, link: Any = "identity", factor: float = 1.0, **values: Any) -> Change:
    """Return a change from version 1 to version 2."""
    influences = ModelChange(link, factor, sets)
    known: dict[str, Any] = {"common": 1200, "ratio": 1.23456, "ratio_error": 0.1, "shifted": False}
    known |= {"error": 5.0, "transferred": 6.54321, "influences": influences}
    return Change("1", "2", **{**known, **values})


def by(*changes: Change, **values: Any) -> Any:
    """Return the models of two versions."""
    base = UNCERTAIN
    plain = replace(base, cross_validated=None, provenance={**base.provenance, "measured_configurations": 1200})
    models = {"1": learned(base), "2": learned(unreadable(plain), output=None)}
    known = {"request": of(by="version"), "models": models, "failed": {"3": "why"}, "changes": changes, "plot": None}
    return of(**{**known, **values})


MODELS = [
    "small: models of run time by version",
    "version   rows  learned from  terms  learning error  cross-validated  model",
    "'1'         20             9      4           1.5 %            3.5 %  m.json",
    "'2'      1,200             9                  1.5 %",
]
RATIO = "ratio: mean of measured values after / before; error: of a model on all measured values after the change"


def test_models_of_a_context(printed: Printed) -> None:
    """Every value has a line; the changes between values follow, if there are any."""
    learn_by.show(by())
    assert printed() == MODELS
    learn_by.show(by(change(ONE, OPEN), change(OPEN, ratio=None, error=None), plot="p.svg"))
    assert printed() == [
        *MODELS,
        "",
        "change     common  ratio  error  error of previous model",
        "'1' → '2'   1,200  1.235    5 %                  6.543 %",
        "'1' → '2'   1,200                                6.543 %",
        RATIO,
        "",
        "version '1' → '2'",
        "term  before   after  change  in intervals",
        "gvn        2  3.1235  12.3 %          4.57",
        "",
        "version '1' → '2': no influence changed by more than its uncertainty",
        "",
        learn_by.CHANGE,
        learn_by.INTERVALS,
        "",
        "plot of the changes: p.svg",
    ]


def test_changes_without_tables(printed: Printed) -> None:
    """Lines about changes without tables follow each other; a reason is stated where there are no influences."""
    reason = change(influences=None, reason="too few configurations")
    learn_by.show(by(reason, change(OPEN), change(ONE), reason))
    lines = printed()
    place = lines.index(RATIO)
    assert lines[place + 1 :] == [
        "",
        "version '1' → '2': too few configurations",
        "version '1' → '2': no influence changed by more than its uncertainty",
        "",
        "version '1' → '2'",
        "term  before   after  change  in intervals",
        "gvn        2  3.1235  12.3 %          4.57",
        "",
        "version '1' → '2': too few configurations",
        "",
        learn_by.CHANGE,
        learn_by.INTERVALS,
    ]


@pytest.mark.parametrize(
    ("values", "settled", "open_"),
    [
        ({}, "t", "t: no influence changed by more than its uncertainty"),
        (
            {"factor": 1.23456},
            "t: factor 1.235 on most influences",
            "t: factor 1.235 on most influences; no other influence changed by more than its uncertainty",
        ),
        (
            {"shifted": True},
            "t: the values changed by a factor of 1.235 on average",
            "t: the values changed by a factor of 1.235 on average; which influences changed cannot be told",
        ),
        (
            {"expected": 0.5},
            "t",
            "t: the error of the previous model is clearly larger; which influences changed cannot be told",
        ),
    ],
)
def test_summaries(values: dict[str, Any], settled: str, open_: str, printed: Printed) -> None:
    """Facts about a change are printed, with and without changes that are clear."""
    for sets, text in (((ONE,), settled), ((OPEN,), open_)):
        whole = change(*sets, **values)
        assert whole.influences is not None
        learn_by.show_influences("t", whole, whole.influences)
        assert printed()[0] == text


def test_influences_that_are_not_compared(printed: Printed) -> None:
    """The terms that one version does not determine are named, with the reason."""
    sides = (Undetermined(("gpu",), ("a", "b")), Undetermined(("x", "y")))
    whole = change(influences=ModelChange("identity", 1.0, (), sides))
    assert whole.influences is not None
    learn_by.show_influences("t", whole, whole.influences)
    assert printed() == [
        "t: no influence can be compared",
        "not compared: gpu is 0 in all configurations of '1'; a, b cannot be told apart by the configurations of '1'; "
        "x, y are 0 in all configurations of '2'",
    ]


def test_tables_of_changes(printed: Printed) -> None:
    """Sets of several terms have a line of their own; 5 sets are shown, of products the factors."""
    whole = change(TWO, link="log")
    assert whole.influences is not None
    learn_by.show_influences("t", whole, whole.influences)
    assert printed()[1:] == [
        "factor  before   after  change  in intervals",
        "1                          1 %             3",
        "  1     2.7183  7.3891                     3",
        "  x     2.7183  4.4817                  1.25",
    ]
    large = SetChange(("a", "b"), 1.0, (TermChange("a", 800.0, 0.0, 3.0), TermChange("b", 0.0, 0.0, 3.0)))
    for count, more in ((5, ""), (6, "1 more set"), (7, "2 more sets")):
        learn_by.show_influences("t", whole, ModelChange("log", 1.0, (large,) * count))
        lines = printed()
        assert lines[2:4] == [
            "a * b                          1 %             3",
            "  a     1.0142e+304      1                     3",
        ]
        assert lines[2 + 3 * 5 :] == ([f"{more} of options with smaller changes (--json)"] if more else [])


def test_json_of_a_context() -> None:
    """Models, changes and failures are in JSON; influences that are unknown have a reason."""
    found = by(change(ONE, factor=2.0), change(influences=None, reason="why"), plot="p.svg")
    for each in found.models.values():
        object.__setattr__(each.result, "provenance", {**each.result.provenance, "files": {}})
    content = content_of(learn_by.as_json(found), "splc.learn.by/1")
    models = [
        {"value": value, **content_of(learn.as_json(each), "splc.learn/1")} for value, each in found.models.items()
    ]
    assert content.pop("models") == models
    shared = {
        "first": "1",
        "second": "2",
        "common_configurations": 1200,
        "ratio": 1.23456,
        "ratio_error": 0.1,
        "error": 5.0,
        "transferred_error": 6.54321,
    }
    term = {"text": "gvn", "first": 2.0, "second": 3.1234567, "intervals": 4.5678}
    sets = [{"options": ["gvn"], "size": 12.345, "terms": [term], "intervals": 4.5678, "settled": True}]
    known: list[dict[str, Any]] = [{"value": value, "zero": [], "confounded": []} for value in ("1", "2")]
    assert content == {
        "by": "version",
        "changes": [
            {**shared, "link": "identity", "factor": 2.0, "sets": sets, "undetermined": known, "reason": None},
            {**shared, "link": None, "factor": None, "sets": None, "undetermined": None, "reason": "why"},
        ],
        "plot": "p.svg",
        "failed": [{"value": "3", "reason": "why"}],
    }
