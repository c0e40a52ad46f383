"""Evidence of the roles of columns, by names, contents and places: options, statistics, time stamps, hashes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from splc.data.property_unit import is_count_name, is_measurement_name, words_of
from splc.errors import listed, plural
from splc.formats.coded_columns import CROSSED, MAX_TESTS, MAX_VALUES, MIN_ROWS, ROW_NUMBERS, CodedColumns, repeats
from splc.formats.column_choice import MISSING
from splc.io.csv_rows import distinct_texts
from splc.io.numbers import parse_column

# Statistics of repetitions; the first ones state the centre, the best one first.
_CENTRES = ("mean", "avg", "average", "median", "p50")
_BOUNDS = frozenset(("min", "max", "minimum", "maximum"))
_SCATTER = _BOUNDS.union(words_of("stddev std stdev sd var variance cv sem stderr iqr q1 q3 mad outliers rounds"))
_PERCENTILE = re.compile(r"(?:p|pct|perc|percentile)_?[0-9]{2,4}|[0-9]{2}(?:th)?_?(?:percentile|pct|perc)")
# Parts of the elapsed time that the system reports.
_ELAPSED = frozenset((*_CENTRES, "real", "elapsed", "wall", "wall_time", "wall_clock", "time", "runtime"))
_CPU_PARTS = frozenset(("user", "sys", "system", "user_time", "system_time", "sys_time"))

_STAMP_NAMES = frozenset(
    (
        *("timestamp", "time_stamp", "datetime", "date_time", "started", "start_time", "started_at", "finished"),
        *("finished_at", "end_time", "ended_at", "created", "created_at", "date", "epoch", "unix_time", "ts"),
        *("starttime", "endtime"),
    )
)
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?")
# `2024-05-01T12:00:03`, `2024-05-01`, `1.5.2024`, `05/01/2024 12:00`, `12:00:03`.
_STAMP = re.compile(
    r"(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{1,2}([./])[0-9]{1,2}\1[0-9]{4})(?:[T ][0-9]{1,2}:[0-9]{2}.*)?|"
    + _CLOCK.pattern
)
# Seconds since 1970 from the year 2001 on, also in milli-, micro- or nanoseconds.
_EPOCH = 1e9
_HASH = re.compile(
    r"(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE
)
_HASH_NAMES = re.compile(r"(?:.*_)?(?:hash|sha|sha1|sha256|md5|digest|checksum|uuid|guid)(?:sum)?")

# Names of columns of what somebody wrote about a run.
_REMARKS = {
    *("note", "notes", "comment", "comments", "remark", "remarks", "bemerkung", "bemerkungen", "kommentar"),
    *("anmerkung", "anmerkungen", "remarque", "remarques", "commentaire", "commentaires"),
}

_LEAST_ROWS = 5
# More fractions than these may be measured ones, such as a temperature.
_SET = 10
# Fewer days, or hashes, may be contexts.
_MANY_DAYS, _MANY_HASHES = 10, 20
# The number of cells among which the first one with a text is looked for.
_LOOKED_AT = 1000

# Columns that say whether a run worked: texts and exit codes; and the texts of those that did.
_STATUS = {("status",), ("state",), ("outcome",)}
_VERDICTS = {("result",), ("verdict",), ("conclusion",), ("ok",)}
_FAILED = {
    *("fail", "failed", "failure", "error", "crash", "crashed", "cancelled", "canceled", "timeout", "timed_out"),
    *("aborted", "abort", "killed", "oom", "out_of_memory", "node_fail", "skipped", "pruned", "running", "invalid"),
    *("early_stopped", "stopped", "abandoned", "preempted", "miscompare", "mismatch", "wrong", "incorrect"),
    *("unstable", "not_built", "no", "bad", "broken", "infeasible"),
}
EXIT_CODES = {"exit_code", "exitcode", "exit_status", "returncode", "return_code", "exit", "rc", "retcode", "retval"}
WORKED = {
    *(
        "ok",
        "okay",
        "success",
        "successful",
        "succeeded",
        "pass",
        "passed",
        "done",
        "complete",
        "completed",
        "finished",
    ),
    *("0", "good", "valid"),
}


def left_out(columns: Mapping[str, Sequence[str]], mentioned: Collection[str]) -> dict[str, str]:
    """Return the columns that are neither options nor properties nor contexts by their names and contents, and why."""
    reasons = dict(_statistics(columns, mentioned))
    for name, texts in columns.items():
        if name in mentioned or name in reasons:
            continue
        if reason := _remarks(name, texts) or _stamps_or_hashes(name, texts):
            reasons[name] = reason
    return reasons


def is_hash(name: str, values: Iterable[str]) -> bool:
    """Return whether a column has hashes, by its name and the first text: it is never an option."""
    first = next(filter(None, map(str.strip, values)), "")
    return _HASH_NAMES.fullmatch("_".join(words_of(name))) is not None and _HASH.fullmatch(first) is not None


def is_status(name: str, values: Iterable[str]) -> bool:
    """Return whether the texts of a column say which runs failed, by its name or since all of them are known."""
    words, last = {value.strip().casefold() for value in values}, words_of(name)[-1:]
    both = bool(words & WORKED and words & _FAILED)
    # A verdict may have further words, such as a reason.
    return last in _STATUS or (both and words <= WORKED | _FAILED) or (last in _VERDICTS and bool(words & WORKED))


def _statistics(columns: Mapping[str, Sequence[str]], mentioned: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the statistics of a value with a centre column: `median`, `time_max` if there is `time_mean`."""
    groups: dict[str, dict[str, str]] = {}
    for name in columns:
        if (found := _statistic(name)) is not None:
            groups.setdefault(found[0], {}).setdefault(found[1], name)
    names = {key: name for name in columns if (key := "_".join(words_of(name)))}
    for base, group in groups.items():
        # `time` beside `time_max` is the value itself, but `depth` and `max_depth` are two options.
        is_value = is_measurement_name(names.get(base, base)) or not _BOUNDS.issuperset(group)
        centre = (names.get(base) if is_value else None) or next((group[key] for key in _CENTRES if key in group), None)
        spreads = [name for name in group.values() if name != centre]
        for name in (*spreads, centre) if centre is not None and spreads else ():
            chosen = next((each for each in (*spreads, centre) if each in mentioned), centre)
            if name not in mentioned and name != chosen:
                yield name, f"statistics beside {chosen}"
    elapsed = next((name for key, name in names.items() if key in _ELAPSED), None)
    if elapsed is not None and sum(key in _CPU_PARTS for key in names) > 1:
        for key, name in names.items():
            if key in _CPU_PARTS and name not in mentioned:
                yield name, f"parts of the processor time beside {elapsed}"


