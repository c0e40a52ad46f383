"""The committed results of all evaluations: finished, complete, what their pages show, and legible pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import IO

import pytest
from matplotlib.figure import Figure
from PIL import Image

from casestudies.ablation.ablation import AblationEvaluation
from casestudies.ablation.switches import SWITCHES
from casestudies.accuracy.__main__ import PRESETS as ACCURACY
from casestudies.accuracy.explanations import ROWS
from casestudies.accuracy.learners import DEFAULT, LEARNERS, READABLE
from casestudies.changes.equal_versions import EqualVersions
from casestudies.changes.simulated_changes import SimulatedChanges
from casestudies.contexts import systems as contexts
from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.published_rows import PublishedEvaluation
from casestudies.counts.__main__ import PRESETS as COUNTS
from casestudies.counts.costs import CASES as CASES_OF_COSTS
from casestudies.counts.counts import AMG, SMG
from casestudies.evaluation.evaluation import Evaluation, rows_of
from casestudies.grey_box.grey_box import SYSTEMS as CASES_WITH_FORMULAS
from casestudies.grey_box.grey_box import GreyBoxEvaluation
from casestudies.hypre_options.__main__ import PRESETS as OPTIONS
from casestudies.hypre_options.data import ANISOTROPIES
from casestudies.inferred_constraints import learning, systems
from casestudies.inferred_constraints.__main__ import PRESETS as CONSTRAINTS
from casestudies.recovery.recovery import SYSTEMS as FORMULAS
from casestudies.recovery.recovery import RecoveryEvaluation
from casestudies.report.page import blocks_of
from casestudies.sampling_strategies.error import SEEDS, StrategyEvaluation
from casestudies.sampling_strategies.strategies import SYSTEMS as SAMPLED
from casestudies.scaling_evaluation.settings import PRESETS as SCALING
from casestudies.scaling_evaluation.settings import read_evaluation
from casestudies.suggestion.__main__ import PRESETS as SUGGESTION
from casestudies.suggestion.strategies import SYSTEMS as SUGGESTED
from casestudies.tuning.__main__ import PRESETS as TUNING
from casestudies.tuning.samplers import TPE
from casestudies.tuning.tuners import RANDOM, TREE, TUNE
from casestudies.two_cores.blocks import CASES as TWO_CORES
from casestudies.two_cores.blocks import BlocksEvaluation
from tests.support.legible import defects
from tests.support.paths import CASES, ROOT
from tests.support.tracked import PAGES, tracked

# Folders with a page; contexts and tuning have published figures, which the project does not contain.
EVALUATION_PAGES = (
    *("ablation", "accuracy", "changes", "counts", "grey_box", "hypre_options", "inferred_constraints", "recovery"),
    *("sampling_strategies", "suggestion", "two_cores"),
    *(pytest.param(name, marks=pytest.mark.real_data) for name in ("contexts", "tuning")),
)
# Folder and column → all its values.
VALUES: dict[tuple[str, str], Iterable[str | int]] = {
    ("accuracy/explanations", "system"): ROWS,
    ("accuracy/difficult", "learner"): [DEFAULT],
    ("accuracy/noise", "learner"): READABLE,
    ("accuracy/real", "learner"): LEARNERS,
    ("accuracy/truth", "learner"): LEARNERS,
    ("contexts/few", "system"): contexts.SYSTEMS,
    ("contexts/published", "system"): contexts.TABLES,
    ("counts/costs", "system"): CASES_OF_COSTS,
    ("counts/models", "system"): (*SMG, AMG),
    ("grey_box/few", "system"): CASES_WITH_FORMULAS,
    **{(f"hypre_options/{name}", "anisotropy"): ANISOTROPIES for name in ("optimum", "sizes")},
    ("hypre_options/validity", "seed"): range(20),
    ("inferred_constraints/inference", "system"): systems.SYSTEMS,
    ("inferred_constraints/learning", "system"): learning.SYSTEMS,
    ("recovery/terms", "system"): FORMULAS,
    ("two_cores/blocks", "system"): TWO_CORES,
    ("sampling_strategies/error", "system"): SAMPLED,
    ("sampling_strategies/error", "seed"): range(SEEDS),
    **{(f"suggestion/{name}", "system"): SUGGESTED for name in ("error", "optimum")},
    **{(f"suggestion/{name}", "seed"): range(20) for name in ("error", "optimum")},
}


def test_all_are_finished() -> None:
    """No results are those of an interrupted run, and no picture of samples or suggestions is large."""
    manifests = [json.loads(path.read_bytes()) for path in tracked(CASES, pattern="manifest.json")]
    assert {manifest["state"] for manifest in manifests} == {"finished"}
    pictures = [*CASES.glob("suggestion/*/pictures/*.png"), *CASES.glob("sampling_strategies/*/pictures/*.png")]
    assert max(path.stat().st_size for path in pictures) < 150_000


@pytest.mark.parametrize("name", EVALUATION_PAGES)
def test_pages(name: str) -> None:
    """A page shows what the tables of its folder have."""
    readme = import_module(f"casestudies.{name}.__main__").README
    page = blocks_of((readme.folder / "README.md").read_text(encoding="utf-8"))
    assert page == {name: f"{text.rstrip()}\n" for name, text in readme.blocks().items()}


@pytest.mark.parametrize(("folder", "column"), VALUES)
def test_values(folder: str, column: str) -> None:
    """A table has all systems, learners or seeds."""
    assert {row[column] for row in rows_of(CASES / folder / "table.csv")} == set(VALUES[folder, column])


def test_contents() -> None:
    """No inferred constraint is false, tests for change had 2,000 versions without one, tuners were compared."""
    inferred, changed, tuned = (
        rows_of(CASES / name / "table.csv")
        for name in ("inferred_constraints/inference", "changes/simulated", "tuning/rank")
    )
    assert not any(row["wrongly_excluded"] for row in inferred)
    assert sum(row["draws"] for row in changed if row["kind"] == "none") >= 2000
    assert {RANDOM, TREE, TPE, TUNE} <= {row["tuner"] for row in tuned}


SUFFIXES = (".png", ".svg", ".pdf", ".jpg", ".gif")
LARGEST = 60 * 1024


def test_pictures() -> None:
    """Pages show all pictures that there are, and no others; each is a PNG or SVG of at most 60 KiB."""
    pictures = {path.relative_to(ROOT) for path in tracked() if path.suffix in SUFFIXES}
    shown = {
        (page.parent / target).resolve().relative_to(ROOT)
        for page in (*PAGES, *tracked(CASES, pattern="*.md"))
        for target in re.findall(r"!\[[^\]]*\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    }
    assert shown == pictures
    assert len(pictures) >= 10
    assert {picture.suffix for picture in pictures} == {".png", ".svg"}
    assert [picture for picture in pictures if (ROOT / picture).stat().st_size > LARGEST] == []


PRESETS: dict[str, Mapping[str, Callable[[], Evaluation]]] = {
    "accuracy": ACCURACY,
    "counts": COUNTS,
    "hypre_options": OPTIONS,
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
    "grey_box/few": GreyBoxEvaluation,
    "recovery/terms": RecoveryEvaluation,
    "two_cores/blocks": BlocksEvaluation,
    "sampling_strategies/error": StrategyEvaluation,
    "changes/equal": EqualVersions,
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
