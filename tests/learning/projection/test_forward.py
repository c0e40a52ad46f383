"""The ends of forward paths, with models that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from splc.learning.projection import forward as module
from splc.learning.projection.forward import MOST_TERMS, SAME_GAIN, _is_better, forward
from tests.support.objects import of

WEIGHT = 5.0


class Heirs:
    """Candidates that record of which terms heirs were added."""

    def __init__(self) -> None:
        self.of: list[int] = []

    def add_heirs(self, position: int) -> None:
        """Record a term."""
        self.of.append(position)


def path(
    monkeypatch: pytest.MonkeyPatch, squares: Sequence[float], tolerance: float = 1.0, **further: Any
) -> tuple[list[Any], list[int], int]:
    """Return the path over models with these sums of squares, the terms with heirs, and the number of exchanges."""
    candidates = Heirs()
    goal: Any = of(weight=WEIGHT, candidates=candidates)
    exchanges = 0

    def model(terms: int) -> Any:
        square = squares[terms - 1]
        return of(goal=goal, terms=range(terms), chosen=range(terms), square=square, rms=(square / WEIGHT) ** 0.5)

    def exchanged(added: Any, allowed: float) -> Any:
        nonlocal exchanges
        assert allowed == 0.0
        exchanges += 1
        return added

    monkeypatch.setattr(module, "fitted", lambda goal, chosen: model(len(chosen)))
    monkeypatch.setattr(
        module, "_next", lambda last: model(len(last.terms) + 1) if len(last.terms) < len(squares) else None
    )
    monkeypatch.setattr(module, "exchanged", exchanged)
    return forward(goal, tolerance, **further), candidates.of, exchanges


def falling(terms: int, last: float = 100.0) -> list[float]:
    """Return sums of squares that fall by a tenth of the squared tolerance with each term, down to `last`."""
    return [last + 0.1 * WEIGHT * (terms - at) for at in range(1, terms + 1)]


def test_paths_end_without_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each model has one term more, whose heirs become candidates; up to 12 terms are exchanged."""
    found, heirs, exchanges = path(monkeypatch, falling(20))
    assert [len(each.terms) for each in found] == list(range(1, 21))
    assert heirs == list(range(1, 20))
    assert exchanges == 11


@pytest.mark.parametrize(("gain", "terms"), [(0.0, 2), (-1.0, 2), (1e-13, 2), (1e-9, 3)])
def test_paths_end_where_nothing_is_gained(monkeypatch: pytest.MonkeyPatch, gain: float, terms: int) -> None:
    """A term that lowers the sum of squares by roundoff only, or raises it, is not added."""
    found, _, _ = path(monkeypatch, [1000.0, 500.0, 500.0 * (1 - gain)])
    assert len(found) == terms


@pytest.mark.parametrize(("share", "terms"), [(0.1001, 3), (0.0999, 2)])
def test_paths_end_at_a_tenth_of_the_tolerance(monkeypatch: pytest.MonkeyPatch, share: float, terms: int) -> None:
    """No term is added to a model that close to the full model."""
    found, _, _ = path(monkeypatch, [1000.0, WEIGHT * (2.0 * share) ** 2, 1e-9], tolerance=2.0)
    assert len(found) == terms


@pytest.mark.parametrize(("share", "terms"), [(0.0299, 5), (0.0301, 6)])
def test_paths_end_where_they_stall(monkeypatch: pytest.MonkeyPatch, share: float, terms: int) -> None:
    """Three terms that together lower the mean square by less than 0.03 of the squared tolerance are the last ones."""
    step = share * 4.0 * WEIGHT / 3
    squares = [900.0, 500.0, 500.0 - step, 500.0 - 2 * step, 500.0 - 3 * step, 100.0]
    found, _, _ = path(monkeypatch, squares, tolerance=2.0)
    assert len(found) == terms


def test_the_most_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths have 120 terms at most, and no more than asked for while they are farther away than the tolerance."""
    assert len(path(monkeypatch, falling(130))[0]) == MOST_TERMS
    assert len(path(monkeypatch, falling(130), most=7)[0]) == 7
    near = [1000.0, 500.0, 100.0, 0.99 * WEIGHT, 0.9 * WEIGHT, 0.8 * WEIGHT]
    assert len(path(monkeypatch, near, most=4)[0]) == 6
    far = [1000.0, 500.0, 100.0, 1.01 * WEIGHT, 0.9 * WEIGHT, 0.8 * WEIGHT]
    assert len(path(monkeypatch, far, most=4)[0]) == 4


@pytest.mark.parametrize(("last", "terms"), [(4.01, 40), (3.9, 50)])
def test_hopeless_paths(monkeypatch: pytest.MonkeyPatch, last: float, terms: int) -> None:
    """A path that is more than twice the tolerance away after 40 terms ends if a product may replace it."""
    squares = [*falling(40, last * WEIGHT), *falling(10, 0.5 * WEIGHT)]
    assert len(path(monkeypatch, squares, hopeless=True)[0]) == terms
    assert len(path(monkeypatch, squares)[0]) == 50


@pytest.mark.parametrize(
    ("gain", "better"),
    [
        (3.0, True),
        (2 * (1 + 1.1 * SAME_GAIN), True),
        (2 * (1 + 0.9 * SAME_GAIN), None),
        (2.0, None),
        (2 * (1 - 0.9 * SAME_GAIN), None),
        (2 * (1 - 1.1 * SAME_GAIN), False),
        (1.0, False),
    ],
)
def test_equal_gains_are_in_canonical_order(gain: float, better: bool | None) -> None:
    """The larger gain is better; of two that agree up to roundoff, that of the first term in canonical order."""
    goal: Any = of(candidates=of(name=lambda position: -position))
    for position, other in ((1, 2), (2, 1)):
        expected = position > other if better is None else better
        assert _is_better(goal, gain, position, 2.0, other) == expected
