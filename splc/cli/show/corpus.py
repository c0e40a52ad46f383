"""The output of `splc corpus`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from splc.cli.show.compare import show_table
from splc.cli.show.group_tests import GroupTestObject
from splc.cli.terminal import printable, say
from splc.errors import plural
from splc.formats.models.log_errors import ALL_VALUES
from splc.io.json_object import JsonObject, at, json_object, merged
from splc.io.tables import Cell, Spread, Table, csv_text, latex_text, markdown_text
from splc.splconqueror.corpus.corpus import Cell as CorpusCell
from splc.splconqueror.corpus.corpus import Result
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
    return [each for each in result.learnings if each.relearned is not None] if result.request.relearn else None


class CorpusObject(JsonObject, schema="splc.corpus/1"):
    """The recomputed errors of a tree of logs, in percent."""

    folder: str = at("request.root")
    systems: str | None = at("request.systems")
    logs: int
    learnings: int = at(lambda result: len(result.learnings))
    stated_errors: int = at(lambda result: sum(each.checked for each in result.learnings))
    differing: int
    without_learning: list[str] = at("switches")
    rules: dict[str, int]
    failures: list[Failure]
    interrupted: bool = at("stopped")
    cells: list[CorpusCell]
    tests: list[StrategyTestObject]
    relearned: list[RelearnedObject] | None = at(_relearned)
    notes: list[str] = at(lambda result: [str(note) for note in result.notes])


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object."""
    return json_object(CorpusObject, result)


def tables_of(result: Result, names: Iterable[str]) -> list[Table]:
    """Return the tables with these names."""
    builders = {
        "errors": errors_table,
        "tests": tests_table,
        "pairs": pairs_table,
        "logs": logs_table,
        "failures": failures_table,
        "relearned": relearned_table,
    }
    return [builders[name](result) for name in names]


def show(result: Result, tables: Sequence[Table], form: str) -> None:
    """Print tables and a summary, in one of the forms text, csv, markdown and latex."""
    if form != "text":
        written = {"csv": csv_text, "markdown": markdown_text, "latex": latex_text}[form]
        print("\n".join(printable(written(table)).rstrip("\n") for table in tables))
        return
    for table in tables:
        if table.rows:
            show_table(
                Table(table.columns, table.rows[:MAX_FAILURES] if _is_list(table) else table.rows, table.caption)
            )
            rest = len(table.rows) - MAX_FAILURES
            if _is_list(table) and rest > 0:
                say(f"… and {rest:,} more (--table failures --csv)")
            say()
    stated = sum(each.checked for each in result.learnings)
    agree = stated - result.differing
    say(
        f"{plural(result.logs, 'log', 'logs')}, {plural(len(result.learnings), 'learning', 'learnings')}: "
        f"{agree:,} of {plural(stated, 'stated error', 'stated errors')} recomputed, {result.differing:,} differ"
    )
    if any(rule != ALL_VALUES for rule in result.rules):
        say("right by the rule: " + ", ".join(f"{rule} {count:,}" for rule, count in result.rules.items()))
    again = [each.relearned for each in result.learnings if each.relearned is not None]
    if again:
        complete, known = sum(each.complete for each in again), sum(bool(each.sample) for each in again)
        say(
            f"{complete:,} of {plural(len(again), 'learning', 'learnings')} relearned with equal rounds, "
            f"{result.not_relearned:,} differ, the samples of {len(again) - known:,} cannot be drawn again"
        )
    if result.switches:
        say(f"{plural(len(result.switches), 'log', 'logs')} without a learning: their scripts continue in other logs")


def errors_table(result: Result) -> Table:
    """Return the errors per system, strategy and size."""
    rows: list[tuple[Cell, ...]] = [
        (
            each.system,
            each.strategy,
            each.size,
            each.count,
            each.rounds,
            each.stated,
            each.error if each.deviation is None else Spread(each.error, each.deviation, relative=False),
            each.best_stated,
            each.best,
            each.differing,
        )
        for each in result.cells
    ]
    columns = ("system", "strategy", "size", "learnings", "rounds", "stated", "recomputed")
    caption = "Mean errors of the last and of the best round on all measured configurations, %"
    return Table((*columns, "best stated", "best recomputed", "differ"), tuple(rows), caption)


def tests_table(result: Result) -> Table:
    """Return the comparison of strategies per system and size."""
    rows: list[tuple[Cell, ...]] = []
    for each in result.tests:
        test = each.test
        best = min(test.medians, key=lambda name: test.medians[name])
        clear = [pair for pair in test.pairs if pair.p_value is not None and pair.p_value < 0.05]
        dunn = f"{len(clear)} of {len(test.pairs)}" if all(pair.p_value is not None for pair in test.pairs) else ""
        strategies = len(test.sizes)
        rows.append((each.system, each.size, strategies, test.statistic, test.p_value, dunn, best, test.medians[best]))
    columns = ("system", "size", "strategies", "Kruskal-Wallis H", "p", "pairs p < 0.05", "least median", "median")
    return Table(columns, tuple(rows), "Strategies compared by the recomputed errors of the last round")


def pairs_table(result: Result) -> Table:
    """Return the comparison of every two strategies, per system and size."""
    rows: list[tuple[Cell, ...]] = [
        (each.system, each.size, pair.first, pair.second, pair.p_value, pair.a12, pair.magnitude)
        for each in result.tests
        for pair in each.test.pairs
    ]
    columns = ("system", "size", "first", "second", "Dunn p", "A12", "effect")
    correction = result.tests[0].test.correction if result.tests else ""
    caption = f"Pairs of strategies; p is corrected ({correction}); A12 above 0.5: the first has the larger errors"
    return Table(columns, tuple(rows), caption)


def logs_table(result: Result) -> Table:
    """Return one row per learning."""
    rows: list[tuple[Cell, ...]] = [
        (
            each.file,
            each.learning,
            each.system,
            each.strategy,
            "; ".join(each.sampling),
            each.size,
            each.rounds,
            each.stated,
            each.error,
            each.best_stated,
            each.best,
            each.best_round,
            each.checked,
            each.differing,
            ", ".join(each.rules),
        )
        for each in result.learnings
    ]
    columns = ("file", "learning", "system", "strategy", "sampling", "size", "rounds", "stated", "recomputed")
    return Table((*columns, "best stated", "best recomputed", "best round", "checked", "differ", "rule"), tuple(rows))


def failures_table(result: Result) -> Table:
    """Return the logs and systems that cannot be recomputed."""
    rows = tuple((each.file, each.reason) for each in result.failures)
    return Table(("file", "reason"), rows, "Not recomputed")


def relearned_table(result: Result) -> Table:
    """Return the learnings that were learned again."""
    rows: list[tuple[Cell, ...]] = [
        (each.file, each.learning, again.rounds, again.equal, again.sample, again.reason)
        for each in result.learnings
        if (again := each.relearned) is not None
    ]
    caption = "Learned again: the first rounds that are equal, how the sample is drawn, and what differs"
    return Table(("file", "learning", "rounds", "equal", "sample", "result"), tuple(rows), caption)


def picture(result: Result, file_format: str) -> bytes:
    """Return the plot of errors by size and strategy."""
    from splc.plotting.corpus import corpus_plot

    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for each in result.cells:
        if each.size is not None and each.error is not None:
            lines = panels.setdefault(each.system, {})
            lines.setdefault(each.strategy, []).append((each.size, each.error, each.deviation or 0.0))
    return corpus_plot(panels, file_format)


def _is_list(table: Table) -> bool:
    return table.columns == ("file", "reason")
