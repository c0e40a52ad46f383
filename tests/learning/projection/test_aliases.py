"""Terms that the learning set does not distinguish, against all pairs of columns."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.projection.columns import CONSTANT_PLACE, aliases_of
from splc.learning.projection.term_search import forward
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import BINARY, MIXED, candidates_of, target_of


def correlated(one: Array, other: Array) -> bool:
    """Return whether one of two columns is a linear function of the other, up to a thousandth of its variance."""
    if np.ptp(one) <= 1e-9 or np.ptp(other) <= 1e-9:
        return False
    return bool(np.corrcoef(one, other)[0, 1] ** 2 >= 1 - 1e-3)


@pytest.mark.parametrize("model", [BINARY, MIXED])
@pytest.mark.parametrize("learned", [5, 8, 12])
def test_aliases_by_trying_all_pairs(learned: int, model: VariabilityModel) -> None:
    """Aliases are no more complex, and functions of a term on the learning set only; the simplest three are told."""
    switches = ("b0", "b1") if model is BINARY else ("a", "b")
    target = target_of(
        model, lambda c: 10 + 4 * c(switches[0]) + 3 * c(switches[0]) * c(switches[1]), error=0.01, learned=learned
    )
    candidates = candidates_of(target, 2)
    # The constant has no aliases.
    terms = forward(candidates, target.scaled(target.predicted, False)[None], 4)[0].chosen
    assert len(terms) > 1
    plain = candidates.columns / target.factors(False)
    expected = []
    told: set[int] = set()
    for term in sorted(set(terms) - {CONSTANT_PLACE}, key=candidates.name):
        others = [
            other
            for other in range(1, len(plain))
            if other != term
            and candidates.factors[other] <= candidates.factors[term]
            and correlated(plain[term][:learned], plain[other][:learned])
            and not correlated(plain[term], plain[other])
            # A pair of printed terms is told once, with the later one.
            and (other not in terms or other in told)
        ]
        told.add(term)
        others.sort(key=lambda at: (candidates.factors[at], candidates.name(at)))
        expected += [(candidates.text(term), candidates.text(other)) for other in others[:3]]
    assert list(aliases_of(candidates, terms, learned)) == expected
    assert expected or model is MIXED or learned > 8


def test_nothing_to_tell() -> None:
    """The constant, and a learning set without rows, have no aliases."""
    rows = target_of(BINARY, lambda c: 10 + 4 * c("b0"), learned=5)
    candidates = candidates_of(rows, 2)
    assert aliases_of(candidates, [CONSTANT_PLACE], 5) == ()
    assert aliases_of(candidates, [0, 1, 2], 0) == ()
    assert aliases_of(candidates, (), 5) == ()
