"""Published values, shown beside ours: the compared pair → measure → sampling → value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from splc.errors import Problems, SplcError, unknown_name_hint
from splc.io.csv_rows import header_names, split_table_rows
from splc.io.files import Source
from splc.io.numbers import parse_number
from splc.io.tables import Spread
from splc.io.toml import finite_number, toml_value

TITLE = "published"
GROUPS = ("analytical_learned", "measured_analytical", "measured_learned")
# The rows of tables 5.6 to 5.13 of the thesis; their distances are means without a root. ER is
# `published_error_rate`.
ABBREVIATIONS = {
    "SC": "syntactic",
    "CS": "cosine",
    "JS": "jaccard",
    "MD": "mean_power_1",
    "ED": "mean_power_2",
    "MiD": "mean_power_3",
    "CD": "chebyshev",
}
ERROR_RATE = "ER"
COLUMNS = ("compared", "measure", "sampling", "value", "deviation")
_NUMBER = "write a number, or [mean, deviation in percent of it]"

# Group → measure → sampling (None: of the analytical model, which needs none) → value.
Values = Mapping[str, Mapping[str, Mapping[str | None, float | Spread]]]


def published_error_rate(group: str) -> str:
    """Return the key of the thesis' error rate in a group of comparisons.

    It is relative to what was measured: to the measurements, or to the model that was learned from them (table 4.1).
    """
    return "error_rate_reversed" if group == "analytical_learned" else "error_rate"


@dataclass(frozen=True)
class Reference:
    """Published values, in the units of our tables.

    Attributes:
        title: who published them.
        values: group → measure → sampling, None for the analytical model → value.
    """

    title: str = TITLE
    values: Values = field(default_factory=dict)

    def value(self, group: str, measure: str, sampling: str | None) -> float | Spread | None:
        """Return a published value, None if there is none."""
        return self.values.get(group, {}).get(measure, {}).get(sampling)

    def has(self, group: str, measure: str) -> bool:
        """Return whether any value of a measure is published."""
        return bool(self.values.get(group, {}).get(measure))


class ReferenceReader:
    """Reads published values and collects problems.

    Args:
        problems: the problems of the file.
        samplings: the study's samplings.
        canonical: spec → its canonical spelling.
        measures: the keys of all measures of the tables.
    """

    def __init__(
        self, problems: Problems, samplings: tuple[str, ...], canonical: Callable[[str], str], measures: tuple[str, ...]
    ) -> None:
        self.problems = problems
        self.samplings = samplings
        self.canonical = canonical
        self.measures = measures
        self.values: dict[str, dict[str, dict[str | None, float | Spread]]] = {}

    def table(self, content: Mapping[str, Any], lines: Mapping[str, int]) -> Reference:
        """Return the published values of a `[reference]` table."""
        title = content.get("title", TITLE)
        if not isinstance(title, str) or not title.strip():
            self.problems.add("reference.title must be a text", lines.get("reference.title"), text=toml_value(title))
            title = TITLE
        for group, measures in content.items():
            if group == "title":
                continue
            group_key = f"reference.{group}"
            line = lines.get(group_key, lines.get("reference"))
            if not self._known_group(group, line):
                continue
            if not isinstance(measures, dict):
                self.problems.add(f"{group_key} must be a table", line, hint=f"write [{group_key}] and measures below")
                continue
            for measure, values in measures.items():
                measure_line = lines.get(f"{group_key}.{measure}", line)
                if group == "measured_analytical":
                    self.add(group, measure, None, values, measure_line)
                elif isinstance(values, dict):
                    for sampling, value in values.items():
                        self.add(
                            group,
                            measure,
                            sampling,
                            value,
                            lines.get(f"{group_key}.{measure}.{sampling}", measure_line),
                        )
                else:
                    hint = 'write it as { "pb:9,3" = 9.4, ff = 9.8 }'
                    self.problems.add(
                        f"{group_key}.{measure} must be a table: sampling = value", measure_line, hint=hint
                    )
        return Reference(title, self.values)

    def rows(self, source: Source) -> Reference:
        """Return the published values of a CSV file."""
        rows, lines = split_table_rows(source)
        header = header_names(rows[0])
        if missing := [name for name in COLUMNS[:4] if name not in header]:
            self.problems.add(
                f"{source.name}: there is no column {', '.join(missing)}", hint=f"its columns are {', '.join(COLUMNS)}"
            )
        if duplicates := [name for name in COLUMNS if header.count(name) > 1]:
            self.problems.add(f"{source.name}: duplicate column {duplicates[0]!r}", lines[0])
        if missing or duplicates:
            return Reference()
        row_problems = Problems(source.name)
        self.problems, outer = row_problems, self.problems
        for cells, line in zip(rows[1:], lines[1:], strict=True):
            if len(cells) != len(header):
                row_problems.add(f"{len(cells)} fields, but the header has {len(header)}", line)
                continue
            row = {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
            if not self._known_group(row["compared"], line):
                continue
            value: Any = _float(row["value"])
            if deviation := row.get("deviation"):
                value = [value, _float(deviation)]
            self.add(row["compared"], row["measure"], row["sampling"] or None, value, line)
        self.problems = outer
        try:
            row_problems.raise_if_any()
        except SplcError as error:
            self.problems.include(error)
        return Reference(TITLE, self.values)

    def add(self, group: str, measure: str, sampling: str | None, value: Any, line: int | None) -> None:
        """Add one value."""
        keys_by_name = {**ABBREVIATIONS, ERROR_RATE: published_error_rate(group)}
        key = keys_by_name.get(measure, measure)
        if key not in self.measures:
            hint = unknown_name_hint(measure, [*keys_by_name, *self.measures])
            self.problems.add(f"unknown measure {measure!r}", line, hint=hint)
            return
        if (sampling is None) != (group == "measured_analytical"):
            reason = "needs a sampling" if sampling is None else "has no samplings"
            self.problems.add(f"{group} {reason}", line, text=f"{measure}")
            return
        if sampling is not None:
            try:
                canonical = self.canonical(sampling)
            except SplcError as error:
                self.problems.include(error, line)
                return
            if canonical not in self.samplings:
                hint = unknown_name_hint(canonical, self.samplings)
                self.problems.add(f"the study has no sampling {sampling!r}", line, hint=hint)
                return
            sampling = canonical
        read = _value(value)
        if read is None:
            self.problems.add(f"the value of {measure} must be a number", line, text=toml_value(value), hint=_NUMBER)
            return
        values = self.values.setdefault(group, {}).setdefault(key, {})
        if sampling in values:
            suffix = "" if sampling is None else f" for {sampling}"
            self.problems.add(f"{group}: {measure} is given twice{suffix}", line, hint="leave one of the values out")
            return
        values[sampling] = read

    def _known_group(self, group: str, line: int | None) -> bool:
        if group in GROUPS:
            return True
        self.problems.add(f"unknown comparison {group!r}", line, hint=unknown_name_hint(group, GROUPS))
        return False


def _value(value: Any) -> float | Spread | None:
    if isinstance(value, list):
        numbers = [finite_number(entry) for entry in value]
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None or numbers[1] < 0:
            return None
        return Spread(numbers[0], abs(numbers[0]) * numbers[1] / 100)
    return finite_number(value)


def _float(text: str) -> float | str:
    number = parse_number(text)
    return text if math.isnan(number) else number
