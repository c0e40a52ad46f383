"""The picture of a syntactic comparison."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from comparison.result import Comparison
from splc.models.terms import CONSTANT, option_term
from splc.plotting import comparison_plot
from splc.plotting.terms import CASES, MAX_MODELS, TermsLayout, merge
from tests.support.pictures import EXAMPLE, X, Y, capture, compared, score, texts


def sheet(monkeypatch: pytest.MonkeyPatch, *comparisons: Comparison) -> Axes:
    """Return the axes that terms are drawn into."""
    return capture(monkeypatch, lambda: comparison_plot(["terms"], None, comparisons, "png")).axes[0]


def bars(axes: Axes) -> list[tuple[str, float]]:
    """Return colour and length of the bars, without the legend, relative to the length of a score of 1."""
    colors = {color for color, _, _ in CASES.values()}
    found = [
        patch for patch in axes.patches if isinstance(patch, Rectangle) and to_hex(patch.get_facecolor()) in colors
    ]
    ends = [float(np.min(np.asarray(line.get_xdata()))) for line in axes.lines[:5]]
    unit = (ends[-1] - ends[0]) / 4
    return [(to_hex(patch.get_facecolor()), patch.get_width() / unit) for patch in found[: -len(CASES)]]


def test_bars_are_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each term has a bar as long as its score, on its side of zero, in the colour of its case."""
    found = bars(sheet(monkeypatch, EXAMPLE))
    expected = [term for group in EXAMPLE.syntactic.classes for term in group.terms]
    assert [color for color, _ in found] == [CASES[term.found][0] for term in expected]
    assert np.allclose([length for _, length in found], [term.score for term in expected])


def test_texts_of_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models, classes with their sums, terms, influences of both and the total are written."""
    axes = sheet(monkeypatch, EXAMPLE)
    found = [text.get_text() for text in axes.texts]
    assert {"analytical.txt", "learned.log", "score −0.67 of [−12, 12]", "x", "y", "x, y", "x^2", "x^2 * y"} <= {*found}
    assert {"Σ 0.33", "Σ 3.00", "Σ −4.00", "3", "5", "0.4", "0.5", "–"} <= {*found}
    assert found.count("–") == 3


def test_several_models_share_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With several models each has a column, and a term stands at one height in all of them."""
    other = compared("analytical.txt", "b.log", (["x"], [score(X**3, "no term", None, 4), score(X, "same", 3, 3)]))
    axes = sheet(monkeypatch, EXAMPLE, other)
    found = [text.get_text() for text in axes.texts]
    assert [found.count(name) for name in ("learned.log", "b.log", "analytical.txt", "x^2", "x^3")] == [1] * 5
    height = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert height["5"] == [text.get_position()[1] for text in axes.texts if text.get_text() == "x"][-1]
    assert height["x^2"] < height["x^3"] == height["4"]
    assert len(bars(axes)) == 8


def test_order_of_options_does_not_part_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class is one row, also where another comparison lists its options in another order."""
    one, two = (compared("a", "b", (options, [score(X * Y, "same", 1, 1)])) for options in ("xy", "yx"))
    found = [text.get_text() for text in sheet(monkeypatch, one, two).texts]
    assert found.count("x, y") == 1
    assert found.count("x * y") == 1
    assert "y, x" not in found


def test_many_terms_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The height grows with the terms, up to the most that are drawn; the rest is counted."""
    most = 6
    monkeypatch.setattr("splc.plotting.terms.MAX_TERMS", most)
    terms = [score(option_term("x", power), "same", 1, 1) for power in range(1, most + 3)]
    heights = []
    for n in (3, most, most + 1, most + 2):
        axes = sheet(monkeypatch, compared("a", "b", (["x"], terms[:n]), (["y"], [score(Y, "no class", 1, None)])))
        figure = axes.figure
        heights.append(axes.get_ylim()[0])
        written = texts(figure)  # type: ignore[arg-type]
        hidden = n + 1 - most
        assert [text for text in written if " more " in text] == (
            [f"and {hidden} more {'term' if hidden == 1 else 'terms'}"] if hidden > 0 else []
        )
        assert len(bars(axes)) == min(n + 1, most)
        assert any(f"of [−{2 * n + 2}, {2 * n + 2}]" in text for text in written)
    assert heights[0] < heights[1] == heights[2] == heights[3]


def test_many_models_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models beyond those that are drawn are counted."""
    many = [compared("a", f"m{i}", (["x"], [score(X, "same", 1, 1)])) for i in range(MAX_MODELS + 1)]
    axes = sheet(monkeypatch, *many)
    found = [text.get_text() for text in axes.texts]
    assert "1 more model is not drawn" in found
    assert f"m{MAX_MODELS - 1}" in found
    assert f"m{MAX_MODELS}" not in found


def test_long_and_odd_names_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long terms and names are shortened in the middle, nothing is a formula, and no text leaves the picture."""
    options = tuple(f"option_{i}_with_a_long_$name$" for i in range(30))
    term = CONSTANT
    for option in options:
        term *= option_term(option)
    names = "/home/_$x$^2/" + "f" * 200 + ".log", "日本/" + "g" * 200 + ".log"
    row = (options, [score(term, "opposite sign", 1.2345678e-300, -1.2345678e300)])
    axes = sheet(monkeypatch, compared(*names, row), compared(names[0], "b", row))
    assert not any(text.get_parse_math() for text in axes.texts)
    figure = axes.get_figure()
    assert figure is not None
    for text in axes.texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1, text.get_text()
    shown = [text.get_text() for text in axes.texts]
    assert any(text.startswith("/home/_$x$^2/") and text.endswith("ff.log") and "…" in text for text in shown)
    assert any(text.startswith("\\u65e5\\u672c/") for text in shown)


def test_columns_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts at the same height keep clear of each other."""
    terms = [score(option_term(f"an_option_{i}" * 3), "different", -1.2345e-10, -1.2345e-10) for i in range(5)]
    both = [compared("first_model" * 3, name * 9, (["o"], terms)) for name in ("second", "third")]
    boxes = [(text.get_window_extent(), text.get_text()) for text in sheet(monkeypatch, *both).texts]
    for i, (one, name) in enumerate(boxes):
        for other, other_name in boxes[:i]:
            assert not one.overlaps(other), (name, other_name)


def test_without_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The picture of two models without terms has a note about it."""
    found = [text.get_text() for text in sheet(monkeypatch, compared("a", "b")).texts]
    assert "neither model has a term" in found
    assert "score 0.00 of [0, 0]" in found


@given(st.lists(st.lists(st.integers(0, 12), unique=True).map(sorted), max_size=4))
def test_merging_keeps_what_is_there(lists: list[list[int]]) -> None:
    """Merging keeps each item once, and the order of the items before."""
    into: list[int] = []
    for items in lists:
        before = list(into)
        merge(into, items)
        assert [item for item in into if item in before] == before
    assert sorted(into) == sorted({item for items in lists for item in items})


def test_layout_is_as_wide_as_asked() -> None:
    """The columns fill the width that is asked for."""
    layout = TermsLayout.of([EXAMPLE, EXAMPLE], 12.0)
    *_, (_, last) = layout.panels()
    assert layout.width == 12.0
    assert last + layout.panel + layout.others[-1] == pytest.approx(12.0 - 0.2)
