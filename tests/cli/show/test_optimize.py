"""Printed lines and JSON of the best configurations, from results with given numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from splc.cli.show import optimize
from splc.data.configurations import Configurations
from splc.io.json import plain_values
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows.optimize.optimize import PropertyValue, RatedConfiguration, Result
from splc.workflows.prediction_intervals import Interval
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

SYSTEM = VariabilityModel(
    "s",
    (
        BinaryOption("base", optional=False),
        BinaryOption("cache"),
        BinaryOption("tls"),
        NumericOption("x", (1.0, 2.5), deselected_flag=-1.0),
    ),
)
LEAST: Any = of(name="time", measured="time", maximize=False)
GREATEST: Any = of(name="rate", measured=None, maximize=True)
INTERVAL = Interval(0.9, 1.0, 2.2345678)


def rated(cache: int, tls: int, x: float, *values: PropertyValue) -> RatedConfiguration:
    """Return a configuration with its values."""
    columns = {"base": [1], "cache": [cache], "tls": [tls], "x": [x]}
    return RatedConfiguration(Configurations.from_columns(SYSTEM, columns), values)


ONE = rated(1, 0, 2.5, PropertyValue(1.2345678, INTERVAL, 1.5))
BEST = rated(0, 1, -1.0, PropertyValue(3.0, None, 1.25))
THIRD = rated(0, 0, -1.0, PropertyValue(4.0))
NOTES: Any = (of(text="a note"),)


def test_one(printed: Printed) -> None:
    """The configuration is beside the best measured one; options that neither selects are left out."""
    optimize.show(Result((LEAST,), (ONE,), BEST, fixed={"cache": 1, "x": 1}, unused=("tls",), plot="p.svg"))
    assert printed() == [
        "predicted: 1.23457 (least of all valid configurations with cache, x=2.5), 90 % interval 1 to 2.23457",
        "option     value  best measured  in the model",
        "base    selected       selected",
        "cache   selected              -",
        "tls            -       selected  unused",
        "x            2.5     deselected",
        "",
        "measured: 1.5 (time)",
        "best measured: 1.25 (predicted 3)",
        "",
        "plot  p.svg",
    ]


def test_one_that_is_the_best_measured(printed: Printed) -> None:
    """The best measured configuration may be the same, none, or unknown."""
    optimize.show(Result((replace_of(LEAST, maximize=True),), (THIRD,), THIRD))
    assert printed() == [
        "predicted: 4 (greatest of all valid configurations)",
        "option     value",
        "base    selected",
        "",
        "measured: nothing (time was not measured for this configuration)",
        "best measured: this configuration",
    ]
    optimize.show(Result((LEAST,), (THIRD,)))
    assert printed()[-1] == "best measured: no measured configuration has the fixed values"
    optimize.show(Result((GREATEST,), (THIRD,)))
    assert printed()[-1] == "base    selected"
    system = VariabilityModel("s", (BinaryOption("cache"),))
    none = RatedConfiguration(Configurations.from_columns(system, {"cache": [0]}), (PropertyValue(1.0),))
    optimize.show(Result((GREATEST,), (none,)))
    assert printed()[1:] == ["no option is selected"]


def replace_of(each: Any, **values: Any) -> Any:
    """Return an object with other attributes."""
    return of(**vars(each) | values)


def test_several(printed: Printed) -> None:
    """Several configurations have a line each, with the options in which they differ; the others are named once."""
    two = rated(1, 1, 2.5, PropertyValue(2.0, None, None))
    optimize.show(Result((LEAST,), (ONE, two), BEST))
    assert printed() == [
        "the 2 least of all valid configurations",
        "#  predicted      interval  measured  other selected options",
        "1    1.23457  1 to 2.23457       1.5  (none)",
        "2          2                          tls",
        "in all: cache, x=2.5",
        "",
        "best measured: 1.25 (predicted 3): tls",
    ]
    optimize.show(Result((LEAST,), (ONE, BEST, THIRD)))
    assert printed()[1:] == [
        "#  predicted      interval  measured  selected options",
        "1    1.23457  1 to 2.23457       1.5  cache, x=2.5",
        "2          3                    1.25  tls",
        "3          4                          (none)",
    ]


def test_many(printed: Printed) -> None:
    """40 configurations are printed, and the rest is counted."""
    for count, more in ((40, []), (42, ["… and 2 more (--json has all)"])):
        optimize.show(Result((LEAST,), (ONE, *[BEST] * (count - 1))))
        lines = printed()
        assert lines[41].split()[0] == "40"
        assert lines[42:] == more


def test_front(printed: Printed) -> None:
    """A Pareto front has the columns of each property; the measured one has measured and predicted values."""
    one, two = (replace(each, values=(each.values[0], PropertyValue(9.0, None, 8.0))) for each in (ONE, BEST))
    optimize.show(Result((LEAST, GREATEST), (one, two), measured_front=(two,), fixed={"tls": 0}))
    assert printed() == [
        "Pareto front (least time, greatest rate): 2 configurations",
        "of all valid configurations with tls=0",
        "#     time      interval  measured  rate  measured  selected options",
        "1  1.23457  1 to 2.23457       1.5     9         8  cache, x=2.5",
        "2        3                    1.25     9         8  tls",
        "",
        "Pareto front of the measured values: 1 configuration",
        "#  time  predicted  rate  predicted  selected options",
        "1  1.25          3     8          9  base, tls",
    ]
    optimize.show(Result((LEAST, GREATEST), (one,)))
    assert printed()[0] == "Pareto front (least time, greatest rate): 1 configuration"
    optimize.show(Result((LEAST, GREATEST), (one,), measured_front=()))
    assert printed()[-2:] == ["", "Pareto front of the measured values: 0 configurations"]


def value_object(value: PropertyValue) -> dict[str, Any]:
    """Return the object of a value in JSON."""
    interval = None if value.interval is None else {"level": 0.9, "low": 1.0, "high": 2.2345678}
    return {"predicted": value.predicted, "interval": interval, "measured": value.measured}


OPTIONS = [{"base": 1, "cache": cache, "tls": tls, "x": x} for cache, tls, x in ((1, 0, 2.5), (0, 1, None))]


def test_json() -> None:
    """One property has the best configuration with its values, all others, and the fixed options in their order."""
    shared: dict[str, Any] = {
        "examined": 5,
        "exhaustive": False,
        "unused": ("tls", "gzip"),
        "free": ("tls",),
        "plot": "p.svg",
        "notes": ["a note"],
    }
    found = Result((LEAST,), (ONE, BEST), BEST, fixed={"x": 1, "cache": 1}, **shared | {"notes": NOTES})
    content = content_of(optimize.as_json(found), "splc.optimize/1")
    assert list(content["fixed"]) == ["cache", "x"]
    assert content == {
        "configuration": OPTIONS[0],
        **value_object(ONE.values[0]),
        "best_measured": {"configuration": OPTIONS[1], "measured": 1.25, "predicted": 3.0},
        "nfp": "time",
        "maximize": False,
        "top": [
            {"configuration": OPTIONS[0], **value_object(ONE.values[0])},
            {"configuration": OPTIONS[1], **value_object(BEST.values[0])},
        ],
        "fixed": {"cache": 1, "x": 2.5},
        **plain_values(shared),
    }
    assert optimize.as_json(Result((GREATEST,), (ONE,)))["best_measured"] is None


def test_json_of_fronts() -> None:
    """Several properties have the front with the values of each, and the front of the measured configurations."""
    one, two = (replace(each, values=(each.values[0], PropertyValue(9.0, None, 8.0))) for each in (ONE, BEST))
    found = Result((LEAST, GREATEST), (one, two), measured_front=(two,))
    rate = value_object(one.values[1])
    assert content_of(optimize.as_json(found), "splc.optimize.pareto/1") == {
        "properties": [
            {"name": "time", "nfp": "time", "maximize": False},
            {"name": "rate", "nfp": None, "maximize": True},
        ],
        "front": [
            {"configuration": options, "properties": {"time": value_object(each.values[0]), "rate": rate}}
            for options, each in zip(OPTIONS, (one, two), strict=True)
        ],
        "measured_front": [
            {
                "configuration": OPTIONS[1],
                "properties": {
                    "time": {"measured": 1.25, "predicted": 3.0},
                    "rate": {"measured": 8.0, "predicted": 9.0},
                },
            }
        ],
        "fixed": {},
        "examined": 0,
        "exhaustive": True,
        "unused": [],
        "free": [],
        "plot": None,
        "notes": [],
    }
    assert optimize.as_json(Result((LEAST, GREATEST), (one, two)))["measured_front"] is None
