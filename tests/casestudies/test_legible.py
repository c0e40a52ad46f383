"""The pictures of the evaluations can be read: they are drawn from the committed results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import IO

import pytest
from matplotlib.figure import Figure
from PIL import Image

from casestudies.ablation.ablation import AblationEvaluation
from casestudies.ablation.switches import SWITCHES
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

PRESETS: dict[str, Mapping[str, Callable[[], Evaluation]]] = {
    "accuracy": ACCURACY,
    "inferred_constraints": CONSTRAINTS,
    "scaling_evaluation": SCALING,
    "suggestion": SUGGESTION,
    "tuning": TUNING,
    "ablation": {name: AblationEvaluation for name in SWITCHES if (CASES / "ablation" / name).is_dir()},
    "contexts": {"few": FewRowsEvaluation, "published": PublishedEvaluation},
}
EVALUATIONS: dict[str, Callable[[], Evaluation]] = {
    **{f"{folder}/{name}": kind for folder, presets in PRESETS.items() for name, kind in presets.items()},
    "scaling_evaluation/noise-10": partial(read_evaluation, CASES / "scaling_evaluation" / "noise-10.toml"),
    "sampling_strategies/error": StrategyEvaluation,
    "changes/simulated": SimulatedChanges,
}
# Pictures with many panels and marks.
SCALED = ("synthetic-single", "synthetic-sparse", "synthetic-families", "suggest-target")
LARGE = (
    *("accuracy/real", "accuracy/truth", "sampling_strategies/error", "suggestion/optimum"),
    *(f"scaling_evaluation/{name}" for name in SCALED),
)


def test_every_evaluation_is_here() -> None:
    """The committed results of all evaluations are drawn."""
    assert {CASES / name for name in EVALUATIONS} == {path.parent for path in tracked(CASES, pattern="table.csv")}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LARGE else name for name in EVALUATIONS]
)
def test_pictures_of_committed_results(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures have no raw markup, no overlapping or cut labels, numbers on axes, and complete legends."""
    figures: list[Figure] = []

    # `defects` draws them: their pixels, which took half of the time, are not looked at.
    def look(figure: Figure, file: IO[bytes], **_: object) -> None:
        figures.append(figure)
        Image.new("RGB", (1, 1)).save(file, "png")

    monkeypatch.setattr(Figure, "savefig", look)
    folder = CASES / name
    pictures = EVALUATIONS[name]().pictures(rows_of(folder / "table.csv"))
    assert len(figures) == len(pictures)
    assert {name: found for name, figure in zip(pictures, figures, strict=True) if (found := defects(figure))} == {}
    assert {folder / name for name in pictures} == set(tracked(folder, pattern="*.png"))
