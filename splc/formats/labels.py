"""Columns that label runs, by names and contents: statistics, time stamps, hashes, numbers of rows, remarks, status."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from splc.data.table import TRUTH
from splc.errors import plural
from splc.formats.coded_columns import EVIDENCE, MAX_VALUES, MIN_ROWS, ROW_NUMBERS
from splc.formats.column_choice import MISSING, kind_of
from splc.formats.names import is_amount, is_measurement_name, is_setting_name, words_of
from splc.io.csv_rows import distinct_texts
from splc.io.numbers import parse_column
from splc.types import Array

# Statistics of repetitions; the first ones state the centre, the best one first.
_CENTRES = ("mean", "avg", "average", "median", "p50")
_BOUNDS = frozenset(("min", "max", "minimum", "maximum"))
_SCATTER = _BOUNDS.union(words_of("stddev std stdev sd var variance cv sem stderr iqr q1 q3 mad outliers rounds"))
_PERCENTILE = re.compile(r"(?:p|pct|perc|percentile)_?[0-9]{2,4}|[0-9]{2}(?:th)?_?(?:percentile|pct|perc|line)")

_STAMP_NAMES = {
    *("timestamp", "time_stamp", "datetime", "date_time", "started", "start_time", "started_at", "starttime"),
    *("finished", "finished_at", "end_time", "ended_at", "endtime", "created", "created_at", "date", "epoch"),
    *("unix_time", "ts"),
}
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?")
# `08:15`, which could be a ratio.
_HOURS = re.compile(r"[0-2]?[0-9]:[0-5][0-9]")
# Fewer times of day may be those of levels.
_TIMES = 10
_CLOCK_WORDS = {"time", "uhrzeit", "heure", "clock", "start", "end", "when"}
_EPOCH_WORDS = {"timestamp", "timesecs", "epoch", "unixtime"}
# `2024-05-01T12:00:03`, `2024-05-01`, `1.5.2024`, `05/01/2024 12:00`, `12:00:03`.
_STAMP = re.compile(
    r"(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{1,2}([./])[0-9]{1,2}\1[0-9]{4}|"
    r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}|[0-9]{1,2}-[A-Z][a-z]{2}-(?:[0-9]{2}){1,2})"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?|" + _CLOCK.pattern
)
# Seconds since 1970 from the year 2001 on, also in milli-, micro- or nanoseconds.
_EPOCH = 1e9
_HASH = re.compile(
    r"(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE
)
_HASH_NAMES = re.compile(r"(?:.*_)?(?:hash|sha|sha1|sha256|md5|digest|checksum|uuid|guid)(?:sum)?")

# Last words of names of what a program wrote about some runs, and names of what somebody wrote.
_MESSAGES = {"errors", "stderr", "stdout", "message", "messages", "diagnostics", "traceback", "exception"}
_REMARKS = {
    *("note", "notes", "comment", "comments", "remark", "remarks", "bemerkung", "bemerkungen", "kommentar"),
    *("anmerkung", "anmerkungen", "remarque", "remarques", "commentaire", "commentaires"),
}
# Names of columns that say who started a run.
_PERSONS = {
    *("actor", "author", "committer", "user", "username", "operator", "requestor", "requested_for", "requester"),
    *("triggered_by", "bearbeiter", "bearb", "operateur", "prufer", "person", "tester", "pilot", "engineer"),
}
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+){2,}(?:[-+.][0-9A-Za-z.]+)?")

_LEAST_ROWS = 5
# Fewer days, but in a column of this name, or hashes, may be contexts.
_MANY_DAYS, _MANY_HASHES, _DAYS = 10, 20, {"date", "datum", "day", "tag", "run_date", "jour"}
_LOOKED_AT = 1000  # the number of cells among which the first one with a text is looked for

# Columns that say whether a run worked: texts and exit codes; and the texts of those that did.
_STATUS = {("status",), ("state",), ("outcome",)}
_VERDICTS = {("result",), ("verdict",), ("conclusion",), ("ok",), ("verify",), ("correct",)}
_SUCCESSES = {("success",), ("succeeded",), ("passed",)}
_FLAGS = {("valid",), ("ok",), ("gultig",), ("valide",)}
_FAILED = {
    *("fail", "failed", "failure", "error", "crash", "crashed", "cancelled", "canceled", "timeout", "timed_out"),
    *("aborted", "abort", "killed", "oom", "out_of_memory", "node_fail", "skipped", "pruned", "running", "invalid"),
    *("early_stopped", "stopped", "abandoned", "preempted", "miscompare", "mismatch", "wrong", "incorrect", "bad"),
    *("unstable", "not_built", "diff", "ice", "timelimit", "time_limit", "memlimit", "memory_limit", "out_of_time"),
    *("oot", "ko", "nok", "todo", "pending", "queued", "no", "false"),
}
EXIT_CODES = {"exit_code", "exitcode", "exit_status", "returncode", "return_code"}
_EXIT_WORDS = {"exit", "rc", "retcode", "retval"}
_FAILURES = frozenset(words_of("failed fail failure failures error errors err errs ko"))
_TOTALS = frozenset(words_of("request requests req reqs sample samples total count calls queries transactions tests"))
_SHARES = frozenset(words_of("rate ratio share pct percent percentage"))
# Names of rows in which JMeter and Locust sum up others.
_SUMMED = {"TOTAL", "Aggregated"}
SOLVED = {"optimal", "solved", "sat", "unsat", "satisfiable", "unsatisfiable"}
WORKED = {
    *("ok", "okay", "success", "successful", "succeeded", "pass", "passed", "done", "complete", "completed"),
    *("finished", "0", "0:0", "yes", "true"),
}


def left_out(columns: Mapping[str, Sequence[str]], mentioned: Collection[str]) -> dict[str, str]:
    """Return the columns that are neither options nor properties nor contexts by their names and contents, and why."""
    reasons = dict(_statistics(columns, mentioned))
    for name, texts in columns.items():
        if name in mentioned or name in reasons:
            continue
        if reason := _remarks(name, texts) or _stamps_or_hashes(name, texts) or _bookkeeping(name, texts):
            reasons[name] = reason
    return reasons


def is_place(values: Collection[str]) -> bool:
    """Return whether a text is rather no option: versions, or names of sums of a load generator."""
    are_versions = all(map(_VERSION.fullmatch, filter(None, map(str.strip, values))))
    return are_versions or (not _SUMMED.isdisjoint(values) and len(values) > 1)


def are_hashes(values: Collection[str]) -> bool:
    """Return whether texts are as long as each other, and most of them hashes; the others have only digits."""
    lengths, hashes = {*map(len, values)}, sum(_HASH.fullmatch(value) is not None for value in values)
    return len(lengths) == 1 and 2 * hashes > len(values)


def without_result(nfp: str, values: Array) -> Array:
    """Return the rows without a result of a property, shape (n,): no number, or no positive one of an amount."""
    return np.asarray(~(values > 0) if is_amount(nfp) else np.isnan(values))


def is_exit_code(name: str, values: Array) -> bool:
    """Return whether numbers are exit codes, by their name; `rc` may be that of an option, but most runs succeed."""
    key = name.casefold()
    is_code = key in _EXIT_WORDS and bool((values % 1 == 0).all())
    return key in EXIT_CODES or (is_code and 2 * int(np.count_nonzero(values)) < len(values))


def nothing_worked(name: str, values: Array, columns: Mapping[str, Sequence[str]]) -> Array:
    """Return the rows, few ones, in which all failed as a share or a count of failures says, shape (n,).

    A share is 1 or 100 %, and a count is that in another column, of requests or the like.
    """
    words = words_of(name)
    if _FAILURES.isdisjoint(words) or is_setting_name(name) or len(values) < MIN_ROWS or not (values >= 0).any():
        return np.zeros(len(values), dtype=bool)
    if "%" in name or not _SHARES.isdisjoint(words):
        failed = values == (1 if np.nanmax(values) <= 1 else 100)
    else:
        others = (other for other in columns if _FAILURES.isdisjoint(words_of(other)))
        totals = (parse_column(columns[other]) for other in others if not _TOTALS.isdisjoint(words_of(other)[-1:]))
        equal = [(values == total) & (total > 0) for total in totals if not (values > total).any()]
        failed = np.any([np.zeros(len(values), dtype=bool), *equal], axis=0)
    return np.asarray(failed & (2 * int(failed.sum()) < len(values)))


def is_success_flag(name: str, values: Array) -> bool:
    """Return whether zeros and ones say which runs succeeded, by the name of their column.

    Columns such as `valid` and `ok` do if nearly all runs are valid.
    """
    last, known = words_of(name)[-1:], values[~np.isnan(values)]
    if not np.isin(known, (0, 1)).all() or not known.any():
        return False
    return (last in _SUCCESSES and not is_setting_name(name)) or (
        last in _FLAGS and 10 * int(known.sum()) >= 9 * len(values)
    )


def tells_failures(texts: Sequence[str], lost: Array) -> bool:
    """Return whether rows without a result, a few ones, have texts, of few, that no other row has."""
    distinct, codes = distinct_texts(texts)
    is_few = len(distinct) <= min(MAX_VALUES, len(lost) / EVIDENCE) and 0 < 2 * int(lost.sum()) < len(lost)
    said = all(distinct[code].strip() for code in np.unique(codes[lost])) if is_few else False
    return said and not np.isin(codes[lost], codes[~lost]).any()


def say_failed(texts: Sequence[str]) -> Array:
    """Return the rows with a word for a failure instead of a value, shape (n,): `timeout`, `CompilationFailed`."""
    distinct, codes = distinct_texts(texts)
    words = map(words_of, distinct)
    return np.array([not _FAILED.isdisjoint((*each, "_".join(each))) for each in words], dtype=bool)[codes]


def is_status(name: str, values: Iterable[str]) -> bool:
    """Return whether the texts of a column say which runs failed, by its name or since all of them are known."""
    words, last = {value.strip().casefold() for value in values}, words_of(name)[-1:]
    if words <= TRUTH.keys():
        return last in _SUCCESSES
    both = bool(words & WORKED and words & _FAILED) and not words & TRUTH.keys() - {"0"}
    # A verdict may have further words, such as a reason.
    return last in _STATUS or (both and words <= WORKED | _FAILED) or (last in _VERDICTS and bool(words & WORKED))


def verdicts(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that say neither success nor failure in a column of states where others say success."""
    texts = [value for value in values if value.strip()] if is_status(name, values) else []
    known = {text for text in texts if text.casefold() in WORKED | SOLVED}
    failed = {text for text in texts if not _FAILED.isdisjoint((text.casefold(), *words_of(text)[:1]))}
    return tuple(text for text in texts if text not in known | failed) if known else ()


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
    is_some = not _MESSAGES.isdisjoint(words_of(name)[-1:]) and not all(map(str.strip, texts))
    if (_REMARKS.isdisjoint(words_of(name)) and not is_some) or kind_of(texts, parse_column(texts)) != "text":
        return None
    count = sum(text.strip().casefold() not in MISSING for text in texts)
    return f"remarks on {plural(count, 'row', 'rows')}" if count else None


