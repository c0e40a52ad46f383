"""The log of a run: lines as SPL Conqueror writes them, in the file that a script names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from splc.errors import OutputError, Problem
from splc.io.streams import is_stream

ERRORS = "_error"


@dataclass
class RunLog:
    """A log, whose lines are written at once: programs wait for some of them.

    Attributes:
        on_line: called with every line while no file is named.
        path: the file, None for none.
        files: all files that were written.
    """

    on_line: Callable[[str], None]
    path: str | None = None
    files: list[str] = field(default_factory=list)
    _streams: tuple[TextIO, ...] = ()

    def open(self, path: str) -> None:
        """Write the following lines to a file, and errors to another one beside it; both are emptied first.

        The lines of errors are written to pipes and devices, too.

        Raises:
            OutputError: if one cannot be written.
        """
        self.close()
        names = (path,) if is_stream(path) else (path, path + ERRORS)
        streams = []
        for name in names:
            try:
                # Open until the next log.
                streams.append(Path(name).open("w", encoding="utf-8", newline="\n", buffering=1))  # noqa: SIM115
            except OSError as error:
                raise OutputError(Problem(f"cannot be written: {error.strerror or error}", name)) from None
        self.path, self._streams = path, tuple(streams)
        self.files += [name for name in names if name not in self.files]

    def line(self, text: str) -> None:
        """Write a line."""
        if self._streams:
            print(text, file=self._streams[0])
        else:
            self.on_line(text)

    def error(self, text: str) -> None:
        """Write a line to the file of errors, if a file is named."""
        if self._streams:
            print(text, file=self._streams[-1])

    def close(self) -> None:
        """Close the files."""
        for stream in self._streams:
            stream.close()
        self.path, self._streams = None, ()
