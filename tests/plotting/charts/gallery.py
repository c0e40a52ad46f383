"""Charts of made values, what their pictures show, and texts of SVG that can be read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from lxml import etree
from matplotlib.figure import Figure
from matplotlib.text import Text

from comparison.changes import ModelCourse, TermCourse
from comparison.result import ClassScore, Comparison, Found, SyntacticComparison, TermScore
from splc.models.terms import Term, option_term
from splc.plotting.charts import curves, effects, influences, predictions
from splc.plotting.charts.chart import Chart, joined
from splc.plotting.style import text_width
from tests.support.golden_messages import prompts


def capture(monkeypatch: pytest.MonkeyPatch, draw: Callable[[], Any]) -> Figure:
    """Return the figure that a call saves; its pixels, which take half of the time, are not made."""
    seen: list[Figure] = []
    with monkeypatch.context() as patched:
        patched.setattr(Figure, "savefig", lambda figure, *_, **__: seen.append(figure))
        draw()
    (figure,) = seen
    return figure


def texts(figure: Figure) -> list[str]:
    """Return all texts of a figure."""
    found = figure.findobj(Text)
    return [artist.get_text() for artist in found if isinstance(artist, Text) and artist.get_text()]


def score(term: Term, found: Found, first: float | None, second: float | None, value: float | None = None) -> TermScore:
    """Return the score of a term, by default the usual one of its case."""
    usual = {"no class": -2.0, "no term": -1.0, "opposite sign": 1.0, "different": 1.5, "same": 2.0}[found]
    return TermScore(term, term.text(), usual if value is None else value, found, first, second)


def compared(first: str, second: str, *classes: tuple[Sequence[str], Sequence[TermScore]]) -> Comparison:
    """Return two models compared by their terms."""
    groups = tuple(ClassScore(tuple(options), tuple(terms)) for options, terms in classes)
    return Comparison(first, second, SyntacticComparison(groups))


X, Y = option_term("x"), option_term("y")
# The worked example of section 4.1 of the thesis without its class over both options.
EXAMPLE = compared(
    "analytical.txt",
    "learned.log",
    (["x"], [score(X, "different", 3, 5, 1 + 1 / 3), score(X**2, "no term", None, 0.5)]),
    (["y"], [score(Y, "different", 0.4, 3, 1.0), score(Y**2, "same", 1, 1)]),
    (["x", "y"], [score(X * Y, "no class", 1, None), score(X**2 * Y, "no class", 2, None)]),
)


# Titles are bold, which is wider.
SIZES = {"head": 12.0}
WIDER = {"head": 1.1}
_SVG = "{http://www.w3.org/2000/svg}"


def svg_defects(svg: str) -> list[str]:
    """Return the defects of a panel of `panel_svg`; slanted texts are only checked for being there."""
    root = etree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = []
    found = []
    for text in root.iter("text", f"{_SVG}text"):
        shown = text.text or ""
        if text.get("transform"):
            continue
        size = SIZES.get(text.get("class") or "", 11.0)
        wide = text_width(shown, size) * WIDER.get(text.get("class") or "", 1.0)
        left = float(text.attrib["x"]) - {"middle": wide / 2, "end": wide}.get(text.get("text-anchor") or "", 0.0)
        bottom = float(text.attrib["y"])
        box = (left, bottom - 0.75 * size, left + wide, bottom)
        if box[0] < -1 or box[1] < -1 or box[2] > width + 1 or box[3] > height + 1:
            found.append(f"{shown!r} is outside")
        boxes.append((shown, box))
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1:
            found.append(f"{one!r} is over {other!r}")
    return found


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
