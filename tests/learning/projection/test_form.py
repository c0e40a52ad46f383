"""The choice between a sum and a product, with projections that are made up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from splc.learning.projection import form as module
from splc.learning.projection.forward import MOST_TERMS
from splc.learning.projection.size import KAPPA
from tests.support.objects import of

TOLERANCE = 2.0


class Fits:
    """Projections instead of those of rows: a sum, a product, and sums with further terms."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.target = of(positive=True, multiplicative=True, learned=29, unit=1.0)
        self.rows: Any = of(
            target=self.target, tolerance=TOLERANCE, learned=slice(0, 2), configurations=None, weights=self.weights
        )
        self.sum = self.projection(1.0, 6)
        self.product = self.projection(1.0, 6)
        self.reciprocal, self.levels = self.projection(0.5, 7), self.projection(0.5, 7)
        self.free = self.projection(0.5, 7)
        # A test of 1/x lowers it.
        self.reciprocal.error = 99.0
        self.again = self.projection(1.0, 9)
        self.exact: dict[int, Any] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.hopeless = False
        self.with_levels = False
        monkeypatch.setattr(module, "_sum", self.sums)
        monkeypatch.setattr(module, "_product", self.products)
        monkeypatch.setattr(module, "with_exact", lambda found: self.exact.get(id(found)))
        monkeypatch.setattr(module, "is_hopeless", self.is_hopeless)
        monkeypatch.setattr(module, "has_levels", lambda variable: self.with_levels)

    @staticmethod
    def weights(*, product: bool) -> Any:
        """Return the weights of rows, which a sum of contributions is divided by."""
        assert not product
        return np.array([2.0, 4.0, 1.0])

    def projection(self, distance: float, size: int, *, cancelling: float = 1.0, least: float = 1.0) -> Any:
        """Return a projection; `distance`: from the full model, as a multiple of the tolerance.

        `cancelling`: the sum of the absolute shares of two terms. `least`: the smallest prediction.
        """
        # Divided by the weights, the means of the two columns are 2 and -2. With contributions a and -b,
        # (a + b) / (a - b) is the sum of absolute shares.
        columns = np.array([[9.0, 9.0, 9.0], [2.0, 12.0, 7.0], [-6.0, -4.0, 7.0]])
        model = of(
            rms=distance * KAPPA * TOLERANCE,
            chosen=(1, 2),
            coefficients=np.array([cancelling + 1, cancelling - 1]),
            goal=of(candidates=of(columns=columns)),
        )
        path = [of(rms=0.0), of(rms=99.0), of(rms=distance * KAPPA * TOLERANCE)]
        return of(
            model=model,
            kappa=KAPPA,
            tolerance=KAPPA * TOLERANCE,
            rows=self.rows,
            size=size,
            error=1.0,
            reference=1.0,
            floor=0.5 * KAPPA * TOLERANCE,
            path=path,
            predicted=lambda: np.array([3.0, least]),
        )

    def sums(self, rows: Any, variables: Any, order: int, readable: bool, *, hopeless: bool, **further: bool) -> Any:
        """Return the sum of a kind."""
        kind = {"hopeless": hopeless, **further}
        self.calls.append(("sum", order, *sorted(name for name, value in kind.items() if value)))
        if kind.get("reciprocal"):
            return self.reciprocal
        if kind.get("levels"):
            return self.levels
        if kind.get("free"):
            return self.free
        searched = [call for call in self.calls if call[0] == "sum"]
        return self.sum if len(searched) == 1 else self.again

    def products(self, rows: Any, variables: Any, order: int, readable: bool, most: int = MOST_TERMS) -> Any:
        """Return the product."""
        self.calls.append(("product", order, most))
        return self.product

    def is_hopeless(self, end: Any, tolerance: float) -> bool:
        """Return whether the path of the sum was cut off."""
        assert end in (self.sum.path[-1], self.reciprocal.path[-1])
        assert tolerance == KAPPA * TOLERANCE
        return self.hopeless

    def choose(
        self,
        form: module.Form = "auto",
        order: int | None = None,
        kinds: tuple[str, ...] = ("numeric", "binary"),
        readable: bool = False,
    ) -> tuple[Any, str]:
        """Return the chosen projection and the reason."""
        self.calls.clear()
        variables: Any = [of(kind=kind) for kind in kinds]
        found = module.chosen_form(self.rows, variables, form=form, order=order, readable=readable)
        return found.projection, found.reason


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> Fits:
    """Return made-up projections."""
    return Fits(monkeypatch)


