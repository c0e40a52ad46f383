"""Common effects of the members of alternative groups, on targets with known predictions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splc.learning.projection import common_effects
from splc.learning.projection.common_effects import with_common_effects
from splc.learning.projection.form import chosen_form
from splc.learning.projection.printed import Printed, PrintSettings, printed_model
from splc.learning.projection.rows import Rows
from splc.learning.projection.size import READABLE_LOSS, error_of
from splc.learning.projection.subset import fitted
from splc.learning.projection.target import Target
from splc.learning.projection.variables import variables_of
from splc.models.terms import CONSTANT, Term, log_term, option_term
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import Known, group, switch, target_of

MEMBERS = ("p", "q", "r", "s")
NUMBER = NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0))
SYSTEM = VariabilityModel("group", (switch("a"), *group(*MEMBERS), NUMBER))
LOG = log_term("x")
A, P, Q, R, S = (option_term(name) for name in ("a", *MEMBERS))


def falling(**slopes: float) -> Known:
    """Return a property that falls with log10(x): by 20, or by a member's own slope."""

    def known(column: Callable[[str], Array]) -> Array:
        slope = sum(slopes.get(name, 20.0) * column(name) for name in MEMBERS)
        return np.asarray(50 + 6 * column("a") + 8 * column("r") - slope * np.log10(column("x")))

    return known


def noisy(target: Target, noise: float) -> Target:
    """Return a target with noise in the measured values that the fold models do not follow."""
    factors = 1 + noise * np.random.default_rng(1).normal(size=target.learned)
    return replace(target, measured=target.measured * factors)


def printed(known: Known, *, readable: bool = True, error: float = 0.02, noise: float = 0.0) -> Printed:
    """Return the printed model of known predictions."""
    target = noisy(target_of(SYSTEM, known, error=error), noise)
    return printed_model(target, variables_of(SYSTEM), PrintSettings(readable=readable, form="sum"))


def test_equal_influences_are_one_common_effect() -> None:
    """A readable model has one term where all members have the same influence; others keep their terms."""
    common: dict[Term, float] = {CONSTANT: 50, A: 6, R: 8, LOG: -20}
    assert dict(printed(falling()).terms) == pytest.approx(common)
    each = {CONSTANT: 50.0, A: 6.0, R: 8.0, **{member * LOG: -20.0 for member in (P, Q, R, S)}}
    # Fold models without differences have influences that differ by rounding, and no standard errors.
    assert dict(printed(falling(), error=0.0).terms) == pytest.approx(common)
    assert dict(printed(falling(), readable=False).terms) == pytest.approx(each)


def test_supported_differences_remain() -> None:
    """A member whose influence differs by more than its uncertainty keeps its difference to the common effect."""
    found = printed(falling(q=40.0))
    assert dict(found.terms) == pytest.approx({CONSTANT: 50, A: 6, R: 8, LOG: -20, Q * LOG: -20})
    difference = next(each for each in found.estimates if each.term == Q * LOG)
    assert difference.high < 0


def test_the_size_of_a_difference_alone_does_not_count() -> None:
    """The same small difference is printed where the data support it, and left out where they do not."""
    known = falling(q=20.5)
    assert Q * LOG not in dict(printed(known, error=0.02).terms)
    assert Q * LOG in dict(printed(known, error=0.002).terms)
    # Noise hides its effect on the error, but the full model knows the difference.
    assert Q * LOG in dict(printed(known, error=0.002, noise=0.1).terms)


def test_a_difference_remains_where_the_error_would_suffer() -> None:
    """A difference that the data do not support is printed if the error outside of the folds grew by more than 5 %."""
    found = printed(falling(q=20.5), error=0.01)
    difference = next(each for each in found.estimates if each.term == Q * LOG)
    assert difference.low < 0 < difference.high


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000), st.lists(st.floats(10, 30), min_size=4, max_size=4), st.sampled_from([0.01, 0.05, 0.1]))
def test_the_error_is_that_of_a_readable_model(seed: int, slopes: list[float], error: float) -> None:
    """The error outside of the folds is at most what readable models may have, and no term is added."""
    known = falling(**dict(zip(MEMBERS, slopes, strict=True)))
    rows, variables = Rows(target_of(SYSTEM, known, error=error, seed=seed)), variables_of(SYSTEM)
    projection = chosen_form(rows, variables, form="sum", order=None, readable=True).projection
    found = with_common_effects(projection, variables)
    assert found.size <= projection.size
    assert found.error == error_of(rows, found.model, False)
    assert found.error <= READABLE_LOSS * projection.reference


@pytest.mark.parametrize("optional", [False, True])
def test_only_groups_that_are_always_there_have_a_common_effect(optional: bool) -> None:
    """The members of a group that a configuration may lack do not add up to 1, so that they keep their terms."""
    members = [f"m_{number}" for number in (1, 2, 3)]
    within = [replace(each, parent="a") if optional else each for each in group(*members)]
    system = VariabilityModel("optional", (switch("a"), *within, NUMBER))
    # So small an effect that a wrong common effect would not be seen in the error.
    known: Known = lambda c: 50 - 0.001 * sum(c(name) for name in members) * np.log10(c("x"))  # noqa: E731
    target = noisy(target_of(system, known, error=0.02), 0.2)
    variables = variables_of(system)
    projection = chosen_form(Rows(target), variables, form="sum", order=None, readable=True).projection
    goal = projection.model.goal
    places = {goal.candidates.text(place): place for place in range(len(goal.candidates))}
    model = fitted(goal, [places[text] for text in ("1", *(f"{name} * log10(x)" for name in members))])
    found = with_common_effects(replace(projection, model=model), variables)
    assert found.size == (3 if optional else 1)


@pytest.mark.parametrize(("factor", "removed"), [(1.0, 3), (1 + 1e-9, 1)])
def test_differences_are_left_out_up_to_the_limit(factor: float, removed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences are left out while the error is at most the limit: not those after one that exceeds it."""
    rows, variables = Rows(target_of(SYSTEM, falling(), error=0.02)), variables_of(SYSTEM)
    projection = replace(chosen_form(rows, variables, form="sum", order=None, readable=True).projection, error=0.0)
    sizes = [len(projection.model.chosen) - number for number in range(4)]
    errors = dict.fromkeys(sizes, READABLE_LOSS * projection.reference)
    errors[sizes[2]] *= factor
    monkeypatch.setattr(common_effects, "error_of", lambda rows, model, product: errors[len(model.chosen)])
    found = with_common_effects(projection, variables)
    assert len(found.model.chosen) == sizes[removed]