def is_scatter(name: str, value: str) -> bool:
    """Return whether a column says by how much the runs differ of which each number in another column is the mean."""
    words, of = words_of(name), words_of(value)
    spreads, centres = _SCATTER - _BOUNDS, frozenset(_CENTRES)
    return not spreads.isdisjoint(words) and (
        tuple(word for word in words if word not in spreads) == tuple(word for word in of if word not in centres)
    )


def _statistic(name: str) -> tuple[str, str] | None:
    """Return what a column is a statistic of, and which; None if it is none."""
    key = "_".join(words_of(name))
    if percentile := re.search(rf"(?:^|_)({_PERCENTILE.pattern})$", key):
        return key[: percentile.start()], percentile[1]
    words = key.split("_")
    # At the end, at the beginning, or as in `time_mean_ms`.
    for at in (len(words) - 1, 0, *([len(words) - 2] if len(words) > 2 else ())):
        if words[at] in _CENTRES or words[at] in _SCATTER:
            return "_".join((*words[:at], *words[at + 1 :])), words[at]
    return None


def _remarks(name: str, texts: Sequence[str]) -> str | None:
    """Return whether a column has remarks, and on how many rows; None if it has none."""
    if _REMARKS.isdisjoint(words_of(name)) or not np.isnan(parse_column(texts)).any():
        return None
    distinct, codes = distinct_texts(texts)
    written = np.array([text.strip().casefold() not in MISSING for text in distinct], dtype=bool)
    count = int(written[codes].sum())
    return f"remarks on {plural(count, 'row', 'rows')}" if count else None


