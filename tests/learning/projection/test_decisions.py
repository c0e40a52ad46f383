"""The decisions of the default learner against the rules of its recipe, with fits and searches that are made up."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection import constants, full_model, guard
from splc.learning.projection.default_learner import _is_stated, _remarks, rounded
from splc.learning.projection.scales import Scale, general_scales, positive_scale
from splc.types import Array
from tests.support.examples import examples


def guarded(rows: int, gain: float, explained: float, larger: list[bool]) -> tuple[bool, int]:
    """Return the verdict of the guard where the searches over permuted values gain as stated, and their number."""
    rng = np.random.default_rng(rows)
    t = rng.normal(3, 2, rows)
    z = (t - t.mean()) / t.std()
    noise = 2 + z
    some = min(rows, 300)
    pending = list(larger)

    def search(design: Any, values: Array, noises: Array, start: Array, iterations: int) -> SimpleNamespace:
        assert design.columns.shape == (some, 2)
        np.testing.assert_allclose(np.sort(values), np.sort(z[:some]))
        np.testing.assert_allclose(noises, 2 + values)
        np.testing.assert_allclose(np.exp(start)[:2], 0.5 / 4)
        assert iterations == 40
        # A gain that is as large counts as larger.
        return SimpleNamespace(evidence=z[:some] @ z[:some] / 2 - gain + (0.0 if pending.pop(0) else 1e-6))

    def chosen(rows: slice) -> SimpleNamespace:
        return SimpleNamespace(distinct=2, columns=rng.normal(size=(rows.stop, 2)))

    posterior = SimpleNamespace(t=t, mean=t.mean(), deviation=t.std())
    first = SimpleNamespace(gain=gain, noise=noise, posterior=posterior)
    data = SimpleNamespace(y=t, designs=(SimpleNamespace(rows=lambda part: chosen(slice(some))),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "search", search)
        found: Any = SimpleNamespace(first=first, explained=explained)
        verdict = guard.permutation_test(data, 4, found)  # type: ignore[arg-type]
    return verdict, len(larger) - len(pending)


@given(
    rows=st.sampled_from([9, 17, 18, 310]),
    gain=st.sampled_from([-1.0, 5.0, 19.9, 20.0, 30.0]),
    explained=st.sampled_from([-0.5, 0.09, 0.1, 0.9]),
    larger=st.integers(0, 5),
    seed=st.integers(0, 99),
)
def test_guard(rows: int, gain: float, explained: float, larger: int, seed: int) -> None:
    """A gain of 20 is certain; else few permutations gain as much: none of 24, of few rows 3 of 19 or q2 is 0.1."""
    order = np.random.default_rng(seed).permutation(24 if rows >= 18 else 19) < larger
    verdict, searches = guarded(rows, gain, explained, order.tolist())
    if gain >= 20 or (rows < 18 and explained >= 0.1):
        assert (verdict, searches) == (True, 0)
    else:
        allowed = 0 if rows >= 18 else 3
        assert verdict is (larger <= allowed)
        # The search ends when the verdict is known.
        assert searches == (len(order) if verdict else np.flatnonzero(order)[allowed] + 1)


def test_levels_of_the_guard() -> None:
    """A permutation test with a of p larger gains has the level (a + 1) / (p + 1): 4 %, and 20 % for few rows."""
    for (permutations, allowed), level in ((constants.GUARD_PERMUTATIONS, 0.04), (constants.GUARD_FEW_ROWS, 0.2)):
        assert (allowed + 1) / (permutations + 1) == pytest.approx(level)
    _, permutations, margin = constants.GUARD_SINGLE
    assert 1 / (permutations + 1) == pytest.approx(0.001)
    assert margin > 1


@pytest.mark.parametrize(("share", "clear"), [(0.0, False), (0.3, False), (1.0, True)])
def test_large_correlations(share: float, clear: bool) -> None:
    """A column is clear if its correlation exceeds all of permuted values by the margin; constant columns have none."""
    rng = np.random.default_rng(2)
    z = rng.normal(size=40)
    columns = np.column_stack(
        [np.ones(40), rng.normal(size=(40, 5)), 5 + share * z + (1 - share) * rng.normal(size=40)]
    )
    assert guard._has_large_correlation(columns, z, 29, 1.25) is clear
    assert not guard._has_large_correlation(columns[:, :1], z, 29, 1.25)
    correlations = [
        max(abs(np.corrcoef(column, row)[0, 1]) for column in columns[:, 1:].T)
        for row in [z, *np.random.default_rng(0).permuted(np.tile(z, (29, 1)), axis=1)]
    ]
    ratio = correlations[0] / max(correlations[1:])
    assert guard._has_large_correlation(columns, z, 29, ratio * (1 - 1e-9))
    assert not guard._has_large_correlation(columns, z, 29, ratio * (1 + 1e-9))


Y = 5 * np.exp(np.random.default_rng(0).normal(0, 0.2, 30))


def chosen_scale(
    y: Array, wanted: str, delta: float, ratio: float, patch: pytest.MonkeyPatch
) -> tuple[Scale, Array | None]:
    """Return the scale that is chosen if the evidence of y is larger by delta and its error is a multiple."""
    unit = np.exp(np.log(y).mean())
    fits: dict[str, Array | None] = {}

    def first_fit(data: Any, variables: int, scale: Scale, fitted: Array | None = None) -> SimpleNamespace:
        del data, variables
        fits[scale.name] = fitted
        posterior = SimpleNamespace(means=np.log)
        return SimpleNamespace(scale=scale, evidence=7.0 + delta * (scale.name == "raw"), posterior=posterior)

    def refits(data: Any, firsts: Any) -> SimpleNamespace:
        # Half of the predictions are below a third of the smallest value, where they are cut off.
        scale = firsts[0].scale
        error = 0.01 * (ratio if scale.name == "raw" else 1.0)
        predicted = np.where(np.arange(len(y)) % 2, y * np.exp(error), y * np.exp(-error)) / unit
        return SimpleNamespace(first=firsts[0], means=scale.forward(predicted))

    def refits_below(data: Any, firsts: Any, limit: float) -> SimpleNamespace | None:
        # Those of ln y, whose error is 0.01.
        return None if limit <= 0.01 else refits(data, firsts)

    patch.setattr(full_model, "first_fit", first_fit)
    patch.setattr(full_model, "refits", refits)
    patch.setattr(full_model, "refits_below", refits_below)
    data: Any = SimpleNamespace(y=y, designs=(np.arange(1.0, len(y) + 1),))
    found = full_model._positive(data, 4, wanted)
    return found.first.scale, fits.get("raw")


@given(
    rows=st.sampled_from([19, 20, 30]),
    wanted=st.sampled_from(["auto", "auto", "log", "raw"]),
    delta=st.sampled_from([-3.0, 1.99, 2.0, 2.01, 50.0]),
    ratio=st.sampled_from([0.5, 1.0, 1.09, 1.11, 3.0]),
)
def test_choice_of_scale(rows: int, wanted: str, delta: float, ratio: float) -> None:
    """The scale is y from 20 rows on if its evidence is larger by 2 and its error at most 1.1 times as large."""
    with pytest.MonkeyPatch.context() as patch:
        scale, fitted = chosen_scale(Y[:rows], wanted, delta, ratio, patch)
    raw = wanted == "raw" or (wanted == "auto" and rows >= 20 and delta > 2 and ratio <= 1.1)
    assert scale == positive_scale("raw" if raw else "log", Y[:rows])
    if wanted == "raw" or (wanted == "auto" and rows >= 20):
        # The noise grows with the predictions of the model of ln y.
        assert fitted is not None
        assert fitted.tolist() == pytest.approx(range(1, rows + 1))


def test_squares_that_overflow_are_not_learned_on_y(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values above 1e100 typical ones stay on the scale of ln y, unless y is wanted."""
    for power, name in ((90, "raw"), (110, "log")):
        y = np.array([*np.ones(24), 10.0 ** (power * 25 / 24)])
        assert chosen_scale(y, "auto", 50, 1, monkeypatch)[0].name == name
    assert chosen_scale(y, "raw", 50, 1, monkeypatch)[0].name == "raw"


