"""The roles of the columns of a table without a description of the system: options, properties, contexts.

What the user names has the role that is named, and what is an option without these names remains one. The rules for all
other columns are in `docs/howto/csv.md`. First columns are left out that label runs (`splc.formats.labels`) or count
them; texts are contexts, states of runs or words; what says the same as another column is left out. Then options are
found among words and numbers (`splc.formats.evidence`), by place, names and evidence of the rows; numbers that are a
function of options are none (`splc.formats.functions`). The remaining words are contexts, the remaining numbers
properties. Last is what the rows do not decide (`splc.formats.doubts`).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np

from splc.data.property_unit import unit_in_name
from splc.data.table import NOT_USED
from splc.errors import InputError, Problem, Problems, listed, unknown_name_hint
from splc.formats import labels
from splc.formats.coded_columns import (
    MAX_VALUES,
    MIN_ROWS,
    NEARLY_ALL,
    CodedColumns,
    is_counter,
    is_row_counter,
)
from splc.formats.column_choice import ColumnChoice, has_commas, has_words, kind_of, lines_text, numbers_in
from splc.formats.doubts import Doubt, doubts_about, flags_of
from splc.formats.evidence import options_among, spelled_twice, unexplained_gaps
from splc.formats.functions import steps_of
from splc.formats.names import is_context_name, is_count_name, is_measurement_name, is_program_name
from splc.io.csv_rows import distinct_texts, texts_in
from splc.system.variability import ROOT
from splc.types import Array

# What programs that track runs write before the names of options.
_PREFIXED = re.compile(
    r"(?:(?:config|hparams|hyperparameters|params?|parameters|general|args)/|params\.)", re.IGNORECASE
)
_NUMBER = re.compile(r"[ _.-]*[0-9]+$")
_ASKED, _FEW_EACH = 20, 4


@dataclass(frozen=True, eq=False)
class Roles:
    """The roles of the columns of a table."""

    binary: tuple[str, ...] = ()  # binary options, in the order of the columns, and likewise all others
    numeric: tuple[str, ...] = ()  # numeric options
    text: tuple[str, ...] = ()  # text columns that are options
    properties: tuple[str, ...] = ()  # properties; the first one is the property that the user named, if there is one
    contexts: tuple[str, ...] = ()  # contexts, also the statuses
    statuses: tuple[str, ...] = ()  # columns that say which runs failed
    ignored: Mapping[str, str] = field(default_factory=dict)  # column → why it is ignored
    # columns that are neither options nor contexts, nor stated by a name, and differ among rows of the same
    # configuration and contexts
    differing: tuple[str, ...] = ()
    # the number of rows of each configuration
    counts: Array = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    warnings: tuple[str, ...] = ()  # what is probably wrong, one line each
    # columns whose roles the rows do not decide (`splc.formats.doubts`)
    doubts: Mapping[str, Doubt] = field(default_factory=dict)
    decided: bool = False  # whether names and contents of columns (`splc.formats.labels`) decided on roles
    # column → its numbers, shape (n,), NaN where there is none
    numbers: Mapping[str, Array] = field(default_factory=dict, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are options."""
        return (*self.text, *self.binary, *self.numeric)

    @property
    def question(self) -> str:
        """The columns whose roles are uncertain, by the roles that they have and may have."""
        kinds: dict[tuple[str, str], list[str]] = {}
        for name, doubt in self.doubts.items():
            if doubt.other != doubt.used:
                kinds.setdefault((doubt.used, doubt.other), []).append(name)
        return "; ".join(f"{listed(names, _ASKED)} ({used}, or {other}?)" for (used, other), names in kinds.items())

    @property
    def answer(self) -> str:
        """The options of the command line that state the other roles of columns in doubt."""
        others = {name: doubt.other for name, doubt in self.doubts.items() if doubt.other != doubt.used}
        flags = flags_of(self.doubts, others)
        return " ".join(f"--{flag} {shlex.quote(','.join(names))}" for flag, names in flags.items() if names)