def _stamps_or_hashes(name: str, texts: Sequence[str]) -> str | None:
    """Return whether a column has time stamps, hashes or numbers of rows, None if it has none."""
    key = "_".join(words_of(name))
    first = next(filter(None, map(str.strip, texts[:_LOOKED_AT])), None)
    if ROW_NUMBERS.fullmatch(key) and first is not None and first.isdecimal():
        size = len(distinct_texts(texts)[0])
        # A few numbers may be those of contexts.
        return "it numbers the rows" if size == len(texts) >= _LEAST_ROWS or size > MAX_VALUES else None
    is_named = key in _STAMP_NAMES or _HASH_NAMES.fullmatch(key)
    if first is not None and not is_named and not _STAMP.fullmatch(first) and not _HASH.fullmatch(first):
        # All texts would have to be one, and a column of measured values has many different texts.
        return None
    distinct = [stripped for text in distinct_texts(texts)[0] if (stripped := text.strip())]
    if _are_stamps(key, distinct, len(texts)):
        return "clock times" if all(map(_CLOCK.fullmatch, distinct)) else "time stamps"
    return _hashes(key, distinct, len(texts))


def _are_stamps(key: str, distinct: Sequence[str], rows: int) -> bool:
    """Return whether a column has time stamps."""
    differs = len(distinct) > rows / 2 and rows >= _LEAST_ROWS
    if len(distinct) > 1 and all(map(_STAMP.fullmatch, distinct)):
        return differs or len(distinct) > _MANY_DAYS or all(":" in text for text in distinct)
    return len(distinct) > 1 and key in _STAMP_NAMES and differs and bool((parse_column(distinct) >= _EPOCH).all())


def _hashes(key: str, distinct: Sequence[str], rows: int) -> str | None:
    """Return `hashes` for a column that has them, else None; a few hashes, as of commits, are contexts."""
    if len(distinct) < _LEAST_ROWS or len(distinct) <= min(rows / 2, _MANY_HASHES) or len({*map(len, distinct)}) > 1:
        return None
    hashes = len([*filter(_HASH.fullmatch, distinct)])
    return "hashes" if hashes == len(distinct) or (hashes and _HASH_NAMES.fullmatch(key)) else None


def options_among(
    table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str], text: Collection[str]
) -> tuple[dict[str, None], dict[str, str], str | None] | None:
    """Return the options, the columns that were left out with the reasons, and a property.

    The names of options add options: what is an option without them remains one. Only if no property was left, the last
    option becomes the property that is returned.
    """
    observed = _observed(table, names, nfp, explicit)
    if (beside := _found(table, names, nfp, explicit, observed)) is None:
        return None
    others = [name for name in names if name not in explicit or name not in text]
    alone = (_found(table, others, nfp, (), observed) or {}) if explicit else beside
    chosen = {name: None for name in names if name in explicit or name in beside or name in alone}
    instead = None
    if not any(name in table.numbers and name not in chosen for name in names):
        chosen = {name: None for name in names if name in beside or (name in alone and name not in table.numbers)}
        instead = next((name for name in alone if name not in chosen), None)
    inferred = {name: None for name in alone if name in chosen}
    functions = _functions(table, [name for name in inferred if name not in explicit], inferred)
    chosen = {name: None for name in chosen if name not in functions}
    functions |= _functions(table, [name for name in chosen if name not in explicit and name not in inferred], chosen)
    functions |= _combined(table, [name for name in chosen if name in text and name not in explicit], chosen)
    reasons = {name: f"it is a function of {listed(arguments)}" for name, arguments in functions.items()}
    # Fractions that were measured are properties, and so is what is to the right of a property.
    left = names[: _anchor(table, names, nfp, explicit)]
    reasons |= {name: reason for name, reason in observed.items() if name in left and table.has_integers(name)}
    return {name: None for name in chosen if name not in functions}, reasons, instead


def _anchor(table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str]) -> int | None:
    """Return the place of the property that the user names, else of the first one by its name; None without any."""
    if nfp in table.numbers:
        return names.index(nfp)
    free = table.numbers.keys() - explicit
    stated = (name in free and table.is_named_measured(name) for name in names)
    return next((at for at, is_stated in enumerate(stated) if is_stated), None)