@given(errors=st.permutations([1.0, 1.0, 2.0, 3.0]), largest=st.sampled_from([2.0, 1e120]))
@examples(20)
def test_choice_of_scale_for_values_of_any_sign(errors: list[float], largest: float) -> None:
    """The scale with the smallest absolute error outside of the folds is taken, of equal ones the first."""
    y = np.array([-1.0, 0.0, 1.0, 1.0, largest])
    names = ["raw_constant", "raw", "shifted_log", "asinh"]
    fits: dict[str, Array | None] = {}

    def first_fit(data: Any, variables: int, scale: Scale, fitted: Array | None = None) -> SimpleNamespace:
        fits[scale.name] = fitted
        own = 10 * (names.index(scale.name) + 1)
        return SimpleNamespace(scale=scale, posterior=SimpleNamespace(means=lambda design: design * own))

    def refits(data: Any, firsts: Any) -> SimpleNamespace:
        scale = firsts[0].scale
        signs = np.array([1.0, 1.0, 1.0, -1.0, 0.0])
        return SimpleNamespace(first=firsts[0], means=scale.forward(y + errors[names.index(scale.name)] * 1e-3 * signs))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(full_model, "first_fit", first_fit)
        patch.setattr(full_model, "refits", refits)
        data: Any = SimpleNamespace(y=y, designs=(np.ones(5),))
        found = full_model._general(data, 4)
    # The squares of very large values overflow where the scale does not bound them.
    tried = [0, 1, 2, 3] if largest < 1e100 else [2, 3]
    assert list(fits) == [names[place] for place in tried]
    if largest < 1e100:
        assert found.first.scale.name == names[min(tried, key=lambda place: errors[place])]
        # Noise that grows does so with the predictions of the first scale.
        np.testing.assert_array_equal(fits["raw"], np.full(5, 10.0))
    assert all(fits[names[place]] is None for place in tried if place != 1)


