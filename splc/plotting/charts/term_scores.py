"""The terms of compared models, one bar per term for its score in the other model (section 4.1 of the thesis).

The influences of different terms have different units and cannot share a scale; their scores can.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from comparison.result import Comparison, Found, TermScore
from splc.io.numbers import short_number
from splc.plotting.charts.chart import Axis, BarMarks, Chart, Panel, ReferenceLine, Role

# The greatest numbers of terms and of models.
MAX_TERMS, MAX_MODELS = 120, 8
# The colour and the meaning of each case.
_ONE = "not in both: other terms over these options (−1), or none (−2)"
CASES: dict[Found, tuple[Role, str]] = {
    "same": ("model", "in both, with one sign (1 to 2)"),
    "different": ("model", "in both, with one sign (1 to 2)"),
    "opposite sign": ("rise", "in both, with opposite signs (1)"),
    "no term": ("quiet", _ONE),
    "no class": ("quiet", _ONE),
}


def term_chart(comparisons: Sequence[Comparison]) -> Chart:
    """Return a chart of the score of each term, in the order of their sets of options.

    Args:
        comparisons: the first model against each other one, at least one; those beyond `MAX_MODELS` are not drawn.
    """
    shown = comparisons[:MAX_MODELS]
    first = shown[0].first
    terms = [(pair, term) for pair in shown for term in terms_of(pair)]
    hidden = sum(max(0, len(terms_of(pair)) - MAX_TERMS) for pair in shown)
    notes = {
        f"{hidden:,} further terms": hidden,
        f"{len(comparisons) - len(shown)} further models": len(comparisons) - len(shown),
    }
    suffix = "".join(f" {text} are not drawn." for text, count in notes.items() if count)
    cases = {term.found for _, term in terms}
    models = shown[0].second if len(shown) == 1 else f"{len(comparisons)} models"
    return Chart(
        "terms",
        f"The terms of {first} and {models}",
        f"The score of each term; the numbers beside it are its influences in {first} and in the other model, – where "
        f"it has no such term.{suffix}",
        tuple(_panel(pair) for pair in shown),
        {role: text for case, (role, text) in CASES.items() if case in cases},
        {
            "model": [pair.second for pair, _ in terms],
            "term": [term.text for _, term in terms],
            "score": [term.score for _, term in terms],
            "found": [term.found for _, term in terms],
        },
    )


def terms_of(compared: Comparison) -> list[TermScore]:
    """Return the terms of two models in the order of their sets of options."""
    return [term for group in compared.syntactic.classes for term in group.terms]


def _panel(compared: Comparison) -> Panel:
    terms = terms_of(compared)[:MAX_TERMS]
    score = np.array([term.score for term in terms])
    texts = tuple(f"{short_number(term.first, 4, '–')} | {short_number(term.second, 4, '–')}" for term in terms)
    bars = BarMarks(np.zeros(len(terms)), score, tuple(CASES[term.found][0] for term in terms), texts)
    total = compared.syntactic
    title = f"{compared.second}: score {total.score:.2f} of [{total.lower + 0.0:g}, {total.upper:g}]"
    axis = Axis("score", -2.1, 2.1, at=(-2.0, -1.0, 0.0, 1.0, 2.0))
    names = Axis.of_names([term.text for term in terms] or ["no model has a term"])
    return Panel(axis, names, (*((bars,) if terms else ()), ReferenceLine(x=0.0)), title.replace("-", "−"), 560, 0)
