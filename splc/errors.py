"""The one error tree: everything that bad input can cause.

Every error carries what is wrong, where (file and line, where the cause lies in a file), the offending text and
what to do about it. Readers collect all problems of a file and raise them together as one `InputErrors`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input.

    Attributes:
        message: what is wrong, without the place.
        file: the file it lies in, if any.
        line: its line (1-based), if known.
        column: its column (1-based), if known.
        text: the offending text.
        hint: what to do.
    """

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    text: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        column = None if self.column is None else self.column if self.line is not None else f"column {self.column}"
        place = ":".join(str(part) for part in (self.file, self.line, column) if part is not None)
        lines = [f"{place}: {self.message}" if place else self.message]
        if self.text:
            lines.append(f"    {shorten(self.text)}")
        if self.hint:
            lines.append(f"    {self.hint}")
        return "\n".join(lines)

    def at(self, file: str | Path | None, line: int | None = None) -> Problem:
        """Return the same problem placed in `file` at `line` (places already known are kept)."""
        return Problem(
            self.message,
            self.file if self.file is not None else (str(file) if file is not None else None),
            self.line if self.line is not None else line,
            self.column,
            self.text,
            self.hint,
        )


class SplcError(Exception):
    """Root of the tree: one or several problems with what the user gave.

    Args:
        problems: a message, a `Problem`, or several of them.
    """

    def __init__(self, problems: str | Problem | Iterable[Problem], *, hint: str | None = None) -> None:
        if isinstance(problems, str):
            problems = Problem(problems, hint=hint)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def at(self, file: str | Path | None, line: int | None = None) -> SplcError:
        """Return an error of the same class whose problems are placed in `file` at `line`."""
        return type(self)([problem.at(file, line) for problem in self.problems])


class InputError(SplcError):
    """A file or a text cannot be read as what it should be."""


class VariabilityError(InputError):
    """A variability model contradicts itself or the rules of its format."""


class ConfigurationError(InputError):
    """A configuration does not fit the variability model."""


class MeasurementError(InputError):
    """Measurements are incomplete, ambiguous or do not belong to the system."""


class ExpressionError(InputError):
    """Text is not an expression, or uses names that are not known."""


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
    """The space of valid configurations is empty, or too large for what was asked of it."""


class LearningError(SplcError):
    """Nothing can be learned from what was given."""


class OutputError(SplcError):
    """A result cannot be written where it should go."""


class Problems:
    """Collects the problems of one file, so that all of them can be reported at once.

    More than `limit` problems are counted, not listed: a file in which everything is wrong has one cause.
    """

    def __init__(self, file: str | Path | None = None, limit: int = 20) -> None:
        self.file = str(file) if file is not None else None
        self.limit = limit
        self._problems: list[Problem] = []
        self._included: set[Problem] = set()

    def add(self, message: str, line: int | None = None, *, text: str | None = None, hint: str | None = None) -> None:
        """Note one problem at `line` of the file."""
        self._problems.append(Problem(message, self.file, line, None, text, hint))

    def include(self, error: SplcError, line: int | None = None) -> None:
        """Note the problems of `error`, placed in this file at `line`."""
        for problem in error.problems:
            placed = problem.at(self.file, line)
            # What several inputs have in common is one problem, not one each.
            if placed not in self._included:
                self._included.add(placed)
                self._problems.append(placed)

    def __len__(self) -> int:
        return len(self._problems)

    def raise_if_any(self, kind: type[SplcError] = InputError) -> None:
        """Raise all problems noted so far as one error of class `kind`.

        Raises:
            SplcError: of class `kind`, if there is any problem.
        """
        if not self._problems:
            return
        shown = sorted(self._problems, key=lambda p: (p.line is None, p.line or 0))[: self.limit]
        rest = len(self._problems) - len(shown)
        if rest:
            shown.append(Problem(f"… and {rest} more problems", self.file))
        raise kind(shown)


def shorten(text: str, width: int = 160) -> str:
    """Return `text` on one line, cut to `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def nearest(name: str, known: Iterable[str], prefix: str = "did you mean") -> str | None:
    """Return a hint that names the known name nearest to `name`, or None."""
    found = _nearest(name, tuple(known))
    return None if found is None else f"{prefix} {found!r}?"


# A file often has the same wrong name in every row; each comparison with thousands of names takes a while.
@lru_cache(maxsize=256)
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    folded = {candidate.casefold(): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def listed(names: Sequence[str], limit: int = 12) -> str:
    """Return names joined for a message, cut after `limit` of them."""
    if len(names) <= limit:
        return ", ".join(names)
    return ", ".join(names[:limit]) + f", … ({len(names)} in all)"


def unknown_name_hint(name: str, known: Sequence[str]) -> str:
    """Return what to say about an unknown name: the nearest known one, else the list of known ones."""
    return nearest(name, known) or f"known are: {listed(known)}"


def plural(count: int, one: str, many: str) -> str:
    """Return a number with the word that belongs to it."""
    return f"{count:,} {one if count == 1 else many}"
