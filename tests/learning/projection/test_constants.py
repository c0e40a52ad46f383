"""The constants of the default learner against its recipe, reference/default-learner.md."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest

from splc.learning.projection import candidates, constants, exchange, form, forward, refit, rows, size, subset
from splc.learning.projection.search import penalty, start_of
from splc.types import Array
from tests.support.real_data import DATA

RECIPE = DATA.parent / "reference" / "default-learner.md"
BOUNDS = constants.BOUNDS
# A text of the recipe, N for each number, and what these numbers are in the code. Constants that were changed on
# purpose (`forward.TRIED`, `forward.EXACT`, `form.LONGER`, the guard) say so where they are defined.
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
    ("2 * median sd on U, N if n <= N)", (rows.FEW_ROWS_TOLERANCE, rows.FEW_ROWS)),
    ("min(rms_cv, N * median sd on U", (rows.SPREADS,)),
    (
        "kappa = N for n < N; for n >= 30 kappa from {N, N, N}",
        (size.KAPPA, size.KAPPA_ROWS, size.KAPPA, *size.LARGER_KAPPAS),
    ),
    ("is taken only if e(kappa) <= N e(", (size.KAPPA_GAIN,)),
    ("the largest kappa with e <= N e(", (size.READABLE_LOSS,)),
    ("while they are <= N in all", (candidates.MOST_ENUMERATED,)),
    ("Order: max(N, min(N, #numeric options))", (form.FEWEST_ORDER, form.MOST_ORDER)),
    (
        "is > N of its squared norm around the constant and > N of its squared norm",
        (subset.LEFT_AROUND, subset.LEFT_IN_ALL),
    ),
    ("or N terms, or (with signs)", (forward.MOST_TERMS,)),
    ("the last N terms lowered the mean square by < N tau^2", (forward.STALLED, forward.STALLED_SHARE)),
    ("EXCHANGE, at most N rounds", (exchange.MOST_ROUNDS,)),
    ("accept if the RMS falls by N %", (100 - 100 * exchange.GAIN,)),
    ("relative least squares on all rows, ridge N towards", (refit.RIDGE,)),
    ("If the sum's RMS > N * the product's", (form.FARTHER,)),
    ("at most N numeric columns in a term", (form.MOST_NUMERIC,)),
    ("weights N/N/N/N/N for 1 to 5 factors", form.PRODUCT_PENALTY),
]


@cache
def recipe() -> str:
    """Return the recipe; skip the test where it is absent."""
    if not RECIPE.exists():
        pytest.skip("../shared/reference/default-learner.md is absent")
    return RECIPE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("text", "values"), STATED, ids=[text for text, _ in STATED])
def test_constants_are_those_of_the_recipe(text: str, values: tuple[float, ...]) -> None:
    """A constant of the code is the number in the recipe."""
    pattern = re.sub(r"\bN\b", r"([-+]?\\d*\\.?\\d+(?:e-?\\d+)?)", re.escape(text))
    [found] = {match.groups() for match in re.finditer(pattern, recipe())}
    assert tuple(map(float, found)) == pytest.approx(values, rel=1e-12)


def test_penalty_of_factors() -> None:
    """Each further factor of a term of a sum multiplies its score by 0.9, as the recipe states."""
    assert "* 0.9^(factors - 1)" in recipe()
    np.testing.assert_allclose(form.SUM_PENALTY, 0.9 ** np.arange(len(form.SUM_PENALTY)))


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
