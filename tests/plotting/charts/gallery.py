"""The charts of `tests/golden/messages/charts.messages`: one of each kind, with names that are long or markup."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from comparison.changes import ModelCourse, TermCourse
from splc.models.terms import option_term
from splc.plotting.charts import curves, effects, influences, predictions
from splc.plotting.charts.chart import Chart, joined
from tests.support.golden_messages import prompts
from tests.support.pictures import EXAMPLE, compared, score

LONG = "a_name_of_an_option_that_is_much_longer_than_the_space_for_it_on_any_picture_$x$"
NAMES = ("cache", "<b>$x^2$</b>", LONG)
TIME = "time (ms)"
COUNT = 40
_RNG = np.random.default_rng(0)
MEASURED = 10.0 + 90 * _RNG.random(COUNT)
PREDICTED = MEASURED * (1 + 0.1 * _RNG.standard_normal(COUNT))
ERRORS = 100 * (PREDICTED / MEASURED - 1)
LEARNED = np.arange(COUNT) < 20
AT = np.arange(COUNT) % 3
REPEATED = MEASURED[:, None] * (1 + 0.1 * _RNG.random((COUNT, 3)))
MANY = np.exp(_RNG.standard_normal((12, 3000)))
LONG_TERMS = [score(option_term(LONG) ** k, "opposite sign", 1e-9, -1e9 / 7) for k in range(1, 4)]
OPTIONS = [(name, ("off", "on", LONG), AT) for name in NAMES]
MEANS = (np.array([20.0, 40.0, 60.0]), np.array([15.0, 35.0, 55.0]), np.array([25.0, 45.0, 65.0]))
TWO_EFFECTS = [
    effects.ValueEffects("n", ("1", "2", "4"), (1.0, 2.0, 4.0), *MEANS, AT),
    effects.ValueEffects(LONG, NAMES, None, *MEANS, AT),
]
_X, _AT = np.array([1.0, 2.0, 4.0, 64.0]), np.array([1.0, 2.0, 4.0])
SCALING = [curves.ScalingCurve(name, _AT, _AT, _X, 1.1 * _X, 0.9 * _X, 1.3 * _X) for name in NAMES]
WHYS = ["default"] + 9 * ["cover"] + 25 * ["search"] + 5 * ["verify"]


def several(learners: int, panels: int) -> Chart:
    """Return learning curves."""
    names = [f"{NAMES[at % 3]} {at}" for at in range(learners)]
    lines = {name: [(10.0 * 2**k, 50.0 / (k + 1) + at, 2.0 * k) for k in range(4)] for at, name in enumerate(names)}
    return curves.learning_curve_chart({f"{LONG} {at}": lines for at in range(panels)}, names, LONG)


# The names that a case may use.
KNOWN = {
    **vars(curves) | vars(effects) | vars(influences) | vars(predictions),
    **{each.__name__: each for each in (ModelCourse, TermCourse, compared, joined, several)},
    **{name: value for name, value in globals().items() if name.isupper()},
    "EXAMPLE": EXAMPLE,
}


def _drawn(expression: str) -> Chart:
    chart: Chart = eval(expression, KNOWN)  # noqa: S307
    return chart


# The name of each case → what draws it.
GALLERY: dict[str, Callable[[], Chart]] = {
    name: partial(_drawn, expression) for name, _, expression in (each.partition(" = ") for each in prompts("charts"))
}
