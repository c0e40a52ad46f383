"""Configurations as lists of selected options and `name;value` pairs (XML, and CSV without a header)."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.data.configurations import Configurations, value_index, value_indices, value_table, with_further_values
from splc.data.property_unit import ColumnProblem, unit_problem
from splc.data.table import DESELECTED, TRUTH, assignment_texts, only_index
from splc.errors import ConfigurationError, Problem, listed, nearest, plural, unknown_name_hint
from splc.io.csv_rows import distinct_texts
from splc.io.numbers import not_a_number, parse_number
from splc.system.groups import child_texts, wrong_child
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

CONFIG_ID_SEPARATOR = "%;%"

# Position and value index of an option, or the problem of a text; an empty text has none.
Entry = tuple[int, int] | str

_OPPOSITE = {"true": "false", "yes": "no", "on": "off", "1": "0"}
_OPPOSITE |= {word: other for other, word in _OPPOSITE.items()}


def truth_words(texts: Sequence[str]) -> tuple[str, str] | None:
    """Return the words for deselected and selected in a column, None for `0` and `1`, or if they are unclear."""
    words = sorted({text.strip() for text in distinct_texts(texts)[0]} - {""})
    values = [TRUTH.get(word.casefold()) for word in words]
    if not words or {"0", "1"}.issuperset(words) or None in values or len(set(values)) < len(values):
        return None
    if len(words) == 1:
        (word,) = words
        opposite = _OPPOSITE[word.casefold()]  # it does not occur
        words.append(opposite.upper() if word.isupper() else opposite.title() if word.istitle() else opposite)
        values.append(TRUTH[opposite])
    return words[values.index(0)], words[values.index(1)]


def reasons_by_row(reasons: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return row → problems for messages; the problem of a column is only in its first row, with the number of rows."""
    of_columns = (reason for group in reasons.values() for reason in group if isinstance(reason, ColumnProblem))
    rows_of, reported, texts = Counter[str](of_columns), set[str](), dict[int, str]()
    for row, group in sorted(reasons.items()):
        if new := [reason for reason in group if reason not in reported]:
            reported.update(rows_of.keys() & new)
            parts = (f"{text} (in {plural(rows_of[text], 'row', 'rows')})" if text in rows_of else text for text in new)
            texts[row] = "; ".join(parts)
    return texts


