"""Views and notes: made results as they are printed, with values that no small run gives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from comparison.changes import ModelChange, SetChange, TermChange, Undetermined
from sampling import Space
from sampling.space.analysis import Description
from splc.cli.printer import print_view
from splc.data.configurations import Configurations
from splc.data.summary import Drift, PropertySummary, Summary
from splc.learning.effects import Effect, OptionEffects, option_effects
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import describe
from splc.workflows.describe import MAX_COUNTED, MeasuredSummary, view_of_measurements
from splc.workflows.learn.effects import Change, view_of_effects, view_of_influences
from splc.workflows.optimize import view as optimize
from splc.workflows.optimize.objectives import Objective
from splc.workflows.optimize.optimize import PropertyValue, RatedConfiguration, Result
from splc.workflows.prediction_notes import ExpectedError, known_settings_notes, outside_notes
from splc.workflows.scale.tree import CallPath, CallTree, view_of_trees
from splc.workflows.views import Detail, View
from tests.support.golden_messages import check_lines
from tests.support.learning_results import small_system

SURE = InfluenceEstimate(CONSTANT, 2.0, 0.123, 1.23456, 2.5, 1.0)
UNSURE = InfluenceEstimate(CONSTANT, 2.0, 0.123, -1.0, 2.5, 0.9)


def group(*effects: Effect, name: str = "a", share: float | None = 10.0, levels: bool = False) -> OptionEffects:
    """Return the effects of an option."""
    return OptionEffects((name,) if name else (), share, effects, levels)


def levels(
    count: int, influence: float | None, factor: str = "", estimate: InfluenceEstimate | None = None
) -> OptionEffects:
    """Return effects that differ in the member of an alternative group."""
    effects = [
        Effect(f"m{at}", None if influence is None else influence + at, 1.0, estimate, factor, level=f"m{at}", rest="x")
        for at in (*range(9, 9 + count - 1), 1)
    ]
    return group(*effects, name="m*", share=7.0, levels=True)


def supported(name: str, share: float) -> list[Effect]:
    """Return terms that 5 and 6 of 8 folds have, the share of the first of which is too small without support."""
    known = {count: replace(SURE, term=option_term("a"), folds=count) for count in (5, 6)}
    return [Effect(f"{name}{count}", 2.0, share, estimate, folds=8) for count, estimate in known.items()]


def numbered(count: int, factor: str = "", **values: Any) -> list[OptionEffects]:
    """Return the effects of options with one term each."""
    shown: dict[str, Any] = {"influence": None if factor else 1.0, "share": None if factor else 2.0, **values}
    return [group(Effect(f"t{at}", **shown, estimate=None, factor=factor), name=f"t{at}") for at in range(count)]


def factor(
    text: str, estimate: InfluenceEstimate | None, function: str, low: float | None = None, high: float | None = None
) -> OptionEffects:
    """Return a factor of a product."""
    return group(Effect(text, None, None, estimate, function, low, high))


def long_factor() -> View:
    """Return the effects of a product whose constant factor is a long sum."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 0.123456 / power) for power in range(1, 9))]
    model = InfluenceModel.of_system(terms, small_system(), "log")
    return view_of_effects(option_effects(model, (), Space(small_system()).enumerate()), 9)


def effects(count: int, *groups: OptionEffects) -> Callable[[], View]:
    """Return the view of effects on configurations that were learned from."""
    return partial(view_of_effects, groups, count)


PAIR = group(Effect("p", 1.0, None, UNSURE), Effect("p^2", 1.0, 3.0), name="pair")
MARKED = levels(5, 2.0, estimate=UNSURE)
ONE = SetChange(("gvn",), 12.345, (TermChange("gvn", 2.0, 3.1234567, 4.5678),))
TWO = SetChange((), 1.0, (TermChange("1", 1.0, 2.0, 3.0), TermChange("x", 1.0, 1.5, 1.25)))
OPEN = SetChange(("x",), 0.5, (TermChange("x", 1.0, 1.0, 0.1),))
LARGE = SetChange(("a", "b"), 1.0, (TermChange("a", 800.0, 0.0, 3.0), TermChange("b", 0.0, 0.0, 3.0)))
SIDES = (Undetermined(("gpu",), ("a", "b")), Undetermined(("x", "y")))


def change(*sets: SetChange, link: Any = "identity", factor: float = 1.0, sides: Any = (), **values: Any) -> View:
    """Return the view of a change from version 1 to version 2."""
    known: dict[str, Any] = {"common": 1200, "ratio": 1.23456, "ratio_error": 0.1, "shifted": False}
    known |= {"error": 5.0, "transferred": 6.54321, "influences": ModelChange(link, factor, sets, *sides)}
    return view_of_influences("t", Change("1", "2", **{**known, **values}))


