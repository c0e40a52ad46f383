"""Rankings by share as pictures."""

from __future__ import annotations

import pytest

from splc.plotting import FORMATS, ranking
from splc.plotting.ranking import ShareBar, ranking_plot
from tests.support.pictures import SIGNATURES

BARS = [ShareBar("main->solve", 30, 60), ShareBar("main->日本\x1b[2J" + "x" * 300, 70, 40), ShareBar("$a_b$", 0, 0)]


@pytest.mark.parametrize("file_format", FORMATS)
def test_formats(file_format: str) -> None:
    """Every format is written, with the same bytes for the same input."""
    content = ranking_plot(BARS, "p = 512", "p = 16384", "time", file_format)
    assert content.startswith(SIGNATURES[file_format])
    assert content == ranking_plot(BARS, "p = 512", "p = 16384", "time", file_format)


def test_very_many_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of bars is limited, so that the picture stays small enough."""
    monkeypatch.setattr(ranking, "MAX_BARS", 2)
    assert ranking_plot(BARS, "now", "later", "time", "png") == ranking_plot(BARS[:2], "now", "later", "time", "png")
