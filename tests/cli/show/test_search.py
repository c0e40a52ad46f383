"""Printed lines and JSON of a search of settings, and of learners beside baselines."""

from __future__ import annotations

from typing import Any

from splc.cli.show.baselines import BaselinesObject, show_baselines
from splc.cli.show.search import SearchObject, show_search
from splc.io.json_object import json_object
from splc.learning.result import CrossValidated
from splc.learning.settings_search import SettingsSearch, Trial
from tests.cli.show.conftest import Printed
from tests.support.objects import of

GOOD = Trial({"a": 1, "b": "x"}, CrossValidated(2.0, 3.0, 4.0))
WORSE = Trial({"a": 2, "b": "y"}, CrossValidated(1.0, 12.34567, 5.0))
NONE = Trial({"a": 3, "b": "z"}, None, "no values")


def test_search(printed: Printed) -> None:
    """Trials are ordered by their mean errors; the best is marked, and a trial without an error has its reason."""
    show_search(SettingsSearch((NONE, WORSE, GOOD), GOOD, 1200, 5, 7))
    assert printed() == [
        "",
        "a  b    error  median  remark",
        "1  x      3 %     2 %  chosen",
        "2  y  12.35 %     1 %",
        "3  z                   no values",
        "error: mean relative error on 5 held-out folds of the learning set, 3 of 1,200 combinations",
    ]


def test_many_trials(printed: Printed) -> None:
    """20 trials are printed, and the rest is counted."""
    for count, more in ((20, ""), (22, "; 2 more (--json)")):
        trials = tuple(Trial({"a": at}, CrossValidated(1.0, at, 1.0)) for at in range(1, count + 1))
        show_search(SettingsSearch(trials, trials[0], count, 5, 7))
        lines = printed()
        assert len(lines) == 1 + 1 + 20 + 1
        assert lines[-1].endswith(f"{count} of {count} combinations{more}")


def test_search_json() -> None:
    """All trials are in JSON, in their order."""
    assert json_object(SearchObject, SettingsSearch((NONE, GOOD), GOOD, 9, 5, 7)) == {
        "folds": 5,
        "seed": 7,
        "combinations": 9,
        "best": {"a": 1, "b": "x"},
        "trials": [
            {"settings": {"a": 3, "b": "z"}, "error": None, "reason": "no values"},
            {"settings": {"a": 1, "b": "x"}, "error": vars(CrossValidated(2.0, 3.0, 4.0)), "reason": None},
        ],
    }


def judged(learner: str, median: float | None, *, readable: bool = True, validated: bool = True) -> Any:
    """Return a judged learner."""
    result = of(
        learner=learner,
        error=1.0,
        cross_validated=CrossValidated(5.0, 4.0, 6.0) if validated else None,
        learning_error=0.5,
        readable=readable,
        model=of(terms=(1, 2)),
        seconds=0.123456,
        settings={"a": 1},
    )
    return of(result=result, median=median, p95=3.0)


def test_baselines(printed: Printed) -> None:
    """Learners are compared outside of the learning set, where something was measured there, else by folds."""
    show_baselines(of(compared=()))
    assert printed() == []
    show_baselines(of(compared=(judged("stepwise", None), judged("forest", 2.0, readable=False)), folds=5))
    assert printed() == [
        "",
        "Relative errors of learners outside of the learning set:",
        "learner   error  median  95th percentile  cross-validated  terms     time",
        "stepwise    1 %                      3 %              4 %      2  0.123 s",
        "forest      1 %     2 %              3 %              4 %      –  0.123 s",
    ]
    show_baselines(of(compared=(judged("stepwise", None),), folds=5))
    assert printed() == [
        "",
        "Relative errors of learners, cross-validated with 5 folds:",
        "learner   error  median  95th percentile  terms     time",
        "stepwise    4 %     5 %              6 %      2  0.123 s",
    ]


def test_baselines_json() -> None:
    """The learner's own errors come first, then the baselines."""
    compared = (judged("stepwise", 2.0), judged("forest", 4.0, readable=False), judged("knn", None, validated=False))
    base = {"error": 1.0, "error_p95": 3.0, "learning_error": 0.5, "seconds": 0.123456, "settings": {"a": 1}}
    assert json_object(BaselinesObject, compared) == {
        "error_median": 2.0,
        "error_p95": 3.0,
        "baselines": [
            {
                **base,
                "learner": "forest",
                "error_median": 4.0,
                "cross_validated": vars(CrossValidated(5.0, 4.0, 6.0)),
                "terms": None,
            },
            {**base, "learner": "knn", "error_median": None, "cross_validated": None, "terms": 2},
        ],
    }
