"""The constants of the default learner against its recipes, reference/default-learner.md and printed-model.md."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest

from splc.learning.projection import (
    candidates,
    competition,
    constants,
    exchange,
    form,
    refit,
    rows,
    sparse_model,
    units,
    unmeasured,
)
from splc.learning.projection.search import penalty, start_of
from splc.types import Array
from tests.support.real_data import DATA

BOUNDS = constants.BOUNDS
# A text of the recipe, N for each number, and what these numbers are in the code. Constants that were changed on
# purpose, such as those of the guard, say so where they are defined.
STATED: list[tuple[str, tuple[float, ...]]] = [
    ("half = (max - min)/2/N of each", (constants.HALF_RANGE,)),
    ("q(c) = c^2 - N ", (constants.SQUARE_SHIFT,)),
    (
        "N < L <= N values and n >= N L: also",
        (constants.MIN_LEVELS - 1, constants.MAX_LEVELS, constants.ROWS_PER_LEVEL),
    ),
    ("if L > N and n < N L: number forms only", (constants.MIN_LEVELS - 1, constants.ROWS_PER_LEVEL)),
    ("K = k + (noise + N) I", (constants.JITTER,)),
    (
        "start lambda = N/#options, rho N, a N, w N, noise N; L-BFGS-B, N iterations",
        (constants.START_RELEVANCE, *constants.START.values(), constants.ITERATIONS),
    ),
    (
        "bounds ln lambda [N, N], ln rho [N, N], ln a [N, N], ln w [N, N], ln noise [N, N]",
        tuple(bound for pair in BOUNDS.values() for bound in pair),
    ),
    ("n > N: hyperparameters from", (constants.ROWS_OF_SEARCH,)),
    ("; n > N: stages 1-2 on", (constants.ROWS_OF_MODEL,)),
    (
        "N folds (n < N: leave one out). Per fold: MAP from theta, N iterations, on the other rows (at most N)",
        (constants.FOLDS, constants.FOLDS, constants.REFIT_ITERATIONS, constants.ROWS_OF_REFIT),
    ),
    ("clipped at its N and N % quantiles", (100 * constants.CLIP, 100 * (1 - constants.CLIP))),
    ("q2 < N and lr", (constants.GUARD_EXPLAINED,)),
    ("INTERVAL (N %)", (100 * constants.LEVEL,)),
    ("n >= N: y(x) exp(+-q sd(x)), q = the ceil(N(n+1))-th", (constants.CONFORMAL_ROWS, constants.LEVEL)),
    (
        "t_{N,nu} c sd(x)), c = clip(rms((m_j - t_j)/sd_j), N, N), nu = max(N, n -",
        ((1 + constants.LEVEL) / 2, *constants.INFLATION, constants.MIN_FREEDOM),
    ),
    ("n < N #options: the cross-validated error means nothing", (constants.ROWS_PER_OPTION,)),
    ("where it is wider than N.", (constants.UNKNOWN_FACTOR,)),
    ("out-of-fold veto (n >= N, all y > 0)", (constants.ROWS_OF_SCALE,)),
    ("R is taken if Delta > N and q <= N.", (constants.SCALE_EVIDENCE, constants.SCALE_ERROR)),
    ("e_j = |ln max(yhat_j, min y/N)", (constants.FLOOR,)),
    ('Below P(sign) = N print "sign not settled"', (constants.SETTLED,)),
    ("2 * median sd on U, N if n <=", (rows.FEW_ROWS_ERROR,)),
    ("min(rms_cv, N * median sd on U", (rows.SPREADS,)),
    ("relative least squares on all rows, ridge N towards", (refit.RIDGE,)),
    ("at most N numeric columns in a term", (competition.MAX_NUMERIC,)),
]
# Those of the recipe of the printed model. `form.MIN_TERMS`, `ROWS_PER_TERM`, `PREFERRED` and `blend.BLENDS` were
# changed on purpose.
PRINTED: list[tuple[str, tuple[float, ...]]] = [
    ("more than N: N of them at equal ranks", (units.MAX_THRESHOLDS, units.MAX_THRESHOLDS)),
    ("Numeric options with >= N values", (units.MIN_VALUES,)),
    ("units of A that count as at most N factors", (units.MAX_FACTORS,)),
    ("products of 1, 2, 3, ... factors while they are <= N in all", (candidates.MAX_ENUMERATED,)),
    ("if there are N units or more", (candidates.MANY_UNITS,)),
    ("Order as today: max(N, min(N, numeric options))", (competition.MIN_ORDER, competition.MAX_ORDER)),
    ("no candidate if less than N of its squared norm is left", (candidates.CONSTANT_SHARE,)),
    (
        "* N^(factors - 1) over candidates with left_k > max(N around, N)",
        (candidates.PENALTY, candidates.LEFT_AROUND, candidates.LEFT_IN_ALL),
    ),
    ("repeat (size + N times)", (competition.FURTHER_STEPS,)),
    ("B and C count as N terms longer", (form.FURTHER_TERMS,)),
    ("where lambda < inf must win by N %", (100 - 100 * form.BLEND_GAIN,)),
    ("Exchange (today's, N rounds", (exchange.MAX_ROUNDS,)),
    ("if the root mean square falls by N %", (100 - 100 * exchange.GAIN,)),
    ("else over N drawn ones", (unmeasured.DRAWN,)),
    ("models of 1 to at most N terms", (form.MAX_TERMS,)),
    ("`--readable` is M = N and N in the place", (form.READABLE_TERMS, form.READABLE_ADMITTED)),
    ("A note if h/eF > N:", (sparse_model.FARTHER,)),
    ("q the ceil(N(n+1))-th of |d_i|", (constants.LEVEL,)),
    ("(n < N: t rule of today with rms d.)", (constants.CONFORMAL_ROWS,)),
    ("With n < N, max(a, h)", (rows.FEW_ROWS,)),
    ("ln g (g below min y/N is raised to that)", (constants.FLOOR,)),
]


@cache
def recipe() -> str:
    """Return the recipe; skip the test where it is absent."""
    return _text("default-learner.md")


def _text(name: str) -> str:
    path = DATA.parent / "reference" / name
    if not path.exists():
        pytest.skip(f"../shared/reference/{name} is absent")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("text", "values"), STATED, ids=[text for text, _ in STATED])
def test_constants_are_those_of_the_recipe(text: str, values: tuple[float, ...]) -> None:
    """A constant of the full model is the number in its recipe."""
    assert _numbers(text, recipe()) == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize(("text", "values"), PRINTED, ids=[text for text, _ in PRINTED])
def test_constants_of_the_printed_model(text: str, values: tuple[float, ...]) -> None:
    """A constant of the printed model is the number in its recipe."""
    assert _numbers(text, _text("printed-model.md")) == pytest.approx(values, rel=1e-12)


def _numbers(text: str, whole: str) -> tuple[float, ...]:
    """Return the numbers that a recipe has in the places of N in a text."""
    pattern = re.sub(r"\bN\b", r"([-+]?\\d*\\.?\\d+(?:e-?\\d+)?)", re.escape(text))
    [found] = {match.groups() for match in re.finditer(pattern, whole)}
    return tuple(map(float, found))


def test_prior_is_that_of_the_recipe() -> None:
    """The negative logarithm of the prior is the formula of the recipe."""
    x = np.random.default_rng(0).normal(-2, 2, 7)
    relevances, (rho, a, w, noise) = x[:3], x[3:]
    expected = sum(math.log1p(math.exp(each) / 0.3**2) + ((each - math.log(0.05)) / 4) ** 2 / 2 for each in relevances)
    expected += ((rho - math.log(0.5)) ** 2 + (a - math.log(0.1)) ** 2 + w**2) / 2
    expected += ((noise - math.log(0.01)) / 2) ** 2 / 2
    assert penalty(x)[0] == pytest.approx(expected, rel=1e-12)


def test_start_of_the_search() -> None:
    """The search starts at a relevance of one half over the number of options."""
    found: Array = np.exp(start_of(3, 4))
    np.testing.assert_allclose(found, [0.125, 0.125, 0.125, 0.5, 0.1, 1.0, 0.05], rtol=1e-12)