def roles_of(
    columns: Mapping[str, Sequence[str]],
    file: str,
    *,
    nfp: str | None = None,
    choice: ColumnChoice,
    lines: Sequence[int],
    measured: bool = True,
) -> Roles:
    """Return the roles of the columns of a table; without a measured column, options are those that are named."""
    choice = choice.among(columns)
    kept = (*choice.named, *choice.ignore)
    prefixed = tuple(name for name in columns if _PREFIXED.match(name) and name not in kept and not is_counter(name))
    choice = replace(choice, options=tuple(dict.fromkeys((*choice.options, *prefixed))))
    _require_columns(columns, file, nfp, choice)
    reasons_of = {name: "as in the model" if name in choice.optional else "as requested" for name in choice.ignore}
    ignored = {name: reasons_of[name] for name in columns if name in reasons_of}
    stated = {*choice.options, *choice.named, *choice.usual, *ignored, nfp or ""}
    evident = {} if choice.properties else labels.left_out(columns, stated)
    ignored |= evident
    numbers: dict[str, Array] = {}
    contexts, statuses = list[str](), list[str]()
    text: list[str] = []
    words: dict[str, None] = {}  # columns of text that may be options
    place = {name: at for at, name in enumerate(columns)}
    first = place[nfp] if nfp in place else next((at for name, at in place.items() if is_measurement_name(name)), 0)
    failed = labels.without_result(nfp, numbers_in(columns[nfp])) if nfp is not None and nfp in columns else None
    for at, (name, texts) in enumerate(columns.items()):
        if name == ROOT or name in ignored:
            continue
        values = numbers_in(texts)
        kind = kind_of(texts, values)
        # Of an option, `none` is a value like `1.2`, and so is `s` beside 0 to 3; 3.10 beside 3.9 is a version.
        is_set = at < first and kind == "numbers"
        is_version = is_program_name(name) and any("." in text for text in distinct_texts(texts)[0])
        is_text = (is_set or (kind == "numbers" and name in choice.options)) and (has_words(texts) or is_version)
        if name in choice.options:
            numbers[name] = values
            if kind != "numbers" or is_text:
                text.append(name)
        elif choice.is_context(name, nfp):
            contexts.append(name)
        elif name != nfp and kind == "empty" and texts:
            ignored[name] = "it has no values"
        elif name != nfp and (is_text or (kind == "text" and not has_commas(texts))):
            distinct = distinct_texts(texts)[0]
            says_so = failed is not None and labels.tells_failures(texts, failed)
            if labels.is_status(name, distinct) or name.casefold() in labels.EXIT_CODES or says_so:
                statuses.append(name)
            elif choice.properties or is_context_name(name) or labels.is_place(distinct):
                contexts.append(name)
            else:
                words[name] = None
        else:
            numbers[name] = values
    for name in [name for name in numbers if name != nfp and name not in choice.options]:
        says_so = labels.is_success_flag(name, numbers[name]) or labels.is_exit_code(name, numbers[name])
        if says_so or labels.nothing_worked(name, numbers[name], columns).any():
            statuses.append(name)
            del numbers[name]
    places, contexts = contexts, [name for name in columns if name in contexts or name in statuses]
    # What says the same as a column that the user leaves out is left out, too.
    twins = [name for name in choice.ignore if name in columns and name not in choice.optional]
    table = CodedColumns(numbers, dict.fromkeys((*text, *contexts, *words, *twins)), columns)
    explicit = {name: None for name in numbers if name in choice.options}
    # What runs ended with differs among repetitions.
    table.contexts, table.unused = (*places, *explicit), (*twins,)
    free = [name for name in numbers if name != nfp and name not in (*explicit, *choice.properties)]
    named = [name for name in numbers if name == nfp or table.is_named_measured(name, nfp)]
    first_stated = place[named[0]] if named else len(place)
    for name in free:
        is_one = measured and table.sizes[name] == 1 and table.rows >= MIN_ROWS
        is_one &= nfp in columns or not is_measurement_name(name)
        if nfp in table.numbers and table.is_rounded(name, nfp):
            ignored[name] = f"it is {nfp} in another unit, rounded"
            del numbers[name]
        elif (is_one and place[name] > first_stated) or table.counts(name):
            ignored[name] = "it has one value" if table.sizes[name] == 1 else "it seems to count rows or repetitions"
            del numbers[name]
    for name in [name for name in numbers if not table.complete(name)]:
        cells = distinct_texts(texts_in(columns[name], np.flatnonzero(table.gaps(name))))[0]
        table.blank |= {name} if NOT_USED.issuperset(cell.strip().casefold() for cell in cells) else set()
    for name in (*contexts, *words):
        if name not in choice.named and table.says_why(name):
            ignored[name] = "it has texts only where values are missing"
    free = [name for name in numbers if name not in explicit and name != nfp]
    places = [name for name in contexts if name not in choice.named and name not in ignored]
    for name in places:
        if table.sizes[name] > MAX_VALUES and _FEW_EACH * table.sizes[name] >= table.rows:
            ignored[name] = "it has few rows of each value"
    mentioned = [*twins, *(name for name in contexts if name in choice.named)]
    kinds = {"chosen": [name for name in choice.options if name in table.codes], "mentioned": mentioned}
    kinds |= {"places": places, "states": statuses, "words": [*words], "numbers": free}
    twice = spelled_twice(table, [*columns][: first_stated if named else 0], kinds, named=nfp in columns)
    ignored |= {name: reason for name, reason in twice.items() if name not in mentioned}
    numbers = {name: values for name, values in numbers.items() if name not in ignored}
    contexts = [name for name in contexts if name not in ignored]
    words = {name: None for name in words if name not in ignored}
    # A file that states its properties states its options, too.
    names = [name for name in columns if name in numbers or name in words]
    result = (
        (explicit, {})
        if choice.properties or prefixed or not measured
        else options_among(table, names, nfp, explicit, frozenset((*text, *words)))
    )
    if result is None:
        raise _no_property(file)
    options, reasons = result
    few = (name for name in options if name not in explicit and (name in words or table.is_binary(name)))
    steps = {name: of for name in few if (of := steps_of(table, name, options)) is not None}
    reasons |= {name: f"it is a function of {of}" for name, of in steps.items()}
    options = {name: None for name in options if name not in steps}
    of_text = words.keys() | text
    text = [name for name in columns if name in options and name in of_text]
    unused = dict.fromkeys(name for name in words if name not in options and name not in reasons)
    unused_labels = _labels(table, unused, options)
    reasons |= unused_labels
    contexts = [name for name in columns if name in contexts or (name in unused and name not in unused_labels)]
    outputs = tuple(name for name in numbers if name not in options and name not in reasons)
    ignored |= reasons
    if not outputs and measured:
        raise _no_property(file)
    derived = {} if choice.properties else _derived(table, _first(outputs, nfp))
    ignored |= derived
    outputs = tuple(name for name in outputs if name not in derived)
    group = table.groups((*options, *contexts))
    # One property is what is learned.
    known = {*unused_labels, *steps, *choice.properties, nfp or next(iter(outputs), "")}
    unstated = [name for name in (*outputs, *reasons) if name not in known and not is_count_name(name)]
    unstated = [name for name in unstated if not is_measurement_name(name, nfp) and table.differs(name, group)]
    left = frozenset(takewhile(lambda name: name != nfp, columns)) if nfp is not None else frozenset[str]()
    if any(table.sizes[name] > 1 for name in options if name in left):
        # What is to the right of the property that the user named was measured if it has a unit or hardly differs.
        right = [name for name in unstated if name in numbers and unit_in_name(name) is None]
        unstated = [name for name in unstated if name in left or (name in right and table.is_scattered(name, group))]
    of_text = {*text}
    free = [name for name in options if name not in of_text]
    # The versions before an option have no value of it.
    switches = {name: None for name in free if name in table.blank and table.is_switch(name)}
    numbers |= {name: np.nan_to_num(numbers[name]) for name in switches}
    binary = tuple(name for name in free if table.is_binary(name) or name in switches)
    numeric = tuple(name for name in free if not table.is_binary(name) and name not in switches)
    inferred = [name for name in (*numeric, *switches) if name not in explicit]
    gaps = {name: [lines[row] for row in unexplained_gaps(table, name, options)] for name in inferred}
    doubts: dict[str, Doubt] = {}
    if measured and not choice.properties:
        fixed = {*choice.options, *choice.named, *choice.ignore, *choice.usual}
        doubts = doubts_about(table, columns, [*options], (name for name in contexts if name not in statuses), fixed)
    return Roles(
        binary,
        numeric,
        tuple(text),
        _first(outputs, nfp),
        tuple(contexts),
        tuple(name for name in contexts if name in statuses),
        ignored,
        tuple(unstated) if measured else (),
        np.bincount(table.groups(options)),
        tuple(_warnings(table.rows, gaps)),
        doubts,
        bool(evident or derived or reasons or doubts),
        numbers,
    )


