"""Experiments in Extra-P's text format.

One statement per line: `PARAMETER p n`, `POINTS (4 100) (8 100)`, `REGION main->solve`, `METRIC time`, and one `DATA`
with all repetitions per point, in the order of the points. A region or a metric applies until the next one; without any
the metric is `<default>`. A line that begins with `#` is a comment, and so is what follows a ` #` except in the names
of regions and metrics.

A `DATA` without values is a point without measurements, an extension of the format.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from splc.data.experiment import DEFAULT_METRIC, Experiment, Key
from splc.errors import InputError, OutputError, Problems, nearest, plural
from splc.formats.detect import KEYWORDS
from splc.formats.experiments.rows import ExperimentRows, read_number, shown
from splc.io.files import Source
from splc.io.numbers import number_text

_LINE_END = re.compile(r"\r\n|\r|\n")
_STATEMENT = re.compile(r"([^\s(]*)(.*)", re.DOTALL)
_NAME = re.compile(r"[^\r\n\0\ud800-\udfff]+")
_COMMENT = re.compile(r"(?:^|\s)#.*", re.DOTALL)
_PIECE = re.compile(r"\(([^()]*)\)|([^()\s]+)|([()])")
# Similar names are searched only for as many messages as are shown, since that takes time.
_HINTS = 20
_NOTED = 5


def parse_experiment_text(source: Source) -> Experiment:
    """Return the experiment of a file in Extra-P's text format."""
    reader = _StatementReader(source)
    for number, line in enumerate(_LINE_END.split(source.text()), start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            reader.statement(text, number)
    return reader.experiment()


class _Block(NamedTuple):
    """The data of one region and metric: the first line, and the repetitions of each point."""

    line: int
    rows: list[list[float]]


class _StatementReader:
    """Reads a file statement by statement; problems are collected."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.name)
        self.parameters: dict[str, None] = {}
        # Coordinates, line, and whether they were in parentheses, which are optional for one parameter.
        self.points: list[tuple[list[float], int, bool]] = []
        self.current: dict[str, str] = {}
        self.named: dict[Key, int] = {}
        self.blocks: dict[Key, _Block] = {}
        self.block: _Block | None = None

    def statement(self, text: str, line: int) -> None:
        """Read one line that is neither empty nor a comment."""
        match = _STATEMENT.match(text)
        keyword, argument = (match[1], match[2].strip()) if match else (text, "")
        uncommented = _COMMENT.sub("", argument).strip()
        if keyword not in KEYWORDS:
            self.unknown(keyword, text, line)
        elif keyword == "DATA":
            self.data(uncommented, line)
        elif not (argument if keyword in ("REGION", "METRIC") else uncommented):
            missing_kind = "coordinates" if keyword == "POINTS" else "a name"
            self.problems.add(f"{keyword} without {missing_kind}", line)
        elif keyword == "PARAMETER":
            for name in uncommented.split():
                if name in self.parameters:
                    self.problems.add(f"duplicate parameter {shown(name)}", line)
                self.parameters[name] = None
        elif keyword == "POINTS":
            self.coordinates(uncommented, line)
        else:
            self.current[keyword] = argument
            self.named.setdefault((keyword, argument), line)
            self.block = None

    def unknown(self, keyword: str, text: str, line: int) -> None:
        """Note a line without a keyword."""
        hint = f"the statements are {', '.join(KEYWORDS)}; comments begin with #"
        if len(self.problems) < _HINTS and len(keyword) < 2 * max(map(len, KEYWORDS)):
            hint = nearest(keyword, KEYWORDS) or hint
        self.problems.add(f"unknown statement {shown(keyword)}", line, text=text[:200], hint=hint)

    def coordinates(self, text: str, line: int) -> None:
        """Read `(4 100) (8 100)`, or `4 8`."""
        if self.blocks:
            self.problems.add("POINTS after DATA", line, hint="the points come first; every series has all of them")
        unmatched = False
        for enclosed, loose, parenthesis in _PIECE.findall(text):
            unmatched |= bool(parenthesis)
            if not parenthesis:
                texts = [loose] if loose else enclosed.split()
                values = [read_number(text, self.problems, line=line) for text in texts]
                self.points.append((values, line, not loose))
        if unmatched:
            self.problems.add("the parentheses do not match", line, text=text, hint="POINTS (4 100) (8 100)")

    def data(self, text: str, line: int) -> None:
        """Read the repetitions at the next point."""
        key = (self.current.get("REGION", ""), self.current.get("METRIC", DEFAULT_METRIC))
        if self.block is None:
            if not key[0]:
                self.problems.add("DATA before any REGION", line, hint="write REGION and a name before it")
            elif key in self.blocks:
                self.problems.add(
                    f"REGION {key[0]}, METRIC {key[1]} has data since line {self.blocks[key].line}",
                    line,
                    hint="write all repetitions of a point after one DATA; is this another region or metric?",
                )
            # A duplicate is read as well, to report its problems.
            self.block = _Block(line, [])
            self.blocks.setdefault(key, self.block)
        self.block.rows.append([read_number(piece, self.problems, line=line) for piece in text.split()])

    def experiment(self) -> Experiment:
        """Return the experiment."""
        for keyword, contents in (("PARAMETER", self.parameters), ("POINTS", self.points), ("DATA", self.blocks)):
            if not contents:
                self.problems.add(f"there is no {keyword} in the file")
        if self.parameters:
            self.check_points()
        if self.points:
            self.check_blocks()
        self.problems.raise_if_any(InputError)
        rows = ExperimentRows(self.source, list(self.parameters))
        point_indices = [rows.point(coordinates) for coordinates, _, _ in self.points]
        for (region, metric), block in self.blocks.items():
            for point_index, values in zip(point_indices, block.rows, strict=True):
                rows.add(point_index, region, metric, values)
        return rows.experiment(self.notes(len(point_indices) - len(set(point_indices))))

    def check_points(self) -> None:
        """Note points that do not have one coordinate per parameter, the first one of each line."""
        reported_lines = set()
        number = len(self.parameters)
        for coordinates, line, enclosed in self.points:
            if len(coordinates) == number or line in reported_lines:
                continue
            reported_lines.add(line)
            coordinate_count = plural(len(coordinates), "coordinate", "coordinates")
            message = f"a point with {coordinate_count}, but there {'is' if number == 1 else 'are'} "
            message += plural(number, "parameter", "parameters")
            hint = None if enclosed else "write each point in parentheses: POINTS (4 100) (8 100)"
            self.problems.add(message, line, hint=hint)

    def check_blocks(self) -> None:
        """Note series that do not have one line of data per point."""
        for (region, metric), block in self.blocks.items():
            lines = len(block.rows)
            if lines != len(self.points):
                message = f"REGION {region}, METRIC {metric}: {plural(lines, 'line', 'lines')} of DATA, but "
                message += plural(len(self.points), "point", "points")
                fewer = "write DATA without values for a point that was not measured"
                self.problems.add(message, block.line, hint=fewer if lines < len(self.points) else None)

    def notes(self, repeated: int) -> list[str]:
        """Return notes on names without data and equal points."""
        used = {("REGION", region) for region, _ in self.blocks} | {("METRIC", metric) for _, metric in self.blocks}
        unused = [pair for pair in self.named.items() if pair[0] not in used]
        texts = [f"line {line}: {keyword} {name} has no DATA" for (keyword, name), line in unused[:_NOTED]]
        if len(unused) > _NOTED:
            texts.append(f"{len(unused) - _NOTED} more names have no DATA")
        if repeated:
            texts.append(f"{plural(repeated, 'point is', 'points are')} equal to earlier ones: used as repetitions")
        return texts


def experiment_text(experiment: Experiment) -> str:
    """Return an experiment in Extra-P's text format.

    Points without a value get a `DATA` without values; repetitions that are missing are left out.
    """
    invalid = [name for name in experiment.parameters if name.split() != [name] or name.startswith("#")]
    invalid += [name for key in experiment.series for name in key if name != name.strip() or not _NAME.fullmatch(name)]
    if invalid:
        hint = "rename it, or write JSON lines"
        raise OutputError(f"the name {shown(invalid[0])} cannot be written in Extra-P's text format", hint=hint)
    lines = [f"PARAMETER {name}" for name in experiment.parameters]
    lines += [f"POINTS ({' '.join(map(number_text, point))})" for point in experiment.points.tolist()]
    for (callpath, metric), values in experiment.series.items():
        lines += ["", f"REGION {callpath}", f"METRIC {metric}"]
        for row, is_measured in zip(values, ~np.isnan(values), strict=True):
            lines.append(" ".join(["DATA", *map(number_text, row[is_measured].tolist())]))
    return "\n".join(lines) + "\n"
