"""Parameters in the names of files and folders: `app.p8.n64.r1/profile.cubex` is a repetition of p = 8, n = 64.

A parameter is a word and a number (`x4`, `p=4`). `r1`, `rep1` and `run1` number repetitions. Parameters with the same
value in all names are left out: the name of a program, such as `lulesh2`, looks the same. Where the folders of profiles
name the points, as for Extra-P, digits in the names of files are ignored.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from splc.errors import InputError, Problem, Problems, plural
from splc.formats.experiments.rows import shown

_REPETITION = re.compile(r"(?:^|(?<=[./_-]))r(?:ep|un)?=?[0-9]+(?=$|[./_-])", re.IGNORECASE)
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
_PAIR = re.compile(rf"(?<![^\W\d_])(?:([^\W\d_][^\W_]*)=([+-]?{_NUMBER}(?:[eE][+-]?[0-9]+)?)|([^\W\d_]+)({_NUMBER}))")
_DIGITS = re.compile(r"[0-9]+")
_EXAMPLE = "name each folder or file as app.p8.n64.r1: parameters with their values, and the number of the repetition"


@dataclass(frozen=True)
class NamedPoints:
    """The points of some files, from their names."""

    parameters: tuple[str, ...]  # the parameters' names
    points: tuple[tuple[float, ...], ...]  # the coordinates of each file


def named_points(names: Sequence[str], folder: str, *, by_folder: bool = False) -> NamedPoints:
    """Return the parameters and points of files from their paths inside of a folder, without suffixes."""
    problems = Problems(folder)
    if by_folder and _folders_state_points(names):
        _check_files(names, folder)
        names = [_split(name)[0] for name in names]
    parsed = [_pairs(name, problems) for name in names]
    problems.raise_if_any(InputError)
    first, remainder = parsed[0]
    for name, (_, other_remainder) in zip(names, parsed, strict=True):
        if other_remainder != remainder:
            message = f"names differ in more than parameters and repetitions: {shown(names[0])} and {shown(name)}"
            hint = f"{_EXAMPLE}; keep profiles of other programs, versions and machines in other folders"
            raise InputError(Problem(message, folder, hint=hint))
    if not first:
        number = plural(len(names), "profile has", "profiles have")
        raise InputError(Problem(f"the names of {number} no parameter: {shown(names[0])}", folder, hint=_EXAMPLE))
    varying = [name for name in first if len({values[name] for values, _ in parsed}) > 1]
    selected = tuple(varying or first)
    return NamedPoints(selected, tuple(tuple(values[name] for name in selected) for values, _ in parsed))


def _split(name: str) -> tuple[str, str]:
    """Return the folders of a file, and its own name."""
    folders, _, file_name = name.rpartition("/")
    return folders, file_name


def _folders_state_points(names: Sequence[str]) -> bool:
    """Return whether folders have parameters, and differ in them or have one file each."""
    folders = [_split(name)[0] for name in names]
    points = {tuple(match[0] for match in _PAIR.finditer(_without_repetition(path))) for path in folders}
    return len(names) > 1 and () not in points and (len(points) > 1 or len(set(folders)) == len(names))


def _check_files(names: Sequence[str], folder: str) -> None:
    """Raise an error if names of files differ in more than digits, or in more than the repetition in one folder."""
    firsts: dict[str | None, tuple[str, str]] = {}
    for name in names:
        base, file_name = _split(name)
        base_name = _without_repetition(file_name)
        for key, text in ((None, _DIGITS.sub("0", base_name)), (base, base_name)):
            first_text, first_name = firsts.setdefault(key, (text, name))
            if first_text != text:
                message = (
                    f"folders state the parameters, but names of files differ: {shown(first_name)} and {shown(name)}"
                )
                hint = "numbers in the names of files are ignored there: use one folder for each run, as app.p8.n64.r1"
                raise InputError(Problem(message, folder, hint=hint))


def _without_repetition(name: str) -> str:
    """Return a name without the number of the repetition."""
    repetitions = list(_REPETITION.finditer(name))
    if not repetitions:
        return name
    return name[: repetitions[-1].start()] + name[repetitions[-1].end() :]


def _pairs(name: str, problems: Problems) -> tuple[dict[str, float], str]:
    """Return parameter → value in a name, and the name without values and repetition."""
    name = _without_repetition(name)
    values: dict[str, float] = {}
    for match in _PAIR.finditer(name):
        parameter, text = match[1] or match[3], match[2] or match[4]
        value = float(text.replace(",", "."))
        if not math.isfinite(value):
            problems.add(f"{shown(name)}: the value of {shown(parameter)} is too large")
        elif values.setdefault(parameter, value) != value:
            problems.add(f"{shown(name)}: the parameter {shown(parameter)} has two values")
    return values, _PAIR.sub(lambda match: f"<{match[1] or match[3]}>", name)
