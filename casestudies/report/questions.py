"""The numbers behind the answers to the thesis' research questions RQ1 to RQ5 (chapter 1, section 5.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations

from casestudies.report.studies import DESIGNS, Case
from casestudies.report.tables import ANALYTICAL, ERROR_RATE, MEASURED, PUBLISHED, label, named, number, row
from comparison import compare
from comparison.result import SemanticComparison, SyntacticComparison
from comparison.semantic import compare_values
from comparison.statistics import Correlation, correlations
from splc.io.numbers import rounded_text
from splc.io.tables import Cell, Table
from splc.models.influence import InfluenceModel
from splc.study.results import Run

# Greater is more alike.
SIMILARITIES = ("syntactic", "cosine", "jaccard")
SEMANTIC = tuple(key for key in PUBLISHED if key != "syntactic")
# Key of a table → key of a correlation.
CORRELATED = {key: key.replace("power_", "power") for key in SEMANTIC if key != ERROR_RATE}


@cache
def by_terms(case: Case) -> tuple[tuple[Run, InfluenceModel, SyntacticComparison], ...]:
    """Return the comparisons of the analytical model's terms with those of each learned one."""
    return tuple(
        (run, model, compare(case.analytical, model, at=case.study.at, constant=case.study.constant).syntactic)
        for run, model in case.models
    )


def analytical_terms(compared: SyntacticComparison, found: bool = False) -> list[str]:
    """Return the terms of the first model; with `found` only those that the second one has, too."""
    terms = [term for group in compared.classes for term in group.terms if term.first is not None]
    return [term.text for term in terms if not found or term.second is not None]


def influences(cases: Iterable[Case]) -> Table:
    """Return the numbers of terms of the analytical models that were learned (RQ1)."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        compared = by_terms(case)
        terms = [analytical_terms(each, found=True) for _, _, each in compared]
        most, place = max((len(texts), -place) for place, texts in enumerate(terms))
        full = next(texts for (run, _, _), texts in zip(compared, terms, strict=True) if run.task.sampling == "ff")
        same = sum(t.found == "same" for _, _, each in compared for group in each.classes for t in group.terms)
        scores = [each.normalized for _, _, each in compared if each.normalized is not None]
        rows.append(
            (
                case.kind.title,
                len(analytical_terms(compared[0][2])),
                len(full),
                f"{most} ({label(compared[-place][0])})" if most else "0",
                len(set().union(*terms)),
                same,
                f"{rounded_text(min(scores), 2)} to {rounded_text(max(scores), 2)}",
                sum(each.score > 0 for _, _, each in compared),
                len(compared),
            )
        )
    columns = (
        "case",
        "terms of the analytical model",
        "found by FF",
        "most found",
        "found by any",
        "same influence",
        "SC, normalised",
        "SC above 0",
        "models",
    )
    return Table(columns, tuple(rows), "RQ1: terms of the analytical models that were learned")


def term_counts(cases: Iterable[Case]) -> str:
    """Return the terms of the analytical models with the number of models that have them, as a list (RQ1)."""
    lines = []
    for case in cases:
        compared = by_terms(case)
        every = analytical_terms(compared[0][2])
        count = Counter(text for _, _, each in compared for text in analytical_terms(each, found=True))
        found = [f"`{text}` {count[text]}" for text in sorted(every, key=lambda text: -count[text]) if count[text]]
        never = [text for text in every if not count[text]]
        said = f"- **{case.kind.title}** ({len(compared)} models): {', '.join(found) or 'none was found'}"
        if never:
            examples = ", ".join(f"`{text}`" for text in never[:3]) + (", …" if len(never) > 3 else "")
            said += f"; never found: {len(never)} ({examples})"
        lines.append(said)
    return "\n".join(lines) + "\n"


def means(case: Case, group: str, key: str) -> dict[str, float]:
    """Return design → mean over the seeds of a measure."""
    cells = row(case.runs, lambda run: run.values.get(group, {}).get(key))
    values = {name: number(cell) for name, cell in zip(DESIGNS, cells, strict=True)}
    return {name: value for name, value in values.items() if value is not None}


def published(case: Case, key: str) -> dict[str, float]:
    """Return design → the thesis' value of a measure of learned models against the analytical one."""
    values = {name: number(case.published(ANALYTICAL, key, name)) for name in DESIGNS}
    return {name: value for name, value in values.items() if value is not None}


def extremes(values: dict[str, float]) -> str:
    """Return the least and the greatest value with their designs."""
    if not values:
        return "–"
    least, greatest = min(values, key=lambda name: values[name]), max(values, key=lambda name: values[name])
    ends = [f"{rounded_text(values[name], 3)} ({DESIGNS[name]})" for name in (least, greatest)]
    return " to ".join(ends)


