"""Comparison of models by their terms (syntactic) and by their predictions (semantic)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from splc.lazy import attach

if TYPE_CHECKING:
    from comparison.compare import compare as compare
    from comparison.compare import compare_all as compare_all
    from comparison.compare import compared_model as compared_model
    from comparison.result import ComparedModel as ComparedModel
    from comparison.result import Comparison as Comparison
    from comparison.result import Comparisons as Comparisons

__all__ = ["ComparedModel", "Comparison", "Comparisons", "compare", "compare_all", "compared_model"]

attach(
    __name__,
    {
        "ComparedModel": "comparison.result",
        "Comparison": "comparison.result",
        "Comparisons": "comparison.result",
        "compare": "comparison.compare",
        "compare_all": "comparison.compare",
        "compared_model": "comparison.compare",
    },
)
