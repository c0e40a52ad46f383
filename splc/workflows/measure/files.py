"""The files that a measurement writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from splc.errors import OutputError, Problem, RequestError
from splc.formats.measurements.csv import write_measurements_csv
from splc.io.files import write_whole
from splc.io.outputs import require_writable
from splc.io.streams import is_stream
from splc.measuring.journal import read_journal
from splc.measuring.run_results import RunResults
from splc.measuring.setup import CONTINUATION, Setup, require_unsuccessful
from splc.measuring.tables import failures_text, measurements


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
    def of(cls, output: str, journal: str | None) -> Outputs:
        """Return the files that belong to an output, in its folder unless they are named.

        Raises:
            RequestError: if the output is standard output, a pipe or a device, and the journal has no name; or if the
                journal is none that can be kept.
        """
        unnamed = output == "-" or is_stream(output)
        if unnamed and journal is None:
            raise RequestError("the journal needs a name, since the output is no file", "journal")
        if journal is not None and (journal == "-" or is_stream(journal)):
            raise RequestError("the journal is read again, so that it must be a file", "journal")
        stem = Path(str(journal)) if unnamed else Path(output.removesuffix(".gz")).with_suffix("")
        return cls(output, journal or f"{stem}.journal", f"{stem}.failures.csv")

    def require_writable(
        self, inputs: Sequence[str | None], resume: bool, dry: bool, continuation: str = CONTINUATION
    ) -> None:
        """Refuse to overwrite existing measurements, a journal with a successful run, and inputs.

        Args:
            inputs: the inputs of the measurement.
            resume: whether an existing journal is continued.
            dry: whether nothing will be written.
            continuation: the ways to continue a journal.

        Raises:
            OutputError: if a file cannot be written or would be overwritten.
        """
        paths = [*inputs]
        for path in (self.measurements, self.journal, self.failures):
            require_writable(path, paths)
            paths.append(path)
        if dry:
            return
        if Path(self.journal).exists():
            if resume:
                return
            require_unsuccessful(read_journal(self.journal), self.journal, continuation)
        if self.measurements != "-" and Path(self.measurements).is_file():
            hint = "measure into another file with --output: splc learn reads several tables together; or remove it"
            message = "this file of measurements exists already, and has no journal"
            raise OutputError(Problem(message, self.measurements, hint=hint))

    def write(self, setup: Setup, recorded: RunResults) -> bool:
        """Write the measurements, and the failed runs if there are any; return whether there are measurements.

        Raises:
            OutputError: if a file cannot be written.
        """
        table = measurements(setup, recorded)
        if table is not None:
            write_measurements_csv(table, self.measurements)
        text = failures_text(setup, recorded)
        if text is not None:
            write_whole(self.failures, text)
        else:
            # Runs that failed before were repeated and succeeded.
            Path(self.failures).unlink(missing_ok=True)
        return table is not None