def test_divisors_of_errors() -> None:
    """Errors are relative ones of positive values; of others they are divided as the recipe states."""
    y = np.array([-4.0, 0.0, 2.0, 2.0, 10.0])
    scales: dict[str, Scale] = {scale.name: scale for scale in general_scales(y)}
    assert {scale.unit for scale in scales.values()} == {2.0}
    g, unit = np.array([-1.5, 0.0, 0.5, 3.0]), 2.0
    d = (-y.min() + 0.02 * (y.max() - y.min())) / unit
    for name, expected in {
        "raw_constant": np.ones(4),
        "raw": np.sqrt(g**2 + 0.1**2),
        "shifted_log": g + d,
        "asinh": np.sqrt(g**2 + 1),
    }.items():
        np.testing.assert_allclose(scales[name].divisor(g), expected, rtol=1e-12)
        np.testing.assert_allclose(scales[name].residual(g, g + 0.25), -0.25 / expected, rtol=1e-12)
        np.testing.assert_allclose(scales[name].noise(g), expected**2 if name == "raw" else 1.0, rtol=1e-12)
    assert {scale.lowest for scale in scales.values()} == {-math.inf}
    assert {scale.lowest for scale in general_scales(y + 4)} == {0.0}
    assert [scale.unit for scale in general_scales(np.array([0.0, 0.0, 0.0, 8.0]))] == [2.0] * 4
    assert [scale.unit for scale in general_scales(np.zeros(3))] == [1.0] * 4
    positive = positive_scale("raw", np.array([2.0, 8.0]))
    assert (positive.unit, positive.lowest) == pytest.approx((4.0, 2 / 4 / 3))
    np.testing.assert_allclose(positive.noise(np.array([0.5, 3.0])), [0.25, 9.0])
    np.testing.assert_allclose(positive.residual(np.array([2.0]), np.array([3.0])), math.log(2 / 3))
    np.testing.assert_allclose(positive.backward(np.array([-5.0, 1.5])), [2 / 4 / 3, 2.5])