def test_a_product_that_is_asked_for(fits: Fits) -> None:
    """It is a product, the exact one if there is one; of values that are not positive, it is a sum."""
    assert fits.choose("product") == (fits.product, "")
    fits.exact[id(fits.product)] = "exact"
    assert fits.choose("product") == ("exact", "")
    assert fits.calls == [("product", 2, MOST_TERMS)]
    fits.target.positive = False
    assert fits.choose("product") == (fits.sum, "")


@pytest.mark.parametrize(
    ("kinds", "order", "expected"),
    [
        (("binary",) * 9, None, 5),
        (("numeric",) * 6 + ("binary",) * 3, None, 6),
        (("numeric",) * 9, None, 6),
        (("binary",) * 3, None, 3),
        ((), None, 1),
        (("binary",) * 9, 7, 7),
        (("binary",) * 3, 7, 3),
        ((), 2, 1),
    ],
)
def test_the_order(fits: Fits, kinds: tuple[str, ...], order: int | None, expected: int) -> None:
    """Terms have 5 variables at most, 6 with as many numeric options, the stated number, and as many as there are."""
    fits.choose("product", order, kinds)
    assert fits.calls == [("product", expected, MOST_TERMS)]


def test_values_that_are_not_multiplicative_have_a_sum(fits: Fits) -> None:
    """A product is neither fitted nor chosen; an exact sum is taken."""
    fits.target.multiplicative = False
    fits.sum = fits.projection(9.0, 50)
    assert fits.choose() == (fits.sum, "")
    fits.exact[id(fits.sum)] = "exact"
    assert fits.choose() == ("exact", "")
    assert fits.calls == [("sum", 2)]


@pytest.mark.parametrize(("terms", "shorter"), [(6, False), (9, True), (8, False)])
def test_exact_models(fits: Fits, terms: int, shorter: bool) -> None:
    """An exact product replaces an exact sum of more than 1.5 times as many terms and two, and every other sum."""
    exact = {"sum": of(size=terms), "product": of(size=4)}
    fits.exact[id(fits.sum)] = exact["sum"]
    assert fits.choose() == (exact["sum"], "")
    assert fits.choose("sum") == (exact["sum"], "")
    fits.exact[id(fits.product)] = exact["product"]
    reason = "a product of factors: it fits all measured values exactly"
    assert fits.choose() == ((exact["product"], reason) if shorter else (exact["sum"], ""))
    fits.exact.pop(id(fits.sum))
    assert fits.choose() == (exact["product"], reason)


@pytest.mark.parametrize("form", ["sum", "auto"])
@pytest.mark.parametrize(
    ("floor", "learned", "has", "error", "tried", "taken"),
    [
        (1.01, 30, True, 0.8, True, True),
        (1.01, 30, True, 0.81, True, False),
        (1.0, 30, True, 0.1, False, False),
        (1.01, 29, True, 0.1, False, False),
        (1.01, 30, False, 0.1, False, False),
    ],
)
def test_levels(
    fits: Fits, form: module.Form, floor: float, learned: int, has: bool, error: float, tried: bool, taken: bool
) -> None:
    """Terms of single values need 30 rows, a path that ends far from the full model, and an error of 0.8 times."""
    fits.target.multiplicative = form == "sum"
    fits.sum.floor = floor * KAPPA * TOLERANCE
    fits.sum.error, fits.levels.error = 3.0, 3 * error
    fits.target.learned, fits.with_levels = learned, has
    assert fits.choose(form) == (fits.levels if taken else fits.sum, "")
    assert (("sum", 2, "levels") in fits.calls) == tried