@dataclass
class Selections:
    """Collects the entries of rows, each distinct one of which is looked up once, and makes value indices of them."""

    system: VariabilityModel
    reasons: dict[int, list[str]] = field(default_factory=dict)
    # row · options + position of each entry, and its value index
    _cells: array[int] = field(default_factory=lambda: array("q"))
    _indices: array[int] = field(default_factory=lambda: array("i"))
    _switched: list[tuple[int, int, bool]] = field(default_factory=list)
    _names: dict[str, Entry] = field(default_factory=dict)
    _pairs: dict[str, Entry] = field(default_factory=dict)
    # Values that an option does not have, with the messages about them.
    _unlisted: dict[NumericOption, dict[float, str]] = field(default_factory=dict)

    def refuse(self, row: int, reason: str) -> None:
        """Add a problem to a row."""
        self.reasons.setdefault(row, []).append(reason)

    def select(self, row: int, names: Iterable[str]) -> None:
        """Select binary options in a row; empty names are ignored."""
        self._set(row, names, self._names, self._look_up)

    def assign(self, row: int, pairs: Iterable[str]) -> None:
        """Give numeric options their values in a row: `name;value` or `name value`; empty pairs are ignored."""
        self._set(row, pairs, self._pairs, self._look_up_pair)

    def identify(self, row: int, identifier: str) -> None:
        """Read a `ConfigID`: names of binary options, and numeric options with values: `opt%;%x4%;%` or `x;4`."""
        for entry in identifier.split(CONFIG_ID_SEPARATOR):
            text = entry.strip().strip('"')
            if text in self.system.spellings or not text[-1:].isdigit():
                self.select(row, [text])
            else:
                self.assign(row, [self._as_pair(text)])

    def _set(self, row: int, texts: Iterable[str], cache: dict[str, Entry], look_up: Callable[[str], Entry]) -> None:
        for text in texts:
            if (entry := cache.get(text)) is None:
                entry = cache[text] = look_up(text.strip())
            if isinstance(entry, str):
                if entry:
                    self.refuse(row, entry)
            elif entry[1] < 0:
                self._switched.append((row, entry[0], entry[1] == _ENABLED))
            else:
                self._cells.append(row * len(self.system.options) + entry[0])
                self._indices.append(entry[1])

    def _look_up(self, name: str) -> Entry:
        system, spelling = self.system, self.system.spellings.get(name)
        if not name or spelling == ROOT:
            return ""
        if spelling is None:
            return _unknown(name, system.binary_options)
        if spelling in system.switches:
            position, enabled = system.switches[spelling]
            return position, _ENABLED if enabled else _DISABLED
        if isinstance(system.option(spelling), NumericOption):
            return f"the numeric option {name!r} is in the list of binary options"
        return system.positions[spelling], 1

    def _look_up_pair(self, pair: str) -> Entry:
        if not pair:
            return ""
        if (split := name_and_value(pair)) is None:
            return f"{pair!r} is not an option with a value"
        name, text = split
        if (position := self.system.positions.get(self.system.spellings.get(name, ""))) is None:
            return _unknown(name, self.system.numeric_options)
        option, value = self.system.options[position], parse_number(text)
        if isinstance(option, BinaryOption) and value not in {0.0, 1.0}:
            return f"the binary option {name!r} has the value {text!r}"
        may_lack = isinstance(option, NumericOption) and option.optional
        if np.isnan(value) and not (may_lack and text.casefold() == "nan"):
            return f"{name}: {text!r} {not_a_number(text)}"
        try:
            return position, value_index(option, value)
        except ConfigurationError as error:
            message = error.problems[0].message
        if isinstance(option, NumericOption):
            self._unlisted.setdefault(option, {})[value] = message
        return message

    def _as_pair(self, entry: str) -> str:
        """Return `name;value` for an entry of a ConfigID, which may have no separator between name and value."""
        if name_and_value(entry):
            return entry
        candidates = []
        for spelling, name in self.system.spellings.items():
            value = parse_number(entry[len(spelling) :]) if entry.startswith(spelling) else np.nan
            if name in self.system.positions and not np.isnan(value):
                option = self.system.options[self.system.positions[name]]
                fits = isinstance(option, NumericOption) and value_indices(option, np.array([value]))[0] >= 0
                candidates.append((fits, len(spelling), f"{name};{entry[len(spelling) :]}"))
        if candidates:
            return max(candidates)[2]
        # Without a match, split before the number, so that the message names the unknown option.
        name = entry.rstrip("0123456789.")
        name = name[:-1] if name != entry and name.endswith(("+", "-")) else name
        return f"{name};{entry[len(name) :]}" if name != entry else entry

    def finish(self, count: int) -> Array:
        """Return the value indices of `count` rows, shape (count, options), -1 for missing values."""
        system = self.system
        unnamed = [_unnamed(option, system) if isinstance(option, NumericOption) else 0 for option in system.options]
        indices = np.tile(np.array([-1 if index is None else index for index in unnamed], dtype=np.int32), (count, 1))
        cells = np.array(self._cells, dtype=np.int64)
        mask = np.zeros(indices.size, dtype=bool)
        mask[cells] = True
        if mask.sum() < len(cells):
            distinct, counts = np.unique(cells, return_counts=True)
            for cell in distinct[counts > 1].tolist():
                row, position = divmod(cell, len(system.options))
                self.refuse(row, f"{system.names[position]!r} is named twice")
        indices.reshape(-1)[cells] = np.array(self._indices, dtype=np.int32)
        for row, position, enabled in self._switched:
            contradicts = (indices[row, position] == (system.options[position].size - 1)) == enabled
            if contradicts and (enabled or mask[row * len(system.options) + position]):
                self.refuse(row, f"{system.names[position]!r} is both enabled and disabled")
        for row, position in np.argwhere(indices < 0).tolist():
            self.refuse(row, f"no value for {system.names[position]!r}")
        for option, messages in self._unlisted.items():
            if unit := unit_problem(option.name, option.values, sorted(messages)):
                for reasons in self.reasons.values():
                    reasons[:] = [unit if reason in messages.values() else reason for reason in reasons]
        return indices


_ENABLED, _DISABLED = -1, -2


def name_and_value(pair: str) -> tuple[str, str] | None:
    """Return the parts of `name;value`, as SPL Conqueror writes it, or of `name value`, which it reads, too."""
    name, *tail = pair.rsplit(";", 1) if ";" in pair else pair.rsplit(maxsplit=1)
    value = tail[0].split() if tail else []
    return (name.strip(), value[0]) if len(value) == 1 else None


def _unknown(name: str, options: Iterable[Option]) -> str:
    hint = nearest(name, [option.name for option in options])
    return f"unknown option {name!r}{', ' + hint if hint else ''}"


def parse_assignments(texts: Iterable[str], system: VariabilityModel) -> dict[str, int]:
    """Return option → value index of texts `NAME=VALUE`, `PARENT=CHILD`, or `NAME` for a selected binary option.

    Children are named as in a table (`splc.system.groups`). `deselected` is a value of optional numeric options.
    """
    indices, problems = dict[str, int](), list[Problem]()
    for text in filter(None, map(str.strip, texts)):
        problems += _problems_of(text, system, indices)
    if problems:
        raise ConfigurationError(problems)
    return indices


def with_assigned_values(texts: Iterable[str], system: VariabilityModel) -> VariabilityModel:
    """Return a system that has the numbers in texts `NAME=VALUE`, if its values were not described."""
    pairs = (text.rpartition("=") for text in texts)
    numbers = {name.strip(): parse_number(value.strip()) for name, _, value in pairs}
    return with_further_values(system, numbers)


