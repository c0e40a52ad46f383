"""Printed lines and JSON of scaling models, from models with given numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from splc.cli.show import scale
from splc.cli.show.scale_tree import show_trees
from splc.data.experiment import Key
from splc.scaling.exponents import Exponents
from splc.scaling.prediction import Prediction
from splc.scaling.result import ScalingModel
from splc.workflows.scale.tree import CallPath, CallTree
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

NONE, LINEAR, SQUARED_LOG = (Exponents(Fraction(power), Fraction(log)) for power, log in ((0, 0), (1, 0), (0, 2)))
CONSTANT = ScalingModel(
    names=("p",),
    terms=((NONE,),),
    coefficients=(7.0,),
    ranges=((1.0, 16.0),),
    method="bayes",
    settings={"terms": 2},
    points=5,
    measurements=10,
    smape=1.25,
    adjusted_r2=0.5,
    rss=1.0,
    noise=None,
)
LINE = replace(CONSTANT, terms=((NONE,), (LINEAR,)), coefficients=(2.0, 3.0), noise=2.5, notes=("a", "b"))
LOGS = replace(CONSTANT, terms=((NONE,), (SQUARED_LOG,)), coefficients=(1.0, 0.1234567), certainty=0.75)
SEGMENTS = replace(LOGS, below=LINE, change=8.0, changing="p")
INSIDE = Prediction({"p": 8.0, "n": 2.0}, 26.0, 20.0, 30.0, 1.0)
BEYOND = Prediction({"p": 64.0}, 194.12345, 97.0, 194.5, 4.0)
UNDEFINED = Prediction({"p": 0.0}, None, None, None, 1.0)
NO_INTERVAL = Prediction({"p": 2.0}, 8.0, None, None, 1.0)
FACTS: dict[str, Any] = {"learner": "pmnf", "parameters": ["p"], "points": 5, "failed": [], "files": {}}


def result(models: dict[Key, ScalingModel], predictions: dict[Key, Any], **values: Any) -> Any:
    """Return the result of `splc scale`."""
    known: dict[str, Any] = {
        "profile": of(models=models),
        "predictions": predictions,
        "experiment": range(3),
        "errors": {key: 100.0 + place for place, key in enumerate(models)},
        "seconds": 0.123456,
        "facts": FACTS,
        "trees": (),
        "request": of(output="out.json", plot=None, top=2),
    }
    return of(**known | values)


def test_one_model(printed: Printed) -> None:
    """One model has its title, terms, predictions and facts."""
    scale.show(result({("main", "time"): LINE}, {("main", "time"): (INSIDE, BEYOND, UNDEFINED, NO_INTERVAL)}))
    assert printed() == [
        "main, time",
        "term  influence",
        "1             2",
        "p             3",
        "",
        "at            predicted  90 % interval  caveat",
        "p = 8, n = 2         26  20 … 30",
        "p = 64            194.1  97 … 194.5     4 times beyond what was measured, not known within a factor of 2",
        "p = 0         undefined                 the model has no finite value there",
        "p = 2                 8                 no interval",
        "",
        "formula    2 + 3 * p",
        "lead term  p",
        "fit        SMAPE 1.25 %, adjusted R² 0.5 at 5 points, p = 1 … 16",
        "noise      2.5 % per measurement",
        "method     bayes",
        "time       0.123 s",
        "output     out.json",
    ]


def test_one_constant_model(printed: Printed) -> None:
    """A model of the default call path and metric has no title; a plot is named; the noise may be unknown."""
    key = ("<root>", "<default>")
    scale.show(result({key: CONSTANT}, {key: ()}, request=of(output="out.json", plot="p.png")))
    lines = printed()
    assert lines[:3] == ["term  influence", "1             7", ""]
    assert {"lead term  none: constant", "noise      unknown"} <= set(lines)
    assert lines[-1] == "plot       p.png"


def test_segments(printed: Printed) -> None:
    """The terms of both segments are shown below their ranges, and the formula has both."""
    scale.show_terms(SEGMENTS)
    assert printed() == [
        "up to p = 8:",
        "term  influence",
        "1             2",
        "p             3",
        "beyond p = 8:",
        "term       influence",
        "1                  1",
        "log2(p)^2   0.123457",
    ]
    facts = dict(scale.scaling_facts(SEGMENTS))
    assert facts["formula"] == "2 + 3 * p up to p = 8, then 1 + 0.1235 * log2(p)^2"
    assert facts["lead term"] == "log2(p)^2 (probability 0.75)"
    assert scale.model_text(LINE) == "2 + 3 * p"


def test_several_models(printed: Printed) -> None:
    """Several models have a line each, with predictions in columns; default names are not shown."""
    one, two = ("a", "<default>"), ("b", "<default>")
    scale.show(result({one: LINE, two: CONSTANT}, {one: (INSIDE, BEYOND, UNDEFINED), two: (NO_INTERVAL,) * 3}))
    assert printed() == [
        "call path  model      lead       SMAPE  noise  notes  p = 8, n = 2  p = 64             p = 0",
        "a          2 + 3 * p  p         1.25 %  2.5 %      2  26 [20, 30]   194.1 [97, 194.5]  undefined",
        "b          7          constant  1.25 %                8             8                  8",
        "",
        "models  2 models at 3 points",
        "time    0.123 s",
        "output  out.json",
    ]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (INSIDE, ""),
        (replace(INSIDE, lower=-1.0), "not known within a factor of 2"),
        (replace(INSIDE, lower=0.0, upper=0.0), ""),
        (replace(INSIDE, lower=15.0), ""),
        (replace(INSIDE, lower=-30.0, upper=-14.9), "not known within a factor of 2"),
        (replace(INSIDE, distance=1.5), "1.5 times beyond what was measured"),
        (replace(INSIDE, distance=float("inf")), "beyond what was measured"),
        (NO_INTERVAL, "no interval"),
        (replace(INSIDE, upper=None, distance=1.5), "1.5 times beyond what was measured, no interval"),
        (UNDEFINED, "the model has no finite value there"),
    ],
)
def test_caveats(entry: Prediction, text: str) -> None:
    """Extrapolation and intervals wider than a factor of 2 are stated."""
    assert scale.caveat(entry) == text


def test_values_of_a_context(printed: Printed) -> None:
    """Each value has its title, with an empty line between values; JSON has the value beside the models."""
    key = ("<root>", "<default>")
    results = {"1": result({key: LINE}, {key: ()}), "2": result({key: LINE, ("a", "b"): LINE}, {})}
    scale.show_by(results, "version")
    lines = printed()
    assert lines[0] == "version '1'"
    assert lines[lines.index("version '2'") - 1] == ""
    scale.show(results["1"])
    assert lines[1 : lines.index("version '2'") - 1] == printed()
    content = scale.by_as_json(results, "version")
    assert content["by"] == "version"
    one, two = content["values"]
    assert one == {"value": "1", **content_of(scale.as_json(results["1"]), "splc.scale/1")}
    assert [each["callpath"] for each in two["models"]] == ["<root>", "a"]


def test_json() -> None:
    """One model is the object itself, several are a list, and many an iterator; each has its own error and notes."""
    keys = [(f"path{at}", "time") for at in range(scale.MANY + 1)]
    predictions = {keys[0]: (BEYOND,)}
    shared = {"seconds": 0.123456, "preset": "pmnf", "seed": None, **FACTS, "output": "out.json"}
    one = scale.as_json(result({keys[0]: LINE}, predictions))
    own = {
        "callpath": "path0",
        "metric": "time",
        "nfp": "time",
        "learning_configurations": 5,
        "learning_error": 100.0,
        "error": None,
        "error_all": 100.0,
        "rounds": [],
        "termination": "noCandidate",
        "settings": {"method": "bayes", "terms": 2},
        "notes": ["a", "b"],
        "predictions": [vars(BEYOND)],
    }
    assert {name: one[name] for name in own} == own
    assert {name: one[name] for name in shared} == shared
    assert "trees" not in one
    assert "models" not in one
    some = scale.as_json(result(dict.fromkeys(keys[:-1], LINE), predictions, trees=(tree(),)))
    assert isinstance(some["models"], list)
    assert some["models"][0] == {name: value for name, value in one.items() if name not in {"schema", *shared}}
    assert [each["learning_error"] for each in some["models"]] == [100.0 + at for at in range(scale.MANY)]
    assert some["models"][1]["predictions"] == []
    [calls] = some["trees"]
    assert [calls[key] for key in ("metric", "at", "measured_at", "total", "level")] == [
        "<default>",
        {"p": 64.0},
        {"p": 16.0},
        100.0,
        0.9,
    ]
    main, solve, none, rest = tree().callpaths
    ranked = ((1, solve), (2, main), (3, rest), (None, none))
    assert calls["callpaths"] == [{"rank": rank, **vars(each)} for rank, each in ranked]
    many = scale.as_json(result(dict.fromkeys(keys, LINE), {}))
    assert isinstance(many["models"], Iterator)
    assert len(list(many["models"])) == len(keys)


def tree(depth: int = 1, callpaths: tuple[CallPath, ...] = (), **values: Any) -> CallTree:
    """Return a call tree, of four call paths if none are given."""
    main = CallPath("main", 0, 10.0, 9.0, 11.0, 10.0, 20.0, 100.0, 100.0)
    solve = CallPath("main->solve", depth, 60.0, None, None, 60.0, 0.0, 60.0, 60.0)
    none = CallPath("main->none", depth, None, None, None, 0.0, 0.0, 29.5, 29.5)
    rest = CallPath("main->rest", depth, 0.5, 0.25, 0.75, 0.04, 80.0, 0.5, 0.5)
    known: dict[str, Any] = {
        "metric": "<default>",
        "at": {"p": 64.0},
        "measured_at": {"p": 16.0},
        "total": 100.0,
    } | values
    return CallTree(**known, callpaths=callpaths or (main, solve, none, rest))


def test_call_tree(printed: Printed) -> None:
    """Call paths are a tree with their shares, then a ranking; the rest is counted and summed up."""
    show_trees((tree(), tree(0, metric="energy", at={"p": 32.0, "n": 2.0})), 1)
    assert printed() == [
        "at p = 64, and at the largest measured values, p = 16:",
        "",
        "call path  total    share  without calls",
        "main         100  100.0 %         10.0 %",
        "  solve       60   60.0 %         60.0 %",
        "  none      29.5   29.5 %",
        "… 1 more, with less than 1 % or beyond 60 lines (--json has all)",
        "",
        "rank  call path    predicted   share  measured share",
        "   1  main->solve         60  60.0 %           0.0 %",
        "… 2 more with 10.0 % together (--top N)",
        "",
        "energy at p = 32, n = 2, and at the largest measured values, p = 16:",
        "",
        "rank  call path    predicted   share  measured share",
        "   1  main->solve         60  60.0 %           0.0 %",
        "… 2 more with 10.0 % together (--top N)",
    ]
    show_trees((tree(),), 3)
    assert printed()[-4:] == [
        "rank  call path    predicted  90 % interval    share  measured share",
        "   1  main->solve         60                  60.0 %           0.0 %",
        "   2  main                10  9 … 11          10.0 %          20.0 %",
        "   3  main->rest         0.5  0.25 … 0.75    < 0.1 %          80.0 %",
    ]


def test_long_call_trees(printed: Printed) -> None:
    """At most 60 lines of a tree are printed; a share of 1 % is, and one of 0.05 % has a number."""
    paths = tuple(CallPath(f"c{at}", at and 1, 1.0, 0.5, 2.0, 0.05, 0.05, 1.0, 1.0) for at in range(61))
    show_trees((tree(callpaths=paths),), 61)
    lines = printed()
    assert lines[62].startswith("  c59 ")
    assert lines[63] == "… 1 more, with less than 1 % or beyond 60 lines (--json has all)"
    assert lines[-1].split() == ["61", "c60", "1", "0.5", "…", "2", "0.1", "%", "0.1", "%"]
    show_trees((tree(callpaths=paths[:60]),), 60)
    assert not [line for line in printed() if line.startswith("…")]