def _bookkeeping(name: str, texts: Sequence[str]) -> str | None:
    """Return whether the texts of a column are persons or tags, by its name, None if they are not."""
    words = words_of(name)
    reason = "who ran it" if "_".join(words) in _PERSONS else "tags of runs" if words[:1] == ("tags",) else None
    return reason if reason and kind_of(texts, parse_column(texts)) == "text" else None


def _stamps_or_hashes(name: str, texts: Sequence[str]) -> str | None:
    """Return whether a column has time stamps, hashes or numbers of rows, None if it has none."""
    key = "_".join(words_of(name))
    beginning = dict.fromkeys(filter(None, map(str.strip, texts[:_LOOKED_AT])))
    first = next(iter(beginning), "")
    if ROW_NUMBERS.fullmatch(key) and first.isdecimal():
        size = len(distinct_texts(texts)[0])
        # A few numbers may be those of contexts.
        if size == len(texts) >= _LEAST_ROWS:
            return "it numbers the rows"
        return "it numbers groups of rows" if size > MAX_VALUES else None
    words = {*key.split("_")}
    is_named = key in _STAMP_NAMES or _HASH_NAMES.fullmatch(key) or words & (_EPOCH_WORDS | _CLOCK_WORDS)
    # All texts have to be one, and a column of measured values has many different texts.
    may_be = (len({*map(len, beginning)}) == 1 and (is_named or _HASH.fullmatch(first))) or any(
        all(map(kind.fullmatch, beginning)) for kind in (_STAMP, _HOURS)
    )
    if not may_be and not (is_named and (parse_column([*beginning]) >= _EPOCH).all()):
        return None
    distinct = [stripped for text in distinct_texts(texts)[0] if (stripped := text.strip())]
    if _are_stamps(key, distinct, texts):
        of_day = all(_CLOCK.fullmatch(text) or _HOURS.fullmatch(text) for text in distinct)
        return "clock times" if of_day else "time stamps"
    return _hashes(key, distinct, len(texts))


