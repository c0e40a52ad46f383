"""Large systems: counts, draws and designs by D4 and the SAT solver, and what happens without them."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import sample
from sampling.space import analysis, circuit, satisfiability
from sampling.space.circuit import Circuit
from sampling.space.space import Space
from splc.errors import SpaceError, VariabilityError
from splc.system.variability import VariabilityModel

needs_d4 = pytest.mark.skipif(not circuit.d4_is_installed(), reason="d4solver is not installed")
needs_sat = pytest.mark.skipif(not satisfiability.is_installed(), reason="python-sat is not installed")
PAIRS = 60


def large(more: tuple[str, ...] = (), pairs: int = PAIRS) -> VariabilityModel:
    """Return pairs of which at least one option is selected; `a0` needs all other a's, and `dead` is dead."""
    names = [f"{letter}{number}" for number in range(pairs) for letter in "ab"]
    constraints = [f"a{number} | b{number}" for number in range(pairs)]
    constraints += [f"!a0 | a{number}" for number in range(1, pairs)]
    return VariabilityModel.of(
        dict.fromkeys([*names, "dead"], bool), [*constraints, "!dead | !a0", "!dead | a0", *more]
    )


@needs_d4
def test_counts_and_draws() -> None:
    """The count is exact, and draws are valid and distinct; the same seed draws the same."""
    system = large()
    space = Space(system)
    assert isinstance(next(each for each in space.solutions.compiled if len(each.variables) > 1), Circuit)
    assert space.count == 3 ** (PAIRS - 1) + 2**PAIRS
    drawn = space.draw(200, np.random.default_rng(3))
    assert space.check(drawn).all()
    assert len(np.unique(drawn.indices, axis=0)) == 200
    assert (space.draw(200, np.random.default_rng(3)).indices == drawn.indices).all()


@needs_d4
@needs_sat
def test_description() -> None:
    """The description names dead options and constraints without effect, and what answered."""
    found = analysis.describe(Space(large(("a1 | b1 | b2",))))
    assert found.dead == ("dead",)
    assert found.core == ()
    assert found.engine == "d-DNNF (D4)"
    assert [each.options for each in found.findings if each.kind == "constraint never binds"] == [("a1", "b1", "b2")]


@needs_d4
@needs_sat
def test_designs() -> None:
    """Option-wise and t-wise samples of a large system are valid and select what they promise."""
    system = large()
    space = Space(system)
    single = sample(system, "optionwise")
    assert space.check(single).all()
    selected = single.indices == 1
    # Each option but the dead one, with as few others as possible: one per pair, and all a's for a0.
    assert selected.any(axis=0).sum() == 2 * PAIRS
    assert selected.sum(axis=1).min() == PAIRS
    for text in ("twise:2", "covering:2"):
        pairs = sample(system, text)
        assert space.check(pairs).all()
        assert len(pairs) < 60
        on = pairs.indices[:, : 2 * PAIRS].astype(int)
        both = (on.T @ on) > 0
        assert both.all()


@needs_d4
def test_what_needs_diagrams() -> None:
    """Designs that walk through decision diagrams have them on demand, or say what larger systems have instead."""
    found = sample(large(), "negoptionwise:first")
    assert Space(found.system).check(found).all()
    with pytest.raises(SpaceError, match=r"too many") as caught:
        sample(large(pairs=260), "negoptionwise")
    assert "random:N" in str(caught.value)


@needs_sat
def test_contradiction() -> None:
    """A large system without a valid configuration names constraints that contradict each other."""
    with pytest.raises(VariabilityError) as caught:
        analysis.describe(Space(large(("a1 | dead", "!a1 | dead"))))
    assert any(problem.text and "a1" in problem.text for problem in caught.value.problems)


@needs_d4
@needs_sat
def test_beyond_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """If D4 reaches its limits, nothing is counted; the solver finds dead options and covers the options."""
    monkeypatch.setattr(circuit, "SECONDS", 0)
    system = large(("a1 | b1 | b2",))
    space = Space(system)
    assert not space.is_counted
    found = analysis.describe(space)
    assert (found.count, found.dead, found.core, found.engine) == (None, ("dead",), (), "SAT (Glucose)")
    assert [each.options for each in found.findings if each.kind == "constraint never binds"] == [("a1", "b1", "b2")]
    single = sample(system, "optionwise")
    assert space.check(single).all()
    assert (single.indices == 1).any(axis=0).sum() == 2 * PAIRS
    assert space.check(sample(system, "twise:2")).all()
    drawn, note = space.draw_approximately(50, np.random.default_rng(0))
    assert space.check(drawn).all()
    assert "approximately" in note
