"""Notes about models of other subjects whose files are replaced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from splc.errors import InputError, listed
from splc.formats.models.subject import Subject, subject_of
from splc.io.files import STANDARD, read_source
from splc.workflows.note import Note


def replaced_notes(files: Sequence[str], subject: Subject) -> Iterator[Note]:
    """Yield notes about existing files that are replaced and whose models are about another system or property."""
    before: dict[Subject, list[str]] = {}
    for file in files:
        if file != STANDARD and Path(file).is_file():
            with suppress(InputError):
                former = subject_of(read_source(file))
                if former.differs(subject):
                    before.setdefault(former, []).append(file)
    for former, replaced in before.items():
        models, are = ("the model", "is") if len(replaced) == 1 else ("models", "are")
        verb = "was" if len(replaced) == 1 else "were"
        yield Note(f"{listed(replaced)} {verb} {models} of {former}, and {are} replaced")
