"""Terms and options by what they contribute: influences, shares of the variance, interactions, steps, and scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from splc.io.numbers import rounded_text, share_text, short_number
from splc.plotting.charts.chart import (
    SERIES,
    Axis,
    BarMarks,
    Chart,
    HeatCells,
    Panel,
    Points,
    ReferenceLine,
    Role,
    Spans,
    columns_of,
    further,
)

if TYPE_CHECKING:
    from comparison.result import Comparison, Found, TermScore

# The greatest numbers of bars of options, sets of options and steps, of influences, and of options of pairs.
MAX_BARS, MAX_INFLUENCES, MAX_OPTIONS = 20, 30, 12
# The greatest numbers of terms and of models whose scores are drawn.
MAX_TERMS, MAX_MODELS = 120, 8
_LARGEST = 690.0  # greater logarithms have no finite factor
# The colour and the meaning of each case of a term in two models.
_ONE = "not in both: other terms over these options (−1), or none (−2)"
CASES: dict[Found, tuple[Role, str]] = {
    "same": ("model", "in both, with one sign (1 to 2)"),
    "different": ("model", "in both, with one sign (1 to 2)"),
    "opposite sign": ("rise", "in both, with opposite signs (1)"),
    "no term": ("quiet", _ONE),
    "no class": ("quiet", _ONE),
}


@dataclass(frozen=True)
class Influence:
    """The mean contribution of a term to predictions, with its interval, in the unit of the property or in percent."""

    term: str
    contribution: float
    low: float
    high: float


def influence_chart(influences: Sequence[Influence], quantity: str, *, product: bool = False) -> Chart:
    """Return a chart of the mean contributions of terms, so that terms of different units can be compared.

    `product`: whether each term multiplies the prediction; contributions are changes in percent then.
    """
    shown = sorted(influences, key=lambda influence: -abs(influence.contribution))[:MAX_INFLUENCES]
    value, low, high = (np.array([getattr(each, name) for each in shown]) for name in ("contribution", "low", "high"))
    label = f"mean change of {quantity}, %" if product else f"mean contribution to {quantity}"
    axis = Axis.over(np.concatenate([low, high, value]), label, log=False, zero=True)
    roles: tuple[Role, ...] = tuple("rise" if influence.contribution > 0 else "fall" for influence in shown)
    texts = tuple(rounded_text(influence.contribution, 3) for influence in shown)
    marks = (BarMarks(np.zeros(len(shown)), value, roles, texts), Spans(low, high, "measured"), ReferenceLine(x=0.0))
    unit = " %" if product else ""
    return Chart(
        "influences",
        "What each term contributes",
        "The mean contribution of each term over the measured configurations, with its 90 % interval. A term whose "
        "interval contains 0 has no settled sign.",
        (Panel(axis, Axis.of_names([influence.term for influence in shown]), marks, "", 470, 0),),
        {"rise": "raises", "fall": "lowers"},
        columns_of(
            ("term", f"contribution{unit}", f"low{unit}", f"high{unit}"),
            ((each.term, each.contribution, each.low, each.high) for each in influences),
        ),
    )


@dataclass(frozen=True)
class Share:
    """The share of an option in percent, with the interval as far as it is known."""

    name: str
    share: float
    low: float | None = None
    high: float | None = None


def importance_chart(shares: Sequence[Share], quantity: str) -> Chart:
    """Return a chart of the shares of options in the variance of what is predicted, the most important option first."""
    shown = shares[:MAX_BARS]
    # None is NaN as a number.
    end, low, high = (np.array([getattr(bar, name) for bar in shown], dtype=float) for name in ("share", "low", "high"))
    axis = Axis.over([*end.tolist(), *high[np.isfinite(high)].tolist()], "share of the variance, %", zero=True)
    bars = BarMarks(np.zeros(len(shown)), end, ("model",), tuple(share_text(bar.share) for bar in shown))
    interval = " Lines are 90 % intervals." if np.isfinite(low).any() else ""
    return Chart(
        "importance",
        f"What {quantity} depends on",
        f"How much of the variance of the predictions of {quantity} each option explains, over all valid "
        f"configurations.{interval}{further(len(shares), MAX_BARS, 'smaller ones')}",
        (Panel(axis, Axis.of_names([bar.name for bar in shown]), (bars, Spans(low, high, "measured")), "", 430, 0),),
        {},
        columns_of(
            ("option", "share %", "low %", "high %"), ((bar.name, bar.share, bar.low, bar.high) for bar in shares)
        ),
    )


def interaction_chart(options: Sequence[str], shares: Mapping[frozenset[str], float], quantity: str) -> Chart:
    """Return a chart of the shares of the interactions of pairs of options in the variance, in percent.

    The most important options are the first ones; options of no pair are left out.
    """
    pairs = {names: share for names, share in shares.items() if len(names) == 2}
    shown = [name for name in options if any(name in names for names in pairs)][:MAX_OPTIONS]
    largest = max((abs(share) for share in pairs.values()), default=0.0) or 1.0
    text = {names: share_text(share) for names, share in pairs.items()}
    return Chart(
        "interactions",
        f"Which options interact in {quantity}",
        "The share of the variance that two options explain together beyond what each explains alone. Shares below "
        "the listed ones are empty.",
        (triangle(shown, pairs, largest, text),),
        {},
        {"options": [" and ".join(sorted(names)) for names in pairs], "share %": list(pairs.values())},
    )


def triangle(
    names: Sequence[str], pairs: Mapping[frozenset[str], float], largest: float, text: Mapping[frozenset[str], str]
) -> Panel:
    """Return a panel with a cell for each pair of names, with the text of its value; pairs without a value have 0.

    The size of the value with the darkest shade is `largest`.
    """
    rows, columns = names[1:], names[:-1]
    shades = np.full((len(rows), len(columns)), np.nan)
    texts, titles = [[""] * len(columns) for _ in rows], [[""] * len(columns) for _ in rows]
    for row, first in enumerate(rows):
        for column, second in enumerate(columns[: row + 1]):
            pair = frozenset((first, second))
            shades[row, column] = abs(pairs.get(pair, 0.0)) / largest
            texts[row][column] = text.get(pair, "")
            titles[row][column] = f"{first} and {second}: {text.get(pair) or '0'}"
    cells = HeatCells(shades, tuple(map(tuple, texts)), tuple(map(tuple, titles)))
    return Panel(Axis.of_names(columns), Axis.of_names(rows), (cells,), "", 430, 0)


def waterfall_chart(
    steps: Sequence[tuple[str, float]], start: float, ends: tuple[str, str], quantity: str, *, product: bool = False
) -> Chart:
    """Return a chart of the steps from one prediction, `start`, to another; `ends` are their names.

    Steps are terms with the differences of their contributions, the largest first; what exceeds `MAX_BARS` is one step.
    Steps of a product are logarithms of factors, drawn on a logarithmic axis.
    """
    moving = [(name, value) for name, value in steps if value != 0]
    shown = moving[:MAX_BARS]
    if hidden := moving[MAX_BARS:]:
        shown = [*shown, (f"{len(hidden)} more terms", math.fsum(value for _, value in hidden))]
    values = np.array([value for _, value in shown])
    levels = np.cumsum([math.log(start) if product else start, *values])
    if product:
        levels = np.exp(np.clip(levels, -_LARGEST, _LARGEST))
    before, after = np.append(levels[0], levels), np.append(levels, levels[-1])
    roles: tuple[Role, ...] = ("quiet", *("rise" if value > 0 else "fall" for value in values), "quiet")
    texts = (short_number(levels[0]), *(_step(value, product=product) for value in values), short_number(levels[-1]))
    names = (ends[0], *(name for name, _ in shown), ends[1])
    marks = (
        BarMarks(before, after, roles, texts),
        Points(levels[[0, -1]], np.array([0.0, len(names) - 1.0]), "measured"),
    )
    what = "factor" if product else "difference"
    return Chart(
        "contributions",
        f"From the {ends[0]} to the {ends[1]}",
        f"Each bar is the {what} of a term, and begins where the one above it ends.",
        (Panel(Axis.over(levels, quantity, log=product), Axis.of_names(names), marks, "", 560, 0),),
        {role: text for role, text in (("rise", "raises"), ("fall", "lowers")) if role in roles},
        {"term": list(names), "from": before.tolist(), "to": after.tolist()},
    )


def _step(value: float, *, product: bool) -> str:
    if product:
        return f"× {short_number(math.exp(min(value, _LARGEST)), 4)}"
    return f"{'+' if value > 0 else '−'}{short_number(abs(value), 4)}"


def sets_chart(names: tuple[str, str], sets: Sequence[tuple[str, float, float]]) -> Chart:
    """Return a chart of the shares of sets of options in two models, in percent."""
    shown = sorted(sets, key=lambda row: -max(row[1:]))[:MAX_BARS]
    first, second = (np.array([row[at] for row in shown]) for at in (1, 2))
    axis = Axis.over(np.append(first, second), "share of the contributions, %", zero=True, log=False)
    start = np.zeros(len(shown))
    marks = (BarMarks(start, first, (SERIES[0],), thickness=0.9), BarMarks(start, second, (SERIES[1],), thickness=0.4))
    return Chart(
        "sets",
        "What the models are about",
        "The share of the terms over each set of options in the mean absolute contributions of each model.",
        (Panel(axis, Axis.of_names([row[0] for row in shown]), marks, "", 430, 0),),
        {SERIES[0]: names[0], SERIES[1]: names[1]},
        columns_of(("options", *names), sets),
    )


def term_chart(comparisons: Sequence[Comparison]) -> Chart:
    """Return a chart of the score of each term in another model, in the order of sets of options (thesis, section 4.1).

    The influences of different terms have different units and cannot share a scale; their scores can. The comparisons,
    at least one, are of the first model with each other one.
    """
    shown = comparisons[:MAX_MODELS]
    first = shown[0].first
    terms = [(pair, term) for pair in shown for term in terms_of(pair)]
    hidden = sum(max(0, len(terms_of(pair)) - MAX_TERMS) for pair in shown)
    suffix = further(hidden, 0, "further terms") + further(len(comparisons), MAX_MODELS, "further models")
    cases = {term.found for _, term in terms}
    models = shown[0].second if len(shown) == 1 else f"{len(comparisons)} models"
    return Chart(
        "terms",
        f"The terms of {first} and {models}",
        f"The score of each term; the numbers beside it are its influences in {first} and in the other model, – where "
        f"it has no such term.{suffix}",
        tuple(_term_panel(pair) for pair in shown),
        {role: text for case, (role, text) in CASES.items() if case in cases},
        columns_of(
            ("model", "term", "score", "found"),
            ((pair.second, term.text, term.score, term.found) for pair, term in terms),
        ),
    )


def terms_of(compared: Comparison) -> list[TermScore]:
    """Return the terms of two models in the order of their sets of options."""
    return [term for group in compared.syntactic.classes for term in group.terms]


def _term_panel(compared: Comparison) -> Panel:
    terms = terms_of(compared)[:MAX_TERMS]
    score = np.array([term.score for term in terms])
    texts = tuple(f"{short_number(term.first, 4, '–')} | {short_number(term.second, 4, '–')}" for term in terms)
    bars = BarMarks(np.zeros(len(terms)), score, tuple(CASES[term.found][0] for term in terms), texts)
    total = compared.syntactic
    title = f"{compared.second}: score {total.score:.2f} of [{total.lower + 0.0:g}, {total.upper:g}]"
    axis = Axis("score", -2.1, 2.1, at=(-2.0, -1.0, 0.0, 1.0, 2.0))
    names = Axis.of_names([term.text for term in terms] or ["no model has a term"])
    return Panel(axis, names, (*((bars,) if terms else ()), ReferenceLine(x=0.0)), title.replace("-", "−"), 560, 0)
