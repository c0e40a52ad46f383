"""The files that `splc measure` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from splc.errors import OutputError, Problem
from splc.io.outputs import require_writable

if TYPE_CHECKING:
    from splc.measuring.run_results import RunResults
    from splc.measuring.setup import Setup


@dataclass(frozen=True)
class Outputs:
    """The files that a measurement writes.

    Attributes:
        measurements: the table of values.
        journal: the record of every run.
        failures: the table of what failed.
    """

    measurements: str
    journal: str
    failures: str

    @classmethod
    def of(cls, output: str, journal: str | None, json: bool) -> Outputs:
        """Return the files that belong to an output, beside it unless they are named.

        Raises:
            BadParameter: if the output is standard output, which has no place beside it or is needed for JSON.
        """
        if output == "-" and json:
            raise typer.BadParameter("standard output has the JSON object already", param_hint="--output")
        if output == "-" and journal is None:
            raise typer.BadParameter("needs a name, for the output is standard output", param_hint="--journal")
        stem = Path(output.removesuffix(".gz")).with_suffix("") if output != "-" else Path(str(journal))
        return cls(output, journal or f"{stem}.journal", f"{stem}.failures.csv")

    def require_writable(self, inputs: Sequence[str | None], resume: bool, dry: bool) -> None:
        """Refuse to write over measurements or a journal that are there, and over inputs.

        Args:
            inputs: the inputs of the command.
            resume: whether a journal that is there is gone on with.
            dry: whether nothing is going to be written.

        Raises:
            OutputError: if a file cannot be written or is not to be.
        """
        taken = [*inputs]
        for path in (self.measurements, self.journal, self.failures):
            require_writable(path, taken)
            taken.append(path)
        if dry:
            return
        if Path(self.journal).exists():
            if not resume:
                hint = "go on with it by --resume, or measure into another file with --output, or remove it"
                raise OutputError(Problem("this journal of measurements exists already", self.journal, hint=hint))
        elif self.measurements != "-" and Path(self.measurements).is_file():
            hint = "measure into another file with --output, or remove it"
            message = "there are measurements already, and no journal that they come from"
            raise OutputError(Problem(message, self.measurements, hint=hint))

    def write(self, setup: Setup, recorded: RunResults) -> bool:
        """Write the measurements, and the failed runs where there are some; return whether there are measurements.

        Raises:
            OutputError: if a file cannot be written.
        """
        from splc.formats.measurements.csv import write_measurements_csv
        from splc.io.files import write_whole
        from splc.measuring.tables import failures_text, measurements

        found = measurements(setup, recorded)
        if found is not None:
            write_measurements_csv(found, self.measurements)
        text = failures_text(setup, recorded)
        if text is not None:
            write_whole(self.failures, text)
        else:
            # What failed before was done again and succeeded.
            Path(self.failures).unlink(missing_ok=True)
        return found is not None
