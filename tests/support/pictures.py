"""Helpers of the tests of pictures: saved figures, their texts, and small comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from comparison.result import ClassScore, Comparison, Found, SyntacticComparison, TermScore
from splc.models.terms import Term, option_term


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
