"""The output of `splc corpus`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from splc.cli.show.blocks import Column, columns, counted, show_table, table_of
from splc.cli.show.group_tests import GroupTestObject
from splc.cli.terminal import printable, say
from splc.formats.models.log_errors import ALL_VALUES
from splc.io.json_object import JsonObject, at, count, merged
from splc.io.tables import Cell, Spread, Table, csv_text, latex_text, markdown_text
from splc.splconqueror.corpus.corpus import Cell as CorpusCell
from splc.splconqueror.corpus.corpus import Result, StrategyTest
from splc.splconqueror.corpus.learnings import Failure, Recomputed
from splc.splconqueror.corpus.relearn import Relearned

# Failures that are listed in the text.
MAX_FAILURES = 20


class StrategyTestObject(JsonObject):
    """The strategies of a system and size compared."""

    system: str
    size: int | None
    test: GroupTestObject = merged()


class RelearnedObject(JsonObject):
    """A learning of a log that was learned again."""

    file: str
    learning: int
    relearned: Relearned = merged()


def _relearned(result: Result) -> list[Recomputed] | None:
    """Return the learnings that were learned again, None if that was not asked for."""
    return [row for row in result.learnings if row.relearned is not None] if result.request.relearn else None


class CorpusObject(JsonObject, schema="splc.corpus/1"):
    """The recomputed errors of a tree of logs, in percent."""

    folder: str = at("request.root")
    systems: str | None = at("request.systems")
    logs: int
    learnings: int = count("learnings")
    stated_errors: int = at(lambda result: sum(learning.checked for learning in result.learnings))
    differing: int
    without_learning: list[str] = at("switches")
    rules: dict[str, int]
    failures: list[Failure]
    interrupted: bool = at("stopped")
    cells: list[CorpusCell]
    tests: list[StrategyTestObject]
    relearned: list[RelearnedObject] | None = at(_relearned)
    notes: list[str] = at(lambda result: [str(note) for note in result.notes])


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
        "relearned": (
            again,
            RELEARNED,
            "Learned again: the first rounds that are equal, how the sample is drawn, and what differs",
        ),
    }
    return [table_of(*tables[name]) for name in names]


def _error(cell: CorpusCell) -> Cell:
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
RELEARNED = columns(
    "file, learning, rounds = relearned.rounds, equal = relearned.equal, sample = relearned.sample, "
    "result = relearned.reason"
)


def show(result: Result, tables: Sequence[Table], form: str) -> None:
    """Print tables and a summary, in one of the forms text, csv, markdown and latex."""
    if form != "text":
        writer = {"csv": csv_text, "markdown": markdown_text, "latex": latex_text}[form]
        print("\n".join(printable(writer(table)).rstrip("\n") for table in tables))
        return
    for table in tables:
        if table.rows:
            # The list of failures may be long.
            many = table.columns == tuple(column.title for column in FAILURES) and len(table.rows) > MAX_FAILURES
            show_table(replace(table, rows=table.rows[:MAX_FAILURES]) if many else table)
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
    from splc.plotting.charts.drawing import chart_file
    from splc.plotting.charts.learning_curves import learning_curve_chart

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
