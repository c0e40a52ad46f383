"""The terms of compared models."""

from __future__ import annotations

from splc.plotting.charts.chart import BarMarks
from splc.plotting.charts.influences import CASES, MAX_MODELS, MAX_TERMS, term_chart
from tests.support.pictures import EXAMPLE, X, compared, score


def test_bars_are_scores() -> None:
    """Each term has a bar as long as its score in the colour of its case, with the influences of both models."""
    chart = term_chart([EXAMPLE])
    (panel,) = chart.panels
    (bars,) = [mark for mark in panel.marks if isinstance(mark, BarMarks)]
    terms = [term for group in EXAMPLE.syntactic.classes for term in group.terms]
    assert bars.end.tolist() == [term.score for term in terms]
    assert bars.roles == tuple(CASES[term.found][0] for term in terms)
    assert panel.y.names == ("x", "x^2", "y", "y^2", "x * y", "x^2 * y")
    assert bars.texts[:2] == ("3 | 5", "– | 0.5")
    assert panel.title == "learned.log: score −0.67 of [−12, 12]"
    assert chart.legend == {"model": CASES["same"][1], "quiet": CASES["no class"][1]}


def test_several_models_have_panels() -> None:
    """Each other model has a panel; more models and terms than have space are counted."""
    terms = [score(X**k, "no class", 1, None) for k in range(1, MAX_TERMS + 3)]
    chart = term_chart([compared("first", f"model {at}", (["x"], terms[: at + 1])) for at in range(MAX_MODELS + 1)])
    assert len(chart.panels) == MAX_MODELS
    assert "1 further models are not drawn" in chart.description
    many = term_chart([compared("first", "second", (["x"], terms))])
    assert len(many.panels[0].y.names) == MAX_TERMS
    assert "2 further terms are not drawn" in many.description


def test_models_without_terms() -> None:
    """Models without terms have an empty panel."""
    assert term_chart([compared("first", "second")]).panels[0].y.names == ("no model has a term",)