def _warnings(rows: int, gaps: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """Yield what may be wrong about options that the user did not name; `gaps`: option → lines without a value."""
    for name, lines in gaps.items():
        if lines:
            yield (
                f"{name} has no value in {len(lines):,} of {rows:,} rows ({lines_text(lines)}) and is taken as "
                "deselected there; if a value is missing, add it or remove the row"
            )


def _derived(table: CodedColumns, names: Sequence[str]) -> dict[str, str]:
    """Return the properties that state the same as one before them, and why."""
    reasons: dict[str, str] = {}
    for at, name in enumerate(names if len(names) <= MAX_VALUES else ()):
        for base in (base for base in names[:at] if base not in reasons and name not in reasons):
            if table.is_best_so_far(name, base):
                reasons[name] = f"it is the best {base} so far"
    return reasons


def _labels(table: CodedColumns, names: Iterable[str], options: Iterable[str]) -> dict[str, str]:
    """Return the columns of text that explain nothing beside the options, and why."""
    group = table.groups(options)
    count = int(group.max(initial=-1)) + 1
    unused_labels: dict[str, str] = {}
    varying = [name for name in options if table.sizes[name] > 1]
    for name in names if count > 1 and table.rows >= MIN_ROWS else ():
        size, rows = table.written(name)
        if size > 1 and size >= NEARLY_ALL * rows:
            unused_labels[name] = "its text differs in nearly every row"
        elif (size == count or size > MAX_VALUES) and not table.differs(name, group):
            unused_labels[name] = "its text says the same as the options"
        elif size > MAX_VALUES and not any(table.differs(each, table.groups((name,))) for each in varying):
            unused_labels[name] = "it names the configurations"
    return unused_labels


def _require_columns(columns: Mapping[str, Sequence[str]], file: str, nfp: str | None, choice: ColumnChoice) -> None:
    problems = Problems(file)
    kinds = {**dict.fromkeys(choice.options, "option"), **dict.fromkeys(choice.ignore, "column")}
    kinds |= dict.fromkeys(choice.named, "context") | ({} if nfp is None else {nfp: "property"})
    for name, kind in kinds.items():
        if name not in columns and name not in choice.optional:
            text = f"there is no column {'' if kind == 'column' else f'for the {kind} '}{name!r}"
            hint = unknown_name_hint(name, list(columns))
            if name == nfp and choice.properties:
                hint = f"what was measured: --property {' or '.join(map(shlex.quote, choice.properties))}"
            elif name == nfp and (of := _NUMBER.sub("", name)) in columns:
                text = f"{name!r} is one of the repetitions of {of!r}"
                hint = f"name it with --property {shlex.quote(of)}"
            problems.add(text, hint=hint)
    for name in choice.options:
        if name == nfp or name in choice.ignore or name in choice.named:
            kind = "the property" if name == nfp else "ignored" if name in choice.ignore else "a context"
            problems.add(f"the option {name!r} is also {kind}", hint="name it only once")
    problems.raise_if_any(InputError)


def _no_property(file: str) -> InputError:
    hint = (
        "name the column of the measured values with --property, and options that are not found with --options (in "
        "Python nfp and options); a table of configurations without measured values is for splc measure TABLE"
    )
    return InputError(Problem("no column seems to be a property", file, hint=hint))


def _first(names: Sequence[str], nfp: str | None) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name != nfp))


