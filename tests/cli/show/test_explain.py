"""Printed lines and JSON of explanations, from explanations with given numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from splc.cli.show import explain
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.explain.contributions import Contribution
from splc.workflows.explain.overview import OptionImportance, OptionInteraction, OptionValue
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

NO, YES = OptionValue("-", None, 0.25, 3.0, 0.0), OptionValue("selected", None, 0.75, 1234567.0, 1.5)
CACHE = OptionImportance("cache", ("cache",), 0.6, 0.5, 0.7, (NO, YES))
X = OptionImportance("x", ("x",), 0.375, 0.2, None, (OptionValue("4", 4.0, 1.0, 2.0, None),))
SMALL = OptionImportance("small", ("one", "two"), 0.001, -0.00001, 0.0, ())
SMALLER = OptionImportance("smaller", ("s",), 0.0009, 0.0, 0.0, (NO,))
SYSTEM = VariabilityModel("s", (BinaryOption("cache"), BinaryOption("other"), NumericOption("x", (1.0, 2.0, 4.0))))
FIRST = Configurations.from_columns(SYSTEM, {"cache": [1], "other": [1], "x": [4]})
SECOND = Configurations.from_columns(SYSTEM, {"cache": [0], "other": [1], "x": [1]})


def result(link: str = "identity", **values: Any) -> Any:
    """Return the result of `splc explain`."""
    known: dict[str, Any] = {"overview": None, "explained": None, "plot": None, "notes": (), "nfp": "time"}
    known |= {"stated_contexts": (), "folds": 0}
    return of(**{"name": "s", "model": of(link=link), **known, **values})


def overview(**values: Any) -> Any:
    """Return an overview of four options."""
    known = {"mean": 10.0, "deviation": 2.0, "options": (CACHE, X, SMALL, SMALLER), "unused": ("other",)}
    interactions = (OptionInteraction(("cache", "x"), -0.0005), OptionInteraction(("x", "small"), 0.00049))
    return of(**{**known, "interactions": interactions, "full": False, **values})


def test_overview(printed: Printed) -> None:
    """Options have their shares, values those of configurations; shares below 0.1 % have no values."""
    explain.show(result(overview=overview(), stated_contexts=("version = '1'",), plot="p.svg"))
    assert printed() == [
        "s: model of time, version = '1', a sum of terms",
        "mean over all valid configurations 10, standard deviation 2",
        "",
        "Options by their share of the variance of the prediction",
        "option    share   alone  with interactions",
        "cache    60.0 %  50.0 %             70.0 %",
        "x        37.5 %  20.0 %",
        "small     0.1 %   0.0 %              0.0 %",
        "smaller   0.1 %   0.0 %              0.0 %",
        "not in the model: other",
        "",
        "Interactions",
        "options     share",
        "cache * x  -0.1 %",
        "",
        "Mean prediction by value, and its change if only this option changes from its first value",
        "option  value     configurations         mean  change",
        "cache   -                 25.0 %            3",
        "        selected          75.0 %  1.23457e+06    +1.5",
        "x       4                100.0 %            2",
        "",
        "plot  p.svg",
    ]


def test_overview_of_a_full_model(printed: Printed) -> None:
    """Shares, changes and interactions have intervals; those of the printed model are listed whatever their share."""
    values = (NO, replace(YES, low=1.25, high=1.75))
    interactions = (
        OptionInteraction(("cache", "x"), 0.02, 0.01, 0.045, folds=7),
        OptionInteraction(("cache", "y"), 0.01, printed=False),
        OptionInteraction(("x", "y"), 0.0001, 0.0, 0.001, folds=None),
        OptionInteraction(("x", "z"), 0.0001, printed=False),
    )
    cache = replace(CACHE, low=0.5, high=0.625, values=values)
    whole = overview(options=(cache, SMALL), unused=(), interactions=interactions, full=True)
    explain.show(result(overview=whole, folds=8))
    assert printed() == [
        "s: model of time, as the full model predicts",
        "mean over all valid configurations 10, standard deviation 2",
        "",
        "Options by their share of the variance of the prediction",
        "option   share     90 % interval   alone  with interactions",
        "cache   60.0 %  50.0 % to 62.5 %  50.0 %             70.0 %",
        "small    0.1 %                     0.0 %              0.0 %",
        "",
        "Interactions",
        "options    share   90 % interval  printed",
        "cache * x  2.0 %  1.0 % to 4.5 %  7 of 8 folds",
        "cache * y  1.0 %                  -",
        "x * y      0.0 %  0.0 % to 0.1 %  yes",
        "",
        "Mean prediction by value, and its change if only this option changes from its first value",
        "option  value     configurations         mean  change   90 % interval",
        "cache   -                 25.0 %            3",
        "        selected          75.0 %  1.23457e+06    +1.5  +1.25 to +1.75",
    ]
    found = explain.as_json(result(overview=whole, folds=8))
    assert (found["full"], found["folds"]) == (True, 8)
    assert found["interactions"][0] == {
        "options": ["cache", "x"],
        "share": 2.0,
        "low": 1.0,
        "high": 4.5,
        "printed": True,
        "folds": 7,
    }


def test_overview_of_a_product(printed: Printed) -> None:
    """Changes of a product are factors, and the mean is geometric; a change that no configuration allows is a dash."""
    values = (YES, OptionValue("b", None, 0.5, 2.0, None), OptionValue("c", None, 0.5, 2.0, 0.123456))
    some = OptionImportance("a", ("a",), 1.0, 1.0, 1.0, values)
    explain.show(result("log", nfp=None, overview=overview(options=(some,), unused=(), interactions=())))
    assert printed() == [
        "s: model, a product of factors",
        "geometric mean over all valid configurations 10",
        "",
        "Options by their share of the variance of the logarithm of the prediction",
        "option    share    alone  with interactions",
        "a       100.0 %  100.0 %            100.0 %",
        "",
        "Mean prediction by value, and its change if only this option changes from its first value",
        "option  value     configurations         mean    factor",
        "a       selected          75.0 %  1.23457e+06",
        "        b                 50.0 %            2         -",
        "        c                 50.0 %            2  × 0.1235",
    ]


def test_long_overview(printed: Printed) -> None:
    """20 options and 10 interactions are listed; further options are summed up, further interactions counted."""
    for more in (0, 2):
        options = tuple(OptionImportance(f"o{at}", (), 0.0004, 0.0, 0.0, ()) for at in range(20 + more))
        interactions = tuple(OptionInteraction((f"i{at}",), 0.01) for at in range(10 + more))
        explain.show(result(overview=overview(options=options, interactions=interactions, unused=())))
        lines = printed()
        assert sum(line.startswith("o") for line in lines) == 1 + 20 + 1
        assert ("2 more  0.1 %" in lines) == bool(more)
        assert sum(line.startswith("i") for line in lines) == 10
        assert ("2 smaller ones are not shown" in lines) == bool(more)
        assert not [line for line in lines if line.startswith("Mean prediction")]
    explain.show(result(overview=overview(options=(), interactions=(), unused=())))
    assert len(printed()) == 2


def test_many_values(printed: Printed) -> None:
    """Of more than 8 values 8 are shown, evenly from the first to the last, of at most 20 options; the text says so."""
    for count, places in ((8, range(8)), (15, range(0, 15, 2))):
        values = tuple(OptionValue(f"v{at}", at, 0.1, 1.0, 1.0) for at in range(count))
        options = (OptionImportance("a", (), 0.5, 0.0, 0.0, values),) * 21
        explain.show(result(overview=overview(options=options, interactions=(), unused=())))
        lines = printed()
        assert re.findall(r"v\d+", "\n".join(lines)) == [f"v{place}" for place in places] * 20
        assert (lines[-1] == "of an option with more than 8 values, 8 are shown; --json has all") == (count > 8)


TERMS = (
    Contribution("cache", "cache", ("cache",), 12.0, 2.0),
    Contribution("x", "x", ("x",), 4.0, 1.0),
    Contribution("x^2", "x^2", ("x",), 5.0, 7.0),
    Contribution("other", "other", ("other",), 3.0, 3.0),
)


def explained(**values: Any) -> Any:
    """Return an explanation of one configuration, relative to the mean."""
    known = {"configuration": FIRST, "against": None, "predicted": 24.0, "reference": 13.0, "contributions": TERMS}
    return of(**{**known, "interval": None, "against_interval": None, **values})


def test_one_prediction(printed: Printed) -> None:
    """Terms are shown by their options, the largest differences first; those without one are counted, then the sum."""
    interval = of(level=0.9, low=20.0, high=30.0)
    explain.show(result(explained=explained(interval=interval)))
    assert printed() == [
        "s: model of time, a sum of terms",
        "prediction                          24, 90 % interval 20 to 30",
        "mean over all valid configurations  13",
        "",
        "term                       contribution  mean  difference",
        "cache                                12     2         +10",
        "x                                     9     8          +1",
        "  x                                   4     1          +3",
        "  x^2                                 5     7          -2",
        "1 term without difference             3     3          +0",
        "sum                                  24    13         +11",
    ]


def test_two_predictions(printed: Printed) -> None:
    """Two predictions have their different options, and their intervals; equal configurations are named so."""
    other = {"against": SECOND, "against_interval": of(level=0.5, low=1.0, high=2.0)}
    explain.show(result(explained=explained(contributions=TERMS[:1], **other)))
    assert printed() == [
        "s: model of time, a sum of terms",
        "prediction                             24",
        "prediction of the other configuration  13, 50 % interval 1 to 2",
        "",
        "option     value  other",
        "cache   selected      -",
        "x              4      1",
        "",
        "term   contribution  other  difference",
        "cache            12      2         +10",
        "sum              12      2         +10",
    ]
    explain.show(result(explained=explained(contributions=TERMS[:1], against=FIRST)))
    assert printed()[3:5] == ["", "the two configurations are the same"]


def test_a_product_of_factors(printed: Printed) -> None:
    """Contributions to a product are exponentials, which are limited, and their ratios."""
    large = Contribution("a", "a", ("a",), 800.0, 0.0)
    explain.show(result("log", explained=explained(contributions=(large,))))
    assert printed()[1:] == [
        "prediction                                    24",
        "geometric mean over all valid configurations  13",
        "",
        "term           factor  mean         ratio",
        "a        1.01423e+304     1  × 1.014e+304",
        "product  1.01423e+304     1  × 1.014e+304",
    ]


def test_differences_that_cancel(printed: Printed) -> None:
    """Terms over the same options whose differences cancel are counted; the 21st set of terms is in a sum."""
    cancel = (Contribution("x", "x", ("x",), 2.0, 1.0), Contribution("x^2", "x^2", ("x",), 1.0, 2.0))
    for more in (0, 3):
        moving = tuple(Contribution(f"t{at}", f"t{at}", (f"t{at}",), 1.0, 0.0) for at in range(20 + more))
        explain.show(result(explained=explained(contributions=(*moving, *cancel))))
        lines = [" ".join(line.split()) for line in printed()]
        assert sum(line.startswith("t") for line in lines) == 1 + 20
        assert ("3 more 3 0 +3" in lines) == bool(more)
        assert "2 terms without difference 3 3 +0" in lines
        assert lines[-1] == f"sum {23 + more} 3 +{20 + more}"


def test_json() -> None:
    """Shares are percentages; values of numeric options are numbers."""
    notes = (of(text="a note"),)
    ends = {"low": None, "high": None}
    assert content_of(
        explain.as_json(result(overview=overview(options=(CACHE, X)), notes=notes, plot="p.svg")), "splc.explain/1"
    ) == {
        "name": "s",
        "nfp": "time",
        "link": "identity",
        "mean": 10.0,
        "deviation": 2.0,
        "options": [
            {
                "name": "cache",
                "options": ["cache"],
                "share": 60.0,
                **ends,
                "alone": 50.0,
                "total": 70.0,
                "values": [
                    {"value": "-", "configurations": 25.0, "mean": 3.0, "change": 0.0, **ends},
                    {"value": "selected", "configurations": 75.0, "mean": 1234567.0, "change": 1.5, **ends},
                ],
            },
            {
                "name": "x",
                "options": ["x"],
                "share": 37.5,
                **ends,
                "alone": 20.0,
                "total": None,
                "values": [{"value": 4.0, "configurations": 100.0, "mean": 2.0, "change": None, **ends}],
            },
        ],
        "interactions": [
            {"options": ["cache", "x"], "share": -0.05, **ends, "printed": True, "folds": None},
            {"options": ["x", "small"], "share": 0.049, **ends, "printed": True, "folds": None},
        ],
        "full": False,
        "folds": 0,
        "unused": ["other"],
        "plot": "p.svg",
        "notes": ["a note"],
    }


def test_json_of_predictions() -> None:
    """Terms have both contributions and their difference; those of a product also the factor."""
    term = {"term": "cache", "contribution": 12.0, "reference": 2.0, "difference": 10.0}
    interval = {"level": 0.9, "low": 1.0, "high": 2.0}
    base: dict[str, Any] = {"name": "s", "nfp": "time", "plot": None, "notes": [], "predicted": 24.0, "reference": 13.0}
    base["configuration"] = {"cache": 1, "other": 1, "x": 4}
    one = explained(contributions=TERMS[:1], interval=of(**interval))
    assert content_of(explain.as_json(result(explained=one)), "splc.explain.configuration/1") == {
        **base,
        "link": "identity",
        "against": None,
        "interval": interval,
        "reference_interval": None,
        "terms": [{**term, "factor": None}],
    }
    two = explained(
        contributions=(Contribution("x", "x", ("x",), 1.0, 1.0),), against=SECOND, against_interval=of(**interval)
    )
    assert content_of(explain.as_json(result("log", explained=two)), "splc.explain.configuration/1") == {
        **base,
        "link": "log",
        "against": {"cache": 0, "other": 1, "x": 1},
        "interval": None,
        "reference_interval": interval,
        "terms": [{"term": "x", "contribution": 1.0, "reference": 1.0, "difference": 0.0, "factor": 1.0}],
    }
