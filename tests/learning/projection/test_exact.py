"""Models that fit measured values exactly: terms that depend on each other, rounding, and terms that are not needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.learning.projection.exact import _fit, exact_model, with_exact
from splc.learning.projection.rows import Rows
from splc.learning.projection.size import projected
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, candidates_of, target_of


def columns(rows: int = 20) -> Array:
    """Return random columns."""
    return np.asarray(np.random.default_rng(0).normal(size=(rows, 4)))


def test_needed_columns() -> None:
    """Columns without a contribution are left out of the fit; the others have their coefficients."""
    given = columns()
    found = _fit(given, given @ [2.0, 0.0, -1.0, 1e-7], 1e-5)
    assert found is not None
    places, coefficients = found
    assert places.tolist() == [0, 2]
    np.testing.assert_allclose(coefficients, [2.0, -1.0], rtol=1e-6)


def test_columns_that_depend_on_each_other() -> None:
    """Columns that depend on each other have no unique coefficients, and no fit."""
    given = columns()
    target = given @ [2.0, 0.0, -1.0, 0.0]
    doubled = np.column_stack([given[:, [0, 2]], given[:, 0] + given[:, 2]])
    assert _fit(given[:, [0, 2]], target, 1e-6) is not None
    assert _fit(doubled, target, 1e-6) is None


@pytest.mark.parametrize(("disturbance", "fits"), [(0.9e-6, True), (3e-6, False)])
def test_limit(disturbance: float, fits: bool) -> None:
    """Differences up to the limit are rounding."""
    given = columns()
    target = given @ [2.0, 3.0, -1.0, 1.0]
    away = np.random.default_rng(1).choice([-1.0, 1.0], 20)
    away -= given @ np.linalg.lstsq(given, away)[0]
    assert (_fit(given, target + disturbance * away / abs(away).max(), 1e-6) is not None) is fits


@pytest.mark.parametrize("product", [False, True])
@pytest.mark.parametrize(("disturbance", "fits"), [(0.0, True), (0.5e-6, True), (5e-6, False)])
def test_exact_models_fit_all_measured_values(disturbance: float, fits: bool, product: bool) -> None:
    """A model of the path is exact if no measured value is farther away than rounding, however many there are."""
    target = target_of(BINARY, lambda column: np.exp(0.3 + column("b1") - 0.5 * column("b2")))
    signs = np.random.default_rng(2).choice([-1.0, 1.0], len(target.measured))
    target = replace(target, measured=target.predicted[: len(signs)] * (1 + disturbance * signs))
    rows = Rows(target)
    projection = projected(rows, candidates_of(rows, 2, product=product), product=product)
    found = exact_model(projection)
    assert (found is not None) is fits
    whole = with_exact(projection)
    assert (whole is not None) is fits
    if found is not None and whole is not None:
        assert whole.model.chosen == found.chosen
        assert whole.model.coefficients.tolist() == found.coefficients.tolist()
        assert whole.path == projection.path
        assert abs(whole.predicted()[rows.learned] / target.measured - 1).max() < 1e-6
        # The projection itself has more terms, or other influences.
        assert whole.model.coefficients.tolist() != projection.model.coefficients.tolist()


def test_the_selected_model_can_be_exact() -> None:
    """A selected model fits exactly with terms that no model of the path has together."""
    target = target_of(BINARY, lambda column: 3 + column("b1") + 2 * column("b2"))
    rows = Rows(replace(target, measured=target.predicted[: target.learned]))
    projection = projected(rows, candidates_of(rows, 2, product=False), product=False)
    early = replace(projection, path=projection.path[:2], model=projection.path[0])
    assert exact_model(early) is None
    found = exact_model(replace(early, model=projection.model))
    assert found is not None
    assert set(found.chosen) == set(projection.model.chosen)
