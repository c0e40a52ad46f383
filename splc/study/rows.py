"""The rows of a study's tables: the measures with their order and unit, and their values in comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comparison.measures import DEFAULT_KEYS, measure
from comparison.result import Comparison, SemanticComparison
from splc.study.reference import published_error_rate

POWERS = (1.0, 2.0, 3.0)
Values = Mapping[str, float | None]

# In the order and units of tables 5.6 to 5.13 of the thesis, whose distances are means without a root.
_SYNTACTIC = {"syntactic": "SC, syntactic score"}
_PUBLISHED = {
    "cosine": "CS, cosine similarity, %",
    "jaccard": "JS, Jaccard similarity, %",
    "mean_power_1": "MD, mean |a - b|, as published",
    "mean_power_2": "ED, mean |a - b|^2, as published",
    "mean_power_3": "MiD, mean |a - b|^3, as published",
    "chebyshev": "CD, max |a - b|",
}
TERMS = {
    "syntactic_lower": "SC, least possible",
    "syntactic_upper": "SC, greatest possible",
    "syntactic_normalized": "SC, normalised to 0..1",
    "hybrid_syntactic": "hybrid, by terms, 0..1",
    "hybrid_semantic": "hybrid, by contributions, 0..1",
}
OURS = {
    "manhattan": "Manhattan distance, sum |a - b|",
    "euclidean": "Euclidean distance, (sum |a - b|^2)^(1/2)",
    "minkowski3": "Minkowski distance, (sum |a - b|^3)^(1/3)",
}
OF_TERMS = ("syntactic", *TERMS)
# Fractions that the thesis states in percent.
_IN_PERCENT = ("cosine", "jaccard")
_RELATIVE_TO = {"error_rate": "a", "error_rate_reversed": "b"}


def published_titles(group: str) -> dict[str, str]:
    """Return key → title of the rows of the thesis' tables for a group of comparisons, in order."""
    rate = published_error_rate(group)
    return {**_SYNTACTIC, rate: f"ER, error rate, % of {_RELATIVE_TO[rate]}", **_PUBLISHED}


def titles(group: str, further: Sequence[str] = ()) -> dict[str, str]:
    """Return key → title of all rows of a group of comparisons, in order."""
    [other_rate] = set(_RELATIVE_TO) - {published_error_rate(group)}
    titles_by_key = {
        **published_titles(group),
        **TERMS,
        other_rate: f"error rate, % of {_RELATIVE_TO[other_rate]}",
        **OURS,
    }
    for key in further:
        entry = measure(key)
        titles_by_key.setdefault(key, f"{entry.title}, %" if entry.kind == "percent" else entry.title)
    return titles_by_key


def measure_keys(further: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys of all rows."""
    return tuple(titles("measured_learned", further))


def semantic_keys(further: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys of the measures of predictions to compute."""
    return tuple(dict.fromkeys((*DEFAULT_KEYS, *further)))


def in_table(key: str, value: float | None) -> float | None:
    """Return a value in the unit of the tables."""
    return 100 * value if key in _IN_PERCENT and value is not None else value


def semantic_values(found: SemanticComparison) -> dict[str, float | None]:
    """Return the values of a comparison of predictions: error rates in percent, similarities as fractions."""
    return {**found.values, **{f"mean_power_{power}": value for power, value in found.mean_power.items()}}


def pair_values(found: Comparison) -> dict[str, float | None]:
    """Return the values of a comparison of two models."""
    values: dict[str, float | None] = {
        "syntactic": found.syntactic.score,
        "syntactic_lower": found.syntactic.lower,
        "syntactic_upper": found.syntactic.upper,
        "syntactic_normalized": found.syntactic.normalized,
    }
    if not found.same_link:
        # Equal terms of a product and of a sum have different meanings.
        values = dict.fromkeys(values)
    if found.hybrid is not None:
        values["hybrid_syntactic"] = found.hybrid.syntactic
        values["hybrid_semantic"] = found.hybrid.semantic
    if found.semantic is not None:
        values.update(semantic_values(found.semantic))
    return values