def tree(paths: int) -> View:
    """Return the view of a call tree."""
    callpaths = [CallPath(f"c{at}", at and 1, 1.0, 0.5, 2.0, 0.05, 0.05, 1.0, 1.0) for at in range(paths)]
    return view_of_trees((CallTree("<default>", {"p": 64.0}, {"p": 16.0}, 100.0, tuple(callpaths)),), paths)


def measured(valid: int | None, *drifts: Drift | None) -> View:
    """Return the view of measurements with these drifts of a property."""
    summaries = [PropertySummary("energy", 1.0, 2.0, 1, 1, 1, 1, None, drift) for drift in drifts]
    return view_of_measurements(MeasuredSummary("m.csv", Summary(1200, 3600, tuple(summaries))), valid)


def searched() -> View:
    """Return the view of the best configuration of a local search."""
    system = VariabilityModel("s", (BinaryOption("cache"),))
    model = InfluenceModel(((option_term("cache"), 2.0),), system.names)
    rated = RatedConfiguration(Configurations.from_columns(system, {"cache": [0]}), (PropertyValue(1.0),))
    return optimize.view(Result((Objective("time", system, model),), (rated,), exhaustive=False), Detail())


# What a view shows → the view.
VIEWS: dict[str, Callable[[], View]] = {
    "a sign is settled by three quarters of the folds, small terms without one are left out": effects(
        9, group(*supported("t", 30.0), *supported("s", -0.9))
    ),
    "the levels of a group belong together": effects(
        9, group(supported("t", 30.0)[0], supported("s", -0.9)[0], levels=True), group(supported("s", -0.9)[0])
    ),
    "a table has at least one line": effects(9, group(supported("s", -0.9)[0])),
    "four levels have a line each": effects(1, levels(4, 2.0)),
    "more are one line in natural order": effects(1, MARKED),
    "factors have the interval of a number, and the range of a function": effects(
        3,
        *(factor("", SURE, "2.5"), factor("a", UNSURE, "0.5"), factor("b", SURE, "exp(x)", 0.123456, 2.0)),
        factor("c", None, "3"),
    ),
    "without a greatest value there is no range": effects(3, factor("c", None, "3"), factor("d", None, "exp(x)", 0.1)),
    "a factor beyond floating point": effects(
        3, factor("", InfluenceEstimate(CONSTANT, 1.0, 1.0, 0.0, 800.0, 1.0), "2")
    ),
    "numbers of levels are rounded, functions are kept": effects(
        3, levels(5, None, "1.23456789", UNSURE), levels(5, None, "x^2")
    ),
    "two levels of factors": effects(3, levels(2, None, "2")),
    "20 lines are shown": effects(1, *numbered(20)),
    "of more 19 and the rest": effects(1, *numbered(21)),
    "the rest never begins below a line of options": effects(1, *numbered(18), PAIR, *numbered(1)),
    "factors have no shares": effects(1, *numbered(21, "2")),
    "only marks of shown lines are explained": effects(1, *numbered(19, share=None), MARKED, MARKED),
    "marks of shown lines": effects(1, MARKED, *numbered(21, share=None)),
    "a long factor is divided before operators, its range is in its first row": long_factor,
    "a clear change": partial(change, ONE),
    "no clear change": partial(change, OPEN),
    "a factor on most influences": partial(change, ONE, factor=1.23456),
    "a factor and no other clear change": partial(change, OPEN, factor=1.23456),
    "the values changed": partial(change, ONE, shifted=True),
    "the values changed, no influence clearly": partial(change, OPEN, shifted=True),
    "the error of the previous model, with a clear change": partial(change, ONE, expected=0.5),
    "the error of the previous model, without": partial(change, OPEN, expected=0.5),
    "influences that are not compared": partial(change, sides=(SIDES,)),
    "sets of several terms have a line of their own, products factors": partial(change, TWO, link="log"),
    "five sets": partial(change, *(LARGE,) * 5, link="log"),
    "six sets": partial(change, *(LARGE,) * 6, link="log"),
    "seven sets": partial(change, *(LARGE,) * 7, link="log"),
    "drifts: clear, of zeros, by chance, unknown": partial(
        measured, MAX_COUNTED + 1, Drift(0.25, -0.125, 0.0), Drift(0.5, np.nan, 0.0), Drift(0.9, 0.1, 0.0011), None
    ),
    "the most valid configurations that are counted": partial(measured, MAX_COUNTED),
    "an unknown number of valid configurations": partial(measured, None),
    "a local search": searched,
}


def test_views(capsys: pytest.CaptureFixture[str]) -> None:
    """The lines of each view, from values that no small run gives."""
    lines = []
    for name, view in VIEWS.items():
        print_view(view())
        lines += [f"$ {name}", *capsys.readouterr().out.splitlines()]
    check_lines("views", lines)


