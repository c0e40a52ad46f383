"""Roles of columns by their names and contents: statistics, time stamps, hashes, units."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from splc.data.property_name import is_measurement_name, words_of
from splc.formats.measurements.coded_columns import ROW_NUMBERS
from splc.io.cells import distinct_texts
from splc.io.numbers import parse_column

# Statistics of repetitions; the first ones state the centre, the best one first.
_CENTRES = ("mean", "avg", "average", "median", "p50")
_BOUNDS = frozenset(("min", "max", "minimum", "maximum"))
_SCATTER = frozenset(
    (
        *("stddev", "std", "stdev", "sd", "var", "variance", "cv", "sem", "stderr", "iqr", "q1", "q3", "mad"),
        *_BOUNDS,
        *("outliers", "rounds"),
    )
)
_PERCENTILE = re.compile(r"(?:p|pct|perc|percentile)_?[0-9]{2,4}|[0-9]{2}(?:th)?_?(?:percentile|pct|perc)")
# Parts of the elapsed time that the system reports.
_ELAPSED = frozenset((*_CENTRES, "real", "elapsed", "wall", "wall_time", "wall_clock", "time", "runtime"))
_CPU_PARTS = frozenset(("user", "sys", "system", "user_time", "system_time", "sys_time"))

_STAMP_NAMES = frozenset(
    (
        *("timestamp", "time_stamp", "datetime", "date_time", "started", "start_time", "started_at", "finished"),
        *("finished_at", "end_time", "ended_at", "created", "created_at", "date", "epoch", "unix_time", "ts"),
    )
)
# `2024-05-01T12:00:03`, `2024-05-01`, `12:00:03`.
_STAMP = re.compile(
    r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}.*)?|[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?"
)
# Seconds since 1970 from the year 2001 on, also in milli-, micro- or nanoseconds.
_EPOCH = 1e9
_HASH = re.compile(
    r"(?=[0-9a-f]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE
)
_HASH_NAMES = re.compile(r"(?:.*_)?(?:hash|sha|sha1|sha256|md5|digest|checksum|uuid|guid)(?:sum)?")

_LEAST_ROWS = 5
# Fewer days may be contexts.
_MANY_DAYS = 10
# The number of cells among which the first one with a text is looked for.
_LOOKED_AT = 1000


def left_out(columns: Mapping[str, Sequence[str]], mentioned: Collection[str]) -> dict[str, str]:
    """Return the columns that are neither options nor properties nor contexts by their names and contents, and why."""
    reasons = dict(_statistics(columns, mentioned))
    for name, texts in columns.items():
        if name not in mentioned and name not in reasons and (reason := _stamps_or_hashes(name, texts)):
            reasons[name] = reason
    return reasons


def _statistics(columns: Mapping[str, Sequence[str]], mentioned: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the statistics of a value with a centre column: `median`, `time_max` if there is `time_mean`."""
    groups: dict[str, dict[str, str]] = {}
    for name in columns:
        base, statistic = _statistic(name)
        if statistic:
            groups.setdefault(base, {}).setdefault(statistic, name)
    names = {"_".join(words_of(name)): name for name in columns}
    for base, group in groups.items():
        # `time` beside `time_max` is the value itself, but `depth` and `max_depth` are two options.
        is_value = is_measurement_name(base) or not _BOUNDS.issuperset(group)
        centre = (names.get(base) if is_value else None) or next((group[key] for key in _CENTRES if key in group), None)
        spreads = [name for name in group.values() if name != centre]
        if centre is None or not spreads:
            continue
        chosen = next((name for name in (*spreads, centre) if name in mentioned), centre)
        for name in (*spreads, centre):
            if name not in mentioned and name != chosen:
                yield name, f"statistics beside {chosen}"
    elapsed = next((name for key, name in names.items() if key in _ELAPSED), None)
    if elapsed is not None and sum(key in _CPU_PARTS for key in names) > 1:
        for key, name in names.items():
            if key in _CPU_PARTS and name not in mentioned:
                yield name, f"parts of the processor time beside {elapsed}"


def _statistic(name: str) -> tuple[str, str]:
    """Return what a column is a statistic of, and which; empty texts if it is none."""
    key = "_".join(words_of(name))
    percentile = re.search(rf"(?:^|_)({_PERCENTILE.pattern})$", key)
    if percentile:
        return key[: percentile.start()], percentile[1]
    words = key.split("_")
    for at in (-1, 0):
        if words[at] in _CENTRES or words[at] in _SCATTER:
            stem = words[:-1] if at else words[1:]
            return "_".join(stem), words[at]
    # `time_mean_ms`
    if len(words) > 2 and (words[-2] in _CENTRES or words[-2] in _SCATTER):
        return "_".join((*words[:-2], words[-1])), words[-2]
    return "", ""


def _stamps_or_hashes(name: str, texts: Sequence[str]) -> str | None:
    """Return whether a column has time stamps, hashes or numbers of rows, None if it has none."""
    key = "_".join(words_of(name))
    first = next(filter(None, map(str.strip, texts[:_LOOKED_AT])), None)
    if ROW_NUMBERS.fullmatch(key) and first is not None and first.isdecimal():
        return "it numbers the rows" if len(distinct_texts(texts)[0]) == len(texts) >= _LEAST_ROWS else None
    is_named = key in _STAMP_NAMES or _HASH_NAMES.fullmatch(key)
    if first is not None and not is_named and not _STAMP.fullmatch(first) and not _HASH.fullmatch(first):
        # All texts would have to be one, and a column of measured values has many different texts.
        return None
    distinct = [stripped for text in distinct_texts(texts)[0] if (stripped := text.strip())]
    return _stamp(key, distinct, len(texts)) or _hash(key, distinct, len(texts))


def _stamp(key: str, distinct: Sequence[str], rows: int) -> str | None:
    """Return why a column has time stamps, None if it has none."""
    if len(distinct) < 2:
        return None
    differs = len(distinct) > rows / 2 and rows >= _LEAST_ROWS
    if all(_STAMP.fullmatch(text) for text in distinct):
        many = differs or len(distinct) > _MANY_DAYS
        return "time stamps" if many or all(":" in text for text in distinct) else None
    if key in _STAMP_NAMES and differs and bool((parse_column(distinct) >= _EPOCH).all()):
        return "time stamps"
    return None


def _hash(key: str, distinct: Sequence[str], rows: int) -> str | None:
    """Return why a column has hashes, None if it has none; a few hashes, as of commits, are contexts."""
    if len(distinct) < _LEAST_ROWS or len(distinct) <= rows / 2:
        return None
    is_named = _HASH_NAMES.fullmatch(key) is not None
    hashes = sum(_HASH.fullmatch(text) is not None for text in distinct)
    lengths = {len(text) for text in distinct}
    return "hashes" if len(lengths) == 1 and (hashes == len(distinct) or (is_named and hashes > 0)) else None
