"""The scores of the terms of two compared models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.plotting.charts.chart import Axis, BarMarks, Chart, Panel, ReferenceLine, Role

# The greatest number of bars.
MAX_TERMS = 40


@dataclass(frozen=True)
class ScoredTerm:
    """A term with its score, -2 to 2, and how it was found in the other model."""

    term: str
    score: float
    found: str


def term_chart(terms: Sequence[ScoredTerm], names: tuple[str, str]) -> Chart:
    """Return a chart of the score of each term, in the order of their sets of options.

    Args:
        terms: the terms of both models.
        names: the names of the models.
    """
    shown = terms[:MAX_TERMS]
    score = np.array([each.score for each in shown])
    roles: tuple[Role, ...] = tuple("model" if each.score > 0 else "rise" for each in shown)
    axis = Axis("score", -2.1, 2.1, at=(-2.0, -1.0, 0.0, 1.0, 2.0))
    texts = tuple(each.found for each in shown)
    marks = (BarMarks(np.zeros(len(shown)), score, roles, texts), ReferenceLine(x=0.0))
    rest = f" {len(terms) - len(shown)} further terms are not drawn." if len(terms) > len(shown) else ""
    return Chart(
        "terms",
        f"The terms of {names[0]} and {names[1]}",
        "2: in both models with the same influence; 1: with an influence of the other sign; −1: the other model has "
        f"other terms over these options; −2: it has none over them.{rest}",
        (Panel(axis, Axis.of_names([each.term for each in shown]), marks, "", 520, 0),),
        {"model": "in both models", "rise": "in one of them"},
        {
            "term": [each.term for each in terms],
            "score": [each.score for each in terms],
            "found": [each.found for each in terms],
        },
    )