def _are_stamps(key: str, distinct: Sequence[str], texts: Sequence[str]) -> bool:
    """Return whether a column has time stamps."""
    differs = len(distinct) > len(texts) / 2 and len(texts) >= _LEAST_ROWS
    if len(distinct) > 1 and all(map(_STAMP.fullmatch, distinct)):
        return differs or len(distinct) > _MANY_DAYS or key in _DAYS or all(":" in text for text in distinct)
    is_clock = bool(_CLOCK_WORDS.intersection(key.split("_")))
    if is_clock and (differs or len(distinct) > _TIMES) and all(map(_HOURS.fullmatch, distinct)):
        return True
    is_named = key in _STAMP_NAMES or not _EPOCH_WORDS.isdisjoint(key.split("_"))
    return len(distinct) > 1 and is_named and differs and bool((parse_column(distinct) >= _EPOCH).all())


def _hashes(key: str, distinct: Sequence[str], rows: int) -> str | None:
    """Return `hashes` for a column that has them, else None; a few hashes, as of commits, are contexts."""
    if len(distinct) < _LEAST_ROWS or len(distinct) <= min(rows / 2, _MANY_HASHES) or len({*map(len, distinct)}) > 1:
        return None
    is_named = _HASH_NAMES.fullmatch(key) and any(map(_HASH.fullmatch, distinct))
    return "hashes" if is_named or are_hashes(distinct) else None
