"""Errors that bad input can cause, as one tree with `SplcError` at its root.

Every error states what is wrong, where (file and line if the cause is in a file), the offending text and what to do.
Readers collect all problems of a file and raise them together as one error (see `Problems`).
"""

from __future__ import annotations

import difflib
import errno
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """One problem with an input."""

    message: str  # what is wrong, without the location
    file: str | None = None  # the file, if the problem is in a file
    line: int | None = None  # the line (1-based), if known
    column: int | None = None  # the column (1-based), if known
    text: str | None = None  # the offending text
    hint: str | None = None  # what to do

    def __str__(self) -> str:
        column = None if self.column is None else self.column if self.line is not None else f"column {self.column}"
        place = ":".join(str(part) for part in (self.file, self.line, column) if part is not None)
        message = _bounded(self.message)
        lines = [f"{place}: {message}" if place else message]
        if self.text:
            lines.append(f"    {shorten(self.text)}")
        if self.hint:
            lines.append(f"    {_bounded(self.hint)}")
        return "\n".join(lines)

    def at(self, file: str | Path | None, line: int | None = None) -> Problem:
        """Return the problem with its file and line set where they were not known."""
        file = self.file if self.file is not None or file is None else str(file)
        return replace(self, file=file, line=self.line if self.line is not None else line)


class SplcError(Exception):
    """Base class of all errors that bad input causes: one or several problems.

    Args:
        problems: a message, a `Problem`, or several of them.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem], *, hint: str | None = None) -> None:
        if isinstance(problems, str):
            problems = Problem(problems, hint=hint)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def at(self, file: str | Path | None, line: int | None = None) -> SplcError:
        """Return an error of the same class, with file and line set where they were not known."""
        return type(self)([problem.at(file, line) for problem in self.problems])


class InputError(SplcError):
    """A file or a text cannot be read, or its content is wrong."""


class VariabilityError(InputError):
    """A variability model is contradictory or violates the rules of its format."""


class ConfigurationError(InputError):
    """A configuration does not fit the variability model."""


class MeasurementError(InputError):
    """Measurements are incomplete, ambiguous or do not belong to the system."""


class ExpressionError(InputError):
    """A text is not an expression, or uses unknown names."""


class SpecError(SplcError):
    """A sampling spec or a setting is unknown or has wrong arguments."""


class RequestError(SpecError):
    """A request contradicts itself, is incomplete, or asks for something without an effect.

    Args:
        problems: a message, a `Problem`, or several of them.
        fields: the fields of the request that are wrong; the command line shows them as its options.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem], *fields: str, hint: str | None = None) -> None:
        super().__init__(problems, hint=hint)
        self.fields = fields


class SpaceError(SplcError):
    """The space of valid configurations is empty, or too large for the requested operation."""


class EmptySampleError(SpaceError):
    """A sampling selects no configuration of a system that has some."""


class MachineError(SplcError):
    """A machine cannot do any run: its disk is full, or it has no memory or no temporary folder left."""


class LearningError(SplcError):
    """No model can be learned from the given measurements and settings."""


class OutputError(SplcError):
    """A result cannot be written."""


class Problems:
    """Collects the problems of one file, so that all of them are reported at once.

    Problems beyond `limit` are counted, not listed: if every line of a file is wrong, there is one cause.
    """

    def __init__(self, file: str | Path | None = None, limit: int = 20) -> None:
        self.file = str(file) if file is not None else None
        self.limit = limit
        self._problems: list[Problem] = []
        self._included: set[Problem] = set()

    def add(self, message: str, line: int | None = None, *, text: str | None = None, hint: str | None = None) -> None:
        """Add one problem at `line` of the file."""
        self._problems.append(Problem(message, self.file, line, None, text, hint))

    def include(self, error: SplcError, line: int | None = None) -> None:
        """Add the problems of `error`, located in this file at `line`."""
        for problem in error.problems:
            placed = problem.at(self.file, line)
            # A problem that several inputs share is reported once.
            if placed not in self._included:
                self._included.add(placed)
                self._problems.append(placed)

    def __len__(self) -> int:
        return len(self._problems)

    def raise_if_any(self, kind: type[SplcError] = InputError) -> None:
        """Raise all problems added so far as one error of class `kind`."""
        if not self._problems:
            return
        shown = sorted(self._problems, key=lambda p: (p.line is None, p.line or 0))[: self.limit]
        if rest := len(self._problems) - len(shown):
            shown.append(Problem(f"… and {rest} more problems", self.file))
        raise kind(shown)


# No memory, processes or files are left.
PROCESS_ERRORS = frozenset({errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE})
# Names in files have any length, and those in messages are rarely longer.
_WORD, _MESSAGE = 300, 3000
_LONG_WORD = re.compile(rf"(\S{{{_WORD}}})\S+")


def _bounded(text: str) -> str:
    """Return a message with long words and its end cut."""
    if len(text) <= _WORD:
        return text
    text = _LONG_WORD.sub(r"\1…", text)
    return text if len(text) <= _MESSAGE else text[: _MESSAGE - 1] + "…"


def shorten(text: str, width: int = 160) -> str:
    """Return `text` on one line, cut to `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def require_kind(value: object, kind: type, hint: str) -> None:
    """Refuse an argument of another type than a public function takes."""
    if not isinstance(value, kind):
        raise SpecError(f"a value of the type {kind.__name__} is needed, not {type(value).__name__}", hint=hint)


def nearest(name: str, known: Iterable[str], prefix: str = "did you mean") -> str | None:
    """Return a hint that names the known name nearest to `name`, or None."""
    # The comparison of long names is slow.
    names = tuple(each for each in known if len(each) <= _WORD) if len(name) <= _WORD else ()
    found = _nearest(name, names) if len(names) <= _FEW else _nearest_of_many(name, names)
    return None if found is None else f"{prefix} {found!r}?"


# A file often has the same wrong name in every row, and the comparison with thousands of names is slow.
@lru_cache(maxsize=256)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    folded = {candidate.casefold(): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


_FEW = 500  # long lists are kept for a few names only: they may be the cells of a file
_nearest_of_many = lru_cache(maxsize=4)(_nearest.__wrapped__)


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Return names joined by commas for a message, at most `limit` of them."""
    if len(names) <= limit:
        return ", ".join(names)
    return ", ".join(names[:limit]) + f", … ({len(names)} in all)"


def unknown_name_hint(name: str, known: Sequence[str]) -> str:
    """Return a hint for an unknown name: the nearest known name, or the list of known names."""
    return nearest(name, known) or f"known are: {listed(known)}"


def plural(count: int, one: str, many: str) -> str:
    """Return a count with its noun in the singular or plural."""
    return f"{count:,} {one if count == 1 else many}"