@pytest.mark.parametrize(
    ("size", "error", "readable", "numeric", "taken"),
    [
        (5, 1.05, True, True, True),
        (6, 1.0, True, True, False),
        (5, 1.06, True, True, False),
        (5, 1.0, False, True, False),
        (5, 1.0, True, False, False),
    ],
)
def test_readable_sums_with_reciprocals(
    fits: Fits, size: int, error: float, readable: bool, numeric: bool, taken: bool
) -> None:
    """A readable sum has 1/x if it then needs fewer terms, for an error that is up to 5 % larger."""
    fits.target.multiplicative = False
    fits.reciprocal = fits.projection(1.0, size)
    fits.sum.reference, fits.reciprocal.error = 3.0, 3 * error
    kinds = ("numeric" if numeric else "binary", "binary")
    assert fits.choose(kinds=kinds, readable=readable) == (fits.reciprocal if taken else fits.sum, "")
    assert (("sum", 2, "reciprocal") in fits.calls) == (readable and numeric)
    fits.target.positive = False
    assert fits.choose(kinds=kinds, readable=readable) == (fits.sum, "")


@pytest.mark.parametrize(("error", "taken"), [(3.76, True), (3.74, False)])
def test_a_readable_sum_that_ends_early(fits: Fits, error: float, taken: bool) -> None:
    """A readable sum with more terms has 1/x if its error is at most 0.8 times that of the other sum."""
    fits.target.multiplicative = False
    fits.sum.error = fits.sum.reference = error
    fits.reciprocal.error = 3.0
    assert fits.choose(readable=True) == (fits.reciprocal if taken else fits.sum, "")


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize(("size", "error", "taken"), [(6, 1.05, True), (7, 1.0, False), (6, 1.06, False)])
def test_reciprocals_instead_of_levels(fits: Fits, readable: bool, size: int, error: float, taken: bool) -> None:
    """A sum with 1/x replaces one of single values if it has fewer terms, for an error that is up to 5 % larger."""
    fits.target.multiplicative = False
    fits.target.learned, fits.with_levels = 30, True
    fits.sum.floor, fits.sum.error = TOLERANCE, 9.0
    # A readable sum has 1/x then, but its path ends as far away.
    fits.reciprocal = fits.projection(1.0, size)
    fits.reciprocal.floor, fits.reciprocal.error = TOLERANCE, error * 2.0
    fits.sum.reference, fits.levels.error = 1.0, 2.0
    assert fits.choose(readable=readable) == (fits.reciprocal if taken else fits.levels, "")
    assert fits.calls.count(("sum", 2, "reciprocal")) == 1


@pytest.mark.parametrize(
    ("floor", "error", "least", "cancelling", "taken"),
    [
        (1.01, 0.8, 1.0, 1.0, True),
        (1.01, 0.81, 1.0, 1.0, False),
        (1.0, 0.1, 1.0, 1.0, False),
        (1.01, 0.1, 0.0, 1.0, False),
        (1.01, 0.1, 1.0, 3.1, False),
    ],
)
def test_reciprocals_with_few_rows(
    fits: Fits, floor: float, error: float, least: float, cancelling: float, taken: bool
) -> None:
    """A sum whose path ends far from the full model has 1/x for an error of 0.8 times, with fewer than 30 rows too."""
    fits.target.multiplicative = False
    fits.sum.floor, fits.sum.error = floor * KAPPA * TOLERANCE, 3.0
    fits.reciprocal = fits.projection(1.0, 9, least=least, cancelling=cancelling)
    fits.reciprocal.error = 3 * error
    assert fits.choose() == (fits.reciprocal if taken else fits.sum, "")
    assert fits.choose(kinds=("binary", "binary")) == (fits.sum, "")


