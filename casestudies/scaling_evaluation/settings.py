"""Files that change the settings of an evaluation: `preset = "synthetic-single"`, and settings that differ from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from casestudies.evaluation.evaluation import Evaluation
from casestudies.scaling_evaluation.applications import ApplicationEvaluation
from casestudies.scaling_evaluation.families import FamilyEvaluation
from casestudies.scaling_evaluation.profiles import ProfileEvaluation
from casestudies.scaling_evaluation.quoted import QuotedEvaluation
from casestudies.scaling_evaluation.several import SeveralEvaluation
from casestudies.scaling_evaluation.several_profiles import SeveralProfileEvaluation
from casestudies.scaling_evaluation.single import SingleEvaluation
from casestudies.scaling_evaluation.single_functions import LEARNERS
from casestudies.scaling_evaluation.sparse import SparseEvaluation
from casestudies.scaling_evaluation.sparse_functions import POINTS
from casestudies.scaling_evaluation.target import TargetEvaluation
from splc.errors import Problems, SpecError, listed, shorten, unknown_name_hint
from splc.io.files import read_source
from splc.io.toml import finite_number, line_of, parse_toml, plain_text, toml_value

PRESET = "preset"
PRESETS: Mapping[str, type[Evaluation]] = {
    SingleEvaluation.preset: SingleEvaluation,
    SparseEvaluation.preset: SparseEvaluation,
    FamilyEvaluation.preset: FamilyEvaluation,
    ProfileEvaluation.preset: ProfileEvaluation,
    TargetEvaluation.preset: TargetEvaluation,
    SeveralEvaluation.preset: SeveralEvaluation,
    SeveralProfileEvaluation.preset: SeveralProfileEvaluation,
    ApplicationEvaluation.preset: ApplicationEvaluation,
    QuotedEvaluation.preset: QuotedEvaluation,
}
_KNOWN = f"there are {listed(list(PRESETS))}"
# Beyond these, a digit too many was typed.
MAX_FUNCTIONS, MAX_REPETITIONS, MAX_SEED = 1_000_000, 1000, 2**64 - 1


@dataclass(frozen=True)
class _Setting:
    """A setting: the conditions on its value, or on each of a list of values."""

    what: str
    check: Callable[[Any], bool]
    known: tuple[str, ...] = ()
    several: bool = True


def _whole(value: Any, least: int, most: int | None = None) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole and value >= least and (most is None or value <= most)


_SETTINGS: Mapping[str, _Setting] = {
    "functions": _Setting(
        f"a whole number from 1 to {MAX_FUNCTIONS:,}", lambda v: _whole(v, 1, MAX_FUNCTIONS), several=False
    ),
    "seed": _Setting("a whole number from 0 to 2^64 - 1", lambda v: _whole(v, 0, MAX_SEED), several=False),
    "noise": _Setting(
        "numbers above 0 and below 1, as 0.02 for ±2 %", lambda v: 0 < (finite_number(v) or 0) < 1
    ),
    "learners": _Setting("names of learners", lambda v: isinstance(v, str) and v in LEARNERS, tuple(LEARNERS)),
    "parameters": _Setting(f"whole numbers from 1 to {max(POINTS)}", lambda v: _whole(v, 1, max(POINTS))),
    "repetitions": _Setting(
        f"whole numbers from 1 to {MAX_REPETITIONS:,}", lambda v: _whole(v, 1, MAX_REPETITIONS)
    ),
}  # fmt: skip


def evaluation_preset(name: str) -> Evaluation:
    """Return the evaluation of a preset."""
    if name not in PRESETS:
        raise SpecError(f"there is no preset {name!r}", hint=_KNOWN)
    return PRESETS[name]()


def read_evaluation(path: str | Path) -> Evaluation:
    """Read a file that names a preset and the settings that differ from it."""
    source = read_source(path)
    content, lines = parse_toml(source)
    return evaluation_of(Path(path), source.name, content, lines)


def evaluation_of(path: Path, name: str, content: Mapping[str, Any], lines: Mapping[str, int]) -> Evaluation:
    """Return the evaluation of a file.

    `lines`: key → its line.
    """
    problems = Problems(name)
    chosen = content.get(PRESET)
    kind = PRESETS.get(chosen) if isinstance(chosen, str) else None
    if kind is None:
        missing = "a preset is missing" if chosen is None else f"there is no preset {shorten(plain_text(chosen))!r}"
        problems.add(missing, line_of(PRESET, lines), hint=_KNOWN)
    keys = [each.name for each in fields(kind) if each.name != "path"] if kind else list(_SETTINGS)
    found: dict[str, Any] = {}
    for key, value in content.items():
        if key == PRESET:
            continue
        line = line_of(key, lines)
        if key not in keys:
            whose = f" of {chosen}" if kind else ""
            problems.add(f"unknown key {key!r}{whose}", line, hint=unknown_name_hint(key, [PRESET, *keys]))
            continue
        setting = _SETTINGS[key]
        if setting.several:
            found[key] = _several(key, value, setting, problems, line)
        elif setting.check(value):
            found[key] = value
        else:
            problems.add(f"{key} must be {setting.what}", line, text=f"{key} = {toml_value(value)}")
    problems.raise_if_any()
    assert kind is not None
    return kind(path=path, **found)


def _several(key: str, value: Any, setting: _Setting, problems: Problems, line: int | None) -> tuple[Any, ...]:
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    if not values:
        problems.add(f"{key} is empty", line, hint=f"write a list of {setting.what}")
    good = [each for each in values if setting.check(each)]
    for each in values:
        if not setting.check(each):
            hint = unknown_name_hint(each, setting.known) if setting.known and isinstance(each, str) else None
            problems.add(f"{key} must be {setting.what}", line, text=f"{key} = {toml_value(each)}", hint=hint)
    if key == "noise":
        good = [float(each) for each in good]
    # As they are named in files and tables.
    if len({f"{100 * each:g}" if key == "noise" else each for each in good}) < len(good):
        problems.add(f"duplicate value of {key}", line, text=f"{key} = {toml_value(value)}")
    return tuple(good)
