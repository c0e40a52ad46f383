"""Pictures of comparisons: the parts that are drawn."""

from __future__ import annotations

from typing import Any

import pytest

from splc.cli.show import compare
from splc.errors import OutputError
from tests.cli.show.test_compare import FULL, LINKS, result


@pytest.mark.parametrize(
    ("view", "predicted", "same_link", "views"),
    [
        ("both", True, True, ("predictions", "terms")),
        ("both", False, True, ("terms",)),
        ("both", True, False, ("predictions",)),
        ("predictions", True, True, ("predictions",)),
        ("predictions", False, True, ("predictions",)),
        ("terms", True, True, ("terms",)),
        ("terms", True, False, None),
    ],
)
def test_pictures(
    view: str, predicted: bool, same_link: bool, views: tuple[str, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Predictions are drawn where there are some, and terms of pairs that have the same link."""
    monkeypatch.setattr("splc.plotting.comparison_plot", lambda *given: given)
    found = result(FULL if same_link else LINKS)
    found.basis.measured = [5.0, 6.0]
    for place, each in enumerate(found.comparisons.models):
        each.predicted = [place, 1.0] if predicted else None
    if views is None:
        with pytest.raises(OutputError, match="a product and a sum have no terms that can be compared") as refused:
            compare.picture(found, view, "svg")
        assert refused.value.problems[0].hint == "draw the predictions"
        return
    drawn: Any = compare.picture(found, view, "svg")
    shown, curves, pairs, form = drawn
    assert (shown, pairs, form) == (views, [FULL] if same_link else [], "svg")
    assert (curves is not None) == predicted
    if curves is not None:
        assert (curves.names, curves.nfp) == (("a", found.comparisons.models[1].name), "time")
        assert (curves.values.tolist(), curves.measured.tolist()) == ([[0, 1], [1, 1]], [5, 6])
