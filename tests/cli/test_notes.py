"""Notes of commands that fail: they are printed before the error."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.formats.models.json import learned_json_text
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.learning.intervals import READERS
from tests.cli.conftest import Run
from tests.support.learning_results import Band, small_system, uncertain_result


class TestPredictionsOutsideOfTheirIntervals:
    """A short model may be far from the full model, whose intervals the file has."""

    CONFIGURATION = "base,gvn,x=4,y=1"

    @pytest.fixture(params=[0.125, -0.125], ids=["inside", "outside"])
    def inside(self, request: pytest.FixtureRequest, empty: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
        """Write a model into a project folder, and return whether its intervals contain its predictions."""
        result = uncertain_result()
        monkeypatch.setitem(READERS, "band", lambda content, _: Band(result.model, request.param))
        write_variability_model(small_system(), empty / "system.xml")
        (empty / "m.json").write_text(learned_json_text(result), encoding="utf-8")
        (empty / "c.csv").write_text("base,gvn,rc-lookahead,x,y\n1,1,0,4,1\n1,0,0,4,1\n", encoding="utf-8")
        return bool(request.param > 0)

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (("explain", "m.json", CONFIGURATION), "the prediction is outside of its interval"),
            (("explain", "m.json", CONFIGURATION, "--against", "base,x=1,y=1"), "2 of 2 predictions are outside"),
            (("optimize", "m.json"), "the prediction is outside of its interval"),
            (("optimize", "m.json", "--top", "3"), "3 of 3 predictions are outside"),
            (("predict", "m.json", "c.csv", "--interval"), "2 of 2 predictions are outside"),
        ],
    )
    def test_note(self, run: Run, inside: bool, arguments: tuple[str, ...], text: str) -> None:
        """A note has the number of such predictions."""
        result = run(*arguments)
        assert result.exit_code == 0, result.stderr
        assert (text in result.stderr) is not inside
        assert ("intervals are those of the full model" in result.stderr) is not inside
