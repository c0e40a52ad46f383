"""The picture of predicted against measured values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from splc.plotting import prediction_plot


@pytest.mark.parametrize("values", [np.geomspace(1e-3, 30, 20), np.linspace(1, 3, 20), np.linspace(-1, 3, 20)])
def test_labels_are_plain_text(values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No label shows markup on any scale, and the name of a property is not changed."""
    seen: list[str] = []
    save = Figure.savefig

    def look(figure: Figure, *arguments: Any, **options: Any) -> None:
        save(figure, *arguments, **options)
        axes = figure.axes[0]
        labels = [*axes.get_xticklabels(), *axes.get_yticklabels(), axes.xaxis.label, axes.yaxis.label, axes.title]
        seen.extend(label.get_text() for label in labels)

    monkeypatch.setattr(Figure, "savefig", look)
    learned = np.arange(20) % 3 == 0
    prediction_plot(values, values * 1.1, learned, "cost_in_$", "a_b^2", "png")
    assert "measured cost_in_$" in seen
    assert "a_b^2" in seen
    assert not any("mathdefault" in label for label in seen)
    assert sum(label.replace("−", "-").lstrip("-")[:1].isdigit() for label in seen) >= 4
