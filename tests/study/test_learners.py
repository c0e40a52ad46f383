"""Studies that compare learners."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from sampling import sample
from splc import read_measurements, read_model, read_variability_model
from splc.errors import InputError
from splc.io.tables import Spread
from splc.learning import learn
from splc.study import read_study, run_study
from tests.support.paths import ROOT

BOTH = """samplings = ["ff", "random:50"]
seeds = [1, 2]

[learners.terms]

[learners.scaling]
learner = "pmnf"
aggregate = "median"
"""


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """Return a copy of the case study SMG2000-2D with a study file of two learners."""
    folder = tmp_path / "2d"
    shutil.copytree(ROOT / "casestudies" / "smg2000" / "2d", folder, ignore=shutil.ignore_patterns("results*"))
    (folder / "both.toml").write_text(BOTH, encoding="utf-8")
    return folder


def test_stepwise_and_pmnf_in_one_table(case: Path) -> None:
    """One table has the errors of both learners, and each is what the learner gives by itself."""
    result = run_study(read_study(case / "both.toml"), case / "results", jobs=1, pictures=False)
    (table,) = [each for each in result.tables if "Learners compared" in str(each.caption)]
    rows = {(row[0], row[1]): row[2:] for row in table.rows}
    assert {learner for _, learner in rows} == {"terms", "scaling"}
    system = read_variability_model(case / "system.xml")
    measured = read_measurements(case / "measurements.csv", system)
    settings = {"aggregate": "median"}
    for name, kind, chosen in (("terms", "stepwise", {}), ("scaling", "pmnf", settings)):
        whole = learn(measured, "solve_seconds", learner=kind, settings=chosen)
        assert rows["error on all measured, %", name][0] == pytest.approx(whole.error_all, rel=1e-9)
        errors = []
        for seed in (1, 2):
            drawn = sample(system, "random:50", seed=seed)
            found = learn(measured, "solve_seconds", learner=kind, settings=chosen, learning_set=drawn)
            errors.append(found.error or np.nan)
        cell = rows["error on all others, %", name][1]
        assert isinstance(cell, Spread)
        assert cell.mean == pytest.approx(np.mean(errors), rel=1e-9)


def test_models_are_written_in_a_form_that_can_express_them(case: Path) -> None:
    """The runs of pmnf are JSON, whose fractional exponents no log has; both forms are read as models."""
    run_study(read_study(case / "both.toml"), case / "results", jobs=1, pictures=False)
    system = read_variability_model(case / "system.xml")
    for name in ("terms/ff.log", "scaling/ff.json"):
        assert read_model(case / "results" / "logs" / name, system).terms


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('learner = "pmfn"', "both.toml:2: unknown learner 'pmfn'\n    did you mean 'pmnf'?"),
        ('learner = "pmnf"\nabortError = 1', "both.toml:3: pmnf has no setting 'abortError'"),
        ('learner = "pmnf"\nmethod = "clasic"', "did you mean 'classic'?"),
        ('learner = "pmnf"\npreset = "splconqueror"', "both.toml:3: the learner pmnf has no preset 'splconqueror'"),
    ],
)
def test_wrong_learners(case: Path, lines: str, message: str) -> None:
    """Unknown learners, and settings that a learner does not have, are refused with their lines."""
    (case / "both.toml").write_text(f"[learners.a]\n{lines}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_study(case / "both.toml")
    assert message in str(caught.value)