def option_columns(
    columns: Mapping[str, Sequence[str]], choice: ColumnChoice, *, measured: bool | None
) -> tuple[str, ...] | None:
    """Return the options of a table without measurements, None if it has a measured column, or seems to have one.

    All columns are options, also those of text, unless the user chose another role, or they number the rows. A column
    seems to be measured if it has the name of a measured value, fractions and nearly a different value in every row, or
    many values that are not needed to distinguish the rows; and rows are repeated only where they are measured.
    """
    if measured:
        return None
    choice = choice.among(columns)
    inputs = {name: cells for name, cells in columns.items() if name not in (*choice.ignore, *choice.named)}
    values = {name: numbers_in(cells) for name, cells in inputs.items()}
    kinds = {name: kind_of(cells, values[name]) for name, cells in inputs.items()}
    texts = {name: cells for name, cells in inputs.items() if kinds[name] == "text" and not has_commas(cells)}
    numbers = {name: values[name] for name in inputs if name not in texts and kinds[name] != "empty"}
    table = CodedColumns(numbers, texts, inputs)
    if measured is None:
        rows = [*zip(*columns.values(), strict=True)]
        free = (name for name in table.numbers if name not in choice.options and not table.counts(name))
        if len({*rows}) < len(rows) or any(_is_measured(table, name) for name in free):
            return None
    # Columns that number the rows, by their names and values.
    counters = (name for name in table.numbers if is_row_counter(name) and table.counts(name))
    numbering = {name for name in counters if table.differs_everywhere(name)}
    return tuple(name for name in inputs if name in table.codes and name not in numbering)


def _is_measured(table: CodedColumns, name: str) -> bool:
    """Return whether a column of numbers seems to be measured."""
    if (is_measurement_name(name) and not table.is_binary(name)) or table.seems_measured(name):
        return True
    return table.is_told(name, (other for other in table.codes if other != name))