@pytest.mark.parametrize(
    ("size", "error", "cancelling", "taken"),
    [(6, 1.05, 3.0, True), (7, 1.0, 1.0, False), (6, 1.06, 1.0, False), (6, 1.0, 3.1, False)],
)
def test_free_signs_instead_of_levels(fits: Fits, size: int, error: float, cancelling: float, taken: bool) -> None:
    """A sum with influences of either sign replaces one of single values if it is shorter and its terms are readable.

    Sums with 1/x are tried first. If not all values are positive, all sums have such influences.
    """
    fits.target.multiplicative = False
    fits.target.learned, fits.with_levels = 30, True
    fits.sum.floor, fits.sum.error, fits.levels.error = TOLERANCE, 9.0, 2.0
    fits.free = fits.projection(1.0, size, cancelling=cancelling)
    fits.free.error = error * 2.0
    assert fits.choose() == (fits.free if taken else fits.levels, "")
    fits.target.positive = False
    assert fits.choose() == (fits.levels, "")
    fits.target.positive = True
    fits.reciprocal = fits.projection(1.0, 6)
    assert fits.choose() == (fits.reciprocal, "")


@pytest.mark.parametrize(("floor", "taken"), [(4.0, False), (4.1, True)])
def test_readable_sums_within_their_tolerance_have_no_levels(fits: Fits, floor: float, taken: bool) -> None:
    """Single values are tried if the path of a readable sum ends farther away than the sum may be."""
    fits.target.multiplicative = False
    fits.target.learned, fits.with_levels = 30, True
    fits.sum.kappa, fits.sum.floor, fits.sum.error = 4 * KAPPA, floor * KAPPA * TOLERANCE, 9.0
    assert fits.choose(readable=True) == (fits.levels if taken else fits.sum, "")
    assert fits.choose(readable=False) == (fits.levels, "")


@pytest.mark.parametrize(("multiplicative", "form"), [(False, "auto"), (True, "auto"), (True, "sum")])
def test_exact_sums_with_reciprocals(fits: Fits, multiplicative: bool, form: module.Form) -> None:
    """A sum with 1/x that fits all measured values is taken if the path of the other sum ends far from the full one."""
    fits.target.multiplicative = multiplicative
    exact = of(size=4)
    fits.exact[id(fits.reciprocal)] = exact
    assert fits.choose(form) == (fits.sum, "")
    fits.sum.floor = TOLERANCE
    assert fits.choose(form) == (exact, "")
    fits.target.positive = False
    assert fits.choose(form) == (fits.sum, "")


@pytest.mark.parametrize(
    ("size", "error", "kind", "taken"),
    [
        (11, 2.1, "numeric", True),
        (12, 2.1, "numeric", False),
        (11, 2.11, "numeric", False),
        (11, 2.1, "binary", False),
    ],
)
def test_reciprocals_instead_of_a_product(fits: Fits, size: int, error: float, kind: str, taken: bool) -> None:
    """A sum with 1/x that needs few terms replaces a product for an error that is up to 5 % larger."""
    fits.sum, fits.product.error = fits.projection(1.0, 12), 2.0
    fits.reciprocal = fits.projection(1.0, size)
    fits.reciprocal.error = error
    reason = "a product of factors: it needs 6 terms, a sum 12"
    assert fits.choose(kinds=(kind, "binary")) == ((fits.reciprocal, "") if taken else (fits.product, reason))


def test_a_sum_that_is_asked_for(fits: Fits) -> None:
    """Beyond 1.5 times the tolerance a product is a reference: a sum three times as far is tried with 1/x."""
    fits.sum, fits.product = fits.projection(1.5, 6), fits.projection(0.1, 6)
    assert fits.choose("sum") == (fits.sum, "")
    assert fits.calls == [("sum", 2)]
    # The product is no closer than the tolerance.
    fits.sum = fits.projection(3.0, 6)
    assert fits.choose("sum") == (fits.sum, "")
    fits.sum = fits.projection(3.01, 6)
    assert fits.choose("sum", kinds=("binary", "binary")) == (fits.sum, "")
    assert fits.choose("sum") == (fits.reciprocal, "")
    assert fits.calls == [("sum", 2), ("product", 2, MOST_TERMS), ("sum", 2, "reciprocal")]