def _observed(table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str]) -> dict[str, str]:
    """Return the columns that a run counted or measured as the rows show, and the evidence.

    To the left of a stated property these may be any columns, to the right those of few values.
    """
    if (anchor := _anchor(table, names, nfp, explicit)) is None:
        return {}
    left, right = names[:anchor], [name for name in names[anchor:] if name != nfp and _may_be_set(table, name)]
    few = dict.fromkeys(name for name in (*left, *right) if table.is_few(name) and not is_count_name(name))
    whole = [name for name in left if name in few or (name in table.numbers and table.has_integers(name))]
    reasons: dict[str, str] = {}
    for name in left:
        if name in explicit or name not in table.numbers or not table.complete(name):
            continue
        group = table.groups(other for other in few if other != name)
        is_result = words_of(name)[-1:] == ("iterations",) and table.is_result(name, group)
        if (is_count_name(name) or is_result) and table.sizes[name] > 1 and not table.is_crossed(name, group):
            reasons[name] = "its name is that of what a run counts"
        if name in reasons or table.is_binary(name) or not table.is_various(name) or table.is_few(name):
            continue
        others = [other for other in few if other != name]
        if near := table.near_arguments(name, others, [other for other in whole if other != name]):
            reasons[name] = f"it is nearly a function of {listed(near)}, as what a run counts or measures"
        elif (nfp is None or table.has_integers(name)) and table.is_grid(others, once=True):
            reasons[name] = f"{listed(others)} are a complete grid without it"
    columns = [name for name in (*left, *right) if name not in reasons]
    removable = [name for name in columns if name in few and name not in explicit]
    # Empty cells make one configuration of several, too.
    if not all(name not in table.numbers or table.complete(name) for name in columns):
        return reasons
    return reasons | dict.fromkeys(table.scattered(columns, removable), "repetitions differ in it")


def perhaps_measured(table: CodedColumns, options: Collection[str], explicit: Collection[str]) -> list[str]:
    """Return options with many fractions that differ among rows which are repetitions, as often each, without them."""
    fractions = [name for name in options if name in table.numbers and not table.has_integers(name)]
    noisy = [name for name in fractions if name not in explicit and table.sizes[name] > _SET]
    group = table.groups((*table.contexts, *(name for name in options if name not in noisy)))
    return [name for name in noisy if repeats(np.bincount(group)) and not table.is_crossed(name, group)]


def _may_be_set(table: CodedColumns, name: str) -> bool:
    """Return whether a column to the right of a property has few values, and no name of what is measured."""
    complete = name not in table.numbers or table.complete(name)
    few = table.sizes[name] > 1 and (table.is_binary(name) or table.is_few(name))
    return complete and few and not is_count_name(name) and not table.is_named_measured(name)


def _found(
    table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str], observed: Collection[str]
) -> dict[str, None] | None:
    """Return the options by the rules for the positions of columns; None if no column can be the property.

    `explicit`: the columns that the user named as options. `observed`: those that a run counted or measured.
    """
    options = {name: None for name in names if name in explicit}
    numbers = [name for name in names if name in table.numbers]
    few = [name for name in names if table.is_few(name) and table.complete(name)]
    group = table.groups(options)
    anchor = _anchor(table, names, nfp, explicit)
    boundary = None
    # Columns without values where properties have none are properties, too.
    failed = np.zeros(table.rows, dtype=bool)
    for name in numbers:
        is_right = anchor is None or name in names[anchor:]
        # Options have no words such as `n.d.` instead of numbers.
        is_measured = name not in table.blank or (is_right and (name == nfp or table.seems_measured(name)))
        if is_measured and not table.complete(name):
            failed |= table.gaps(name)
    # The last column that differs in every row.
    last_different = next((at for at in reversed(range(len(names))) if table.differs_everywhere(names[at])), -1)
    measured_left = False
    for index, name in enumerate(names):
        if name in options:
            continue
        left = anchor is not None and index < anchor
        if name in observed and (table.has_integers(name) or not options):
            continue
        if name not in table.numbers:
            if table.is_few(name) and _is_crossed_with_any(table, name, few):
                options[name] = None
                group = table.refined(group, name)
            continue
        if table.rows < MIN_ROWS:
            leads = not options and boundary is None and index < last_different
            measured = table.differs_everywhere(name) and not table.has_integers(name) and not leads
        else:
            measured = table.seems_measured(name)
        if name in observed or (
            not left and (name == nfp or measured or (table.has_many(name) and not table.differs(name, group)))
        ):
            boundary = index
            if options:
                break
        elif left and (
            table.is_named_measured(name, nfp) or (words_of(name)[-1:] == ("iterations",) and measured_left)
        ):
            measured_left = True
        elif table.complete(name) or (
            name in table.blank
            and table.filled(name)[0] > 0
            and (left or (table.is_few(name) and not unexplained_gaps(table, name, names)))
            and (table.gaps(name) & ~failed).any()
        ):
            options[name] = None
            group = table.refined(group, name)
    if boundary is None:
        last = next((name for name in reversed(numbers) if name not in explicit and not table.is_binary(name)), None)
        if last is None:
            return None
        options.pop(last, None)
        boundary = len(names)
    elif nfp is not None and all(table.sizes[name] <= 1 for name in options):
        # Nothing to its left varies: all columns but measured ones are options, whatever their values.
        for name in names:
            if name in table.numbers:
                is_set = table.complete(name) or (name in table.blank and not unexplained_gaps(table, name, names))
                is_set = is_set and not (table.is_named_measured(name) or is_count_name(name))
                is_set = is_set and name not in (nfp, *observed)
            else:
                is_set = table.is_few(name) and _is_crossed_with_any(table, name, few)
            if is_set:
                options[name] = None
    right = [name for name in names[boundary + 1 :] if name != nfp and name not in (*options, *observed)]
    options |= dict.fromkeys(_set_beyond(table, right, tuple(options)))
    return {name: None for name in names if name in options}


