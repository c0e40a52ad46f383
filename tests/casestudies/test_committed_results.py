"""The committed results of all evaluations: they are finished, complete, small, and what their pages show."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module

import pytest

from casestudies.accuracy.explanations import ROWS
from casestudies.accuracy.learners import DEFAULT, LEARNERS, READABLE
from casestudies.contexts import systems as contexts
from casestudies.evaluation.evaluation import rows_of
from casestudies.inferred_constraints import learning, systems
from casestudies.report.page import blocks_of
from casestudies.sampling_strategies.error import SEEDS
from casestudies.sampling_strategies.strategies import SYSTEMS as SAMPLED
from casestudies.suggestion.strategies import SYSTEMS as SUGGESTED
from casestudies.tuning.samplers import TPE
from casestudies.tuning.tuners import RANDOM, TREE, TUNE
from tests.support.paths import CASES
from tests.support.tracked import tracked

# Folders with a page; contexts and tuning have published figures, which the project does not contain.
PAGES = (
    *("ablation", "accuracy", "changes", "inferred_constraints", "sampling_strategies", "suggestion"),
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
    ("inferred_constraints/inference", "system"): systems.SYSTEMS,
    ("inferred_constraints/learning", "system"): learning.SYSTEMS,
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


@pytest.mark.parametrize("name", PAGES)
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
