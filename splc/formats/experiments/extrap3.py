"""Binary experiments of Extra-P 3, as Extra-P 4 reads them.

A file is a 16-bit 1 in the byte order of all numbers, the text `EXTRAP_EXPERIMENT`, the version, and records that begin
with their names. A text is its number of bytes (32 bits) and UTF-8; other numbers have 64 bits. Records of models and
of their generators have no stated length, and are skipped up to the next name.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem, Problems, plural
from splc.formats.detect import EXTRAP3
from splc.formats.experiments.rows import ExperimentRows, check_names, shown
from splc.io.files import Source

# The fields of records: i a whole number, d a number, s a text.
_FIELDS = {
    "Parameter": "is",
    "Metric": "iss",
    "Region": "issi",
    "Callpath": "iii",
    "Coordinate": "ii",
    "ModelComment": "is",
    "ExperimentPoint": "iidddddddddii",
}
# Records that are skipped, with the text that they begin with.
_SKIPPED = {
    "SingleParameterSimpleModelGenerator": "s",
    "SingleParameterRefiningModelGenerator": "s",
    "MultiParameterSimpleModelGenerator": "s",
    "MultiParameterSparseModelGenerator": "s",
    "Model": "",
}
_NO_PARENT = -1


def parse_experiment_extrap3(source: Source) -> Experiment:
    """Return the experiment of a file of Extra-P 3; its models are ignored.

    A file has the mean of the repetitions of a point, not their values.
    """
    return _BinaryReader(source).experiment()


class _BinaryReader:
    """Reads a file record by record."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.data
        self.order = "<" if self.data[:2] == b"\1\0" else ">"
        self.at = 2
        names = [struct.pack(f"{self.order}I", len(name)) + name.encode() for name in (*_FIELDS, *_SKIPPED)]
        self.names = re.compile(b"|".join(map(re.escape, names)))
        self.problems = Problems(source.name)
        self.record = "the header"
        self.parameters: list[str] = []
        self.metrics: dict[int, str] = {}
        self.regions: dict[int, str] = {}
        self.equal: dict[str, int] = {}
        self.callpaths: dict[int, str] = {}
        self.coordinates: dict[int, list[float]] = {}
        self.points: list[list[Any]] = []

    def experiment(self) -> Experiment:
        """Return the experiment."""
        if self.text() != EXTRAP3.decode():
            raise InputError(Problem("this is no experiment of Extra-P 3", self.source.name))
        self.text()
        while self.at < len(self.data):
            start = self.at
            self.record = self.text()
            if self.record in _FIELDS:
                self.keep(self.record, [self.field(kind) for kind in _FIELDS[self.record]])
            elif self.record in _SKIPPED:
                for kind in _SKIPPED[self.record]:
                    self.field(kind)
                match = self.names.search(self.data, self.at)
                self.at = match.start() if match else len(self.data)
            else:
                raise self.damaged(f"unknown record {shown(self.record)}", start)
        check_names(self.parameters, self.problems)
        self.problems.raise_if_any(InputError)
        return self.rows()

    def keep(self, record: str, fields: list[Any]) -> None:
        """Keep the content of a record."""
        if record == "Parameter":
            self.parameters.append(fields[1])
        elif record == "Metric":
            self.metrics[fields[0]] = fields[1]
        elif record == "Region":
            # Regions with the same name, of several files, are numbered as Extra-P does.
            number = self.equal[fields[1]] = self.equal.get(fields[1], -1) + 1
            self.regions[fields[0]] = f"{fields[1]} #{number}" if number else fields[1]
        elif record == "Callpath":
            region = self.target_of(self.regions, fields[1], "region")
            parent_path = (
                "" if fields[2] == _NO_PARENT else f"{self.target_of(self.callpaths, fields[2], 'call path')}->"
            )
            self.callpaths[fields[0]] = parent_path + region
        elif record == "Coordinate":
            values = {}
            for _ in range(fields[1]):
                name = self.text()
                values[name] = self.field("d")
            missing = [name for name in self.parameters if not math.isfinite(values.get(name, math.nan))]
            if missing or len(values) > len(self.parameters):
                raise self.damaged("a point without a value of each parameter", self.at)
            self.coordinates[fields[0]] = [values[name] for name in self.parameters]
        elif record == "ExperimentPoint":
            self.points.append(fields)

    def rows(self) -> Experiment:
        """Return the experiment of all records."""
        experiment_rows = ExperimentRows(self.source, self.parameters)
        means = 0
        for coordinate, count, mean, *_, metric, callpath in self.points:
            point_index = experiment_rows.point(self.target_of(self.coordinates, coordinate, "point"))
            key = self.target_of(self.callpaths, callpath, "call path"), self.target_of(self.metrics, metric, "metric")
            experiment_rows.add(point_index, *key, [mean] if math.isfinite(mean) else [])
            means += count > 1
        notes = []
        if means:
            values = plural(means, "value is the mean", "values are means")
            notes.append(f"{values} of repetitions that files of Extra-P 3 do not have: their scatter is unknown")
        return experiment_rows.experiment(notes)

    def field(self, kind: str) -> Any:
        """Return the next field."""
        if kind == "s":
            return self.text()
        (value,) = self.unpacked("q" if kind == "i" else "d", 8)
        return value

    def text(self) -> str:
        """Return the next text."""
        (size,) = self.unpacked("I", 4)
        content = self.data[self.at : self.at + size]
        if len(content) < size:
            raise self.damaged("the file ends", len(self.data))
        self.at += size
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise self.damaged("a text that is not UTF-8", self.at - size) from None

    def unpacked(self, form: str, size: int) -> tuple[Any, ...]:
        """Return the next number."""
        if self.at + size > len(self.data):
            raise self.damaged("the file ends", len(self.data))
        self.at += size
        return struct.unpack_from(self.order + form, self.data, self.at - size)

    def target_of(self, names: dict[int, Any], number: int, kind: str) -> Any:
        """Return what an id refers to."""
        if number not in names:
            raise self.damaged(f"there is no {kind} {number}", self.at)
        return names[number]

    def damaged(self, reason: str, at: int) -> InputError:
        """Return the error of a damaged file."""
        hint = "is the file complete? Extra-P 4 reads it, too, and can save it as .extra-p"
        return InputError(Problem(f"{reason} (byte {at:,}, in {self.record})", self.source.name, hint=hint))
