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
    from comparison.statistics import GroupTest as GroupTest
    from comparison.statistics import compare_groups as compare_groups

__all__ = [
    "ComparedModel",
    "Comparison",
    "Comparisons",
    "GroupTest",
    "compare",
    "compare_all",
    "compare_groups",
    "compared_model",
]

attach(
    __name__,
    {
        "ComparedModel": "comparison.result",
        "Comparison": "comparison.result",
        "Comparisons": "comparison.result",
        "GroupTest": "comparison.statistics",
        "compare": "comparison.compare",
        "compare_all": "comparison.compare",
        "compare_groups": "comparison.statistics",
        "compared_model": "comparison.compare",
    },
)
