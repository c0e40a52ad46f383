"""The picture of errors against the number of configurations learned from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from splc.plotting import error_plot

LINES = {
    "_sums": [(9.0, 724.0, 900.0), (50.0, 36.0, 7.0), (224.0, 25.0, 6.0)],
    "a_b^2$": [(9.0, 97.0, 54.0), (50.0, 38.0, 0.0)],
}


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return the list that figures are added to when they are saved."""
    found: list[Figure] = []
    save = Figure.savefig

    def keep(figure: Figure, *arguments: Any, **options: Any) -> None:
        save(figure, *arguments, **options)
        found.append(figure)

    monkeypatch.setattr(Figure, "savefig", keep)
    return found


def test_every_learner_has_a_line_with_bars(figures: list[Figure]) -> None:
    """Means and deviations are drawn as given; names are not changed; bars do not reach zero."""
    error_plot(LINES, "system_1: time", "svg")
    (axes,) = figures[0].axes
    drawn = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    for container, line in zip(drawn, LINES.values(), strict=True):
        numbers, means, deviations = np.array(line).T
        assert container.lines[0].get_xydata() == pytest.approx(np.stack([numbers, means], axis=1))
        ends = np.array([segment[:, 1] for segment in container.lines[2][0].get_segments()])
        assert ends[:, 1] == pytest.approx(means + deviations)
        assert ends[:, 0] == pytest.approx(means - np.minimum(deviations, 0.9 * means))
        assert (ends > 0).all()
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == list(LINES)
    assert axes.get_title() == "system_1: time"


@pytest.mark.parametrize(
    "lines",
    [
        {"one": [(9.0, 0.0, 0.0), (10.0, 3.0, 1.0)]},
        {"one": [(9.0, 1e-9, 0.0), (1000.0, 1e300, 1e300)]},
        {"one": [(9.0, 5.0, 0.0)]},
        {f"learner {number}": [(5.0, 1.0, 0.1), (6.0, 2.0, 0.1)] for number in range(12)},
    ],
)
def test_odd_numbers_are_drawn(lines: dict[str, list[tuple[float, float, float]]]) -> None:
    """Zeros, huge numbers, single points and many learners give a picture without a warning, the same every time."""
    assert error_plot(lines, "title", "svg") == error_plot(lines, "title", "svg")
