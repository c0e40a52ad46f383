"""Candidates with reciprocals of numeric options."""

from __future__ import annotations

import numpy as np

from splc.learning.features import Feature, FeatureTable
from splc.learning.stepwise.candidates import CandidateGrid
from splc.learning.stepwise.settings import Settings


def test_terms_with_binary_options_are_not_divided() -> None:
    """As in SPL Conqueror, no candidate has both a binary option and a reciprocal; other quotients are offered."""
    rng = np.random.default_rng(4)
    columns = {"a": rng.integers(0, 2, 80).astype(float), **{n: rng.integers(1, 9, 80).astype(float) for n in "xy"}}
    features = (Feature("a", False), *(Feature(name, True, 1.0, 8.0, has_zero=False) for name in "xy"))
    for functions in (["learn_asymFunction"], ["learn_ratioFunction"], ["learn_asymFunction", "learn_ratioFunction"]):
        grid = CandidateGrid(
            FeatureTable(features, columns, np.ones(80)), Settings().changed(dict.fromkeys(functions, True))
        )
        for name in ("a", "x", "1 / x", "a * x", "x * x"):
            cells = {
                grid.candidate(int(head), int(atom)).learned(1).log_text(): (int(head), int(atom))
                for head, atom in zip(*np.nonzero(grid.offered), strict=True)
            }
            if name in cells:
                grid.choose(*cells[name])
        offered = [
            grid.candidate(int(head), int(atom)).learned(1).term
            for head, atom in zip(*np.nonzero(grid.offered), strict=True)
        ]
        quotients = [term for term in offered if any(factor.power < 0 for factor in term.factors)]
        assert any(term.options == {"x", "y"} for term in quotients)
        assert not any("a" in term.options for term in quotients)
        assert any("a" in term.options and len(term.options) == 3 for term in offered)