def parse_configuration(text: str, system: VariabilityModel) -> Configurations:
    """Return the configuration `NAME=VALUE,NAME,…`, which may be invalid, of a system that has its values.

    Options that are not named are not selected, but for mandatory ones and the parents of named ones. Numeric options
    of several values must be named unless they are optional.
    """
    parts = _parts(text, system)
    system = with_assigned_values(parts, system)
    assigned = parse_assignments(parts, system)
    indices = {option.name: _unnamed(option, system) for option in system.options} | assigned
    parents = {option.name: option.parent for option in system.binary_options}
    for name, index in assigned.items():
        above = parents.get(name) if index else None
        while above is not None:
            indices[above] = assigned.get(above, 1)
            above = parents[above]
    if missing := [name for name, index in indices.items() if index is None]:
        example = f"{missing[0]}={_example(system.option(missing[0]))}"
        raise ConfigurationError(f"no value for {listed(missing)}", hint=f"add for example {example}")
    return Configurations(system, np.array([[indices[name] for name in system.names]], dtype=np.int64))


def assignment_text(values: Mapping[str, int], system: VariabilityModel) -> str:
    """Return assignments as text: `cache, tls=0, x=4`."""
    numbers = {name: value_table(system.option(name))[index] for name, index in values.items()}
    return ", ".join(assignment_texts(system, numbers, every=True).values())


def _parts(text: str, system: VariabilityModel) -> list[str]:
    """Return the assignments of a configuration: the longest ones, as names and words may contain commas."""
    names = [*system.spellings, *(name for group in system.child_groups.items() for name in child_texts(*group))]
    # A name and its value may have commas.
    most = 1 + 2 * max(name.count(",") for name in names)
    pieces, parts, start = text.split(","), list[str](), 0
    if most == 1:
        return pieces
    while start < len(pieces):
        joined = (",".join(pieces[start:end]) for end in range(min(start + most, len(pieces)), start, -1))
        parts.append(next((part for part in joined if not _problems_of(part.strip(), system, {})), pieces[start]))
        start += parts[-1].count(",") + 1
    return parts


def _problems_of(text: str, system: VariabilityModel, indices: dict[str, int]) -> Sequence[Problem]:
    """Add the value that one text gives an option, or return what is wrong with it."""
    try:
        _assign(text, system, indices)
    except ConfigurationError as error:
        return error.problems
    return ()


def _assign(text: str, system: VariabilityModel, indices: dict[str, int]) -> None:
    # A name may contain an equals sign.
    is_name = "=" not in text or system.spellings.get(text) in system.positions
    name, equals, value = map(str.strip, (text, "", "") if is_name else text.rpartition("="))
    spelled = system.spellings.get(name)
    if spelled is None or spelled not in system.positions:
        # The second one is of a group of columns without a parent: `tool=gcc` is `tool_gcc`.
        texts = [*(child_texts(*group).get(name, "") for group in system.child_groups.items())]
        texts += [f"{name}{mark}{value}" for mark in "_-."]
        child = next((each for each in texts if each in system.positions), None)
        hint = f"did you mean {child!r}?" if child else unknown_name_hint(name, list(system.names))
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 1 and all(part.rpartition("=")[0] in system.spellings for part in parts):
            hint = f"give each value by itself: {listed(parts)}"
        raise ConfigurationError(f"unknown option {name!r}", hint=hint)
    option = system.option(spelled)
    children = system.child_groups.get(spelled, ()) if equals else []
    if child := child_texts(spelled, children).get(value):
        if any(indices.get(other.name) for other in children if other.name != child):
            raise ConfigurationError(f"{spelled} has two values", hint="name each option once")
        spelled, index = child, 1
    elif children and value.casefold() not in TRUTH:
        raise ConfigurationError(wrong_child(spelled, children, value))
    else:
        index = _index(option, value if equals else None)
    if indices.setdefault(spelled, index) != index:
        raise ConfigurationError(f"{spelled} has two values", hint="name each option once")


def _index(option: Option, text: str | None) -> int:
    """Return the value index of a text, None for an option without a value."""
    if isinstance(option, BinaryOption):
        if (index := 1 if text is None else TRUTH.get(text.casefold())) is None:
            raise ConfigurationError(f"{option.name}: {text!r} is neither 0 nor 1", hint="it is a binary option")
        return index
    if text is None:
        hint = f"write for example {option.name}={_example(option)}"
        raise ConfigurationError(f"the numeric option {option.name!r} needs a value", hint=hint)
    if option.optional and text.casefold() in (DESELECTED, "nan"):
        return len(option.values)
    value = parse_number(text)
    if np.isnan(value):
        raise ConfigurationError(f"{option.name}: {text!r} {not_a_number(text)}")
    return value_index(option, value)


def _unnamed(option: Option, system: VariabilityModel) -> int | None:
    """Return the value index of an option that is not named, None if it must be named."""
    if isinstance(option, NumericOption):
        return len(option.values) if option.optional else only_index(option, system.mandatory)
    return int(option.name in system.mandatory)


def _example(option: Option) -> str:
    return f"{option.values[0]:g}" if isinstance(option, NumericOption) else "1"