def test_a_sum_that_is_too_far(fits: Fits) -> None:
    """A product replaces a sum that is more than three times as far from the full model, also with 1/x."""
    fits.sum, fits.product = fits.projection(6.2, 6), fits.projection(2.0, 6)
    fits.reciprocal = fits.projection(6.1, 6)
    assert fits.choose() == (fits.product, "a product of factors: a sum of terms is 3 times as far from the full model")
    fits.reciprocal = fits.projection(6.0, 6)
    assert fits.choose() == (fits.reciprocal, "")
    assert fits.calls[0] == ("sum", 2, "hopeless")


@pytest.mark.parametrize(("least", "replaced"), [(0.0, True), (-1.0, True), (0.01, False)])
def test_predictions_that_are_not_positive(fits: Fits, least: float, replaced: bool) -> None:
    """A product replaces a sum with predictions that are not positive."""
    fits.sum = fits.projection(1.0, 6, least=least)
    reason = "a product of factors: a sum of terms has predictions that are not positive"
    assert fits.choose() == ((fits.product, reason) if replaced else (fits.sum, ""))


@pytest.mark.parametrize(("shares", "distance", "replaced"), [(3.1, 1.0, True), (3.1, 1.01, False), (2.9, 1.0, False)])
def test_terms_that_cancel(fits: Fits, shares: float, distance: float, replaced: bool) -> None:
    """A product as close to the full model replaces a sum whose absolute shares add up to more than 3."""
    fits.sum = fits.projection(1.0, 6, cancelling=shares)
    fits.product = fits.projection(distance, 6)
    reason = "a product of factors: the terms of a sum cancel"
    assert fits.choose() == ((fits.product, reason) if replaced else (fits.sum, ""))


@pytest.mark.parametrize(("terms", "replaced"), [(11, False), (12, True)])
def test_a_sum_that_is_too_long(fits: Fits, terms: int, replaced: bool) -> None:
    """A product of 6 terms replaces a sum of more than 1.5 times as many and two."""
    fits.sum = fits.projection(1.0, terms)
    reason = f"a product of factors: it needs 6 terms, a sum {terms}"
    assert fits.choose() == ((fits.product, reason) if replaced else (fits.sum, ""))


@pytest.mark.parametrize(
    ("change", "most"),
    [
        # Products of up to (8 - 2) / 1.5 = 4 terms are printed, and forward selection may have 1.3 times as many.
        ({"size": 8}, 6),
        ({"size": 12}, 9),
        ({"size": 8, "distance": 1.51}, MOST_TERMS),
        ({"size": 8, "least": 0.0}, MOST_TERMS),
        ({"size": 8, "cancelling": 3.1}, MOST_TERMS),
    ],
)
def test_the_size_of_products(fits: Fits, change: dict[str, Any], most: int) -> None:
    """Products that are too long to replace a sum are not searched, unless the sum is poor."""
    fits.sum = fits.projection(change.pop("distance", 1.0), **change)
    fits.choose()
    assert fits.calls[:2] == [("sum", 2, "hopeless"), ("product", 2, most)]


@pytest.mark.parametrize(("distance", "replaced"), [(1.0, True), (1.01, False)])
def test_a_product_that_is_cut_off(fits: Fits, distance: float, replaced: bool) -> None:
    """A product whose path ended at its largest size, far from the full model, does not replace a longer sum."""
    fits.sum, fits.product = fits.projection(1.0, 12), fits.projection(1.0, 2)
    fits.product.path[-1].rms = distance * KAPPA * TOLERANCE
    found, _ = fits.choose()
    assert found is (fits.product if replaced else fits.sum)
    # It replaces a poor sum, for which products of all sizes were searched.
    fits.sum = fits.projection(1.51, 12, least=0.0)
    assert fits.choose()[0] is fits.product


def test_a_sum_that_was_cut_off(fits: Fits) -> None:
    """A sum whose path was ended early is searched to its end if no product replaces it."""
    fits.hopeless = True
    assert fits.choose() == (fits.again, "")
    assert fits.calls == [("sum", 2, "hopeless"), ("product", 2, 4), ("sum", 2)]
    fits.sum = fits.projection(1.0, 12)
    assert fits.choose()[0] is fits.product
    assert fits.calls == [("sum", 2, "hopeless"), ("product", 2, 9), ("sum", 2, "hopeless", "reciprocal")]