def _is_crossed_with_any(table: CodedColumns, name: str, few: Sequence[str]) -> bool:
    """Return whether a column has nearly all combinations with another one of few values, if there is one."""
    return not {*few[:2]} - {name} or any(
        table.groups((name, other)).max() + 1 >= CROSSED * table.sizes[name] * table.sizes[other]
        for other in few
        if other != name
    )


def _set_beyond(table: CodedColumns, names: Iterable[str], options: Sequence[str]) -> list[str]:
    """Return the columns to the right of a property that were set, as the rows show; zeros and ones also in doubt."""
    columns = [name for name in names if _may_be_set(table, name)]
    group = table.groups((*table.contexts, *options))
    counts = np.bincount(group)
    doubtful = [name for name in columns if table.is_binary(name) and not table.is_result(name, group)]
    if table.rows < MIN_ROWS:
        return [name for name in doubtful if table.differs(name, group)]
    if counts.max() == 1:
        # Each row has its own options.
        return [] if table.is_grid(options) else doubtful
    proven = table.set_among(columns, group)
    return [name for name in columns if name in proven or (name in doubtful and not repeats(counts))]


def _functions(table: CodedColumns, names: Sequence[str], options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the numeric options among some columns that are functions of other options, with these."""
    functions: dict[str, tuple[str, ...]] = {}
    inputs = list(options)
    numbers = [name for name in names if name in table.numbers and table.complete(name)]
    numeric = [name for name in numbers if not table.is_binary(name) and table.sizes[name] > 1]
    for name in table.larger_first(numeric) if len(numeric) * len(inputs) ** 2 <= MAX_TESTS else ():
        if (arguments := table.arguments(name, [other for other in inputs if other != name])) is not None:
            functions[name] = arguments
            inputs.remove(name)
    return functions


def _combined(table: CodedColumns, names: Iterable[str], options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the options of text that name each combination of other options or contexts, with these."""
    inputs, combined = [*dict.fromkeys((*options, *table.contexts))], dict[str, tuple[str, ...]]()
    for name in table.larger_first(names):
        needed = [other for other in inputs if other != name]
        for other in table.larger_first(needed):
            without = [each for each in needed if each != other]
            needed = needed if table.differs(name, table.groups(without)) else without
        is_each = int(table.groups(needed).max(initial=-1)) + 1 == table.sizes[name]
        if len(needed) > 1 and is_each and not table.differs(name, table.groups(needed)):
            combined[name] = (*needed,)
            inputs.remove(name)
    return combined


def unexplained_gaps(table: CodedColumns, name: str, options: Iterable[str]) -> tuple[int, ...]:
    """Return the rows in which an option has no value, unless these are the rows with some values of another option."""
    gaps = np.zeros(0, dtype=bool) if table.complete(name) else table.gaps(name)
    others = (other for other in options if len(gaps) and other != name and other in table.codes)
    return () if any(table.decides(other, gaps) for other in others) else tuple(np.flatnonzero(gaps).tolist())
