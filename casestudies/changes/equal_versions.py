"""The preset `equal`: pairs of equal versions of gzip, measured in turn on this machine as the GitHub Action does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from casestudies.changes.tables import equal_table
from casestudies.evaluation.evaluation import Evaluation, Row
from sampling import draw_sample
from splc.formats.measurements.csv import write_configurations
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.io.tables import Table
from splc.system.variability import VariabilityModel
from splc.workflows import changed
from splc.workflows.measure import measure

SYSTEM = VariabilityModel.of(
    {"level": range(1, 10), "rsyncable": bool, "quiet": bool, "no_name": bool, "synchronous": bool}, name="gzip"
)
COMMAND = (
    "gzip -{level} {rsyncable?--rsyncable} {quiet?--quiet} {no_name?--no-name} {synchronous?--synchronous} "
    "--stdout {version}.txt"
)
# Lines of numbers of the compressed text, which takes some milliseconds.
LINES = 20_000
# Tests of a cell, and cells; runs of a configuration with a version, as by default in action.yml.
DRAWS, CELLS, PAIRS, REPEAT = 20, 10, 20, 3
# The limit of a build, in percent.
LIMIT = 5.0


def tested(seed: int) -> changed.Result:
    """Return the test of two equal versions with random configurations, which are measured in turn."""
    write_configurations(draw_sample(SYSTEM, f"random:{PAIRS}", seed=seed).configurations, "pairs.csv")
    versions = measure.Request(
        system="system.xml",
        configurations="pairs.csv",
        command=COMMAND,
        contexts={"version": ("base", "head")},
        properties=("cpu=cpu",),
        repeat=REPEAT,
        output=f"{seed}.csv",
    )
    measure.run(versions)
    request = changed.Request(system="system.xml", tables=(f"{seed}.csv",), by="version", fail_above=LIMIT, seed=seed)
    return changed.run(request)


@dataclass(frozen=True)
class EqualVersions(Evaluation):
    """Tests of equal versions by measured times, which no second run repeats exactly."""

    preset: ClassVar[str] = "equal"

    seeds: int | None = None  # tests of a cell; None: as many as the table of the page has

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for cell in range(CELLS):
            yield f"equal versions, part {cell + 1}", {"part": cell, "draws": self.seeds or DRAWS}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return one row: how many tests state a change, and how many one beyond the limit."""
        tests: list[changed.Result] = []
        with TemporaryDirectory() as folder, chdir(folder):
            write_variability_model(SYSTEM, "system.xml")
            for version in ("base", "head"):
                Path(f"{version}.txt").write_text("\n".join(map(str, range(LINES))), encoding="utf-8")
            tests += [tested(cell["part"] * cell["draws"] + draw) for draw in range(cell["draws"])]
        found = sum(test.test.changed for test in tests), sum(bool(test.failures) for test in tests)
        deviation = sum(test.test.deviation for test in tests) / len(tests)
        return [{**cell, "found": found[0], "beyond": found[1], "deviation": deviation}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (equal_table(rows),)
