"""What `splc compare --json` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from comparison.result import Comparison, SemanticComparison, SyntacticComparison
    from splc.cli.show.compare_tables import Report


def as_json(report: Report) -> dict[str, Any]:
    """Return the content of the JSON object: of two models their comparison, of more a list of such objects."""
    from splc import __version__

    compared = report.compared
    configurations = report.places.configurations
    content: dict[str, Any] = {
        "version": __version__,
        "models": [
            {
                "name": model.name,
                "file": subject.file,
                "sha256": subject.sha256,
                "kind": subject.kind,
                "nfp": subject.nfp,
                "link": model.model.link,
                "text": model.bound.text,
                "terms": len(model.bound.terms),
            }
            for model, subject in zip(compared.models, report.subjects, strict=True)
        ],
        "nfp": compared.nfp,
        "on": report.places.text,
        "configurations": 0 if configurations is None else len(configurations),
        "seed": report.seed,
        "files": report.files,
        "settings": {**compared.settings, **report.settings},
    }
    pairs = [comparison_object(pair) for pair in compared.comparisons]
    content |= pairs[0] if len(pairs) == 1 else {"comparisons": pairs}
    content["measured"] = [
        {"model": judged.model, **semantic_object(judged.semantic), "covered": judged.covered}
        for judged in compared.judged
    ]
    if "ranges" in report.tables:
        content["ranges"] = ranges_object(report)
    if "correlations" in report.tables:
        from splc.cli.show.compare_tables import all_correlations

        content["correlations"] = [vars(found) for found in all_correlations(report)]
    return content


def comparison_object(pair: Comparison) -> dict[str, Any]:
    """Return the comparison of two models."""
    content: dict[str, Any] = {
        "first": pair.first,
        "second": pair.second,
        "syntactic": syntactic_object(pair.syntactic),
        "semantic": None if pair.semantic is None else semantic_object(pair.semantic),
        "hybrid": None,
        "intervals": None if pair.intervals is None else vars(pair.intervals),
    }
    if pair.hybrid is not None:
        content["hybrid"] = {
            "syntactic": pair.hybrid.syntactic,
            "semantic": pair.hybrid.semantic,
            "classes": [vars(share) for share in pair.hybrid.classes],
        }
    return content


def syntactic_object(found: SyntacticComparison) -> dict[str, Any]:
    """Return a syntactic comparison: in sum, per class and per term; `a` and `b` are the two influences."""
    return {
        "score": found.score,
        "lower": found.lower,
        "upper": found.upper,
        "normalized": found.normalized,
        "constant": found.constant,
        "classes": [
            {
                "options": group.options,
                "score": group.score,
                "lower": group.lower,
                "upper": group.upper,
                "normalized": group.normalized,
                "terms": [
                    {"term": term.text, "score": term.score, "found": term.found, "a": term.first, "b": term.second}
                    for term in group.terms
                ],
            }
            for group in found.classes
        ],
        "unseen": [vars(each) for each in found.unseen],
    }


def semantic_object(found: SemanticComparison) -> dict[str, Any]:
    """Return a semantic comparison: the measures by their keys."""
    return {
        "configurations": found.configurations,
        **found.values,
        "mean_power": found.mean_power,
        "left_out": found.left_out,
        "left_out_reversed": found.left_out_reversed,
        "negative_predictions": found.negative,
        "weights": found.weights,
    }


def ranges_object(report: Report) -> list[dict[str, Any]]:
    """Return the least and greatest contributions of the terms of each model."""
    from comparison.ranges import term_ranges

    return [
        {
            "model": model.name,
            "terms": [
                {
                    "term": found.term.text(model.model.order),
                    "influence": found.influence,
                    "low": found.low,
                    "high": found.high,
                    "low_at": found.low_at,
                    "high_at": found.high_at,
                    "exact": found.exact,
                }
                for found in term_ranges(model.model, report.space)
            ],
        }
        for model in report.compared.models
    ]
