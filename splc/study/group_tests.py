"""The statistical comparison of a study's samplings and learners by the errors of their runs."""

from __future__ import annotations

from collections.abc import Iterator

from comparison.statistics import GroupTest, compare_groups
from splc.io.tables import Cell, Table
from splc.study.results import Results


def study_test(results: Results) -> GroupTest | None:
    """Return the comparison of the errors on all measured configurations, over the seeds.

    A group is a sampling, with several learners a learner and a sampling. None if fewer than two groups have several
    runs with an error.
    """
    several = len({run.task.learner.name for run in results.runs}) > 1
    groups: dict[str, list[float]] = {}
    for run in results.runs:
        if run.record.error_all is not None:
            name = f"{run.task.learner.name}, {run.task.sampling}" if several else run.task.sampling
            groups.setdefault(name, []).append(run.record.error_all)
    return compare_groups(dict(sorted(groups.items())))


def group_tables(test: GroupTest) -> Iterator[Table]:
    """Yield the table of groups, and that of pairs."""
    rows: list[tuple[Cell, ...]] = [(name, test.sizes[name], median) for name, median in test.medians.items()]
    caption = (
        f"Errors on all measured configurations over the seeds: Kruskal-Wallis H = {test.statistic:.4g}, "
        f"p = {test.p_value:.3g}"
    )
    yield Table(("group", "runs", "median error, %"), tuple(rows), caption)
    pairs: list[tuple[Cell, ...]] = [
        (pair.first, pair.second, pair.p_value, pair.a12, pair.magnitude) for pair in test.pairs
    ]
    dunn = f"Dunn's test, corrected ({test.correction})"
    caption = f"Pairs: {dunn}, and A12, above 0.5 if the first has the larger errors"
    yield Table(("first", "second", "Dunn p", "A12", "effect"), tuple(pairs), caption)
