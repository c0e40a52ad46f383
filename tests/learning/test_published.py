"""The models that SPL Conqueror learns from all measurements of real systems."""

from __future__ import annotations

from typing import Any

import pytest

from splc.learning import learn
from tests.learning.conftest import README, measured

# (system, settings): error in percent, termination, influences by term as SPL Conqueror's log writes them.
PUBLISHED: list[tuple[str, dict[str, Any], float, str, dict[str, float]]] = [
    ("LLVM", README, 5.194, "abortError", {"time_passes": 228.863, "gvn": 16.0599}),
    (
        "LLVM",
        {},
        2.234,
        "minImprovementPerRound",
        {
            "time_passes": 203.665,
            "gvn": 22.7272,
            "licm": 23.5494,
            "instcombine": 12.0286,
            "inline": 14.819,
            "gvn * licm": -13.3346,
        },
    ),
    ("x264", README, 9.193, "abortError", {"no_asm": 461.609, "ref_1": -184.195, "ref_9": 184.627}),
    (
        "x264",
        {},
        3.599,
        "minImprovementPerRound",
        {
            "no_asm": 445.67,
            "ref_1": -172.27,
            "ref_9": 189.663,
            "no_mbtree": 60.4947,
            "no_8x8dct": -20.7638,
            "no_mixed_refs * ref_9": -117.33,
            "no_fast_pskip * ref_9": 107.26,
            "no_mbtree * ref_1": -29.2647,
            "no_cabac": -7.85179,
            "no_fast_pskip * ref_1": 5.41446,
        },
    ),
    (
        "Dune",
        README,
        11.595,
        "minImprovementPerRound",
        {
            "Precon": 11088.5,
            "post_0": 2726.84,
            "cells_50": -2495.19,
            "cells_51": -2049.93,
            "SeqSOR": 965.946,
            "post_6": -1728.36,
            "cells_52": -1389.51,
            "pre_1 * post_0": 10609.6,
            "post_5": -1341.29,
        },
    ),
]


@pytest.mark.real_data
@pytest.mark.parametrize(("system", "settings", "error", "termination", "influences"), PUBLISHED)
def test_published_models_are_met(
    system: str, settings: dict[str, Any], error: float, termination: str, influences: dict[str, float]
) -> None:
    """The preset `splconqueror` learns SPL Conqueror's terms, influences, error and stop reason from all rows."""
    result = learn(measured(system), "Performance", "splconqueror", settings=settings)
    order = result.model.order
    assert {t.log_text(order, result.base): pytest.approx(t.influence, rel=5e-6) for t in result.terms} == influences
    assert result.learning_error is not None
    assert result.learning_error == pytest.approx(error, abs=5e-4)
    assert result.termination == termination
    assert result.error is None
    assert result.error_all == result.learning_error
