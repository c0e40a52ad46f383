"""The tables and the picture of recomputed errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from casestudies.published_logs.log_errors import ALL_VALUES
from casestudies.published_logs.logs import Cell as Means
from casestudies.published_logs.logs import Result, StrategyTest
from splc.cli.signature import print_item
from splc.cli.terminal import say
from splc.io.tables import Cell, Spread, Table
from splc.workflows.views import Column, columns, counted, table_of

# Failures that are listed in the text.
MAX_FAILURES = 20
RELEARNED = "relearned"
TABLES = ("errors", "tests", "failures", "pairs", "logs", RELEARNED)


def tables_of(result: Result, names: Iterable[str]) -> list[Table]:
    """Return the tables with these names."""
    tests = [_tested(test) for test in result.tests]
    pairs = [(test, pair) for test in result.tests for pair in test.test.pairs]
    correction = result.tests[0].test.correction if result.tests else ""
    about_pairs = f"p is corrected ({correction}); A12 above 0.5: the first has the larger errors"
    again = [learning for learning in result.learnings if learning.relearned is not None]
    tables: dict[str, tuple[Sequence[Any], Sequence[Column], str | None]] = {
        "errors": (
            result.cells,
            ERRORS,
            "Mean errors of the last and of the best round on all measured configurations, %",
        ),
        "tests": (tests, TESTS, "Strategies compared by the recomputed errors of the last round"),
        "pairs": (pairs, PAIRS, f"Pairs of strategies; {about_pairs}"),
        "logs": (result.learnings, LOGS, None),
        "failures": (result.failures, FAILURES, "Not recomputed"),
        RELEARNED: (
            again,
            ROUNDS,
            "Learned again: the first rounds that are equal, how the sample is drawn, and what differs",
        ),
    }
    return [table_of(*tables[name]) for name in names]


def _error(cell: Means) -> Cell:
    return cell.error if cell.deviation is None else Spread(cell.error, cell.deviation, relative=False)


def _tested(row: StrategyTest) -> dict[str, Any]:
    """Return the cells of the comparison of the strategies of a system and size."""
    test = row.test
    best = min(test.medians, key=lambda name: test.medians[name])
    dunn = f"{sum(pair.p_value < 0.05 for pair in test.pairs)} of {len(test.pairs)}"
    cells = {"strategies": len(test.sizes), "dunn": dunn, "best": best, "median": test.medians[best]}
    return {**vars(row), **vars(test), **cells}


ERRORS = (
    *columns("system, strategy, size, learnings = count, rounds, stated"),
    Column("recomputed", _error),
    *columns("best stated, best recomputed = best, differ = differing"),
)
TESTS = columns(
    "system, size, strategies, Kruskal-Wallis H = statistic, p = p_value, pairs p < 0.05 = dunn, least median = best, "
    "median"
)
PAIRS = columns(
    "system = 0.system, size = 0.size, first = 1.first, second = 1.second, Dunn p = 1.p_value, A12 = 1.a12, "
    "effect = 1.magnitude"
)
LOGS = (
    *columns("file, learning, system, strategy"),
    Column("sampling", lambda row: "; ".join(row.sampling)),
    *columns("size, rounds, stated, recomputed = error, best stated, best recomputed = best, best round, checked"),
    *columns("differ = differing"),
    Column("rule", lambda row: ", ".join(row.rules)),
)
FAILURES = columns("file, reason")
ROUNDS = columns(
    "file, learning, rounds = relearned.rounds, equal = relearned.equal, sample = relearned.sample, "
    "result = relearned.reason"
)


def show(result: Result, tables: Sequence[Table]) -> None:
    """Print tables and a summary."""
    for table in tables:
        if table.rows:
            # The list of failures may be long.
            many = table.columns == tuple(column.title for column in FAILURES) and len(table.rows) > MAX_FAILURES
            print_item(replace(table, rows=table.rows[:MAX_FAILURES]) if many else table)
            if many:
                say(f"… {len(table.rows) - MAX_FAILURES:,} more (--table failures --csv)")
            say()
    checked = sum(learning.checked for learning in result.learnings)
    agree = checked - result.differing
    say(
        f"{counted(result.logs, 'log')}, {counted(len(result.learnings), 'learning')}: "
        f"{agree:,} of {counted(checked, 'stated error')} recomputed, {result.differing:,} differ"
    )
    if any(rule != ALL_VALUES for rule in result.rules):
        say("right by the rule: " + ", ".join(f"{rule} {count:,}" for rule, count in result.rules.items()))
    again = [learning.relearned for learning in result.learnings if learning.relearned is not None]
    if again:
        complete, samples = sum(row.complete for row in again), sum(bool(row.sample) for row in again)
        say(
            f"{complete:,} of {counted(len(again), 'learning')} relearned with equal rounds, "
            f"{result.not_relearned:,} differ, the samples of {len(again) - samples:,} cannot be drawn again"
        )
    if result.switches:
        say(f"{counted(len(result.switches), 'log')} without a learning: their scripts continue in other logs")


def picture(result: Result, file_format: str) -> bytes | None:
    """Return the plot of errors by size and strategy; None if no sampling has both."""
    from splc.plotting.charts.curves import learning_curve_chart
    from splc.plotting.charts.drawing import chart_file

    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for cell in result.cells:
        if cell.size is not None and cell.error is not None:
            lines = panels.setdefault(cell.system, {})
            lines.setdefault(cell.strategy, []).append((cell.size, cell.error, cell.deviation or 0.0))
    if not panels:
        return None
    strategies = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    title = "Errors by the number of configurations learned from"
    return chart_file(learning_curve_chart(panels, strategies, title, "strategy"), file_format)
