"""The cells of a study's tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from splc.io.tables import Spread
from splc.study.results import Results
from splc.study.tables import spread, tables_of
from tests.study.conftest import given_runs

NUMBERS = st.floats(-1e9, 1e9)


@example([0.0, 1.2e-167])
@given(st.lists(NUMBERS, min_size=2, max_size=6, unique=True))
def test_spread(values: list[float]) -> None:
    """Several values have the mean and the sample standard deviation."""
    found = spread(values)
    assert isinstance(found, Spread)
    scale = max(map(abs, values))
    assert found.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-9 * scale)
    # Squares of tiny numbers are 0.
    deviation = scale * np.std(np.array(values) / scale, ddof=1)
    assert found.deviation == pytest.approx(deviation, rel=1e-6, abs=1e-9 * scale)


@given(NUMBERS, st.integers(2, 5))
def test_spread_of_equal_values(value: float, number: int) -> None:
    """A single value is as it is; equal values have no deviation, to the last bit."""
    assert spread([value]) == value
    assert not isinstance(spread([value]), Spread)
    assert spread([value] * number) == Spread(value, 0.0)


@given(st.lists(NUMBERS, max_size=4), st.integers(0, 4))
def test_spread_of_undefined_values(values: list[float], place: int) -> None:
    """There is no mean of no values, of undefined ones, or of values whose sum is too large."""
    assert spread([]) is None
    assert spread([*values[:place], None, *values[place:]]) is None
    assert spread([1.7e308, 1.6e308]) is None


@pytest.mark.parametrize(("scale", "factor"), [(1.0, ""), (0.5, ", which is multiplied by 0.5"), (2.0, " by 2")])
def test_tables_of_given_runs(study_file: Path, scale: float, factor: str) -> None:
    """Cells are means over the seeds, captions name the factor, and runs without a result are listed with reasons."""
    study, _, runs = given_runs(study_file)
    tables = {str(table.caption): table for table in tables_of(replace(study, scale=scale), Results(runs))}
    over = " (mean over the seeds, ± standard deviation in % of the mean)"
    (caption,) = (each for each in tables if "analytical" in each)
    assert caption.endswith(f"analytical model (a), learner terms{over}" if scale == 1 else factor + over)
    deviation = 0.5**0.5
    assert tables[caption].rows == (("SC, syntactic score", -1, Spread(-2.5, deviation), None),)
    learned = {row[0]: row[1:] for row in tables[f"What was learned, learner terms{over}"].rows}
    assert learned["models learned"] == (1, 2, 0)
    assert learned["of runs"] == (1, 2, 2)
    assert learned["configurations learned from"] == (9, Spread(9, 0), None)
    assert learned["error on all measured, %"] == (1, Spread(2.5, deviation), None)
    assert learned["error on all others, %"] == (None, None, None)
    # No model has rounds; those of `trees` have no terms either.
    assert "rounds" not in learned
    assert learned["terms"] == (2, Spread(2, 0), None)
    assert "terms" not in {row[0] for row in tables[f"What was learned, learner trees{over}"].rows}
    compared = {row[:2]: row[2:] for row in tables[f"Learners compared{over}"].rows}
    assert compared["error on all measured, %", "trees"] == (Spread(8, 0), Spread(8, 0), None)
    assert tables["Without a result"].rows == tuple(
        (name, "random:100", seed, "there are only 24") for name in ("terms", "trees") for seed in ("3", "4")
    )
    assert "Without a result" not in {table.caption for table in tables_of(study, Results(runs[:3]))}
    fixed = replace(runs[0], reason="cannot be compared")
    *_, refused = tables_of(study, Results((fixed, *runs[1:3])))
    assert refused.rows == (("terms", "pb:9,3", "–", "cannot be compared"),)


def test_models_of_another_form(study_file: Path) -> None:
    """The caption names the models without a syntactic score, whose mean over the seeds is undefined."""
    study, _, runs = given_runs(study_file)
    product = replace(runs[2], values={"analytical_learned": {"syntactic": None, "error_rate": 3.0}})
    table = next(tables_of(study, Results((*runs[:2], product, *runs[3:]))))
    why = "terms are not compared where one model is a sum and the other one a product"
    assert str(table.caption).endswith(f"; {why}: {product.task.label}")
    assert table.rows[0] == ("SC, syntactic score", -1, None, None)