def state(rows: int, variables: int, width: float, *, positive: bool = True) -> Any:
    """Return what is known of a full model: its rows, variables, and the half width of its intervals."""
    return SimpleNamespace(
        rows=np.arange(rows),
        constant="",
        name="ln y",
        basis=SimpleNamespace(variables=[None] * variables),
        scale=SimpleNamespace(positive=positive),
        ensemble=SimpleNamespace(quantile=2.0),
        spread=width / 2,
    )


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize(("width", "factor"), [(0.5, "1.65"), (1.09, "2.97"), (1.2, "3.32")])
@pytest.mark.parametrize("rows", [11, 12])
def test_notes_on_intervals(rows: int, width: float, factor: str, positive: bool) -> None:
    """The note states the factor of the intervals; above 3, with fewer rows than 3 per option, it is unknown."""
    full = state(rows, 4, width, positive=positive)
    problem: Any = SimpleNamespace(rows=np.arange(rows))
    printed: Any = SimpleNamespace(limited=True, selected=(None, None), aliases=(("a", "b"),))
    target: Any = SimpleNamespace(spread=width / 2)
    notes = _remarks(problem, full, target, printed)
    unknown = f"predictions are not known within a factor of {factor}: there are few configurations"
    known = f"90 % of new measurements are expected within a factor of {factor} of the prediction"
    limited = "2 terms do not say all that the full model knows, which predicts"
    assert notes == [
        "the full model is additive in ln y",
        *([unknown if rows < 12 and width > math.log(3) else known] if positive else []),
        limited,
        "cannot be distinguished with these configurations: a and b",
    ]
    printed.aliases = tuple((f"a{at}", f"b{at}") for at in range(6))
    pairs = "a0 and b0, a1 and b1, a2 and b2, a3 and b3, a4 and b4, … (6 in all)"
    assert _remarks(problem, full, target, printed)[-1] == f"cannot be distinguished with these configurations: {pairs}"
    # Two printed terms are aliases of each other.
    printed.aliases = (("a", "b"), ("a", "c"), ("b", "a"))
    last = _remarks(problem, full, target, printed)[-1]
    assert last == "cannot be distinguished with these configurations: a and b, a and c"
    more: Any = SimpleNamespace(rows=np.arange(1200))
    assert _remarks(more, full, target, printed)[1] == (
        f"the terms were selected with {rows} configurations; their influences fit all 1,200"
    )
    printed.limited, printed.aliases = False, ()
    assert _remarks(problem, full, target, printed) == notes[:-2]
    full.constant = "so"
    assert _remarks(problem, full, target, printed) == [f"the model is a constant: so ({rows} configurations)"]


@pytest.mark.parametrize(
    ("rows", "variables", "positive", "known"),
    [
        (12, 4, True, True),
        (12, 5, True, False),
        (11, 3, True, False),
        (60, 20, True, True),
        (60, 21, True, False),
        (60, 4, False, False),
    ],
)
def test_cross_validated_errors(rows: int, variables: int, positive: bool, known: bool) -> None:
    """Cross-validated errors need 12 rows, 3 rows per option, and positive values."""
    assert _is_stated(state(rows, variables, 1.0, positive=positive)) is known


@pytest.mark.parametrize("size", [4.4e-7, 1.0, 3e5])
def test_rounded_influences_of_logarithms(size: float) -> None:
    """They have 8 digits, and 8 after the point: a small one may belong to a column of large values."""
    influence = size * 1.23456789012345
    assert abs(rounded(influence, "log") - influence) <= 1e-8 * min(1.0, influence)