def test_long_call_trees(capsys: pytest.CaptureFixture[str]) -> None:
    """At most 60 lines of a tree are printed; a share of 1 % is, and one of 0.05 % has a number."""
    printed = []
    for paths in (60, 61):
        print_view(tree(paths))
        printed.append(capsys.readouterr().out.splitlines())
    assert not [line for line in printed[0] if line.startswith("…")]
    assert printed[1][62].startswith("  c59 ")
    assert printed[1][63] == "… 1 more, with less than 1 % or beyond 60 lines (--json has all)"
    assert printed[1][-1].split() == ["61", "c60", "1", "0.5", "to", "2", "0.1", "%", "0.1", "%"]


ONE_OPTION = VariabilityModel("s", (BinaryOption("a"),))


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (1, 3, "33.3 %"),
        (2, 3, "66.7 %"),
        (1, 2000, "0.1 %"),
        (1, 2001, "0.0 %"),
        (10**27 - 1, 10**27, "100.0 %"),
        (9994 * 10**26, 10**30, "99.9 %"),
        (9995 * 10**26, 10**30, "100.0 %"),
        (0, 0, ""),
    ],
)
def test_shares(part: int, whole: int, text: str) -> None:
    """Percentages are rounded to the nearest tenth, halves up, exactly for all numbers."""
    assert describe.share(Description(ONE_OPTION, whole, {"a": (0, part)}, ()), "a") == text


def test_long_lists() -> None:
    """Names that differ in the last number are a range from three on; of more than 7 values the ends are shown."""
    assert describe.level_ranges(["a1", "a2", "b", "c9", "c10", "c11", "d7"]) == ["a1", "a2", "b", "c9 … c11", "d7"]
    for count, text in ((1, "0"), (7, "0, 1, 2, 3, 4, 5, 6"), (8, "0, 1, 2, 3, 4, …, 7"), (9, "0, 1, 2, 3, 4, …, 8")):
        assert describe.shown_values(NumericOption("x", tuple(map(float, range(count))))) == text


@pytest.mark.parametrize("less", [0, 1])
def test_counts_that_are_too_long(less: int) -> None:
    """Counts of more than 4300 digits, which readers of JSON refuse, are null; their logarithms are stated."""
    count = 10**4300 - less
    content = describe.as_json(describe.Result(Description(ONE_OPTION, count, {"a": (0, 7)}, ())))
    assert content["valid_configurations"] == (count if less else None)
    assert content["options"][0]["selected_in"] == (7 if less else None)
    assert content["log10_valid_configurations"] == math.log10(count)


SYSTEM = VariabilityModel("s", (NumericOption("n", (1.0, 2.0, 3.0)), NumericOption("version", (1.0, 2.0))))
ALL = Configurations(SYSTEM, np.array(list(itertools.product(range(3), range(2))), dtype=np.uint8))
# Both versions of n = 1, and one of n = 2.
LEARNED = ALL[np.arange(3)]
KNOWN = "known settings with another version"
ERROR = ExpectedError(
    "cross-validated", percent=33.0, about="new settings", known=KNOWN, known_percent=1.3, known_by=("n",)
)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([3], "1 of 1 configuration is"),
        ([0, 3], "1 of 2 configurations is"),
        ([2, 3, 4, 5], "1 of 4 configurations is"),
        # Rows that were learned from, and new settings.
        ([0, 1, 2], None),
        ([4, 5], None),
    ],
)
def test_known_settings(rows: list[int], count: str | None) -> None:
    """Of rows with a known setting that were not learned from, the smaller error is stated."""
    end = "the typical error there is 1.3 %, not the 33 % on new settings"
    notes = known_settings_notes(ALL[np.array(rows)], LEARNED, ERROR, None)
    assert [note.text for note in notes] == ([] if count is None else [f"{count} of {KNOWN}: {end}"])


def test_no_error_of_known_settings() -> None:
    """Nothing is said of values beyond, of unknown rows, and of single settings; the error is read from files."""
    known = ALL[np.array([3])]
    assert known_settings_notes(known, LEARNED, ERROR, np.array([True])) == ()
    assert known_settings_notes(known, None, ERROR, None) == ()
    assert known_settings_notes(known, LEARNED, ExpectedError("cross-validated", percent=3.0), None) == ()
    assert ExpectedError.of_values(ERROR.values()) == ERROR


@pytest.mark.parametrize(
    ("outside", "beginning"),
    [
        ([True], "the prediction is outside of its interval:"),
        ([True, False], "1 of 2 predictions is outside of their intervals:"),
        ([True] * 1200, "1,200 of 1,200 predictions are outside of their intervals:"),
    ],
)
def test_predictions_outside_of_intervals(outside: list[bool], beginning: str) -> None:
    """The note counts the predictions outside of their intervals; there is none without such predictions."""
    (note,) = outside_notes(outside)
    assert note.text.startswith(beginning)
    assert outside_notes([False, False]) == ()
