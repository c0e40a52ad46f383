"""The pictures of the evaluations can be read: they are drawn from the committed results."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import pytest
from matplotlib.figure import Figure
from PIL import Image

from casestudies.accuracy.__main__ import PRESETS as ACCURACY
from casestudies.changes.simulated_changes import SimulatedChanges
from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.published_rows import PublishedEvaluation
from casestudies.evaluation.evaluation import Evaluation, rows_of
from casestudies.inferred_constraints.__main__ import PRESETS as CONSTRAINTS
from casestudies.sampling_strategies.error import StrategyEvaluation
from casestudies.scaling_evaluation.settings import PRESETS as SCALING
from casestudies.scaling_evaluation.settings import read_evaluation
from casestudies.suggestion.__main__ import PRESETS as SUGGESTION
from casestudies.tuning.__main__ import PRESETS as TUNING
from tests.support.legible import defects
from tests.support.paths import CASES
from tests.support.tracked import tracked

EVALUATIONS: dict[Path, Evaluation] = {
    **{CASES / "accuracy" / name: kind() for name, kind in ACCURACY.items()},
    **{CASES / "scaling_evaluation" / name: kind() for name, kind in SCALING.items()},
    **{CASES / "suggestion" / name: kind() for name, kind in SUGGESTION.items()},
    CASES / "scaling_evaluation" / "noise-10": read_evaluation(CASES / "scaling_evaluation" / "noise-10.toml"),
    CASES / "sampling_strategies" / "error": StrategyEvaluation(),
    CASES / "contexts" / "few": FewRowsEvaluation(),
    CASES / "changes" / "simulated": SimulatedChanges(),
    CASES / "contexts" / "published": PublishedEvaluation(),
    **{CASES / "tuning" / name: kind() for name, kind in TUNING.items()},
    **{CASES / "inferred_constraints" / name: kind() for name, kind in CONSTRAINTS.items()},
}


def test_every_evaluation_is_here() -> None:
    """The committed results of all evaluations are drawn."""
    assert set(EVALUATIONS) == {path.parent for path in tracked(CASES, pattern="table.csv")}


@pytest.mark.parametrize("folder", EVALUATIONS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_pictures_of_committed_results(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures have no raw markup, no overlapping or cut labels, numbers on axes, and complete legends."""
    figures: list[Figure] = []

    # `defects` draws them: their pixels, which took half of the time, are not looked at.
    def look(figure: Figure, file: IO[bytes], **_: object) -> None:
        figures.append(figure)
        Image.new("RGB", (1, 1)).save(file, "png")

    monkeypatch.setattr(Figure, "savefig", look)
    pictures = EVALUATIONS[folder].pictures(rows_of(folder / "table.csv"))
    assert len(figures) == len(pictures)
    assert {name: found for name, figure in zip(pictures, figures, strict=True) if (found := defects(figure))} == {}
    assert {folder / name for name in pictures} == set(tracked(folder, pattern="*.png"))