def samplings(cases: Iterable[Case]) -> Table:
    """Return the ranges of the similarities over the designs (RQ2)."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        theirs = extremes(published(case, ERROR_RATE)), "SC " + extremes(published(case, "syntactic"))
        ours = [extremes(means(case, ANALYTICAL, key)) for key in (ERROR_RATE, "syntactic_normalized")]
        rows.append((case.kind.title, "ER (%) relative to the learned model", ours[0], theirs[0]))
        rows.append(("", "SC, normalised", ours[1], theirs[1]))
        rows.append(("", "ER (%) relative to the measurements", extremes(means(case, MEASURED, "error_rate")), "–"))
    return Table(("case", "measure", "ours", "thesis"), tuple(rows), "RQ2: least and greatest mean of a design")


def syntactic_only(cases: Iterable[Case]) -> Table:
    """Return the correlation of the syntactic score with error rates (RQ3)."""
    rows: list[tuple[Cell, ...]] = []
    for case in cases:
        cells: list[Cell] = [case.kind.title]
        pairs = [
            (run, compared.normalized)
            for run, _, compared in by_terms(case)
            if any(run is distinct for distinct, _, _ in case.distinct)
        ]
        for group, key in ((ANALYTICAL, ERROR_RATE), (MEASURED, "error_rate")):
            found = [
                SemanticComparison(0, {"score": score, "error_rate": run.values[group][key]}, {})
                for run, score in pairs
            ]
            cells.append(correlation_text(correlations(found)[0]))
        scores, rates = means(case, ANALYTICAL, "syntactic_normalized"), means(case, MEASURED, "error_rate")
        best = max(scores, key=lambda name: scores[name]), min(rates, key=lambda name: rates[name])
        rows.append((*cells, *(DESIGNS[name] for name in best), len(pairs)))
    columns = (
        "case",
        "with ER relative to the learned model",
        "with ER relative to the measurements",
        "best SC",
        "best ER",
        "models",
    )
    return Table(columns, tuple(rows), "RQ3: Spearman's rank correlation of the normalised score (95 % interval)")


def preferred(values: dict[str, float], key: str) -> str:
    """Return the design that a measure prefers."""
    if not values:
        return "–"
    best = max(values.values()) if key in SIMILARITIES else min(values.values())
    return ", ".join(DESIGNS[name] for name, value in values.items() if value == best)


def preferences(cases: Sequence[Case]) -> Table:
    """Return the design that each measure prefers (RQ4)."""
    rows: list[tuple[Cell, ...]] = []
    for key in PUBLISHED:
        ours = [preferred(means(case, ANALYTICAL, key), key) for case in cases]
        theirs = [preferred(published(case, key), key) for case in cases]
        rows.append((named(key), "ours", *ours))
        rows.append(("", "thesis", *theirs))
    columns = ("measure", "", *(case.kind.title for case in cases))
    return Table(columns, tuple(rows), "RQ4: the design whose models a measure finds nearest to the analytical model")


def all_pairs(case: Case) -> tuple[list[SemanticComparison], list[tuple[int, int]]]:
    """Return all pairs of the measurements, the learned models and the analytical model.

    The first of a pair is the reference: the measurements, or a learned model.
    """
    configurations = case.loaded.inputs.measurements.configurations
    learned = [predicted for _, _, predicted in case.distinct]
    values = [case.loaded.inputs.measured, *learned, case.analytical.predict(configurations)]
    pairs = list(combinations(range(len(values)), 2))
    return [
        compare_values(values[i], values[j], keys=("error_rate", "cosine", "jaccard", "chebyshev")) for i, j in pairs
    ], pairs


def agreement(case: Case) -> dict[str, tuple[dict[str, Correlation], int]]:
    """Return the kind of pairs → measure → its correlation with the error rate, and the number of pairs."""
    comparisons, pairs = all_pairs(case)
    analytical = max(j for _, j in pairs)
    with_analytical = [comparison for comparison, (_, j) in zip(comparisons, pairs, strict=True) if j == analytical]
    values = {key: published(case, key) for key in SEMANTIC}
    theirs = [SemanticComparison(0, {key: values[key][name] for key in SEMANTIC}, {}) for name in DESIGNS]
    found = {
        "ours, all pairs": (correlations(comparisons, pairs=pairs), CORRELATED, len(pairs)),
        "ours, with the analytical model": (correlations(with_analytical), CORRELATED, len(with_analytical)),
        "thesis, with the analytical model": (
            correlations(theirs, ERROR_RATE),
            {key: key for key in CORRELATED},
            len(theirs),
        ),
    }
    return {
        which: ({key: each for key in keys for each in made if each.measure == keys[key]}, count)
        for which, (made, keys, count) in found.items()
    }


def with_error_rate(cases: Sequence[Case]) -> Table:
    """Return the correlations of the measures with the error rate (RQ5)."""
    made = [agreement(case) for case in cases]
    rows: list[tuple[Cell, ...]] = []
    for key in CORRELATED:
        name = named(key)
        for which in made[0]:
            rows.append((name, which, *(correlation_text(found[which][0][key]) for found in made)))
            name = ""
    rows += [("pairs", which, *(str(found[which][1]) for found in made)) for which in made[0]]
    columns = ("measure", "over", *(case.kind.title for case in cases))
    return Table(columns, tuple(rows), "RQ5: Spearman's rank correlation with the error rate (95 % interval)")


def correlation_text(found: Correlation) -> str:
    """Return a correlation with its interval as text."""
    if found.spearman is None:
        return "undefined"
    if found.low is None or found.high is None:
        return f"{found.spearman:.2f}"
    return f"{found.spearman:.2f} ({found.low:.2f} to {found.high:.2f})"
